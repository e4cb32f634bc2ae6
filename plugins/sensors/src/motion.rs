//! Motion of a sensor: velocities and accelerations, from the live velocity of its body or from its poses.
//!
//! Sensors that need this require [`Motion`], call [`track`] from their plugin and [`Motion::measure`]
//! whenever they are due.
use bevy::prelude::{App, Component, Plugin, Query, Reflect, Res, Startup};
use morse_api::{
    component::{WorldPose, WorldVelocity},
    state::{AddState as _, Stateful},
    tick::Clock,
};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Source of velocities.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputationMode {
    /// The live velocity: every body has one, however it is moved. (MORSE took poses where physics did not move the
    /// robot.)
    #[default]
    Automatic,
    /// From the live velocity of the body that carries the sensor, at this moment; of one that is put from pose to
    /// pose, from how its poses differ.
    Velocity,
    /// From the poses at this measurement and at the last one: the mean velocity between them, jumps included. The
    /// engine's poses have single precision: a few metres from the
    /// origin, accelerations at 60 Hz are a few mm/s² off.
    Position,
}

impl ComputationMode {
    fn is_from_poses(self) -> bool {
        self == Self::Position
    }
}

/// Motion of a sensor at its last measurement. It is state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Motion {
    pose: Isometry3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    tick: u64,
    /// Age of its velocities at the last measurement: they are means of a time, or live.
    age: f64,
}

impl Stateful for Motion {}

/// Motion of a sensor, in the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Velocity of the mount point, m/s.
    pub linear: Vector3<f64>,
    /// Turning rate, rad/s.
    pub angular: Vector3<f64>,
    /// Acceleration of the mount point, without gravity, m/s².
    pub acceleration: Vector3<f64>,
    /// rad/s².
    pub angular_acceleration: Vector3<f64>,
    /// From the place of the last measurement, in a straight line, m.
    pub distance: f64,
}

impl Motion {
    /// Measures the motion since the last measurement; this becomes the last one.
    ///
    /// Accelerations are differences of velocities, divided by the time between the moments for which
    /// these hold: half way between two measurements for the means that poses give. So they are exact
    /// where they are constant, however unevenly a sensor measures; MORSE divides by the nominal period.
    /// As the velocities are those of the mount point, the lever arm is in all of it.
    pub fn measure(
        &mut self,
        mode: ComputationMode,
        pose: &WorldPose,
        velocity: &WorldVelocity,
        clock: &Clock,
    ) -> Moved {
        let elapsed = clock.tick.saturating_sub(self.tick).max(1) as f64 * clock.dt();
        let way = pose.0.translation.vector - self.pose.translation.vector;
        let (linear, angular, age) = if mode.is_from_poses() {
            let turn = turn(&self.pose.rotation, &pose.0.rotation);
            (way / elapsed, turn / elapsed, elapsed / 2.0)
        } else {
            (velocity.linear, velocity.angular, 0.0)
        };
        let between = elapsed + self.age - age;
        let moved = Moved {
            linear,
            angular,
            acceleration: (linear - self.linear) / between,
            angular_acceleration: (angular - self.angular) / between,
            distance: way.norm(),
        };
        *self = Self {
            pose: pose.0,
            linear,
            angular,
            tick: clock.tick,
            age,
        };
        moved
    }
}

