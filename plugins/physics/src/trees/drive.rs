//! Ground robots with a commanded velocity, driven through their contacts with the ground.
//!
//! Every supporting contact of such a robot acts as that of an ideal wheel: friction acts on the robot's base and drives the
//! contact point to the commanded motion, so that neither the inertia of wheels nor scrub reduces it. All forces stay within
//! Coulomb's law, `|F| ≤ μ·N`: on ice and against a wall a robot slips.
//!
//! An acceleration acts on the robot as a whole, as if the ground pushed at the height of its centre of mass: the base gets
//! the change of velocity at once, up to the traction of the last step, `Σ μ·N·dt / m`. A robot therefore does not tip when
//! it starts, whatever the friction. The remaining friction holds the robot on slopes and against disturbances at the
//! contact points themselves. Joints with a contact roll without slip.
//!
//! On ground that moves freely, such as a board on ice, the contact points alone accelerate the robot relative to the ground:
//! the ground gets the opposite impulse.
use morse_mechanisms::Motion;
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

use super::{
    Trees,
    collect::ConstraintSet,
    isometry,
    link_state::velocity,
    solve::{Scene, rigid_motion},
};
use crate::{
    commanded::{Command, Commanded},
    convert,
    filter::SUPPORT,
    held,
    spin::turn,
};

/// A driven robot in one step.
#[derive(Clone, Debug)]
pub(super) struct Driven {
    /// Index of its base in the tables.
    base: usize,
    command: Command,
    /// Origin of the base and centre of mass of the robot in the middle of the step, in the world, m.
    origin: Vector3<f64>,
    center: Vector3<f64>,
    /// Maximum friction impulse of all contacts together, N·s, and its maximum moment about the vertical through the centre
    /// of mass, N·m·s.
    traction: [f64; 2],
    /// Sum of the upward contact normals, weighted by load.
    normal: Vector3<f64>,
    /// Sum of the ground's motions, weighted by load.
    ground: Motion,
    /// Sum of the loads, N·s.
    load: f64,
    /// Commanded velocity of the base's origin relative to the ground, world axes.
    wanted: Motion,
    /// Target velocity of the base's origin for the contacts, world axes.
    held: Motion,
    /// Fraction of the traction that remains for friction.
    rest: f64,
}

/// A robot as a rigid body, before a step.
struct Whole {
    pose: Isometry3<f64>,
    /// Velocity of the base's origin, world axes.
    velocity: Motion,
    mass: f64,
    center: Point3<f64>,
    /// Inertia about the centre of mass, world axes.
    inertia: Matrix3<f64>,
}

impl Trees {
    /// Collects the driven robots of this step, and takes over those without joints.
    pub(super) fn collect_driven(&mut self, commanded: &Commanded) {
        self.driven.clear();
        for (base, command) in commanded.of_rolling_robots() {
            if !self.has(base)
                && let Err(index) = self.state.coupled.binary_search(&base)
            {
                self.state.coupled.insert(index, base);
            }
            self.driven.push(Driven {
                base,
                command: *command,
                origin: Vector3::zeros(),
                center: Vector3::zeros(),
                traction: [0.0; 2],
                normal: Vector3::zeros(),
                ground: Motion::ZERO,
                load: 0.0,
                wanted: Motion::ZERO,
                held: Motion::ZERO,
                rest: 1.0,
            });
        }
    }

    /// Accelerates the driven robots, and sets the friction targets of their contacts.
    pub(super) fn drive(&mut self, constraints: &mut ConstraintSet, scene: &Scene<'_, '_, '_>) {
        if std::mem::take(&mut self.rolls) {
            for integrator in &mut self.integrators {
                integrator.rolling.fill(None);
            }
        }
        if self.driven.is_empty() {
            return;
        }
        let mut driven = std::mem::take(&mut self.driven);
        for one in &mut driven {
            one.origin = self.pose_of_base(one.base, scene).translation.vector;
            one.center = self.center_of(one.base, scene);
        }
        self.weigh(&mut driven, constraints, scene);
        for one in &mut driven {
            self.accelerate(one, scene);
        }
        self.grip(&driven, constraints);
        self.driven = driven;
    }

    /// Returns true if a body is the base of a driven robot.
    pub(super) fn is_driven(&self, body: usize) -> bool {
        let known = |one: &Driven| one.base;
        self.driven.binary_search_by_key(&body, known).is_ok()
    }

