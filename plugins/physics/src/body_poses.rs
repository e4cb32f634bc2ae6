//! Poses of all bodies in double precision, beside those of the engine, which are in single precision relative to an origin.
//!
//! The engine adds the displacement of a body to its position several times per step, with rounding: beyond some kilometres,
//! a metre per minute is lost. Here, poses are integrated from the engine's velocities. Other changes of a pose by the
//! engine, such as a push out of the ground, are detected by repeating the engine's integration in single precision, with
//! the same rounding, and adding the difference. The engine's pose is replaced when its deviation exceeds a threshold.
//!
//! Velocities of bodies that only gravity and forces move are in double precision as well: the engine adds small changes to
//! a velocity in single precision several times per step, which are lost at high rates. In free fall a body moves with the
//! mean of its velocities before and after the step, which is exact for a constant acceleration. For angular velocities see
//! [`free`].
//!
//! The origin follows the moving bodies of a world: see [`Origin`].

mod free;

use bevy::{math::Quat, prelude::*};
use bevy_rapier3d::rapier::{math::Pose, prelude::RigidBody};
use free::Free;
use morse_api::state::StateHasher;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{convert, origin::Origin};

/// Speed below which bodies fall asleep after half a second, m/s (and rad/s without colliders); they are then exactly at
/// rest. Commands and contacts wake them. At the engine's default, a box that slides on ice at 9 cm/s would stop.
pub(super) const STILL: f32 = 5e-4;

/// Deviation of the engine's pose that is tolerated: displacement (m) and rotation (rad).
const LITTLE: f64 = 2e-5;

/// Tolerated deviation for bodies almost at rest: writing a pose keeps a body awake, and it would never fall asleep.
const RESTING: f64 = 1e-3;

/// Poses of all bodies; state. A component of the entity with the engine's sets.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BodyPoses {
    pub origin: Origin,
    /// Pose and velocities of each body of the tables.
    known: Vec<Known>,
    /// Motion of each body before a step.
    #[serde(skip)]
    before: Vec<Before>,
    /// Buffer for the search of another origin.
    #[serde(skip)]
    scratch: Vec<f64>,
}

/// Pose of a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Known {
    exact: Isometry3<f64>,
    /// Corresponding pose in the engine. A different pose there means that another system has moved the body.
    engine: Pose,
    /// Velocity of its centre of mass, m/s.
    linear: Speed,
    /// Angular velocity, rad/s.
    angular: Speed,
}

/// Linear or angular velocity of a body, world axes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Speed {
    exact: Vector3<f64>,
    /// Corresponding velocity in the engine. A different velocity there means that another system has changed it.
    engine: Vec3,
}

impl Speed {
    fn of(velocity: Vec3) -> Self {
        Self {
            exact: convert::vector(velocity),
            engine: velocity,
        }
    }

    fn exact(exact: Vector3<f64>) -> Self {
        Self {
            exact,
            engine: convert::vec3(&exact),
        }
    }

    /// Returns this velocity, or that of the engine if it has changed.
    fn now(self, engine: Vec3) -> Self {
        if self.engine == engine {
            self
        } else {
            Self::of(engine)
        }
    }
}

/// Motion of a body in the engine, before its step.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    pose: Pose,
    linear: Vec3,
    angular: Vec3,
    /// Angular acceleration by torques in the whole step, rad/s².
    spin_up: Vec3,
    is_awake: bool,
}

/// A step of the engine.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// Length, s.
    pub dt: f64,
    /// Number of times that the engine moves the bodies in it.
    pub moves: u32,
    /// Gravity, m/s², if free motion is exact; `None` in MORSE's motion.
    pub gravity: Option<Vec3>,
}

impl Step {
    /// Fraction of the change of a velocity that counts for the displacement: the engine moves bodies after each of its
    /// additions.
    fn share(&self) -> f64 {
        f64::from(self.moves + 1) / f64::from(2 * self.moves)
    }
}

/// Pose and velocity to write to the engine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    /// Pose, if the engine's deviates too much.
    pub pose: Option<Pose>,
    /// Velocities, if the engine's are rounded differently.
    pub linear: Option<Vec3>,
    pub angular: Option<Vec3>,
}

impl Wanted {
    pub(super) fn is_any(&self) -> bool {
        self.pose.is_some() || self.linear.is_some() || self.angular.is_some()
    }
}

impl BodyPoses {
    /// Returns an empty list of poses relative to an origin, with space for a number of bodies.
    pub(super) fn about(origin: Origin, bodies: usize) -> Self {
        Self {
            origin,
            known: Vec::with_capacity(bodies),
            ..Self::default()
        }
    }

