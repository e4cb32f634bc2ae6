//! Velocity and acceleration of a sensor, from the live velocity of its body or from its poses.
//!
//! Sensors that need them require [`Motion`], call [`track`] in their plugin and [`Motion::measure`] when they are due.
//!
//! # Acceleration
//!
//! The velocity of a sensor is v = c + s: c is the velocity of the centre of mass of the body that carries it, s the
//! velocity of the sensor relative to that point. Between two measurements, T apart:
//!
//! - s contributes its change in the axes of the sensor and the rotation of these axes: R₁ (R₁ᵀ s₁ - R₀ᵀ s₀) / T + ω × s₁.
//!   This is exact for constant angular velocity, at any lever arm.
//! - The contribution of c is exact for two motions that cannot be distinguished from a velocity and an angular velocity
//!   alone: a velocity that is constant in the axes of the body (a robot on a circle), and a velocity that is constant, or a
//!   free fall, in the axes of the world (a thrown robot that spins, a wheel that rolls). With E, the rotation by ω T, the
//!   first motion predicts c₁ = E c₀, the second c₁ = c₀ or c₁ = c₀ + g T. If the first prediction is nearer to c₁, the
//!   contribution is (c₁ - E c₀) / T + ω × c₁, otherwise it is (c₁ - c₀) / T.
//!
//! Velocities from poses are means over the interval: on a circle, |c| is too small by the factor sin(ω T / 2) / (ω T / 2)
//! across ω, and c points along the path in the middle of the interval. Both errors are corrected. Under `motion: morse` the
//! acceleration is (v₁ - v₀) / T.
use bevy::{
    ecs::system::SystemParam,
    prelude::{App, Component, Plugin, Query, Reflect, Res, Startup},
};
use morse_api::{
    body::Gravity,
    component::{WorldPose, WorldVelocity},
    motion::MotionMode,
    state::{AddState as _, Stateful},
    tick::Clock,
};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Source of velocities.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputationMode {
    /// Live velocity, which every body has, whether physics or an actuator moves it. (MORSE used poses where physics did not
    /// move the robot.)
    #[default]
    Automatic,
    /// Live velocity of the body that carries the sensor; for a body that is moved from pose to pose, the difference of its
    /// poses.
    Velocity,
    /// Poses at this measurement and at the last one: the mean velocity between them, jumps included. The engine's poses
    /// have single precision: a few metres from the origin, accelerations at 60 Hz have errors of a few mm/s².
    Position,
}

impl ComputationMode {
    fn is_from_poses(self) -> bool {
        self == Self::Position
    }
}

/// Motion of a sensor at its last measurement. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Motion {
    pose: Isometry3<f64>,
    velocity: WorldVelocity,
    tick: u64,
    /// Age of the velocities at the last measurement, s: half an interval for means, zero for live velocities.
    age: f64,
}

impl Stateful for Motion {}

/// Motion of a sensor, in the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Velocity of the mount point, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
    /// Acceleration of the mount point, without gravity, m/s².
    pub acceleration: Vector3<f64>,
    /// Angular acceleration, rad/s².
    pub angular_acceleration: Vector3<f64>,
    /// Straight-line distance since the last measurement, m.
    pub distance: f64,
}

/// Time, gravity and motion rules of a measurement.
#[derive(SystemParam)]
pub struct Moment<'w> {
    clock: Res<'w, Clock>,
    gravity: Res<'w, Gravity>,
    rules: Res<'w, MotionMode>,
}

impl Motion {
    /// Measures the motion since the last measurement, and stores this measurement as the last one.
    ///
    /// Accelerations are exact for constant rates (see the module), however irregular the measurements; MORSE divides by the
    /// nominal period.
    pub fn measure(
        &mut self,
        mode: ComputationMode,
        pose: &WorldPose,
        velocity: &WorldVelocity,
        moment: &Moment<'_>,
    ) -> Moved {
        let clock = &moment.clock;
        let elapsed = clock.tick.saturating_sub(self.tick).max(1) as f64 * clock.dt();
        let displacement = pose.0.translation.vector - self.pose.translation.vector;
        let now = if mode.is_from_poses() {
            let turn = turn(&self.pose.rotation, &pose.0.rotation) / elapsed;
            Self::at(
                pose.0,
                WorldVelocity::of_point(displacement / elapsed, turn),
                clock,
            )
            .aged(elapsed / 2.0)
        } else {
            Self::at(pose.0, *velocity, clock)
        };
        let between = elapsed + self.age - now.age;
        let before = std::mem::replace(self, now);
        let change = (now.velocity.linear - before.velocity.linear) / between;
        let (linear, acceleration) = if moment.rules.is_morse() {
            (now.velocity.linear, change)
        } else {
            now.since(&before, between, &moment.gravity.0)
        };
        Moved {
            linear,
            angular: now.velocity.angular,
            acceleration,
            angular_acceleration: (now.velocity.angular - before.velocity.angular) / between,
            distance: displacement.norm(),
        }
    }