    /// Collects the supporting contacts of driven robots, and the traction of those on ground that forces do not move.
    fn weigh(
        &self,
        driven: &mut [Driven],
        constraints: &mut ConstraintSet,
        scene: &Scene<'_, '_, '_>,
    ) {
        let gravity = convert::vector(scene.engine.configuration.gravity);
        let up = -gravity.try_normalize(0.0).unwrap_or_default();
        for touch in &mut constraints.contacts {
            let lift = touch.contact.normal.dot(&up);
            let side = usize::from(lift > 0.0);
            if lift.abs() <= f64::from(SUPPORT) {
                continue;
            }
            let bases = touch.bodies.map(|body| scene.tables.bases.get(body));
            // An arm on the robot's own chassis neither carries nor drives it.
            if bases[0] == bases[1] {
                continue;
            }
            let base = bases[side];
            let index =
                base.and_then(|base| driven.binary_search_by_key(base, |one| one.base).ok());
            let Some(one) = index.map(|index| &mut driven[index]) else {
                continue;
            };
            touch.driven = Some((side, one.base));
            let ground = touch.bodies[1 - side];
            if self.moves(ground) {
                continue;
            }
            let load = touch.contact.impulse.dot(&touch.contact.normal);
            if load <= 0.0 {
                continue;
            }
            let arm = touch.contact.point - one.center;
            let across = arm - up * up.dot(&arm);
            let most = touch.contact.friction * load;
            one.traction[0] += most;
            one.traction[1] += most * across.norm();
            one.normal += touch.contact.normal * (lift.signum() * load);
            one.ground += rigid_motion(ground, &one.origin, scene) * load;
            one.load += load;
        }
    }

    /// Applies the change of velocity that traction allows to the base.
    fn accelerate(&mut self, one: &mut Driven, scene: &Scene<'_, '_, '_>) {
        let Some(whole) = self.whole(one.base, scene) else {
            return;
        };
        one.held = whole.velocity;
        let rotation = self.rotation_at_end(one, &whole, scene.dt);
        one.wanted = one.command.in_world(&rotation);
        let Some(normal) = one.normal.try_normalize(0.0) else {
            return;
        };
        let ground = one.ground * (1.0 / one.load);
        let wanted = one.wanted + ground;
        let lacking = wanted.linear - whole.velocity.linear;
        let turning = normal * normal.dot(&(wanted.angular - whole.velocity.angular));
        let change = lacking - normal * normal.dot(&lacking);
        let of_center =
            change + turning.cross(&(whole.center.coords - whole.pose.translation.vector));
        let used = whole.mass * of_center.norm() / one.traction[0].max(f64::MIN_POSITIVE)
            + (whole.inertia * turning).norm() / one.traction[1].max(f64::MIN_POSITIVE);
        let share = if used > 1.0 { 1.0 / used } else { 1.0 };
        one.rest = (1.0 - used).max(0.0);
        let change = Motion {
            angular: turning * share,
            linear: change * share,
        };
        let change = self.allowed(one.base, change, scene);
        self.push_on(one.base, &whole, &change);
        one.held = whole.velocity + change;
    }

    /// Returns the rotation with which a commanded velocity becomes that at the end of the step. Velocities of trees are in the
    /// axes of the base, which turn with it; those of free bodies are in world axes.
    fn rotation_at_end(&self, one: &Driven, whole: &Whole, dt: f64) -> UnitQuaternion<f64> {
        let middle = whole.pose.rotation;
        if self.of_body[one.base].is_some() {
            return middle;
        }
        turn(&(one.command.in_world(&middle).angular * (dt / 2.0))) * middle
    }

    /// Sets the friction targets of driven robots' contacts, and lets the wheels roll.
    fn grip(&mut self, driven: &[Driven], constraints: &mut ConstraintSet) {
        for touch in &mut constraints.contacts {
            let Some((side, base)) = touch.driven else {
                continue;
            };
            let Ok(index) = driven.binary_search_by_key(&base, |one| one.base) else {
                continue;
            };
            let one = &driven[index];
            let arm = touch.contact.point - one.origin;
            let ground = if one.load > 0.0 {
                one.ground * (1.0 / one.load)
            } else {
                Motion::ZERO
            };
            let wanted = if self.moves(touch.bodies[1 - side]) {
                one.wanted.at(&arm)
            } else {
                touch.contact.friction *= one.rest;
                (one.held - ground).at(&arm)
            };
            touch.contact.tangent_velocity = if side == 1 { wanted } else { -wanted };
            if let Some((tree, link)) = self.of_body[touch.bodies[side]]
                && link > 0
            {
                let base_pose = &self.base_poses[tree];
                let point = base_pose
                    .rotation
                    .tr_mul(&(touch.contact.point - base_pose.position));
                let velocity = base_pose.rotation.tr_mul(&wanted);
                let integrator = &mut self.integrators[tree];
                let rows = &self.rows[tree].tree;
                if let Some((variable, speed)) = integrator
                    .workspace
                    .rolling_velocity(rows, link, &point, &velocity)
                {
                    integrator.rolling[variable] = Some(speed);
                    self.rolls = true;
                }
            }
        }
    }