    /// Adds the next body of the tables.
    pub(super) fn add(&mut self, pose: &Isometry3<f64>) {
        self.known.push(Known {
            exact: *pose,
            engine: self.origin.engine(pose),
            linear: Speed::default(),
            angular: Speed::default(),
        });
    }

    /// Returns the pose of a body, without the engine's rounding.
    pub(super) fn of(&self, body: &RigidBody) -> Isometry3<f64> {
        let known = body_index(body).and_then(|index| self.known.get(index));
        let known = known.filter(|known| known.engine == *body.position());
        known.map_or_else(|| self.seen(body), |known| known.exact)
    }

    /// Returns the pose of a body in the engine.
    pub(super) fn seen(&self, body: &RigidBody) -> Isometry3<f64> {
        self.origin.world(body.position())
    }

    /// Returns the velocity of a body's centre of mass, without the engine's rounding.
    pub(super) fn velocity(&self, body: &RigidBody) -> Vector3<f64> {
        let known = body_index(body).and_then(|index| self.known.get(index));
        let linear = known.map_or_else(default, |known| known.linear);
        linear.now(body.linvel()).exact
    }

    /// Returns the angular velocity of a body, without the engine's rounding.
    pub(super) fn angular_velocity(&self, body: &RigidBody) -> Vector3<f64> {
        let known = body_index(body).and_then(|index| self.known.get(index));
        let angular = known.map_or_else(default, |known| known.angular);
        angular.now(body.angvel()).exact
    }

    /// Returns the centre of mass of a body in the world.
    pub(super) fn center(&self, body: &RigidBody) -> Point3<f64> {
        self.of(body) * convert::point(body.local_center_of_mass())
    }

    /// Sets the velocity of a body's centre of mass (m/s) and its angular velocity (rad/s), world axes.
    pub(super) fn set_velocities(
        &mut self,
        body: &mut RigidBody,
        velocities: [Vector3<f64>; 2],
        wakes: bool,
    ) {
        let [linear, angular] = velocities.map(Speed::exact);
        body.set_linvel(linear.engine, wakes);
        body.set_angvel(angular.engine, wakes);
        if let Some(known) = body_index(body).and_then(|index| self.known.get_mut(index)) {
            (known.linear, known.angular) = (linear, angular);
        }
    }

    /// Records the velocities of a body, whatever those in the engine.
    pub(super) fn note_velocities(
        &mut self,
        body: &RigidBody,
        [linear, angular]: [Vector3<f64>; 2],
    ) {
        if let Some(known) = body_index(body).and_then(|index| self.known.get_mut(index)) {
            (known.linear.exact, known.linear.engine) = (linear, body.linvel());
            (known.angular.exact, known.angular.engine) = (angular, body.angvel());
        }
    }

    /// Sets the pose of a body.
    pub(super) fn put(&mut self, body: &mut RigidBody, pose: &Isometry3<f64>, wakes: bool) {
        body.set_position(self.origin.engine(pose), wakes);
        self.note(body, pose);
    }

    /// Records the pose of a body, whatever its pose in the engine.
    pub(super) fn note(&mut self, body: &RigidBody, pose: &Isometry3<f64>) {
        if let Some(known) = body_index(body).and_then(|index| self.known.get_mut(index)) {
            *known = Known {
                exact: *pose,
                engine: *body.position(),
                linear: known.linear.now(body.linvel()),
                angular: known.angular.now(body.angvel()),
            };
        }
    }

    /// Records the pose of a body, by its index, whose pose and velocity in the engine have not changed since the last time.
    pub(super) fn advance(&mut self, index: usize, pose: &Isometry3<f64>) {
        if let Some(known) = self.known.get_mut(index) {
            known.exact = *pose;
        }
    }

    /// Returns the pose of a body after a time (s) at constant velocities.
    pub(super) fn expected(&self, body: &RigidBody, seconds: f64) -> Isometry3<f64> {
        let pose = self.of(body);
        let own = convert::point(body.local_center_of_mass());
        let turn = UnitQuaternion::from_scaled_axis(convert::vector(body.angvel()) * seconds);
        let rotation = turn * pose.rotation;
        let at = (pose * own).coords + convert::vector(body.linvel()) * seconds;
        Isometry3::from_parts((at - rotation * own.coords).into(), rotation)
    }

    /// Returns another origin for these bodies, if they are far from the present one.
    pub(super) fn nearer(&mut self, roaming: &[usize]) -> Option<Origin> {
        let known = roaming.iter().filter_map(|index| self.known.get(*index));
        let positions = known.map(|known| known.exact.translation.vector);
        self.origin.nearer(positions, &mut self.scratch)
    }

    /// Allocates buffers for a number of bodies.
    pub(super) fn prepare(&mut self, bodies: usize) {
        self.before.resize(bodies, Before::default());
    }