/// The turn from one orientation to another, the short way round, as axis times angle in the world, rad.
///
/// MORSE subtracts Euler angles instead, and sees a full turn where one of them jumps from π to -π.
fn turn(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> Vector3<f64> {
    let turn = to * from.inverse();
    let (vector, scalar) = (turn.imag(), turn.w);
    let sine = vector.norm();
    // A turn by more than π is one by less, the other way round.
    let half = libm::atan2(sine, scalar.abs());
    let stretch = if sine > 0.0 { 2.0 * half / sine } else { 2.0 };
    vector * stretch.copysign(scalar)
}

/// Keeps [`Motion`] as state and begins it. For the plugins of sensors; only the first call counts.
pub fn track(app: &mut App) {
    if !app.is_plugin_added::<Tracking>() {
        app.add_plugins(Tracking);
    }
}

/// Plugin that [`track`] adds.
struct Tracking;

impl Plugin for Tracking {
    fn build(&self, app: &mut App) {
        app.register_state::<Motion>().add_systems(Startup, begin);
    }
}

fn begin(clock: Res<Clock>, mut sensors: Query<(&WorldPose, &WorldVelocity, &mut Motion)>) {
    for (pose, velocity, mut motion) in &mut sensors {
        *motion = Motion {
            pose: pose.0,
            linear: velocity.linear,
            angular: velocity.angular,
            tick: clock.tick,
            age: 0.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use morse_api::angles::from_yaw_pitch_roll;

    use super::*;

    /// A sensor that starts somewhere, and is measured from poses.
    fn starting(pose: Isometry3<f64>, linear: [f64; 3]) -> Motion {
        Motion {
            pose,
            linear: linear.into(),
            ..Motion::default()
        }
    }

    fn measure(motion: &mut Motion, tick: u64, pose: Isometry3<f64>) -> Moved {
        let clock = Clock { tick, rate: 60.0 };
        motion.measure(
            ComputationMode::Position,
            &WorldPose(pose),
            &WorldVelocity::default(),
            &clock,
        )
    }

    #[test]
    fn poses_of_a_constant_acceleration_measured_unevenly() {
        let at = |tick: u64| {
            let time = tick as f64 / 60.0;
            Isometry3::translation(1.0 + 3.0 * time + 0.5 * 2.0 * time * time, 0.0, 0.0)
        };
        let mut motion = starting(at(0), [3.0, 0.0, 0.0]);
        let mut before = 0;
        for tick in [1, 9, 18, 26, 27, 60] {
            let moved = measure(&mut motion, tick, at(tick));
            assert!((moved.acceleration - Vector3::x() * 2.0).norm() < 1e-9);
            let mean = 3.0 + 2.0 * (before + tick) as f64 / 120.0;
            assert!((moved.linear.x - mean).abs() < 1e-9);
            assert!((moved.distance - mean * (tick - before) as f64 / 60.0).abs() < 1e-9);
            before = tick;
        }
    }

    #[test]
    fn a_turn_through_the_back_is_small() {
        // About each axis, past π, where Euler angles jump.
        for (axis, angles) in [
            (Vector3::z(), [1.0, 0.0, 0.0]),
            (Vector3::y(), [0.0, 1.0, 0.0]),
            (Vector3::x(), [0.0, 0.0, 1.0]),
        ] {
            let at = |angle: f64| {
                Isometry3::from_parts(
                    Vector3::zeros().into(),
                    from_yaw_pitch_roll(angles.map(|part| part * angle)),
                )
            };
            for angle in [-PI, -PI / 2.0, 0.0, PI / 2.0, PI] {
                let mut motion = starting(at(angle - 0.02), [0.0; 3]);
                let moved = measure(&mut motion, 6, at(angle + 0.03));
                assert!((moved.angular - axis * 0.5).norm() < 1e-9, "{moved:?}");
            }
        }
    }

    #[test]
    fn turns_of_any_size() {
        let axis = Vector3::new(1.0, -2.0, 0.5).normalize();
        let by = |angle| UnitQuaternion::new(axis * angle);
        let from = UnitQuaternion::new(Vector3::new(0.3, 2.0, -1.0));
        for angle in [0.0, 1e-300, 1e-12, 1e-3, 1.0, 3.1] {
            let found = turn(&from, &(by(angle) * from));
            assert!((found - axis * angle).norm() < 1e-9, "{angle}: {found}");
            // The same orientation, written with the other sign.
            let other = UnitQuaternion::new_unchecked(-(by(angle) * from).into_inner());
            assert!((turn(&from, &other) - axis * angle).norm() < 1e-9);
        }
    }
}
