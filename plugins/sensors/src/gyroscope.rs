//! Orientation of a sensor as Euler angles.
use morse_api::{angles::yaw_pitch_roll, prelude::*};

/// Measures the orientation of the sensor in the world, without error. As in MORSE it returns angles, in spite of its name;
/// `imu` and `attitude` measure angular velocity.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gyroscope {}

/// One measurement: R = Rz(yaw) · Ry(pitch) · Rx(roll). Of the two triples for the same rotation, the one with the smaller
/// sum of absolute values.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GyroscopeData {
    /// Rotation about the world's z axis.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
    /// Rotation about the y axis, after yaw.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Rotation about the x axis, after yaw and pitch.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
}

impl Sensor for Gyroscope {
    const KIND: &'static str = "gyroscope";
    const MORSE_CLASSES: &'static [&'static str] = &["Gyroscope"];
    type Data = GyroscopeData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Gyroscope, _>(default_action);
}

fn default_action(mut sensors: Query<(&Due, &WorldPose, &mut GyroscopeData), With<Gyroscope>>) {
    for (due, pose, mut data) in &mut sensors {
        if due.0 {
            let [yaw, pitch, roll] = yaw_pitch_roll(&pose.0.rotation);
            *data = GyroscopeData { yaw, pitch, roll };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use morse_testing::{TestWorld, moving};

    use super::*;

    #[test]
    fn a_tilted_sensor_on_a_robot_that_turns() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        // Rolled by 0.3 rad on the robot, which is yawed: the angles are applied one after the other.
        let rolled = Isometry3::rotation(Vector3::x() * 0.3);
        let sensor = test.sensor::<Gyroscope>("rover.gyroscope", "()", 20.0, rolled);
        for (tick, yaw) in [(1, 0.5), (2, 1.0), (3, -PI / 3.0), (4, 2.0)] {
            test.step(moving([1.0, 2.0, 0.0], yaw, [0.0; 3], [0.0; 3]));
            let data: GyroscopeData = test.read(sensor);
            // At 20 Hz it measures in ticks 1, 4, ….
            let seen = if tick < 4 { 0.5 } else { 2.0 };
            assert!((data.yaw - seen).abs() < 1e-12, "{data:?}");
            assert!(data.pitch.abs() < 1e-12 && (data.roll - 0.3).abs() < 1e-12);
        }
    }

    #[test]
    fn looking_straight_up_is_a_pitch() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let up = Isometry3::rotation(Vector3::y() * -FRAC_PI_2);
        let sensor = test.sensor::<Gyroscope>("rover.gyroscope", "()", 60.0, up);
        test.step(BodyState::default());
        let data: GyroscopeData = test.read(sensor);
        assert!((data.pitch + FRAC_PI_2).abs() < 1e-9, "{data:?}");
        assert!(data.yaw.abs() < 1e-9 && data.roll.abs() < 1e-9, "{data:?}");
    }
}
