//! Coupled bodies: free bodies with contacts to links, which are solved here for a step and returned to the engine.
use std::ops::Deref;

use bevy::math::Vec3;
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_mechanisms::Motion;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{
    Trees, Weight,
    bodies::{allowed, moves, show, show_pose},
};
use crate::{
    body_poses::STILL,
    convert,
    engine::{EngineItem, Tables},
    spin::Spin,
};

/// A coupled body in this step, and its settings in the engine.
#[derive(Clone, Debug)]
pub(super) struct CoupledBody {
    pub body: usize,
    /// Pose before the step.
    pub start: Isometry3<f64>,
    /// Pose in the middle of the step.
    pub pose: Isometry3<f64>,
    /// Velocity of its centre of mass after the step, m/s: first without constraints, then with them.
    pub linear: Vector3<f64>,
    /// Angular velocity after the step, rad/s: first without constraints, then with them.
    pub angular: Vector3<f64>,
    /// Linear and angular velocity of the centre of mass before the step, m/s and rad/s.
    pub before: [Vector3<f64>; 2],
    /// Mean velocity over the step.
    pub moving: Motion,
    /// True if it is coupled in the next step as well.
    pub stays: bool,
    /// Forces in the engine; `None` if the engine has moved the body already.
    acts: Option<Acts>,
}

/// The coupled bodies of a step, which are found by their body in constant time.
#[derive(Default)]
pub(super) struct CoupledBodies {
    all: Vec<CoupledBody>,
    /// Index in `all` of each body of the tables.
    of_body: Vec<Option<usize>>,
}

impl CoupledBodies {
    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        for coupled in self.all.drain(..) {
            self.of_body[coupled.body] = None;
        }
    }

    /// Adds a body that is not among them.
    pub(super) fn push(&mut self, coupled: CoupledBody) {
        if self.of_body.len() <= coupled.body {
            self.of_body.resize(coupled.body + 1, None);
        }
        self.of_body[coupled.body] = Some(self.all.len());
        self.all.push(coupled);
    }

    /// Sorts them by body.
    pub(super) fn sort(&mut self) {
        self.all.sort_unstable_by_key(|coupled| coupled.body);
        for (index, coupled) in self.all.iter().enumerate() {
            self.of_body[coupled.body] = Some(index);
        }
    }

    /// Returns the index of a body among them.
    pub(super) fn index_of(&self, body: usize) -> Option<usize> {
        *self.of_body.get(body)?
    }

    /// Returns a body.
    pub(super) fn of(&self, body: usize) -> Option<&CoupledBody> {
        Some(&self.all[self.index_of(body)?])
    }

    /// Returns a body for changes.
    pub(super) fn of_mut(&mut self, body: usize) -> Option<&mut CoupledBody> {
        let index = self.index_of(body)?;
        Some(&mut self.all[index])
    }

    /// Returns the body with this index for changes.
    pub(super) fn at_mut(&mut self, index: usize) -> &mut CoupledBody {
        &mut self.all[index]
    }
}

impl Deref for CoupledBodies {
    type Target = [CoupledBody];

    fn deref(&self) -> &[CoupledBody] {
        &self.all
    }
}

/// Gravity, damping and forces of a free body in the engine.
#[derive(Clone, Debug)]
struct Acts {
    gravity: f32,
    damping: [f32; 2],
    force: Vec3,
    torque: Vec3,
}

impl CoupledBody {
    /// Couples a body before the engine's step.
    fn early(
        (body, pose): (usize, Isometry3<f64>),
        rigid: &RigidBody,
        weight: &Weight,
        gravity: Vec3,
        dt: f64,
    ) -> Self {
        let turn = pose.rotation;
        let (force, torque) = (rigid.user_force(), rigid.user_torque());
        let before = [rigid.linvel(), rigid.angvel()].map(convert::vector);
        let pull = convert::vector(gravity * rigid.gravity_scale());
        let linear = before[0] + (pull + convert::vector(force) / weight.mass) * dt;
        let damping = [rigid.linear_damping(), rigid.angular_damping()];
        let slower = damping.map(|damping| 1.0 / (1.0 + f64::from(damping) * dt));
        let allowed = allowed(rigid.locked_axes());
        let kick = convert::vector(torque) * dt;
        // What locks an axis also takes the torque by which rotation about the others would turn the momentum.
        let spin = Spin::of(rigid).filter(|_| allowed[1] == Vector3::repeat(1.0));
        let angular = match spin {
            Some(spin) => spin.turn((before[1], turn), &kick, dt).0,
            None => before[1] + turn * (weight.inverse_inertia * (turn.inverse() * kick)),
        };
        Self {
            body,
            start: pose,
            pose: moved(&pose, &weight.center, &velocity(before), dt / 2.0),
            linear: (linear * slower[0]).component_mul(&allowed[0]),
            angular: (angular * slower[1]).component_mul(&allowed[1]),
            before,
            moving: Motion::ZERO,
            stays: false,
            acts: Some(Acts {
                gravity: rigid.gravity_scale(),
                damping,
                force,
                torque,
            }),
        }
    }

