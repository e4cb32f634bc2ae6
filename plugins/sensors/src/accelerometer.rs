//! Accelerometer: distance, velocity and acceleration of the sensor, without gravity.
use morse_api::prelude::*;

use crate::motion::{ComputationMode, Moment, Motion, track};

/// Measures distance, velocity and acceleration of the mount point, without error and without gravity: at rest all of them
/// are zero. A real accelerometer measures specific force, which includes gravity: see `imu`.
///
/// Accelerations are differences of velocities between two measurements, T apart. The velocity is c + s: c is the velocity
/// of the centre of mass of the body that carries the sensor, s the velocity of the sensor relative to that point. The lever
/// arm contributes R₁ (R₁ᵀ s₁ - R₀ᵀ s₀) / T + ω × s₁, where R is the rotation of the sensor and ω its angular velocity. The
/// centre contributes (c₁ - E c₀) / T + ω × c₁, where E is the rotation by ω T, if its velocity is closer to constant in the
/// robot's axes (motion on a circle); or (c₁ - c₀) / T if it is closer to constant in the world's axes, apart from free fall
/// (a thrown robot that spins). Motion at constant velocity and angular velocity, and free fall, are therefore measured
/// exactly at every frequency and tick rate. Other changes are late by T / 2. Under `motion: morse` the acceleration is the
/// change of the velocity of the mount point in the world's axes, divided by T.
///
/// `distance` is correct at every measurement (in MORSE it is zero after the first one), and both computation modes work
/// (MORSE's `position` does not).
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Motion)]
pub struct Accelerometer {
    /// Source of velocities: `automatic`, `velocity` (live) or `position` (from poses).
    #[reflect(@Property("ComputationMode"), @Form::COMPUTATION)]
    pub computation_mode: ComputationMode,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccelerometerData {
    /// Straight-line distance since the last measurement.
    #[reflect(@Unit("m"))]
    pub distance: f64,
    /// Velocity along the sensor's x, y and z axes.
    #[reflect(@Unit("m/s"))]
    pub velocity: [f64; 3],
    /// Acceleration along the sensor's axes, without gravity.
    #[reflect(@Unit("m/s²"))]
    pub acceleration: [f64; 3],
    /// Angular acceleration about the sensor's axes.
    #[reflect(@Unit("rad/s²"))]
    pub angular_acceleration: [f64; 3],
}

impl Sensor for Accelerometer {
    const KIND: &'static str = "accelerometer";
    const MORSE_CLASSES: &'static [&'static str] = &["Accelerometer"];
    type Data = AccelerometerData;
}

pub(super) fn plugin(app: &mut App) {
    track(app);
    app.add_sensor::<Accelerometer, _>(default_action);
}

