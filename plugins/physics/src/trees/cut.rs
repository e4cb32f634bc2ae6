//! Wrenches through cuts of robots, for force–torque sensors.
//!
//! A cut divides a robot at a frame: the part beyond is the frame with all its descendants. The wrench through it follows
//! from the motion of the part beyond, `I·a + v ×* I·v = wrench + weight + contacts + welds`, with the accelerations of the
//! step and the impulses that its solver found; that of links behind joints from inverse dynamics, so that it agrees with the
//! efforts of motors.
use std::collections::BTreeSet;

use bevy::prelude::Entity;
use morse_api::contact::Wrench;
use morse_mechanisms::{Base, Force, Inertia, Motion, joint_forces::JointForces};
use nalgebra::{Isometry3, Vector3};

use super::{
    Trees,
    bodies::rigid,
    collect::{ConstraintSet, WeldPoint},
    contact_point::ContactPoint,
    coupled::CoupledBody,
    isometry,
    solve::Scene,
};
use crate::convert;

/// A cut at the frame of a component; computed from the scene and the mount.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The component.
    pub sensor: Entity,
    /// Index of the body to which the frame belongs.
    pub body: usize,
    /// Pose of the component in the frame of the body.
    pub body_from_sensor: Isometry3<f64>,
    /// True if the whole body is beyond the cut.
    pub is_whole: bool,
    /// Part of the body beyond the cut, in the body's axes.
    pub inertia: Inertia,
    /// Indices of the frames of that part.
    pub frames: BTreeSet<usize>,
    /// Indices of the geometries of that part, sorted.
    pub geometry: Vec<usize>,
    /// Bodies that dynamic joints attach to that part.
    pub children: Vec<usize>,
    /// All bodies behind these joints, sorted.
    pub beyond: Vec<usize>,
    /// Impulse on the part before the cut in the steps of this tick, in the component's axes about its origin.
    pub impulse: Force,
    /// Sum of the lengths of these steps, s.
    pub time: f64,
}

/// A tree with a cut.
#[derive(Clone, Debug)]
pub(super) struct CutTree {
    tree: usize,
    base: Base,
    forces: JointForces,
}

/// Motion of a body in the middle of a step, in its own axes: velocity, and spatial acceleration minus gravity.
type Moving = [Motion; 2];

impl Cut {
    /// Returns true if a geometry of a body is beyond the cut.
    fn has(&self, body: usize, geometry: usize) -> bool {
        if body == self.body {
            return self.geometry.binary_search(&geometry).is_ok();
        }
        self.beyond.binary_search(&body).is_ok()
    }

    /// Returns true if a side of a weld is beyond the cut.
    fn has_weld(&self, weld: &WeldPoint, side: usize) -> bool {
        let Some(body) = weld.bodies[side] else {
            return false;
        };
        match weld.frame {
            Some(frame) if side == 0 && body == self.body => self.frames.contains(&frame),
            _ => self.has_body(body),
        }
    }

    /// Returns true if a whole body is beyond the cut.
    fn has_body(&self, body: usize) -> bool {
        (body == self.body && self.is_whole) || self.beyond.binary_search(&body).is_ok()
    }

    /// Returns the force that a motion of the part beyond takes.
    fn force_of(&self, [velocity, acceleration]: &Moving) -> Force {
        let momentum = self.inertia * *velocity;
        self.inertia * *acceleration + velocity.cross_force(&momentum)
    }
}

impl Trees {
    /// Sets the cuts of a world.
    pub(crate) fn set_cuts(&mut self, cuts: Vec<Cut>) {
        let bodies = cuts
            .iter()
            .flat_map(|cut| cut.children.iter().chain([&cut.body]));
        let mut trees: Vec<usize> = bodies
            .filter_map(|body| Some(self.of_body.get(*body).copied()??.0))
            .collect();
        trees.sort_unstable();
        trees.dedup();
        let cut_tree = |tree: usize| CutTree {
            tree,
            base: Base::at_rest(Vector3::zeros()),
            forces: JointForces::new(&self.rows[tree].tree),
        };
        self.cut_trees = trees.into_iter().map(cut_tree).collect();
        self.cuts = cuts;
    }

    /// Stores the states of trees with cuts before a step.
    pub(super) fn remember_cut_trees(&mut self, scene: &Scene<'_, '_, '_>) {
        let mut cut_trees = std::mem::take(&mut self.cut_trees);
        for cut in &mut cut_trees {
            let known = &self.state.trees[cut.tree];
            cut.forces.begin(&known.motion);
            (cut.base, _) = self.base(cut.tree, scene.engine, scene.tables);
            cut.base.acceleration = (cut.base.velocity - known.carried()) * (1.0 / scene.dt);
        }
        self.cut_trees = cut_trees;
    }

    /// Adds the wrenches of a step to all cuts.
    pub(super) fn measure_cuts(&mut self, constraints: &ConstraintSet, scene: &Scene<'_, '_, '_>) {
        for cut in &mut self.cut_trees {
            let tree = &self.rows[cut.tree].tree;
            let velocities = &self.state.trees[cut.tree].motion.velocities;
            let external = self.spare[cut.tree].external_forces();
            cut.forces
                .end(tree, &cut.base, velocities, external, scene.dt);
        }
        let mut cuts = std::mem::take(&mut self.cuts);
        for cut in &mut cuts {
            self.measure(cut, constraints, scene);
        }
        self.cuts = cuts;
    }

