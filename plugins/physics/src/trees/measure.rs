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

impl Trees {
    /// Writes the clearance of each link at the poses in the engine, and the pairs that are nearer. Returns false if
    /// something that moves is near.
    pub(super) fn measure_clearance(
        &self,
        index: usize,
        clearance: &mut Clearance,
        (engine, tables): (&EngineItem<'_, '_>, &Tables),
        grasps: &Grasps,
    ) -> bool {
        let most = clearance.margin - PREDICTION;
        let mut known = mem::take(&mut clearance.near);
        for body in &self.rows[index].links {
            let mut least = most;
            let own = rigid(engine, tables, *body).map_or(&[][..], RigidBody::colliders);
            let narrow_phase = &engine.simulation.narrow_phase;
            for pair in own
                .iter()
                .flat_map(|own| narrow_phase.contact_pairs_with(*own))
            {
                match self.measure_pair(pair, engine, tables, grasps) {
                    Some(free) if free >= NEAR => least = least.min(free),
                    Some(free) => {
                        let near = clearance.keep(pair, &mut known) || {
                            let new = who(engine, tables, pair);
                            let new = new
                                .and_then(|of| NearPair::new(pair, of, engine, self.step_length));
                            let is_new = new.is_some();
                            clearance.near.extend(new);
                            is_new
                        };
                        if !near {
                            least = least.min(free);
                        }
                    }
                    None => return false,
                }
            }
            if least < LEAST {
                return false;
            }
            clearance.distances.push(least);
        }
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