    /// Stores the motion of a body before a step.
    pub(super) fn remember(&mut self, index: usize, body: &RigidBody) {
        let exact = self.of(body);
        self.note(body, &exact);
        if let Some(before) = self.before.get_mut(index) {
            before.is_awake = !body.is_sleeping();
            if before.is_awake {
                before.pose = *body.position();
                (before.linear, before.angular) = (body.linvel(), body.angvel());
                let inverse = body.mass_properties().effective_world_inv_inertia;
                before.spin_up = inverse * body.user_torque();
            }
        }
    }

    /// Applies the result of the engine's step to a body.
    pub(super) fn follow(&mut self, index: usize, body: &RigidBody, step: &Step) -> Wanted {
        let (Some(known), Some(before)) = (self.known.get_mut(index), self.before.get(index))
        else {
            return Wanted::default();
        };
        let before = if before.is_awake {
            *before
        } else if body.is_sleeping() {
            return Wanted::default();
        } else {
            Before {
                pose: known.engine,
                ..Before::default()
            }
        };
        let free = before.free(known, body, step);
        known.exact = before.moved(&known.exact, body, step, &free);
        let wanted = self.origin.engine(&known.exact);
        let is_off = is_off(body, &wanted);
        known.engine = if is_off { wanted } else { *body.position() };
        let [linear, angular] = [body.linvel(), body.angvel()];
        let exact = free.linear.map(|falling| Speed::exact(falling.after));
        known.linear = exact.unwrap_or_else(|| Speed::of(linear));
        let exact = free.rotated.map(|rotated| Speed::exact(rotated.velocity));
        known.angular = exact.unwrap_or_else(|| Speed::of(angular));
        let other = |wanted: Vec3, is: Vec3| (wanted != is).then_some(wanted);
        Wanted {
            pose: is_off.then_some(wanted),
            linear: other(known.linear.engine, linear),
            angular: other(known.angular.engine, angular),
        }
    }

    /// Hashes the poses and velocities of all bodies.
    pub(super) fn hash(&self, hasher: &mut StateHasher) {
        for known in &self.known {
            let pose = &known.exact;
            for number in pose.translation.vector.iter().chain(&pose.rotation.coords) {
                hasher.f64(*number);
            }
            for number in known.linear.exact.iter().chain(&known.angular.exact) {
                hasher.f64(*number);
            }
        }
    }
}

/// Returns the index of a body in the tables.
fn body_index(body: &RigidBody) -> Option<usize> {
    usize::try_from(body.user_data).ok()
}

/// Returns true if the engine's pose has to be replaced.
fn is_off(body: &RigidBody, wanted: &Pose) -> bool {
    let known = body.position();
    let rests = body.linvel().length() < STILL && body.angvel().length() < STILL;
    let little = if rests { RESTING } else { LITTLE };
    let distance = (known.translation - wanted.translation).abs().max_element();
    let rounding = 2.0 * f32::EPSILON * wanted.translation.abs().max_element();
    // Twice the sine of half the angle, for small ones.
    let turn = 2.0 * (known.rotation.inverse() * wanted.rotation).xyz().length();
    f64::from(distance) > little.max(f64::from(rounding)) || f64::from(turn) > little
}

impl Before {
    /// Returns the pose of a body after a step, given its pose before: moved by its velocities, and by other changes of the
    /// engine.
    fn moved(
        &self,
        pose: &Isometry3<f64>,
        body: &RigidBody,
        step: &Step,
        free: &Free,
    ) -> Isometry3<f64> {
        let unchanged = self.linear == Vec3::ZERO
            && self.angular == Vec3::ZERO
            && body.linvel() == Vec3::ZERO
            && body.angvel() == Vec3::ZERO
            && *body.position() == self.pose;
        if unchanged {
            return *pose;
        }
        // Damping is applied after the moves.
        let undamped = |velocity: Vec3, damping: f32| velocity * (1.0 + damping * step.dt as f32);
        let after = [
            undamped(body.linvel(), body.linear_damping()),
            undamped(body.angvel(), body.angular_damping()),
        ];
        let center = body.local_center_of_mass();
        let rotated = free.rotated.map(|rotated| rotated.engine);
        let rounded = self.rounded(center, after, step, rotated);
        let own = convert::point(center);
        let mean = |before: Vec3, after: Vec3| {
            let share = step.share();
            convert::vector(before) * (1.0 - share) + convert::vector(after) * share
        };
        let turn = || UnitQuaternion::from_scaled_axis(mean(self.angular, after[1]) * step.dt);
        let rotated = free.rotated.map(|rotated| rotated.rotation);
        let mut rotation = rotated.unwrap_or_else(|| turn() * pose.rotation);
        let falling = free.linear.map(|falling| falling.mean);
        let velocity = falling.unwrap_or_else(|| mean(self.linear, after[0]));
        let mut at = (pose * own).coords + velocity * step.dt;
        let is = body.position();
        if *is != rounded {
            let (is, rounded) = (convert::isometry(is), convert::isometry(&rounded));
            rotation = is.rotation * rounded.rotation.inverse() * rotation;
            at += is * own - rounded * own;
        }
        rotation.renormalize();
        Isometry3::from_parts((at - rotation * own.coords).into(), rotation)
    }

