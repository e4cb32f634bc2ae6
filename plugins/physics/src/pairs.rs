//! Indices of kept bodies and joint variables in the tables of two worlds.

use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::state::Kept;

use super::engine::Tables;

/// Indices of kept bodies, variables and frames in the tables of the old world, each with the index in the new world.
pub(super) struct Pairs {
    pub bodies: BTreeMap<usize, usize>,
    pub variables: BTreeMap<usize, usize>,
    pub frames: BTreeMap<usize, usize>,
}

impl Pairs {
    pub(super) fn new(old: &Tables, new: &Tables, kept: &Kept) -> Self {
        fn pairs(
            old: impl Iterator<Item = Entity>,
            new: impl Iterator<Item = Entity>,
            kept: &Kept,
        ) -> BTreeMap<usize, usize> {
            let new: BTreeMap<Entity, usize> = new
                .enumerate()
                .map(|(index, entity)| (entity, index))
                .collect();
            let both = old.enumerate().filter_map(|(index, entity)| {
                let next = kept.0.get(&entity)?;
                Some((index, *new.get(next)?))
            });
            both.collect()
        }
        let bodies = |tables: &Tables| -> Vec<Entity> {
            tables.bodies.iter().map(|row| row.entity).collect()
        };
        let variables = |tables: &Tables| -> Vec<Entity> {
            tables.variables.iter().map(|row| row.entity).collect()
        };
        let frames = |tables: &Tables| -> Vec<Entity> {
            tables.frames.iter().map(|row| row.entity).collect()
        };
        Self {
            bodies: pairs(bodies(old).into_iter(), bodies(new).into_iter(), kept),
            variables: pairs(variables(old).into_iter(), variables(new).into_iter(), kept),
            frames: pairs(frames(old).into_iter(), frames(new).into_iter(), kept),
        }
    }
}
