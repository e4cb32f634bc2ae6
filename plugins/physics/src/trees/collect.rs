//! Collection of the engine's contacts of links and coupled bodies.
use std::mem;

use bevy_rapier3d::rapier::{
    geometry::ContactPair,
    prelude::{ColliderHandle, RigidBody},
};
use morse_mechanisms::{
    Force, Motion,
    island::{Side, Weld},
};
use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    Trees,
    bodies::{moves, rigid},
    contact_point::{ContactPoint, OpenGap, Pair},
    coupled::CoupledBody,
    flat::Flat,
    isometry,
};
use crate::{
    engine::{EngineItem, Tables},
    grasp::{self, Grasp, Grasps},
};

/// Contacts and welds of one step.
#[derive(Default)]
pub(super) struct ConstraintSet {
    /// Bodies whose contacts are still to be collected.
    open: Vec<usize>,
    pub pairs: Vec<Pair>,
    pub contacts: Vec<ContactPoint>,
    /// Pairs without contacts, since their gaps stay open.
    pub gaps: Vec<OpenGap>,
    pub welds: Vec<WeldPoint>,
}

/// A weld between two bodies.
pub(super) struct WeldPoint {
    /// Bodies on both sides, if there are any.
    pub bodies: [Option<usize>; 2],
    /// Index of the frame of the first body on which it acts; `None` for the body as a whole.
    pub frame: Option<usize>,
    pub key: WeldKey,
    pub weld: Weld,
}

/// Identity of a weld from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum WeldKey {
    /// Index of a loop closure.
    Closure(usize),
    /// Holder and held body of a grasp.
    Grasp([usize; 2]),
    /// Index of a tree whose base has locked axes.
    Lock(usize),
}

impl ConstraintSet {
    fn clear(&mut self) {
        self.open.clear();
        self.pairs.clear();
        self.contacts.clear();
        self.gaps.clear();
        self.welds.clear();
    }
}

impl Trees {
    /// Collects all contacts that are solved here, and the coupled bodies.
    pub(super) fn collect(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
        dt: f64,
    ) {
        let mut constraints = mem::take(&mut self.constraints);
        constraints.clear();
        self.state.coupled.clear();
        for index in 0..self.rows.len() {
            let is_clear = self.is_clear(index);
            if self.awake[index] && is_clear {
                self.detect_near(index, &mut constraints, (engine, tables), grasps);
            }
            let is_seen = !is_clear || self.measuring[index] || self.is_intruded(index);
            if self.awake[index] && is_seen {
                constraints.open.extend(&self.rows[index].links);
            }
        }
        for index in 0..self.rows.len() {
            if !self.awake[index]
                && let Some(link) = self.met(index, engine, tables)
            {
                self.wake(&mut constraints, link, engine, tables, dt);
            }
        }
        for grasp in grasps.iter() {
            self.hold(&mut constraints, grasp, engine, tables, dt);
        }
        self.collect_closures(&mut constraints, engine, tables, dt);
        for index in 0..self.driven.len() {
            let base = self.driven[index].base();
            if rigid(engine, tables, base).is_some_and(|body| !body.is_sleeping()) {
                self.couple(&mut constraints, base, engine, tables, dt);
            }
        }
        self.couple_free(&mut constraints, engine, tables, dt);
        for index in 0..self.sensed.len() {
            let body = self.sensed[index];
            self.couple(&mut constraints, body, engine, tables, dt);
            if !self.has(body) && !self.stays_coupled(body) {
                // It has a prescribed motion, but what it touches is solved here.
                constraints.open.push(body);
            }
        }
        while let Some(body) = constraints.open.pop() {
            self.touching(&mut constraints, body, engine, tables, dt);
        }
        self.state.coupled.sort_unstable();
        self.collect_released(&mut constraints, engine, tables, dt);
        self.coupled.sort();
        // Both bodies of a contact may have been visited.
        constraints.pairs.sort_unstable_by_key(|pair| pair.geometry);
        constraints.pairs.dedup_by_key(|pair| pair.geometry);
        self.points(&mut constraints, engine, tables, dt);
        self.constraints = constraints;
    }

    /// Couples bodies without joints whose contacts the engine does not solve well.
    fn couple_free(
        &mut self,
        constraints: &mut ConstraintSet,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        for index in 0..self.heavy.len() {
            let body = self.heavy[index];
            if self.presses_light(body, engine, tables) {
                self.couple(constraints, body, engine, tables, dt);
            }
        }
        for index in 0..self.round.len() {
            let body = self.round[index];
            if self.rolls(body, engine, tables) {
                self.couple(constraints, body, engine, tables, dt);
            }
        }
        for index in 0..self.bouncing_count() {
            if let Some(body) = self.next_bouncing(index, engine, tables) {
                self.couple(constraints, body, engine, tables, dt);
            }
        }
    }

