//! Velocity and angular velocity of the sensor, without error.
use morse_api::prelude::*;

use crate::motion::{ComputationMode, Moment, Motion, track};

/// Measures the velocity of the mount point: on a robot that rotates, a sensor away from the axis moves (MORSE returned the
/// robot's velocity without this lever arm).
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Motion)]
pub struct Velocity {
    /// Source of velocities: `automatic`, `velocity` (live) or `position` (from poses).
    #[reflect(@Property("ComputationMode"), @Form::COMPUTATION)]
    pub computation_mode: ComputationMode,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VelocityData {
    /// Velocity in the sensor's axes.
    #[reflect(@Unit("m/s"))]
    pub linear_velocity: [f64; 3],
    /// Angular velocity about the sensor's axes.
    #[reflect(@Unit("rad/s"))]
    pub angular_velocity: [f64; 3],
    /// Velocity in the world's axes.
    #[reflect(@Unit("m/s"))]
    pub world_linear_velocity: [f64; 3],
}

impl Sensor for Velocity {
    const KIND: &'static str = "velocity";
    const MORSE_CLASSES: &'static [&'static str] = &["Velocity"];
    type Data = VelocityData;
}

pub(super) fn plugin(app: &mut App) {
    track(app);
    app.add_sensor::<Velocity, _>(default_action);
}

fn default_action(
    moment: Moment<'_>,
    mut sensors: Query<(
        &Velocity,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &mut Motion,
        &mut VelocityData,
    )>,
) {
    for (settings, due, pose, velocity, mut motion, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let moved = motion.measure(settings.computation_mode, pose, velocity, &moment);
        let to_sensor = pose.0.rotation.inverse();
        data.linear_velocity = (to_sensor * moved.linear).into();
        data.angular_velocity = (to_sensor * moved.angular).into();
        data.world_linear_velocity = moved.linear.into();
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    #[test]
    fn a_turned_sensor_on_an_arm() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        // Half a metre ahead, looking left; the robot heads north, drives at 2 m/s and turns at 1 rad/s.
        let mount = Isometry3::new(Vector3::x() * 0.5, Vector3::z() * FRAC_PI_2);
        let sensor = test.sensor::<Velocity>("rover.velocity", "()", 60.0, mount);
        test.step(moving(
            [1.0, 1.0, 0.0],
            FRAC_PI_2,
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 1.0],
        ));
        let data: VelocityData = test.read(sensor);
        let near = |actual: [f64; 3], expected: [f64; 3]| {
            (Vector3::from(actual) - Vector3::from(expected)).norm() < 1e-12
        };
        assert!(near(data.world_linear_velocity, [-0.5, 2.0, 0.0]));
        assert!(near(data.linear_velocity, [0.5, -2.0, 0.0]));
        assert!(near(data.angular_velocity, [0.0, 0.0, 1.0]));
    }

    #[test]
    fn by_poses_at_uneven_intervals() {
        // Straight motion through (1, 2, 3), rotating about the vertical; the sensor is on the axis.
        let at = |tick: u32| {
            let time = f64::from(tick) / 60.0;
            let position = [1.0 + 0.5 * time, 2.0 - time, 3.0];
            // Without a live velocity.
            moving(position, 2.0 * time, [0.0; 3], [0.0; 3])
        };
        let mut test = TestWorld::new(60.0, plugin, at(0));
        let text = "(computation_mode: position)";
        let sensor = test.sensor::<Velocity>("rover.poses", text, 25.0, Isometry3::identity());
        let live = test.sensor::<Velocity>("rover.live", "()", 25.0, Isometry3::identity());
        for tick in 1..=120 {
            test.step(at(tick));
            let data: VelocityData = test.read(sensor);
            let near = |actual: [f64; 3], expected: Vector3<f64>| {
                (Vector3::from(actual) - expected).norm() < 1e-9
            };
            assert!(near(
                data.world_linear_velocity,
                Vector3::new(0.5, -1.0, 0.0)
            ));
            assert!(near(data.angular_velocity, Vector3::z() * 2.0));
            if test.clock().is_due(25.0) {
                let rotation = at(tick).pose.rotation;
                let in_sensor = rotation.inverse() * Vector3::new(0.5, -1.0, 0.0);
                assert!(near(data.linear_velocity, in_sensor));
            }
            let data: VelocityData = test.read(live);
            assert_eq!(data.world_linear_velocity, [0.0; 3]);
        }
    }
}
