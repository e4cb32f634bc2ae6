//! Primitives of the ERS-7: joints, lights and sensors, with their locators, from its model information.

/// Millionths per unit: values are integers in µrad, µm and µm/s².
pub const MICRO: f64 = 1e6;

/// Primitive: a device of the body that is commanded or measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    /// Path along the joints, such as `PRM:/r1/c1-Joint2:11`.
    pub locator: &'static str,
    /// Meaning of the values.
    pub kind: Kind,
}

/// Meaning of the values of a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Motor with a position sensor.
    Joint {
        /// Joint of the robot's model.
        name: &'static str,
        /// Software limits, degrees.
        range: [f64; 2],
    },
    /// Ear, raised or lowered.
    Ear {
        /// Joint of the robot's model.
        name: &'static str,
    },
    /// Light that is on or off.
    Light,
    /// Light with an intensity.
    Dimmed,
    /// A sensor.
    Sensor(Sensor),
    /// The camera.
    Camera,
    /// The microphones.
    Microphone,
    /// The loudspeaker.
    Speaker,
}

/// Quantity that a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensor {
    /// Acceleration along an axis: 0 front to back, 1 right to left, 2 up and down, µm/s².
    Acceleration(usize),
    /// Distance, µm.
    Distance,
    /// Pressure of a touch.
    Touch,
    /// Switch: 0 or 1.
    Switch,
}

impl Kind {
    /// Returns true if vectors of sensor values have an entry for it: joints with a position sensor, and sensors.
    #[must_use]
    pub const fn is_sensed(self) -> bool {
        matches!(self, Self::Joint { .. } | Self::Sensor(_))
    }
}

const fn of(locator: &'static str, kind: Kind) -> Primitive {
    Primitive { locator, kind }
}

const fn joint(locator: &'static str, name: &'static str, low: f64, high: f64) -> Primitive {
    let range = [low, high];
    of(locator, Kind::Joint { name, range })
}

const fn sensor(locator: &'static str, sensor: Sensor) -> Primitive {
    of(locator, Kind::Sensor(sensor))
}