    /// Couples a body that touched a link in this step for the first time: the engine has moved it already, so it is
    /// integrated back.
    pub(super) fn late((body, pose): (usize, Isometry3<f64>), rigid: &RigidBody, dt: f64) -> Self {
        let (linear, angular) = (
            convert::vector(rigid.linvel()),
            convert::vector(rigid.angvel()),
        );
        let center = convert::point(rigid.local_center_of_mass());
        let back = Motion {
            angular: -angular,
            linear: -linear,
        };
        Self {
            body,
            start: moved(&pose, &center.coords, &back, dt),
            pose: moved(&pose, &center.coords, &back, dt / 2.0),
            linear,
            angular,
            before: [linear, angular],
            moving: Motion::ZERO,
            stays: false,
            acts: None,
        }
    }

    /// Returns true if the body was coupled after the engine's step.
    pub(super) fn is_late(&self) -> bool {
        self.acts.is_none()
    }

    /// Returns the velocity of the origin before the step, given the centre of mass (m) in the world.
    pub(super) fn velocity_before(&self, center: &Vector3<f64>) -> Motion {
        let [linear, angular] = self.before;
        Motion {
            angular,
            linear: linear + angular.cross(&(self.pose.translation.vector - center)),
        }
    }
}

fn velocity([linear, angular]: [Vector3<f64>; 2]) -> Motion {
    Motion { angular, linear }
}

/// Moves a pose by the velocity of its centre of mass (in its axes) and an angular velocity, both in world axes.
fn moved(
    pose: &Isometry3<f64>,
    center: &Vector3<f64>,
    velocity: &Motion,
    dt: f64,
) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_scaled_axis(velocity.angular * dt) * pose.rotation;
    let at = (pose * Point3::from(*center)).coords + velocity.linear * dt;
    Isometry3::from_parts((at - rotation * center).into(), rotation)
}

impl Trees {
    /// Couples the free bodies that touched links in the last step, and removes their gravity, damping and forces in the
    /// engine.
    pub(super) fn couple_touching(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let gravity = engine.configuration.gravity;
        for body_index in &self.state.coupled {
            let row = tables.bodies.get(*body_index);
            let body = row.and_then(|row| engine.bodies.bodies.get(row.handle));
            let pose = body.map(|body| engine.body_poses.of(body));
            let Some((body, pose)) = row
                .and_then(|row| engine.movable(row))
                .filter(|body| moves(body))
                .zip(pose)
            else {
                continue;
            };
            let weight = &self.masses[*body_index];
            let coupled = CoupledBody::early((*body_index, pose), body, weight, gravity, dt);
            let middle = coupled.pose;
            self.coupled.push(coupled);
            body.set_gravity_scale(0.0, false);
            body.set_linear_damping(0.0);
            body.set_angular_damping(0.0);
            body.reset_forces(false);
            body.reset_torques(false);
            let rests = body.linvel().length() < STILL && body.angvel().length() < STILL;
            let row = &tables.bodies[*body_index];
            show_pose(engine, row, &middle, rests);
            if let Some(body) = engine.bodies.bodies.get(row.handle) {
                self.seen[*body_index] = engine.body_poses.seen(body);
            }
        }
    }

    /// Returns the coupled bodies to the engine, at their poses after the step.
    pub(super) fn release_coupled(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        for coupled in &*self.coupled {
            let row = tables.bodies.get(coupled.body);
            let Some((row, body)) = row.and_then(|row| Some((row, engine.movable(row)?))) else {
                continue;
            };
            if let Some(acts) = &coupled.acts {
                body.set_gravity_scale(acts.gravity, false);
                body.set_linear_damping(acts.damping[0]);
                body.set_angular_damping(acts.damping[1]);
                body.add_force(acts.force, false);
                body.add_torque(acts.torque, false);
            }
            if !body.is_sleeping() {
                let center = &self.masses[coupled.body].center;
                let pose = moved(&coupled.start, center, &coupled.moving, dt);
                let [linear, angular] = [&coupled.linear, &coupled.angular].map(convert::vec3);
                let rests = linear.length() < STILL && angular.length() < STILL;
                show(engine, row, &pose, [linear, angular], rests);
            }
        }
    }
}