    /// Returns the pose to which the engine moves a body with a linearly changing velocity, by the engine's own additions,
    /// with the same rounding. `rotated` is its rotation, if it is known.
    fn rounded(&self, center: Vec3, after: [Vec3; 2], step: &Step, rotated: Option<Quat>) -> Pose {
        let dt = step.dt as f32 / step.moves as f32;
        let change = 1.0 / step.moves as f32;
        let by = [
            (after[0] - self.linear) * change,
            (after[1] - self.angular) * change,
        ];
        let mut pose = self.pose.prepend_translation(center);
        for count in 1..=step.moves {
            let count = count as f32;
            let half = (self.angular + by[1] * count) * (dt * 0.5);
            let turn = Quat::from_xyzw(half.x, half.y, half.z, 1.0);
            pose.rotation = (turn * pose.rotation).normalize();
            pose.translation += (self.linear + by[0] * count) * dt;
        }
        pose.rotation = rotated.unwrap_or(pose.rotation);
        pose.prepend_translation(-center)
    }
}

#[cfg(test)]
mod tests {
    use bevy_rapier3d::rapier::prelude::RigidBodyBuilder;

    use super::*;

    const STEP: Step = Step {
        dt: 1.0 / 480.0,
        moves: 4,
        gravity: None,
    };

    const BY_THE_ENGINE: Free = Free {
        linear: None,
        rotated: None,
    };

    /// A body 100 m from the engine's origin that the engine moves for a second; returns its pose by the engine's additions,
    /// and in double precision.
    fn drive(linear: Vec3, angular: Vec3, push: Vec3) -> [Isometry3<f64>; 2] {
        let builder = RigidBodyBuilder::kinematic_velocity_based();
        let at = Isometry3::translation(100.1, 0.3, 0.0);
        let builder = builder.pose(convert::pose(&at));
        let mut body = builder.linvel(linear).angvel(angular).build();
        let mut exact = at;
        for _ in 0..480 {
            let before = Before {
                pose: *body.position(),
                linear,
                angular,
                is_awake: true,
                ..Before::default()
            };
            let mut pose = before.rounded(Vec3::ZERO, [linear, angular], &STEP, None);
            pose.translation += push;
            body.set_position(pose, false);
            exact = before.moved(&exact, &body, &STEP, &BY_THE_ENGINE);
        }
        let by = |pose: Isometry3<f64>| at.inverse() * pose;
        [by(convert::isometry(body.position())), by(exact)]
    }

    #[test]
    fn slow_motion_far_away_is_not_lost() {
        let [rounded, exact] = drive(Vec3::X * 0.02, Vec3::Z * 0.01, Vec3::ZERO);
        assert!((rounded.translation.x / 0.02 - 1.0).abs() > 0.1);
        assert!((exact.translation.x / 0.02 - 1.0).abs() < 1e-6, "{exact}");
        assert!(
            (exact.rotation.angle() / 0.01 - 1.0).abs() < 1e-6,
            "{exact}"
        );
    }

    #[test]
    fn what_the_engine_does_beyond_is_taken_over() {
        let push = Vec3::Z * 1e-4;
        let [_, exact] = drive(Vec3::X * 0.02, Vec3::ZERO, push);
        let wanted = Vector3::new(0.02, 0.0, 0.048);
        let off = exact.translation.vector - wanted;
        assert!(off.norm() < 1e-6, "{exact}");
    }

    #[test]
    fn the_engine_is_told_of_what_is_off_by_more_than_a_little() {
        let body = RigidBodyBuilder::dynamic().linvel(Vec3::X).build();
        let off = |x: f64, turn: f64| {
            let pose = Isometry3::new(Vector3::x() * x, Vector3::z() * turn);
            is_off(&body, &convert::pose(&pose))
        };
        assert!(!off(1e-5, 1e-5));
        assert!(off(3e-5, 0.0) && off(0.0, 3e-5));
        let resting = RigidBodyBuilder::dynamic().build();
        let pose = Isometry3::translation(3e-5, 0.0, 0.0);
        assert!(!is_off(&resting, &convert::pose(&pose)));
    }
}