    /// Couples a body without joints, unless it is coupled or static.
    pub(super) fn couple(
        &mut self,
        constraints: &mut ConstraintSet,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        if self.has(body) || self.stays_coupled(body) {
            return;
        }
        let Some(rigid) = rigid(engine, tables, body).filter(|body| moves(body)) else {
            return;
        };
        if self.coupled.of(body).is_none() {
            let coupled = CoupledBody::late((body, engine.body_poses.of(rigid)), rigid, dt);
            self.seen[body] = coupled.start;
            self.coupled.push(coupled);
        }
        if let Some(coupled) = self.coupled.of_mut(body) {
            coupled.stays = true;
        }
        grasp::request_filter(engine, tables.bodies[body].handle);
        self.state.coupled.push(body);
        constraints.open.push(body);
    }

    /// Collects the contacts of bodies that are released after this step, since the engine did not move them in it: they have
    /// no contact to a tree. The bodies that they touch are coupled for the rest of the step. The engine has solved its contacts
    /// with other free bodies already.
    fn collect_released(
        &mut self,
        constraints: &mut ConstraintSet,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let from = constraints.pairs.len();
        for index in 0..self.coupled.len() {
            let body = self.coupled[index].body;
            if !self.stays_coupled(body) {
                self.pairs(constraints, body, engine, tables);
            }
        }
        let first = self.coupled.len();
        for body in constraints.pairs[from..]
            .iter()
            .flat_map(|pair| pair.bodies)
        {
            let moving = rigid(engine, tables, body);
            let moving = moving.filter(|body| moves(body) && !body.is_sleeping());
            if let Some(rigid) = moving
                && !self.has(body)
                && self.coupled.of(body).is_none()
            {
                let coupled = CoupledBody::late((body, engine.body_poses.of(rigid)), rigid, dt);
                self.seen[body] = coupled.start;
                self.coupled.push(coupled);
            }
        }
        for index in first..self.coupled.len() {
            let from = constraints.pairs.len();
            self.pairs(constraints, self.coupled[index].body, engine, tables);
            let new = constraints.pairs.split_off(from);
            let is_solved = |body: &usize| {
                let rigid = rigid(engine, tables, *body);
                rigid.is_some_and(moves) && !self.has(*body) && self.coupled.of(*body).is_none()
            };
            let new = new.into_iter();
            let new = new.filter(|pair| !pair.bodies.iter().any(is_solved));
            constraints.pairs.extend(new);
        }
    }

    /// Returns true if a body was collected in this step as a coupled one.
    fn stays_coupled(&self, body: usize) -> bool {
        self.coupled.of(body).is_some_and(|coupled| coupled.stays)
    }

    /// Adds a grasp as a weld, and couples its bodies.
    fn hold(
        &mut self,
        constraints: &mut ConstraintSet,
        grasp: &Grasp,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let pair = [grasp.holder, grasp.held];
        if pair.iter().all(|body| self.rests(*body, engine, tables)) {
            return;
        }
        for body in pair {
            self.couple(constraints, body, engine, tables, dt);
            self.wake(constraints, body, engine, tables, dt);
        }
        let (Some(holder), Some(held)) = (
            self.pose_before(pair[0], engine, tables, dt),
            self.pose_before(pair[1], engine, tables, dt),
        ) else {
            return;
        };
        let wanted = holder * grasp.apart;
        let center = self.masses[pair[1]].center;
        let point = held * Point3::from(center);
        let weld = Weld {
            sides: [Side::Prescribed(Vector3::zeros()); 2],
            point: point.coords,
            error: Motion {
                linear: point.coords - (wanted * Point3::from(center)).coords,
                angular: (held.rotation * wanted.rotation.inverse()).scaled_axis(),
            },
            holds: [true; 6],
            turning: Vector3::zeros(),
            velocity: None,
            impulse: Force::default(),
        };
        constraints.welds.push(WeldPoint {
            bodies: pair.map(Some),
            frame: grasp.frame,
            key: WeldKey::Grasp(pair),
            weld,
        });
    }

