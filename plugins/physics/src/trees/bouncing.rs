//! Coupling of free bodies that bounce: the engine solves friction before the bounce, so that a ball with friction would leave
//! the floor with too little spin. Bounces that are solved here have the friction of their whole impulse.
//!
//! Bounces inside heaps and against them would couple the whole heap: see [`bounces`](crate::bounces).
use std::sync::atomic::{AtomicBool, Ordering};

use bevy_rapier3d::rapier::{
    dynamics::RigidBody,
    geometry::{Collider, ContactPair},
    pipeline::PairFilterContext,
};
use morse_api::body::BodyKind;
use morse_scene::assembly::Layout;
use nalgebra::Vector3;

use super::{
    Trees,
    bodies::{moves, rigid},
};
use crate::{
    engine::{EngineItem, Tables},
    prepare::Prepared,
};

/// Speed at a body's surface above which it may bounce, m/s: that of the solver for trees.
const THRESHOLD: f32 = 0.1;

/// Number of moving bodies in contact with one another that are coupled for a bounce: the cost of an island grows with the
/// square of its contacts.
const LARGEST_GROUP: usize = 4;

/// Free bodies in a world with a coefficient of restitution.
#[derive(Default)]
pub(super) struct Bouncing {
    /// The bodies, by index.
    bodies: Vec<usize>,
    /// True for each body of the tables that is awake and in a small group of bodies in contact, in this step.
    may_bounce: Vec<bool>,
    /// Bodies of the tables whose next contacts the engine does not solve in this step.
    claimed: Vec<AtomicBool>,
}

impl Bouncing {
    /// Returns true if no body can bounce.
    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }
}

impl Trees {
    /// Finds the free bodies, if a geometry of the world has a coefficient of restitution.
    pub(super) fn find_bouncing(&self, layout: &Layout, prepared: &Prepared) -> Bouncing {
        let mut solids = prepared.bodies.iter().flat_map(|body| &body.solids);
        if !solids.any(|solid| solid.restitution > 0.0) {
            return Bouncing::default();
        }
        let bodies = layout.bodies.iter().enumerate();
        let free = bodies
            .filter(|(index, body)| body.settings.kind == BodyKind::Dynamic && !self.has(*index));
        Bouncing {
            bodies: free.map(|(index, _)| index).collect(),
            may_bounce: vec![false; layout.bodies.len()],
            claimed: layout
                .bodies
                .iter()
                .map(|_| AtomicBool::default())
                .collect(),
        }
    }

    /// Determines before the engine's step which bodies may bounce in it.
    pub(super) fn prepare_bouncing(&mut self, engine: &EngineItem<'_, '_>, tables: &Tables) {
        for index in 0..self.bouncing.bodies.len() {
            let body = self.bouncing.bodies[index];
            self.bouncing.may_bounce[body] = rigid(engine, tables, body).is_some_and(|rigid| {
                moves(rigid) && !rigid.is_sleeping() && is_in_small_group(rigid, engine)
            });
            *self.bouncing.claimed[body].get_mut() = false;
        }
    }

    /// Returns true if a pair may bounce in this step, so that the engine is not to solve its contacts, and claims its
    /// bodies, which are given by index, with their coefficient of restitution.
    pub(crate) fn claim_bounce(
        &self,
        (pair, restitution): ([usize; 2], f32),
        context: &PairFilterContext<'_>,
    ) -> bool {
        if self.bouncing.is_empty() || restitution <= 0.0 {
            return false;
        }
        let bodies = [context.rigid_body1, context.rigid_body2];
        let bodies = bodies.map(|handle| context.bodies.get(handle?));
        let colliders = [context.collider1, context.collider2];
        let colliders = colliders.map(|handle| context.colliders.get(handle));
        let ([Some(one), Some(two)], [Some(first), Some(second)]) = (bodies, colliders) else {
            return false;
        };
        let may_bounce = pair.map(|body| self.bouncing.may_bounce.get(body) == Some(&true));
        let takes_part = may_bounce[0] || !moves(one);
        let takes_part = takes_part && (may_bounce[1] || !moves(two));
        if may_bounce == [false; 2]
            || !takes_part
            || !are_rough(first, second)
            || surface_speed([(one, first), (two, second)]) < THRESHOLD
        {
            return false;
        }
        for body in pair {
            self.bouncing.claimed[body].store(true, Ordering::Relaxed);
        }
        true
    }

    /// Returns the claimed bodies that are in contact, after the engine's step.
    pub(super) fn next_bouncing(
        &self,
        index: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> Option<usize> {
        let body = *self.bouncing.bodies.get(index)?;
        let is_claimed = self.bouncing.claimed[body].load(Ordering::Relaxed);
        let rigid = rigid(engine, tables, body).filter(|_| is_claimed)?;
        let mut pairs = active_pairs(rigid, engine);
        pairs.next().map(|_| body)
    }

    /// Returns the kinetic energy of a body, J, given the velocity of its centre of mass (m/s) and its angular velocity in its own
    /// axes (rad/s).
    pub(crate) fn kinetic_energy(
        &self,
        body: usize,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
    ) -> f64 {
        let weight = &self.masses[body];
        (weight.mass * linear.norm_squared() + angular.dot(&(weight.inertia * angular))) / 2.0
    }

    /// Returns the number of bodies that can bounce.
    pub(super) fn bouncing_count(&self) -> usize {
        self.bouncing.bodies.len()
    }
}

/// Iterates over the pairs of colliders in contact to which a body belongs.
fn active_pairs<'a>(
    body: &'a RigidBody,
    engine: &'a EngineItem<'_, '_>,
) -> impl Iterator<Item = &'a ContactPair> {
    let narrow_phase = &engine.simulation.narrow_phase;
    let pairs = body.colliders().iter();
    let pairs = pairs.flat_map(|own| narrow_phase.contact_pairs_with(*own));
    pairs.filter(|pair| pair.has_any_active_contact())
}

/// Returns true if a body belongs to a small group of moving bodies that are in contact with one another, directly or by
/// way of others: all of them are coupled with it.
fn is_in_small_group(body: &RigidBody, engine: &EngineItem<'_, '_>) -> bool {
    let parent = |side| engine.colliders.colliders.get(side)?.parent();
    let Some(own) = body.colliders().first().and_then(|side| parent(*side)) else {
        return true;
    };
    let mut group = [own; LARGEST_GROUP];
    let (mut seen, mut count) = (0, 1);
    while seen < count {
        let Some(member) = engine.bodies.bodies.get(group[seen]) else {
            return false;
        };
        seen += 1;
        for pair in active_pairs(member, engine) {
            for other in [pair.collider1, pair.collider2]
                .into_iter()
                .filter_map(parent)
            {
                let moves = engine.bodies.bodies.get(other).is_some_and(moves);
                if !moves || group[..count].contains(&other) {
                    continue;
                }
                let Some(next) = group.get_mut(count) else {
                    return false;
                };
                *next = other;
                count += 1;
            }
        }
    }
    true
}

/// Returns true if the contacts of two colliders may have friction.
fn are_rough(one: &Collider, two: &Collider) -> bool {
    one.friction().max(two.friction()) > 0.0
}

/// Returns an upper bound of the speed at which the surfaces of two bodies approach each other, m/s.
fn surface_speed(sides: [(&RigidBody, &Collider); 2]) -> f32 {
    let [(one, _), (two, _)] = sides;
    let spins = sides.map(|(body, collider)| {
        body.angvel().length() * collider.compute_aabb().half_extents().length()
    });
    (one.linvel() - two.linvel()).length() + spins[0] + spins[1]
}
