//! Collection of the engine's contacts of links and coupled bodies.
use std::mem;

use bevy_rapier3d::rapier::{
    geometry::ContactPair,
    prelude::{ColliderHandle, RigidBody},
};
use morse_mechanisms::{
    Force, Motion,
    island::{Contact, Side, Weld},
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{
    Trees,
    bodies::{moves, rigid},
    contact_point::{ContactPoint, Key},
    coupled::CoupledBody,
    flat::Flat,
    isometry, line, recheck,
};
use crate::{
    convert,
    engine::{EngineItem, Tables},
    grasp::{self, Grasp, Grasps},
};

/// Contacts and welds of one step.
#[derive(Default)]
pub(super) struct Found {
    /// Bodies whose contacts are still to be collected.
    open: Vec<usize>,
    pairs: Vec<Pair>,
    pub contacts: Vec<ContactPoint>,
    pub welds: Vec<WeldPoint>,
}

/// Two geometries in contact.
struct Pair {
    /// Colliders in the engine's order.
    colliders: [ColliderHandle; 2],
    /// Indices of the geometries in the tables.
    geometry: [u32; 2],
    bodies: [usize; 2],
}

/// A weld between two bodies.
pub(super) struct WeldPoint {
    /// Bodies on both sides, if there are any.
    pub bodies: [Option<usize>; 2],
    /// Index of the frame of the first body on which it acts; `None` for the body as a whole.
    pub frame: Option<usize>,
    pub weld: Weld,
}

impl Found {
    fn clear(&mut self) {
        self.open.clear();
        self.pairs.clear();
        self.contacts.clear();
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
        let mut found = mem::take(&mut self.found);
        found.clear();
        self.state.coupled.clear();
        for (row, is_awake) in self.rows.iter().zip(&self.awake) {
            if *is_awake {
                found.open.extend(&row.links);
            }
        }
        for at in 0..self.rows.len() {
            if !self.awake[at]
                && let Some(link) = self.met(at, engine, tables)
            {
                self.wake(&mut found, link, engine, tables, dt);
            }
        }
        for grasp in grasps.iter() {
            self.hold(&mut found, grasp, engine, tables, dt);
        }
        for at in 0..self.driven.len() {
            let base = self.driven[at].base();
            if rigid(engine, tables, base).is_some_and(|body| !body.is_sleeping()) {
                self.couple(&mut found, base, engine, tables, dt);
            }
        }
        for at in 0..self.heavy.len() {
            let body = self.heavy[at];
            if self.presses_light(body, engine, tables) {
                self.couple(&mut found, body, engine, tables, dt);
            }
        }
        for at in 0..self.sensed.len() {
            let body = self.sensed[at];
            self.couple(&mut found, body, engine, tables, dt);
            if !self.has(body) && !self.state.coupled.contains(&body) {
                // It has a prescribed motion, but what it touches is solved here.
                found.open.push(body);
            }
        }
        while let Some(body) = found.open.pop() {
            self.touching(&mut found, body, engine, tables, dt);
        }
        self.state.coupled.sort_unstable();
        // Bodies without contact to a tree are released after this step, since the engine did not move them in it.
        for at in 0..self.coupled.len() {
            let body = self.coupled[at].body;
            if self.state.coupled.binary_search(&body).is_err() {
                self.pairs(&mut found, body, engine, tables);
            }
        }
        self.coupled.sort_unstable_by_key(|coupled| coupled.body);
        // Both bodies of a contact may have been visited.
        found.pairs.sort_unstable_by_key(|pair| pair.geometry);
        found.pairs.dedup_by_key(|pair| pair.geometry);
        self.points(&mut found, engine);
        self.found = found;
    }

    /// Couples a body without joints, unless it is coupled or static.
    fn couple(
        &mut self,
        found: &mut Found,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        if self.has(body) || self.state.coupled.contains(&body) {
            return;
        }
        let Some(rigid) = rigid(engine, tables, body).filter(|body| moves(body)) else {
            return;
        };
        if self.coupled.iter().all(|coupled| coupled.body != body) {
            let coupled = CoupledBody::late((body, engine.body_poses.of(rigid)), rigid, dt);
            self.seen[body] = coupled.start;
            self.coupled.push(coupled);
        }
        grasp::ask_for_filter(engine, tables.bodies[body].handle);
        self.state.coupled.push(body);
        found.open.push(body);
    }

    /// Adds a grasp as a weld, and couples its bodies.
    fn hold(
        &mut self,
        found: &mut Found,
        grasp: &Grasp,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let pair = [grasp.holder, grasp.held];
        let sleeps = |body: &usize| {
            rigid(engine, tables, *body).is_none_or(|body| body.is_sleeping() || !body.is_enabled())
        };
        if pair.iter().all(sleeps) {
            return;
        }
        for body in pair {
            self.couple(found, body, engine, tables, dt);
            self.wake(found, body, engine, tables, dt);
        }
        let (Some(holder), Some(held)) = (
            self.pose_before(pair[0], engine, tables),
            self.pose_before(pair[1], engine, tables),
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
            impulse: Force::default(),
        };
        found.welds.push(WeldPoint {
            bodies: pair.map(Some),
            frame: grasp.frame,
            weld,
        });
    }

    /// Returns a link of a sleeping tree that is in contact with an awake body.
    fn met(&self, at: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> Option<usize> {
        let is_awake = |handle: ColliderHandle| {
            let collider = engine.colliders.colliders.get(handle);
            let body = collider.and_then(|collider| engine.bodies.bodies.get(collider.parent()?));
            body.is_some_and(|body| moves(body) && !body.is_sleeping())
        };
        let links = self.rows[at].links.iter().copied();
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
    fn wake(
        &mut self,
        found: &mut Found,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        if let Some((tree, _)) = self.of_body[body]
            && !self.awake[tree]
        {
            self.awake[tree] = true;
            let (base, place) = self.base(tree, engine, tables);
            self.base_poses[tree] = place;
            let motion = &self.state.trees[tree].motion;
            self.integrators[tree].predict(&self.rows[tree].tree, &base, motion, dt / 2.0);
            for body in &self.rows[tree].links {
                if let Some(rigid) = rigid(engine, tables, *body) {
                    self.seen[*body] = engine.body_poses.seen(rigid);
                }
            }
            found.open.extend(&self.rows[tree].links);
        }
    }

    /// Collects all contacts of a body, and couples the bodies on their other sides.
    fn touching(
        &mut self,
        found: &mut Found,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let from = found.pairs.len();
        self.pairs(found, body, engine, tables);
        for at in from..found.pairs.len() {
            for other in found.pairs[at].bodies {
                self.couple(found, other, engine, tables, dt);
                self.wake(found, other, engine, tables, dt);
            }
        }
    }

    /// Collects the pairs of geometries with which a body is in contact.
    fn pairs(&self, found: &mut Found, body: usize, engine: &EngineItem<'_, '_>, tables: &Tables) {
        let own = rigid(engine, tables, body).map_or(&[][..], RigidBody::colliders);
        for collider in own {
            for pair in engine.simulation.narrow_phase.contact_pairs_with(*collider) {
                if pair.has_any_active_contact()
                    && let Some((bodies, geometry)) = who(engine, tables, pair)
                    && self.take_part(bodies, engine, tables)
                {
                    found.pairs.push(Pair {
                        colliders: [pair.collider1, pair.collider2],
                        geometry,
                        bodies,
                    });
                }
            }
        }
    }

    /// Collects the contact points of all pairs, at the poses in the middle of the step.
    fn points(&self, found: &mut Found, engine: &EngineItem<'_, '_>) {
        let Found {
            pairs, contacts, ..
        } = found;
        for pair in pairs {
            let [one, two] = pair.colliders;
            let known = engine.simulation.narrow_phase.contact_pair(one, two);
            let moved = pair.bodies.map(|body| self.moved(body));
            let last = moved.iter().rev().flatten().next();
            let turn = last.map_or_else(UnitQuaternion::identity, |moved| moved.is.rotation);
            let pushed = || self.pushed_before(pair.geometry);
            let poses = moved
                .each_ref()
                .map(|moved| moved.as_ref().map(|moved| moved.is));
            let flat = Flat::new(engine, pair.colliders, poses);
            let complete = |contacts: &mut Vec<ContactPoint>, from: usize| {
                if let Some(flat) = &flat {
                    flat.refine(contacts, from);
                }
                line::spread(contacts, from, &turn);
            };
            if let Some(known) = known
                && let Some(points) =
                    recheck::points(engine, pair.colliders, pair.geometry, known, pushed)
            {
                let from = contacts.len();
                let material = known.solver_manifolds().first().map(|first| &first.data);
                let material = material.map_or([0.0; 2], |data| [data.friction, data.restitution]);
                contacts.extend(
                    points
                        .iter()
                        .filter_map(|at| touch(pair, &moved, at, material)),
                );
                complete(contacts, from);
                continue;
            }
            for manifold in known.iter().flat_map(|known| known.solver_manifolds()) {
                let from = contacts.len();
                let material = [manifold.data.friction, manifold.data.restitution];
                for contact in &manifold.data.solver_contacts {
                    let id = (contact.contact_id[0] & !(1 << 31)) as usize;
                    let Some(data) = manifold.points.get(id).map(|point| &point.data) else {
                        continue;
                    };
                    let at = recheck::Point {
                        key: Key::new(pair.geometry, manifold, id),
                        arms: [data.solver_dp1, data.solver_dp2].map(convert::vector),
                        normal: convert::vector(manifold.data.normal).normalize(),
                        distance: f64::from(contact.dist),
                    };
                    contacts.extend(touch(pair, &moved, &at, material));
                }
                complete(contacts, from);
            }
        }
    }

    /// Returns the impulse of the last step on the second geometry of a pair, N·s.
    fn pushed_before(&self, geometry: [u32; 2]) -> Vector3<f64> {
        let touched = &self.state.touched;
        let from = touched.partition_point(|known| known.key.geometry() < geometry);
        let of_pair = touched[from..].iter();
        let of_pair = of_pair.take_while(|known| known.key.geometry() == geometry);
        of_pair.map(|known| Vector3::from(known.impulse)).sum()
    }

    /// Returns the pose of a body in the middle of this step; of one that is not moved here, the present pose.
    pub(super) fn pose_before(
        &self,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> Option<Isometry3<f64>> {
        if let Some((tree, link)) = self.of_body[body] {
            let place = self.base_poses[tree] * self.integrators[tree].workspace.pose_of(link);
            return Some(isometry(&place));
        }
        if let Some(coupled) = self.coupled.iter().find(|coupled| coupled.body == body) {
            return Some(coupled.pose);
        }
        Some(engine.body_poses.of(rigid(engine, tables, body)?))
    }

    /// Returns the rounded and the exact pose of a body that is moved here; `None` for other bodies.
    fn moved(&self, body: usize) -> Option<Moved> {
        let center = self.masses.get(body)?.center;
        let seen = *self.seen.get(body)?;
        let is = match self.of_body[body] {
            Some((tree, link)) if self.awake[tree] => {
                isometry(&(self.base_poses[tree] * self.integrators[tree].workspace.pose_of(link)))
            }
            Some(_) => return None,
            None => {
                self.coupled
                    .iter()
                    .find(|coupled| coupled.body == body)?
                    .pose
            }
        };
        Some(Moved { center, seen, is })
    }

    /// Returns true if both bodies of a contact are in the physics, and not held.
    fn take_part(&self, bodies: [usize; 2], engine: &EngineItem<'_, '_>, tables: &Tables) -> bool {
        bodies.iter().all(|body| {
            let rigid = rigid(engine, tables, *body);
            rigid.is_some_and(|rigid| rigid.is_enabled() && (!self.has(*body) || moves(rigid)))
        })
    }
}

/// A body that is moved here, in the middle of this step.
struct Moved {
    /// Centre of mass in its axes, m.
    center: Vector3<f64>,
    /// Pose in the engine.
    seen: Isometry3<f64>,
    /// Exact pose.
    is: Isometry3<f64>,
}

impl Moved {
    /// Returns a point relative to the centre of mass, at the pose in the engine.
    fn seen(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        (self.seen * Point3::from(self.center)).coords + arm
    }

    /// Returns the displacement of a point of the body from the pose in the engine to the exact pose.
    fn way(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let local = self.seen.inverse_transform_point(&Point3::from(*point));
        (self.is * local).coords - point
    }
}

/// Returns a contact point at the poses in the middle of the step; `None` if neither body is moved here.
fn touch(
    pair: &Pair,
    moved: &[Option<Moved>; 2],
    at: &recheck::Point,
    [friction, restitution]: [f32; 2],
) -> Option<ContactPoint> {
    let mut sides = moved.iter().zip(at.arms);
    let point = sides.find_map(|(moved, arm)| Some(moved.as_ref()?.seen(&arm)))?;
    // The engine's poses are in single precision, and those of bodies almost at rest are updated late.
    let [one, two] = moved.each_ref().map(|moved| {
        let way = moved.as_ref().map(|moved| moved.way(&point));
        way.unwrap_or_default()
    });
    Some(ContactPoint {
        key: at.key,
        bodies: pair.bodies,
        driven: None,
        contact: Contact {
            sides: [Side::Prescribed(Vector3::zeros()); 2],
            friction_sides: [Side::Prescribed(Vector3::zeros()); 2],
            point,
            normal: at.normal,
            separation_velocity: None,
            distance: at.distance + (two - one).dot(&at.normal),
            friction: f64::from(friction),
            restitution: f64::from(restitution),
            tangent_velocity: Vector3::zeros(),
            impulse: Vector3::zeros(),
        },
    })
}

/// Returns the bodies on both sides of a contact, and the geometries.
fn who(
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    pair: &ContactPair,
) -> Option<([usize; 2], [u32; 2])> {
    let side = |handle: ColliderHandle| {
        let place = engine.colliders.colliders.get(handle)?.user_data;
        let row = tables.geometry.get(usize::try_from(place).ok()?)?;
        Some((row.body, u32::try_from(place).ok()?))
    };
    let ((one, first), (two, second)) = (side(pair.collider1)?, side(pair.collider2)?);
    Some(([one, two], [first, second]))
}