    /// Returns a link of a sleeping tree that is in contact with an awake body.
    fn met(&self, index: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> Option<usize> {
        let is_awake = |handle: ColliderHandle| {
            let collider = engine.colliders.colliders.get(handle);
            let body = collider.and_then(|collider| engine.bodies.bodies.get(collider.parent()?));
            body.is_some_and(|body| moves(body) && !body.is_sleeping())
        };
        let links = self.rows[index].links.iter().copied();
        let mut links = links.filter(|link| rigid(engine, tables, *link).is_some_and(moves));
        links.find(|link| {
            let own = rigid(engine, tables, *link).map_or(&[][..], RigidBody::colliders);
            let narrow_phase = &engine.simulation.narrow_phase;
            let mut pairs = own
                .iter()
                .flat_map(|own| narrow_phase.contact_pairs_with(*own));
            pairs.any(|pair| {
                pair.has_any_active_contact()
                    && (is_awake(pair.collider1) || is_awake(pair.collider2))
            })
        })
    }

    /// Wakes a link with its whole tree.
    pub(super) fn wake(
        &mut self,
        constraints: &mut ConstraintSet,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        if let Some((tree, _)) = self.of_body[body]
            && !self.awake[tree]
        {
            (self.awake[tree], self.arrived[tree]) = (true, false);
            let (base, base_pose) = self.base(tree, engine, tables);
            self.base_poses[tree] = base_pose;
            let motion = &self.state.trees[tree].motion;
            self.integrators[tree].predict(&self.rows[tree].tree, &base, motion, dt / 2.0);
            for body in &self.rows[tree].links {
                if let Some(rigid) = rigid(engine, tables, *body) {
                    self.seen[*body] = engine.body_poses.seen(rigid);
                }
            }
            constraints.open.extend(&self.rows[tree].links);
        }
    }

    /// Collects all contacts of a body, and couples the bodies on their other sides.
    fn touching(
        &mut self,
        constraints: &mut ConstraintSet,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let from = constraints.pairs.len();
        self.pairs(constraints, body, engine, tables);
        for index in from..constraints.pairs.len() {
            for other in constraints.pairs[index].bodies {
                self.couple(constraints, other, engine, tables, dt);
                self.wake(constraints, other, engine, tables, dt);
            }
        }
    }

    /// Collects the pairs of geometries with which a body is in contact.
    fn pairs(
        &self,
        constraints: &mut ConstraintSet,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        let own = rigid(engine, tables, body).map_or(&[][..], RigidBody::colliders);
        for collider in own {
            for pair in engine.simulation.narrow_phase.contact_pairs_with(*collider) {
                let is_in_contact = || {
                    pair.has_any_active_contact()
                        || Flat::touches(engine, [pair.collider1, pair.collider2])
                };
                if is_in_contact()
                    && let Some((bodies, geometry)) = who(engine, tables, pair)
                    && !self.is_near_pair(bodies, [pair.collider1, pair.collider2])
                    && self.take_part(bodies, engine, tables)
                {
                    constraints.pairs.push(Pair {
                        colliders: [pair.collider1, pair.collider2],
                        geometry,
                        bodies,
                        near: None,
                    });
                }
            }
        }
    }

    /// Returns the pose of a body in the middle of this step.
    pub(super) fn pose_before(
        &self,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) -> Option<Isometry3<f64>> {
        if let Some((tree, link)) = self.of_body[body] {
            let link_pose = self.base_poses[tree] * self.integrators[tree].workspace.pose_of(link);
            return Some(isometry(&link_pose));
        }
        if let Some(coupled) = self.coupled.of(body) {
            return Some(coupled.pose);
        }
        let rigid = rigid(engine, tables, body)?;
        let pose = engine.body_poses.of(rigid);
        // The engine has moved it to the end of the step.
        Some(if rigid.is_kinematic() {
            CoupledBody::late((body, pose), rigid, dt).pose
        } else {
            pose
        })
    }

    /// Returns true if both bodies of a contact are in the physics, and not held.
    pub(super) fn take_part(
        &self,
        bodies: [usize; 2],
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        bodies.iter().all(|body| {
            let rigid = rigid(engine, tables, *body);
            rigid.is_some_and(|rigid| rigid.is_enabled() && (!self.has(*body) || moves(rigid)))
        })
    }
}

/// Returns the bodies on both sides of a contact, and the geometries.
pub(super) fn who(
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    pair: &ContactPair,
) -> Option<([usize; 2], [u32; 2])> {
    let side = |handle: ColliderHandle| {
        let index = engine.colliders.colliders.get(handle)?.user_data;
        let row = tables.geometry.get(usize::try_from(index).ok()?)?;
        Some((row.body, u32::try_from(index).ok()?))
    };
    let ((one, first), (two, second)) = (side(pair.collider1)?, side(pair.collider2)?);
    Some(([one, two], [first, second]))
}