    /// Adds the wrench of a step to a cut.
    fn measure(&self, cut: &mut Cut, constraints: &ConstraintSet, scene: &Scene<'_, '_, '_>) {
        let Some((pose, supported)) = self.supported(cut, scene) else {
            return;
        };
        let sensor = pose * cut.body_from_sensor;
        let origin = sensor.translation.vector;
        let force = pose.rotation * supported.force * scene.dt;
        let arm = pose.translation.vector - origin;
        // Impulse on the part beyond, about the component.
        let mut impulse = Force {
            moment: pose.rotation * supported.moment * scene.dt + arm.cross(&force),
            force,
        };
        for touch in &constraints.contacts {
            let push = pushed(cut, touch);
            impulse.force -= push;
            impulse.moment -= (touch.contact.point - origin).cross(&push);
        }
        for held in &constraints.welds {
            let weld = &held.weld;
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                if cut.has_weld(held, side) {
                    let push = weld.impulse.force * sign;
                    impulse.force -= push;
                    impulse.moment -= weld.impulse.moment * sign;
                    impulse.moment -= (weld.point - origin).cross(&push);
                }
            }
        }
        let turn = sensor.rotation.inverse();
        cut.impulse.force -= turn * impulse.force;
        cut.impulse.moment -= turn * impulse.moment;
        cut.time += scene.dt;
    }

    /// Returns the pose of the body of a cut in the middle of the step, and the force that moves and supports the part
    /// beyond, in the body's frame.
    fn supported(&self, cut: &Cut, scene: &Scene<'_, '_, '_>) -> Option<(Isometry3<f64>, Force)> {
        let known = scene.tables.bodies.get(cut.body)?;
        let gravity = convert::vector(scene.engine.configuration.gravity);
        let (pose, mut force);
        if let Some((tree, link)) = self.of_body[cut.body] {
            let forces = self.forces_of(tree)?;
            pose = isometry(&(self.base_poses[tree] * forces.pose(link)));
            if cut.is_whole {
                return Some((pose, forces.force(link)));
            }
            force = cut.force_of(&forces.motion(link));
            if !known.gravity {
                force += cut.inertia * linear(pose.rotation.inverse() * gravity);
            }
        } else if let Some(coupled) = self.coupled.of(cut.body) {
            pose = coupled.pose;
            let fall = if known.gravity {
                gravity
            } else {
                Vector3::zeros()
            };
            let center = &self.masses[cut.body].center;
            force = cut.force_of(&motion_of(coupled, center, &fall, scene.dt));
        } else {
            let body = rigid(scene.engine, scene.tables, cut.body)?;
            pose = known
                .still
                .unwrap_or_else(|| scene.engine.body_poses.of(body));
            force = cut.inertia * linear(-(pose.rotation.inverse() * gravity));
        }
        for child in &cut.children {
            // A posed body is no link.
            let Some((tree, link)) = self.of_body[*child] else {
                continue;
            };
            let forces = self.forces_of(tree)?;
            force += forces.force_in_parent(&self.rows[tree].tree, link);
        }
        Some((pose, force))
    }

    fn forces_of(&self, tree: usize) -> Option<&JointForces> {
        let index = self.cut_trees.binary_search_by(|cut| cut.tree.cmp(&tree));
        Some(&self.cut_trees.get(index.ok()?)?.forces)
    }

    /// Calls a function with the mean wrench of each cut since the last call, if there was a step.
    pub(crate) fn take_wrenches(&mut self, mut visit: impl FnMut(Entity, Wrench)) {
        for cut in self.cuts.iter_mut().filter(|cut| cut.time > 0.0) {
            let wrench = Wrench {
                force: cut.impulse.force / cut.time,
                torque: cut.impulse.moment / cut.time,
            };
            visit(cut.sensor, wrench);
            (cut.impulse, cut.time) = (Force::default(), 0.0);
        }
    }
}

/// Returns the impulse of a contact on the part beyond a cut, world axes, N·s. Friction on the wheel of a driven robot acts on
/// its base.
fn pushed(cut: &Cut, touch: &ContactPoint) -> Vector3<f64> {
    let contact = &touch.contact;
    let along = contact.normal * contact.impulse.dot(&contact.normal);
    let mut push = Vector3::zeros();
    for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let geometry = touch.key.geometry()[side] as usize;
        let is_beyond = cut.has(touch.bodies[side], geometry);
        match touch.driven {
            Some((own, base)) if own == side && base != touch.bodies[side] => {
                if is_beyond {
                    push += along * sign;
                }
                if cut.has_body(base) {
                    push += (contact.impulse - along) * sign;
                }
            }
            _ if is_beyond => push += contact.impulse * sign,
            _ => {}
        }
    }
    push
}

fn linear(linear: Vector3<f64>) -> Motion {
    Motion {
        angular: Vector3::zeros(),
        linear,
    }
}

/// Returns the motion of a coupled body in a step, given its centre of mass in its axes (m) and gravity (m/s²).
fn motion_of(body: &CoupledBody, center: &Vector3<f64>, gravity: &Vector3<f64>, dt: f64) -> Moving {
    let turn = body.pose.rotation.inverse();
    let [before, spun] = body.before;
    let spin = turn * (spun + body.angular) / 2.0;
    let velocity = Motion {
        angular: spin,
        linear: turn * (before + body.linear) / 2.0 - spin.cross(center),
    };
    let angular = turn * (body.angular - spun) / dt;
    let of_center = turn * ((body.linear - before) / dt - gravity);
    // From the centre of mass to the origin, then to the spatial acceleration.
    let of_origin = of_center - angular.cross(center) - spin.cross(&spin.cross(center));
    let acceleration = Motion {
        angular,
        linear: of_origin - spin.cross(&velocity.linear),
    };
    [velocity, acceleration]
}
