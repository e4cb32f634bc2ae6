//! Contacts of links, and of what touches them in turn, from the engine.
use std::mem;

use bevy_rapier3d::rapier::{
    geometry::ContactPair,
    prelude::{ColliderHandle, RigidBody},
};
use morse_mechanisms::{
    Motion,
    island::{Contact, Side, Weld},
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{
    Trees,
    bodies::{moves, rigid},
    flat::Flat,
    isometry,
    lent::Lent,
    line, recheck,
    touch::{Key, Touch},
};
use crate::{
    convert,
    engine::{EngineItem, Tables},
    grasp::{self, Grasps},
};

/// Contacts and welds of one step.
#[derive(Default)]
pub(super) struct Found {
    /// Bodies whose contacts are still to be looked at.
    open: Vec<usize>,
    pairs: Vec<Pair>,
    pub contacts: Vec<Touch>,
    pub welds: Vec<(Sides, Weld)>,
}

/// Two geometries that touch.
struct Pair {
    /// In the engine's order.
    colliders: [ColliderHandle; 2],
    /// Their places in the tables.
    geometry: [u32; 2],
    bodies: [usize; 2],
}

/// The bodies on both sides, if there are any.
pub(super) type Sides = [Option<usize>; 2];

impl Found {
    fn clear(&mut self) {
        self.open.clear();
        self.pairs.clear();
        self.contacts.clear();
        self.welds.clear();
    }
}

impl Trees {
    /// Finds all contacts that are to be solved here, and the free bodies that take part.
    pub(super) fn gather(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
        dt: f64,
    ) {
        let mut found = mem::take(&mut self.found);
        found.clear();
        self.state.pulled.clear();
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
        for pair in grasps.pairs() {
            self.hold(&mut found, pair, engine, tables, dt);
        }
        for at in 0..self.driven.len() {
            let base = self.driven[at].base();
            if rigid(engine, tables, base).is_some_and(|body| !body.is_sleeping()) {
                self.pull(&mut found, base, engine, tables, dt);
            }
        }
        for at in 0..self.heavy.len() {
            let body = self.heavy[at];
            if self.presses_light(body, engine, tables) {
                self.pull(&mut found, body, engine, tables, dt);
            }
        }
        while let Some(body) = found.open.pop() {
            self.touching(&mut found, body, engine, tables, dt);
        }
        self.state.pulled.sort_unstable();
        // What has come loose is let go after this step, for which the engine did nothing to it.
        for at in 0..self.lent.len() {
            let body = self.lent[at].body;
            if self.state.pulled.binary_search(&body).is_err() {
                self.pairs(&mut found, body, engine, tables);
            }
        }
        self.lent.sort_unstable_by_key(|lent| lent.body);
        // Both bodies of a contact may have been looked at.
        found.pairs.sort_unstable_by_key(|pair| pair.geometry);
        found.pairs.dedup_by_key(|pair| pair.geometry);
        self.points(&mut found, engine);
        self.found = found;
    }

    /// Adds a body that has no joint, unless it is there or nothing moves it.
    fn pull(
        &mut self,
        found: &mut Found,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        if self.has(body) || self.state.pulled.contains(&body) {
            return;
        }
        let Some(rigid) = rigid(engine, tables, body).filter(|body| moves(body)) else {
            return;
        };
        if self.lent.iter().all(|lent| lent.body != body) {
            let lent = Lent::late((body, engine.places.of(rigid)), rigid, dt);
            self.seen[body] = lent.start;
            self.lent.push(lent);
        }
        grasp::ask_for_filter(engine, tables.bodies[body].handle);
        self.state.pulled.push(body);
        found.open.push(body);
    }

    /// Adds a body that holds another.
    fn hold(
        &mut self,
        found: &mut Found,
        (pair, apart): ([usize; 2], Isometry3<f64>),
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let sleeps = |body: &usize| {
            rigid(engine, tables, *body).is_none_or(|body| body.is_sleeping() || !body.is_enabled())
        };
        if pair.iter().all(sleeps) {
            return;
        }
        for body in pair {
            self.pull(found, body, engine, tables, dt);
            self.wake(found, body, engine, tables, dt);
        }
        let (Some(holder), Some(held)) = (
            self.pose_before(pair[0], engine, tables),
            self.pose_before(pair[1], engine, tables),
        ) else {
            return;
        };
        let wanted = holder * apart;
        let center = self.masses[pair[1]].center;
        let point = held * Point3::from(center);
        let weld = Weld {
            sides: [Side::Given(Vector3::zeros()); 2],
            point: point.coords,
            error: Motion {
                linear: point.coords - (wanted * Point3::from(center)).coords,
                angular: (held.rotation * wanted.rotation.inverse()).scaled_axis(),
            },
            holds: [true; 6],
        };
        found.welds.push((pair.map(Some), weld));
    }

    /// A link of a sleeping tree that something meets which is awake.
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

    /// A link of a sleeping tree takes part, and so does the rest of the tree.
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
            self.places[tree] = place;
            let motion = &self.state.trees[tree].motion;
            self.movers[tree].place_ahead(&self.rows[tree].tree, &base, motion, dt / 2.0);
            for body in &self.rows[tree].links {
                if let Some(rigid) = rigid(engine, tables, *body) {
                    self.seen[*body] = engine.places.seen(rigid);
                }
            }
            found.open.extend(&self.rows[tree].links);
        }
    }

    /// Adds all contacts of a body that takes part, and the bodies on their other sides.
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
                self.pull(found, other, engine, tables, dt);
                self.wake(found, other, engine, tables, dt);
            }
        }
    }

    /// Adds the pairs of geometries with which a body touches others.
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

    /// Adds the points of all pairs, where the bodies are in the middle of the step.
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
            let complete = |contacts: &mut Vec<Touch>, from: usize| {
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

    /// Impulse of the step before on the second geometry of a pair, N·s.
    fn pushed_before(&self, geometry: [u32; 2]) -> Vector3<f64> {
        let touched = &self.state.touched;
        let from = touched.partition_point(|known| known.key.geometry() < geometry);
        let of_pair = touched[from..].iter();
        let of_pair = of_pair.take_while(|known| known.key.geometry() == geometry);
        of_pair.map(|known| Vector3::from(known.impulse)).sum()
    }

    /// Pose of a body in the middle of this step; of one that is not moved here, as it is now.
    pub(super) fn pose_before(
        &self,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> Option<Isometry3<f64>> {
        if let Some((tree, link)) = self.of_body[body] {
            let place = self.places[tree] * self.movers[tree].work.place_of(link);
            return Some(isometry(&place));
        }
        if let Some(lent) = self.lent.iter().find(|lent| lent.body == body) {
            return Some(lent.pose);
        }
        Some(engine.places.of(rigid(engine, tables, body)?))
    }

    /// Pose of a body that is moved here, as the engine knows it and as it is; none of another one.
    fn moved(&self, body: usize) -> Option<Moved> {
        let center = self.masses.get(body)?.center;
        let seen = *self.seen.get(body)?;
        let is = match self.of_body[body] {
            Some((tree, link)) if self.awake[tree] => {
                isometry(&(self.places[tree] * self.movers[tree].work.place_of(link)))
            }
            Some(_) => return None,
            None => self.lent.iter().find(|lent| lent.body == body)?.pose,
        };
        Some(Moved { center, seen, is })
    }

    /// Tells whether both bodies of a contact are in the physics, and not held.
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
    /// Pose that the engine knows.
    seen: Isometry3<f64>,
    /// Pose that it has.
    is: Isometry3<f64>,
}

impl Moved {
    /// A point that is so far from the centre of mass, as the engine knows it.
    fn seen(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        (self.seen * Point3::from(self.center)).coords + arm
    }

    /// The way from where the engine knows a point of the body to where it is.
    fn way(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let local = self.seen.inverse_transform_point(&Point3::from(*point));
        (self.is * local).coords - point
    }
}

/// A point of contact, where the bodies are in the middle of the step. None if nothing of it is moved here.
fn touch(
    pair: &Pair,
    moved: &[Option<Moved>; 2],
    at: &recheck::Point,
    [friction, restitution]: [f32; 2],
) -> Option<Touch> {
    let mut sides = moved.iter().zip(at.arms);
    let point = sides.find_map(|(moved, arm)| Some(moved.as_ref()?.seen(&arm)))?;
    // The engine knows poses in single precision, and what all but rests not to the last way.
    let [one, two] = moved.each_ref().map(|moved| {
        let way = moved.as_ref().map(|moved| moved.way(&point));
        way.unwrap_or_default()
    });
    Some(Touch {
        key: at.key,
        bodies: pair.bodies,
        driven: None,
        contact: Contact {
            sides: [Side::Given(Vector3::zeros()); 2],
            friction_sides: [Side::Given(Vector3::zeros()); 2],
            point,
            normal: at.normal,
            parted: None,
            distance: at.distance + (two - one).dot(&at.normal),
            friction: f64::from(friction),
            restitution: f64::from(restitution),
            tangent_velocity: Vector3::zeros(),
            impulse: Vector3::zeros(),
        },
    })
}

/// The bodies on both sides of a contact, and the geometries.
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
