//! Measurement of the clearances of trees.
use std::mem;

use bevy_rapier3d::{
    parry::query,
    rapier::{geometry::ContactPair, prelude::RigidBody},
};
use morse_api::body::BodyKind;

use super::{
    Trees,
    bodies::rigid,
    clearance::{Clearance, LEAST, NEAR, PREDICTION},
    collect::who,
    near::NearPair,
};
use crate::{
    engine::{EngineItem, Tables},
    filter,
    grasp::Grasps,
};

/// Number of pairs for which there are buffers from the start.
const SPARE: usize = 16;

/// Buffers for pairs of geometries near each other.
#[derive(Default)]
pub(super) struct Buffers {
    /// Pairs that were near before a measurement.
    known: Vec<NearPair>,
    /// Pairs that are no longer near.
    pub spare: Vec<NearPair>,
}

impl Buffers {
    /// Allocates buffers for some pairs.
    pub(super) fn prepare(&mut self) {
        self.known.reserve(SPARE);
        self.spare.resize_with(SPARE, NearPair::blank);
    }
}

impl Trees {
    /// Writes the clearance of each link at the poses in the engine, and the pairs that are nearer. Returns false if
    /// something that moves is near.
    ///
    /// As long as no pair is nearer than the least clearance, contacts need not be detected at all.
    pub(super) fn measure_clearance(
        &self,
        index: usize,
        clearance: &mut Clearance,
        known: (&EngineItem<'_, '_>, &Tables, &Grasps),
        buffers: &mut Buffers,
    ) -> bool {
        let had_near = !clearance.near.is_empty();
        let nearest = if had_near { NEAR } else { LEAST };
        let is_clear = self.measure_links(index, clearance, nearest, known, buffers);
        if !is_clear || had_near || clearance.near.is_empty() {
            return is_clear;
        }
        self.measure_links(index, clearance, NEAR, known, buffers)
    }

    /// Does what [`measure_clearance`](Self::measure_clearance) does, with the pairs that are nearer than a distance, m.
    fn measure_links(
        &self,
        index: usize,
        clearance: &mut Clearance,
        nearest: f32,
        (engine, tables, grasps): (&EngineItem<'_, '_>, &Tables, &Grasps),
        buffers: &mut Buffers,
    ) -> bool {
        let most = clearance.margin - PREDICTION;
        let Buffers { known, spare } = buffers;
        mem::swap(known, &mut clearance.near);
        spare.append(&mut clearance.near);
        clearance.distances.clear();
        for body in &self.rows[index].links {
            let mut least = most;
            let own = rigid(engine, tables, *body).map_or(&[][..], RigidBody::colliders);
            let narrow_phase = &engine.simulation.narrow_phase;
            let pairs = own.iter();
            for pair in pairs.flat_map(|own| narrow_phase.contact_pairs_with(*own)) {
                let Some(free) = self.measure_pair(pair, engine, tables, grasps) else {
                    return false;
                };
                let is_near = free < nearest
                    && (clearance.keep(pair, known) || {
                        let buffers = (&mut *spare, self.step_length);
                        let new = who(engine, tables, pair);
                        let new = new.and_then(|of| NearPair::take(pair, of, engine, buffers));
                        let is_new = new.is_some();
                        clearance.near.extend(new);
                        is_new
                    });
                if !is_near {
                    least = least.min(free);
                }
            }
            if least < LEAST {
                return false;
            }
            clearance.distances.push(least);
        }
        spare.append(known);
        true
    }

    /// Returns the distance by which either side of a pair with a link may move without a contact, m; `None` if the other
    /// side is not a link of the same tree, and moves, or if a grasp excludes contacts for a time.
    fn measure_pair(
        &self,
        pair: &ContactPair,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
    ) -> Option<f32> {
        let (bodies, geometry) = who(engine, tables, pair)?;
        let [one, other] = bodies;
        if grasps.connect((one.min(other), one.max(other))) {
            return None;
        }
        let [one, two] = geometry.map(|index| tables.geometry.get(index as usize));
        if !filter::is_admitted(tables, grasps, one?, two?) {
            return Some(f32::INFINITY);
        }
        let trees = bodies.map(|body| self.of_body[body].map(|(tree, _)| tree));
        let both_move = trees[0] == trees[1];
        let is_fixed = |body: usize| {
            let row = tables.bodies.get(body);
            row.is_some_and(|row| row.kind == BodyKind::Fixed)
        };
        if !both_move && !bodies.into_iter().any(is_fixed) {
            return None;
        }
        let [one, two] = [pair.collider1, pair.collider2]
            .map(|collider| engine.colliders.colliders.get(collider));
        let (one, two) = (one?, two?);
        let distance =
            query::distance(one.position(), one.shape(), two.position(), two.shape()).ok()?;
        let free = distance - PREDICTION;
        Some(if both_move { free / 2.0 } else { free })
    }
}