    fn at(pose: Isometry3<f64>, velocity: WorldVelocity, clock: &Clock) -> Self {
        Self {
            pose,
            velocity,
            tick: clock.tick,
            age: 0.0,
        }
    }

    fn aged(self, age: f64) -> Self {
        Self { age, ..self }
    }

    /// Returns the current velocity, and the acceleration since an earlier moment.
    fn since(
        &self,
        before: &Self,
        between: f64,
        gravity: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        if self.age > 0.0 || before.age > 0.0 {
            // Poses do not contain the velocity of the body.
            return carried(&before.as_point(), &self.as_point(), between, gravity);
        }
        let (center, acceleration) = carried(before, self, between, gravity);
        let arm = |motion: &Self| motion.velocity.linear - motion.velocity.center;
        let in_sensor = |motion: &Self| motion.pose.rotation.inverse() * arm(motion);
        let change = self.pose.rotation * ((in_sensor(self) - in_sensor(before)) / between);
        let arm = arm(self);
        (
            center + arm,
            acceleration + change + self.velocity.angular.cross(&arm),
        )
    }

    /// Returns the same motion as that of a point without a lever arm.
    fn as_point(&self) -> Self {
        Self {
            velocity: WorldVelocity::of_point(self.velocity.linear, self.velocity.angular),
            ..*self
        }
    }

    /// Returns the velocity of the body's centre along the path, at the age of the velocities: a mean is that of a chord of
    /// the circle.
    fn center_on_circle(&self) -> Vector3<f64> {
        let WorldVelocity {
            center, turning, ..
        } = self.velocity;
        let rate = turning.norm();
        let half = rate * self.age;
        if half <= 0.0 {
            return center;
        }
        let axis = turning / rate;
        let along = axis * axis.dot(&center);
        along + (center - along) * (half / libm::sin(half))
    }
}

/// Returns the velocity of the centre of a body at the end of an interval, and its acceleration, by the better one of two
/// predictions.
fn carried(
    before: &Motion,
    now: &Motion,
    between: f64,
    gravity: &Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let turning = now.velocity.turning;
    let mean = (before.velocity.turning + turning) / 2.0;
    let [first, last] = [before, now].map(Motion::center_on_circle);
    let in_body = last - turned(&mean, between) * first;
    let in_world = now.velocity.center - before.velocity.center;
    let falling = in_world - gravity * between;
    if in_body.norm_squared() >= in_world.norm_squared().min(falling.norm_squared()) {
        return (now.velocity.center, in_world / between);
    }
    let since = turned(&turning, now.age);
    let acceleration = in_body / between + turning.cross(&last);
    (since * last, since * acceleration)
}

/// Returns the rotation at an angular velocity for a duration.
fn turned(rate: &Vector3<f64>, seconds: f64) -> UnitQuaternion<f64> {
    let half = rate * (seconds / 2.0);
    let angle = half.norm();
    if angle <= 0.0 {
        return UnitQuaternion::identity();
    }
    let (sin, cos) = libm::sincos(angle);
    let turn = Quaternion::from_parts(cos, half * (sin / angle));
    UnitQuaternion::new_unchecked(turn)
}

/// Returns the shorter rotation from one orientation to another, as axis times angle in the world, rad.
///
/// MORSE subtracts Euler angles instead, which yields a full turn where one of them wraps from π to -π.
fn turn(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> Vector3<f64> {
    let turn = to * from.inverse();
    let (vector, scalar) = (turn.imag(), turn.w);
    let sine = vector.norm();
    // A rotation by more than π equals one by less about the opposite axis.
    let half = libm::atan2(sine, scalar.abs());
    let stretch = if sine > 0.0 { 2.0 * half / sine } else { 2.0 };
    vector * stretch.copysign(scalar)
}

/// Registers [`Motion`] as state and initialises it. Called by the plugins of sensors; only the first call has an effect.
pub fn track(app: &mut App) {
    if !app.is_plugin_added::<Tracking>() {
        app.add_plugins(Tracking);
    }
}

/// Plugin that [`track`] adds.
struct Tracking;

impl Plugin for Tracking {
    fn build(&self, app: &mut App) {
        app.init_resource::<Gravity>()
            .init_resource::<MotionMode>()
            .register_state::<Motion>()
            .add_systems(Startup, begin);
    }
}

fn begin(clock: Res<Clock>, mut sensors: Query<(&WorldPose, &WorldVelocity, &mut Motion)>) {
    for (pose, velocity, mut motion) in &mut sensors {
        *motion = Motion::at(pose.0, *velocity, &clock);
    }
}

#[cfg(test)]
mod tests;