fn default_action(
    moment: Moment<'_>,
    mut sensors: Query<(
        &Accelerometer,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &mut Motion,
        &mut AccelerometerData,
    )>,
) {
    for (settings, due, pose, velocity, mut motion, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let moved = motion.measure(settings.computation_mode, pose, velocity, &moment);
        let to_sensor = pose.0.rotation.inverse();
        *data = AccelerometerData {
            distance: moved.distance,
            velocity: (to_sensor * moved.linear).into(),
            acceleration: (to_sensor * moved.acceleration).into(),
            angular_acceleration: (to_sensor * moved.angular_acceleration).into(),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    const BOTH: [&str; 2] = [
        "(computation_mode: velocity)",
        "(computation_mode: position)",
    ];

    #[track_caller]
    fn near(actual: [f64; 3], expected: [f64; 3], tolerance: f64) {
        let error = (Vector3::from(actual) - Vector3::from(expected)).norm();
        assert!(error < tolerance, "{actual:?} instead of {expected:?}");
    }

    #[test]
    fn a_ramp_of_velocity_at_uneven_intervals() {
        // Heads north at 1 m/s with 0.6 m/s², and slides west at 0.2 m/s.
        let speeding = |tick: u32| {
            let time = f64::from(tick) / 60.0;
            let distance = time + 0.3 * time * time;
            let velocity = [-0.2, 1.0 + 0.6 * time, 0.0];
            moving([-0.2 * time, distance, 0.0], FRAC_PI_2, velocity, [0.0; 3])
        };
        for text in BOTH {
            let mut test = TestWorld::new(60.0, plugin, speeding(0));
            let at = Isometry3::translation(0.3, -0.2, 0.5);
            let sensor = test.sensor::<Accelerometer>("rover.accelerometer", text, 7.0, at);
            let (mut last, mut distance) = (0, 0.0);
            for tick in 1..=60 {
                test.step(speeding(tick));
                let is_due = test.clock().is_due(7.0);
                let data: AccelerometerData = test.read(sensor);
                near(data.acceleration, [0.6, 0.0, 0.0], 1e-9);
                near(data.angular_acceleration, [0.0; 3], 1e-9);
                if is_due {
                    let moment = if text == BOTH[0] {
                        f64::from(tick)
                    } else {
                        f64::from(tick + last) / 2.0
                    };
                    near(data.velocity, [1.0 + 0.01 * moment, 0.2, 0.0], 1e-9);
                    distance += data.distance;
                    last = tick;
                }
            }
            // The sum of the straight segments is the whole distance, apart from the curvature of the path.
            let [x, y, _]: [f64; 3] = (speeding(last).pose.translation.vector).into();
            assert!((distance - libm::hypot(x, y)).abs() < 2e-3, "{distance}");
        }
    }

    #[test]
    fn on_a_turntable_with_a_lever_arm() {
        let (omega, arm, rate) = (2.0, 0.5, 600.0);
        for text in BOTH {
            let turning = |tick: u32| {
                let yaw = omega * f64::from(tick) / rate;
                moving([1.0, 0.0, 0.0], yaw, [0.0; 3], [0.0, 0.0, omega])
            };
            let mut test = TestWorld::new(rate, plugin, turning(0));
            let at = Isometry3::translation(arm, 0.0, 0.0);
            let sensor = test.sensor::<Accelerometer>("rover.accelerometer", text, rate, at);
            // More than a full turn, so that the Euler angles wrap.
            for tick in 1..=2000 {
                test.step(turning(tick));
                if tick == 1 {
                    continue;
                }
                let data: AccelerometerData = test.read(sensor);
                near(data.velocity, [0.0, omega * arm, 0.0], 1e-9);
                let centripetal = -omega * omega * arm;
                near(data.acceleration, [centripetal, 0.0, 0.0], 1e-7);
                near(data.angular_acceleration, [0.0; 3], 1e-7);
                let chord = 2.0 * arm * libm::sin(omega / rate / 2.0);
                assert!((data.distance - chord).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_table_that_spins_up() {
        let (alpha, arm, rate) = (2.0, 0.5, 100.0);
        for text in BOTH {
            let spinning = |tick: u32| {
                let time = f64::from(tick) / rate;
                let yaw = alpha * time * time / 2.0;
                moving([0.0; 3], yaw, [0.0; 3], [0.0, 0.0, alpha * time])
            };
            let mut test = TestWorld::new(rate, plugin, spinning(0));
            let at = Isometry3::translation(arm, 0.0, 0.0);
            let sensor = test.sensor::<Accelerometer>("rover.accelerometer", text, rate, at);
            for tick in 1..=3 {
                test.step(spinning(tick));
                let data: AccelerometerData = test.read(sensor);
                near(data.angular_acceleration, [0.0, 0.0, alpha], 1e-9);
                near(data.acceleration, [0.0, alpha * arm, 0.0], 2e-3);
            }
        }
    }

    #[test]
    fn free_fall_is_an_acceleration() {
        let falling = |tick: u32| {
            let time = f64::from(tick) / 60.0;
            moving(
                [0.0, 0.0, 100.0 - 9.81 * time * time / 2.0],
                0.4,
                [0.0, 0.0, -9.81 * time],
                [0.0; 3],
            )
        };
        for text in BOTH {
            let mut test = TestWorld::new(60.0, plugin, falling(0));
            // Its x axis points down.
            let nose_down = Isometry3::rotation(Vector3::y() * FRAC_PI_2);
            let sensor = test.sensor::<Accelerometer>("rover.accelerometer", text, 60.0, nose_down);
            for tick in 1..=60 {
                test.step(falling(tick));
                let data: AccelerometerData = test.read(sensor);
                near(data.acceleration, [9.81, 0.0, 0.0], 1e-9);
            }
        }
    }
}
