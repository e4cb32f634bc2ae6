//! Battery that discharges with time and charges in charging zones.
use morse_api::{
    object::{Zone, Zones},
    prelude::*,
};

/// Type of the charging zones.
const CHARGING: &str = "Charging";

/// Measures the charge of a battery: it falls at a constant rate, and rises at the same rate while the sensor is inside a
/// zone of type `Charging`. An empty battery does not stop the robot.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Chargers)]
pub struct Battery {
    /// Rate at which the charge falls and rises.
    #[reflect(@Unit("%/s"), @ValueRange(0.0, 1000.0), @Property("DischargingRate"))]
    pub discharging_rate: f64,
}

impl Default for Battery {
    fn default() -> Self {
        Self {
            discharging_rate: 0.05,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Debug, PartialEq, Serialize, Deserialize)]
#[doc(alias("BatteryState"))]
pub struct BatteryData {
    /// Remaining charge, from 0 to 100.
    #[reflect(@Unit("%"))]
    pub charge: f64,
    /// `Discharging`, `Charging`, or `Charged` when the battery is full.
    pub status: String,
}

impl Default for BatteryData {
    fn default() -> Self {
        Self {
            charge: FULL,
            status: CHARGED.to_owned(),
        }
    }
}

impl Clone for BatteryData {
    fn clone(&self) -> Self {
        Self {
            charge: self.charge,
            status: self.status.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.charge = source.charge;
        self.status.clone_from(&source.status);
    }
}

/// Charge of a full battery, %.
const FULL: f64 = 100.0;

const CHARGED: &str = "Charged";

/// Charging zones. Derived from the scene.
#[derive(Component, Clone, Debug, Default)]
struct Chargers(Vec<Zone>);

impl Sensor for Battery {
    const KIND: &'static str = "battery";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::BatteryState]];
    const MORSE_CLASSES: &'static [&'static str] = &["Battery"];
    type Data = BatteryData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Battery, _>(default_action)
        .init_resource::<Zones>()
        .add_systems(Startup, begin);
}

fn begin(zones: Res<Zones>, mut sensors: Query<&mut Chargers>) {
    for mut chargers in &mut sensors {
        let charging = zones.0.iter().filter(|zone| zone.kind == CHARGING);
        chargers.0 = charging.cloned().collect();
    }
}

fn default_action(
    mut sensors: Query<(
        &Battery,
        &Due,
        &UpdateRate,
        &WorldPose,
        &Chargers,
        &mut BatteryData,
    )>,
) {
    for (settings, due, rate, pose, chargers, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let at = Point3::from(pose.0.translation.vector);
        let is_charging = chargers.0.iter().any(|zone| zone.contains(&at));
        let change = settings.discharging_rate * rate.period();
        let charge = data.charge + if is_charging { change } else { -change };
        data.charge = charge.clamp(0.0, FULL);
        let status = match (is_charging, charge > FULL) {
            (false, _) => "Discharging",
            (true, false) => "Charging",
            (true, true) => CHARGED,
        };
        status.clone_into(&mut data.status);
    }
}

#[cfg(test)]
mod tests {
    use morse_api::object::Bounds;
    use morse_testing::{TestWorld, moving};

    use super::*;

    fn test_world(text: &str) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let zone = |name: &str, kind: &str, x: f64| Zone {
            name: name.into(),
            kind: kind.into(),
            bounds: Bounds {
                center: Point3::new(x, 0.0, 0.0),
                half: Vector3::new(1.0, 1.0, 1.0),
            },
        };
        let zones = vec![zone("a", "Parking", -10.0), zone("b", "Charging", 10.0)];
        test.app.insert_resource(Zones(zones));
        let mount = Isometry3::translation(0.5, 0.0, 0.0);
        let battery = test.sensor::<Battery>("rover.battery", text, 10.0, mount);
        (test, battery)
    }

    fn stay(test: &mut TestWorld, x: f64, seconds: u32) {
        for _ in 0..60 * seconds {
            test.step(moving([x, 0.0, 0.0], 0.0, [0.0; 3], [0.0; 3]));
        }
    }

    #[track_caller]
    fn assert_is(test: &TestWorld, battery: Entity, charge: f64, status: &str) {
        let data: BatteryData = test.read(battery);
        assert!((data.charge - charge).abs() < 1e-9, "{data:?}");
        assert_eq!(data.status, status);
    }

    #[test]
    fn it_empties_at_its_rate_and_fills_where_it_is_charged() {
        let (mut test, battery) = test_world("(discharging_rate: 2)");
        stay(&mut test, 0.0, 3);
        assert_is(&test, battery, 94.0, "Discharging");
        stay(&mut test, -10.0, 1);
        assert_is(&test, battery, 92.0, "Discharging");
        // The sensor, half a metre ahead of the robot, is in the zone; the robot is not.
        stay(&mut test, 8.6, 2);
        assert_is(&test, battery, 96.0, "Charging");
        // The robot is in the zone; the sensor is not.
        stay(&mut test, 10.6, 1);
        assert_is(&test, battery, 94.0, "Discharging");
        stay(&mut test, 10.0, 4);
        assert_is(&test, battery, 100.0, "Charged");
    }

    #[test]
    fn it_is_never_emptier_than_empty() {
        let (mut test, battery) = test_world("(discharging_rate: 60)");
        stay(&mut test, 0.0, 2);
        assert_is(&test, battery, 0.0, "Discharging");
        stay(&mut test, 10.0, 1);
        assert_is(&test, battery, 60.0, "Charging");
    }
}