/// All primitives of the ERS-7. Those in vectors of sensor values come first.
pub const ERS7: [Primitive; 65] = [
    joint("PRM:/r1/c1/c2/c3/c4-Joint2:14", "mouth", -55.0, -3.0),
    sensor("PRM:/r1/c1/c2/c3/c4/s5-Sensor:s5", Sensor::Switch),
    joint("PRM:/r1/c1/c2/c3-Joint2:13", "neck_nod", -15.0, 45.0),
    sensor("PRM:/r1/c1/c2/c3/t1-Sensor:t1", Sensor::Touch),
    sensor("PRM:/r1/c1/c2/c3/p1-Sensor:p1", Sensor::Distance),
    sensor("PRM:/r1/c1/c2/c3/p2-Sensor:p2", Sensor::Distance),
    joint("PRM:/r1/c1/c2-Joint2:12", "neck_pan", -88.0, 88.0),
    joint("PRM:/r1/c1-Joint2:11", "neck_tilt", -75.0, 0.0),
    sensor("PRM:/r2/c1/c2/c3/c4-Sensor:24", Sensor::Switch),
    joint("PRM:/r2/c1/c2/c3-Joint2:23", "lf_j3", -25.0, 122.0),
    joint("PRM:/r2/c1/c2-Joint2:22", "lf_j2", -10.0, 88.0),
    joint("PRM:/r2/c1-Joint2:21", "lf_j1", -115.0, 130.0),
    sensor("PRM:/r3/c1/c2/c3/c4-Sensor:34", Sensor::Switch),
    joint("PRM:/r3/c1/c2/c3-Joint2:33", "lr_j3", -25.0, 122.0),
    joint("PRM:/r3/c1/c2-Joint2:32", "lr_j2", -10.0, 88.0),
    joint("PRM:/r3/c1-Joint2:31", "lr_j1", -130.0, 115.0),
    sensor("PRM:/r4/c1/c2/c3/c4-Sensor:44", Sensor::Switch),
    joint("PRM:/r4/c1/c2/c3-Joint2:43", "rf_j3", -25.0, 122.0),
    joint("PRM:/r4/c1/c2-Joint2:42", "rf_j2", -10.0, 88.0),
    joint("PRM:/r4/c1-Joint2:41", "rf_j1", -115.0, 130.0),
    sensor("PRM:/r5/c1/c2/c3/c4-Sensor:54", Sensor::Switch),
    joint("PRM:/r5/c1/c2/c3-Joint2:53", "rr_j3", -25.0, 122.0),
    joint("PRM:/r5/c1/c2-Joint2:52", "rr_j2", -10.0, 88.0),
    joint("PRM:/r5/c1-Joint2:51", "rr_j1", -130.0, 115.0),
    joint("PRM:/r6/c1-Joint2:61", "tail_tilt", 5.0, 60.0),
    joint("PRM:/r6/c2-Joint2:62", "tail_pan", -45.0, 45.0),
    sensor("PRM:/a1-Sensor:a1", Sensor::Acceleration(0)),
    sensor("PRM:/a2-Sensor:a2", Sensor::Acceleration(1)),
    sensor("PRM:/a3-Sensor:a3", Sensor::Acceleration(2)),
    sensor("PRM:/p1-Sensor:p1", Sensor::Distance),
    sensor("PRM:/b1-Sensor:b1", Sensor::Switch),
    sensor("PRM:/t2-Sensor:t2", Sensor::Touch),
    sensor("PRM:/t3-Sensor:t3", Sensor::Touch),
    sensor("PRM:/t4-Sensor:t4", Sensor::Touch),
    of(
        "PRM:/r1/c1/c2/c3/e5-Joint4:15",
        Kind::Ear { name: "left_ear" },
    ),
    of(
        "PRM:/r1/c1/c2/c3/e6-Joint4:16",
        Kind::Ear { name: "right_ear" },
    ),
    of("PRM:/r1/c1/c2/c3/l1-LED2:l1", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l2-LED2:l2", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l3-LED2:l3", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l4-LED2:l4", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l5-LED2:l5", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l6-LED2:l6", Kind::Light),
    of("PRM:/r1/c1/c2/c3/la-LED3:la", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lb-LED3:lb", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lc-LED3:lc", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ld-LED3:ld", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/le-LED3:le", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lf-LED3:lf", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lg-LED3:lg", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lh-LED3:lh", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/li-LED3:li", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lj-LED3:lj", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lk-LED3:lk", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ll-LED3:ll", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lm-LED3:lm", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ln-LED3:ln", Kind::Dimmed),
    of("PRM:/lu-LED3:lu", Kind::Dimmed),
    of("PRM:/lv-LED3:lv", Kind::Dimmed),
    of("PRM:/lw-LED3:lw", Kind::Dimmed),
    of("PRM:/lx-LED3:lx", Kind::Dimmed),
    of("PRM:/ly-LED3:ly", Kind::Dimmed),
    of("PRM:/lz-LED3:lz", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/i1-FbkImageSensor:F1", Kind::Camera),
    of("PRM:/r1/c1/c2/c3/m1-Mic:M1", Kind::Microphone),
    of("PRM:/s1-Speaker:S1", Kind::Speaker),
];

/// Returns the number of a primitive in vectors; `None` if the robot has no primitive with this locator.
#[must_use]
pub fn open(locator: &str) -> Option<u32> {
    let found = ERS7.iter().zip(1..);
    let mut found = found.filter(|(primitive, _)| primitive.locator == locator);
    found.next().map(|(_, id)| id)
}

/// Returns the primitive with a number.
#[must_use]
pub fn of_id(id: u32) -> Option<&'static Primitive> {
    ERS7.get(usize::try_from(id.checked_sub(1)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_robot_has_what_its_model_information_counts() {
        let count = |is: fn(&Kind) -> bool| ERS7.iter().filter(|known| is(&known.kind)).count();
        assert_eq!(count(|kind| matches!(kind, Kind::Joint { .. })), 18);
        assert_eq!(count(|kind| matches!(kind, Kind::Ear { .. })), 2);
        assert_eq!(count(|kind| matches!(kind, Kind::Light)), 6);
        assert_eq!(count(|kind| matches!(kind, Kind::Dimmed)), 20);
        assert_eq!(count(|kind| matches!(kind, Kind::Sensor(_))), 16);
        assert_eq!(count(|kind| kind.is_sensed()), 34);
        assert!(ERS7[..34].iter().all(|known| known.kind.is_sensed()));
    }

    #[test]
    fn locators_and_numbers_name_each_other() {
        for primitive in &ERS7 {
            let id = open(primitive.locator).expect("a number");
            assert_eq!(of_id(id), Some(primitive), "no locator twice");
        }
        assert_eq!(open("PRM:/r7/c1-Joint2:71"), None);
        assert_eq!((of_id(0), of_id(66)), (None, None));
    }
}
