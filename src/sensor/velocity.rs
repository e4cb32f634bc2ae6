//! How fast the sensor moves and turns, without error.
use morse_api::prelude::*;

/// Velocity of the mount point: on a robot that turns, a sensor away from the axis moves (MORSE gave the
/// robot's velocity without this lever arm).
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Velocity {}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VelocityData {
    /// Velocity in the sensor's axes.
    #[reflect(@Unit("m/s"))]
    pub linear_velocity: [f64; 3],
    /// Turning rates about the sensor's axes.
    #[reflect(@Unit("rad/s"))]
    pub angular_velocity: [f64; 3],
    /// The same velocity in the world's axes.
    #[reflect(@Unit("m/s"))]
    pub world_linear_velocity: [f64; 3],
}

impl Sensor for Velocity {
    const KIND: &'static str = "velocity";
    type Data = VelocityData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Velocity, _>(default_action);
}

fn default_action(
    mut sensors: Query<(&Due, &WorldPose, &WorldVelocity, &mut VelocityData), With<Velocity>>,
) {
    for (due, pose, velocity, mut data) in &mut sensors {
        if due.0 {
            let to_sensor = pose.0.rotation.inverse();
            data.linear_velocity = (to_sensor * velocity.linear).into();
            data.angular_velocity = (to_sensor * velocity.angular).into();
            data.world_linear_velocity = velocity.linear.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::testbed::{Bed, moving};

    #[test]
    fn a_turned_sensor_on_an_arm() {
        let mut bed = Bed::new(60.0, plugin, BodyState::default());
        // Half a metre ahead, looking left; the robot heads north, drives on at 2 m/s and turns at 1 rad/s.
        let mount = Isometry3::new(Vector3::x() * 0.5, Vector3::z() * FRAC_PI_2);
        let sensor = bed.sensor::<Velocity>("rover.velocity", "()", 60.0, mount);
        bed.step(moving(
            [1.0, 1.0, 0.0],
            FRAC_PI_2,
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 1.0],
        ));
        let data: VelocityData = bed.read(sensor);
        let near = |found: [f64; 3], expected: [f64; 3]| {
            (Vector3::from(found) - Vector3::from(expected)).norm() < 1e-12
        };
        assert!(near(data.world_linear_velocity, [-0.5, 2.0, 0.0]));
        assert!(near(data.linear_velocity, [0.5, -2.0, 0.0]));
        assert!(near(data.angular_velocity, [0.0, 0.0, 1.0]));
    }
}
