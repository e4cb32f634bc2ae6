//! Copies the motion of kept joints to the trees of another world, after a reload of changed files.
use std::collections::BTreeSet;

use super::Trees;
use crate::{
    engine::{EngineItem, Tables},
    pairs::Pairs,
};

/// Number of positions of a floating base: its position and a quaternion.
const BASE_POSITIONS: usize = 7;
/// Number of velocities of a floating base.
const BASE_VELOCITIES: usize = 6;

impl Trees {
    /// Copies positions and velocities of kept joints and floating bases from the trees of another world.
    /// `state_of` returns position and velocity of a variable.
    pub(crate) fn carry(
        &mut self,
        old: &Self,
        pairs: &Pairs,
        state_of: impl Fn(usize) -> Option<[f64; 2]>,
    ) {
        let kept: BTreeSet<usize> = pairs.variables.values().copied().collect();
        for (row, state) in self.rows.iter().zip(&mut self.state.trees) {
            for variable in row.tree.variables() {
                let known = state_of(variable.number);
                if let Some(known) = known.filter(|_| kept.contains(&variable.number)) {
                    let [position, velocity] = known;
                    state.motion.positions[variable.position] = position;
                    state.motion.velocities[variable.speed] = velocity;
                }
            }
        }
        for (&index, &next) in &pairs.bodies {
            let base = |trees: &Self, body: usize| {
                let (tree, link) = trees.of_body.get(body).copied().flatten()?;
                (link == 0 && trees.rows[tree].floats).then_some(tree)
            };
            if let (Some(from), Some(to)) = (base(old, index), base(self, next)) {
                let (from, to) = (
                    &old.state.trees[from].motion,
                    &mut self.state.trees[to].motion,
                );
                to.positions[..BASE_POSITIONS].copy_from_slice(&from.positions[..BASE_POSITIONS]);
                to.velocities[..BASE_VELOCITIES]
                    .copy_from_slice(&from.velocities[..BASE_VELOCITIES]);
            }
        }
    }

    /// Writes the poses of the links to the engine after they were set.
    pub(crate) fn settle(&mut self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for index in 0..self.rows.len() {
            if self.is_clear(index) {
                self.end_clearance(index, engine, tables);
            }
            self.forget_near(index);
        }
        self.awake.fill(true);
        self.follow(engine, tables, 0.0);
    }
}