    /// Applies a change of velocity to a base and all its descendants.
    fn push_on(&mut self, base: usize, whole: &Whole, change: &Motion) {
        if let Some((tree, _)) = self.of_body[base] {
            let turn = whole.pose.rotation.inverse();
            let velocities = &mut self.state.trees[tree].motion.velocities;
            let numbers = [turn * change.linear, turn * change.angular];
            let numbers = numbers.iter().flat_map(|vector| vector.iter());
            for (speed, more) in velocities.iter_mut().zip(numbers) {
                *speed += more;
            }
        } else if let Some(coupled) = self.coupled.of_mut(base) {
            coupled.linear += change.at(&(whole.center.coords - whole.pose.translation.vector));
            coupled.angular += change.angular;
        }
    }

    /// Returns the components of a change of velocity that the locks of a body allow.
    fn allowed(&self, base: usize, change: Motion, scene: &Scene<'_, '_, '_>) -> Motion {
        let row = scene.tables.bodies.get(base);
        row.map_or(change, |row| Motion {
            angular: held::allowed_turn(row, change.angular),
            linear: held::allowed(row, change.linear),
        })
    }

    fn pose_of_base(&self, base: usize, scene: &Scene<'_, '_, '_>) -> Isometry3<f64> {
        self.pose_before(base, scene.engine, scene.tables, scene.dt)
            .unwrap_or_else(Isometry3::identity)
    }

    fn center_of(&self, base: usize, scene: &Scene<'_, '_, '_>) -> Vector3<f64> {
        let Some((tree, _)) = self.of_body[base] else {
            let center = Point3::from(self.masses[base].center);
            return (self.pose_of_base(base, scene) * center).coords;
        };
        let (_, center) = self.integrators[tree]
            .workspace
            .center_of_mass(&self.rows[tree].tree);
        self.base_poses[tree].point(&center)
    }

    /// Returns a robot with all its descendants as one rigid body; `None` if it is not moved here.
    fn whole(&self, base: usize, scene: &Scene<'_, '_, '_>) -> Option<Whole> {
        let center = self.center_of(base, scene);
        let pose = self.pose_of_base(base, scene);
        let mut whole = Whole {
            pose,
            velocity: Motion::ZERO,
            mass: 0.0,
            center: center.into(),
            inertia: Matrix3::zeros(),
        };
        let Some((tree, _)) = self.of_body[base] else {
            let coupled = self.coupled.of(base)?;
            whole.velocity = coupled.velocity_before(&center);
            whole.add(&pose, &self.masses[base]);
            return Some(whole);
        };
        if !self.awake[tree] {
            return None;
        }
        let (work, base_pose) = (&self.integrators[tree].workspace, &self.base_poses[tree]);
        let [linear, angular] = velocity(work, 0, base_pose, &Vector3::zeros());
        whole.velocity = Motion { angular, linear };
        for (link, body) in self.rows[tree].links.iter().enumerate() {
            whole.add(
                &isometry(&(*base_pose * work.pose_of(link))),
                &self.masses[*body],
            );
        }
        Some(whole)
    }
}

impl Driven {
    /// Returns the index of the robot's base in the tables.
    pub(super) const fn base(&self) -> usize {
        self.base
    }
}

impl Whole {
    /// Adds a body at a pose.
    fn add(&mut self, pose: &Isometry3<f64>, weight: &super::Weight) {
        if !weight.mass.is_finite() {
            return;
        }
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        let arm = pose * Point3::from(weight.center) - self.center;
        let steiner = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
        self.mass += weight.mass;
        self.inertia += turn * weight.inertia * turn.transpose() + steiner * weight.mass;
    }
}
