//! Loop closures: constraints between two frames that hold all the time.
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_mechanisms::{
    Force, Motion,
    island::{Side, Weld},
};
use morse_scene::{assembly::Layout, model::ClosureKind};
use nalgebra::{Isometry3, Vector3};

use super::{
    Trees,
    bodies::rigid,
    collect::{ConstraintSet, WeldKey, WeldPoint},
};
use crate::engine::{EngineItem, Tables};

/// A loop closure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closure {
    /// Bodies on both sides.
    bodies: [usize; 2],
    /// Pose of the frame on each side in its body.
    frames: [Isometry3<f64>; 2],
    /// True for each translation and rotation along world axes that is constrained.
    holds: [bool; 6],
}

impl Trees {
    /// Adds the loop closures of a layout.
    pub(super) fn close(&mut self, layout: &Layout) {
        let closures = layout.closures.iter().map(|closure| Closure {
            bodies: closure.bodies,
            frames: closure.body_from_frame,
            holds: match closure.kind {
                ClosureKind::Connect => [true, true, true, false, false, false],
                ClosureKind::Weld => [true; 6],
            },
        });
        self.closures = closures.collect();
    }

    /// Returns true if a body sleeps or is disabled in this step.
    pub(super) fn rests(&self, body: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> bool {
        let is_still = |rigid: &RigidBody| {
            // A tree may be integrated while the engine's body of a link sleeps already.
            let sleeps = match self.of_body[body] {
                Some((tree, _)) => !self.awake[tree],
                None => rigid.is_sleeping(),
            };
            sleeps || !rigid.is_enabled()
        };
        rigid(engine, tables, body).is_none_or(is_still)
    }

    /// Adds the loop closures with an awake side as welds, and couples their bodies.
    pub(super) fn collect_closures(
        &mut self,
        constraints: &mut ConstraintSet,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        for index in 0..self.closures.len() {
            let Closure {
                bodies,
                frames,
                holds,
            } = self.closures[index];
            let rests = |body: &usize| {
                self.rests(*body, engine, tables)
                    || rigid(engine, tables, *body).is_some_and(RigidBody::is_fixed)
            };
            if bodies.iter().all(rests) {
                continue;
            }
            for body in bodies {
                self.couple(constraints, body, engine, tables, dt);
                self.wake(constraints, body, engine, tables, dt);
            }
            let [Some(one), Some(two)] =
                bodies.map(|body| self.pose_before(body, engine, tables, dt))
            else {
                continue;
            };
            let (one, two) = (one * frames[0], two * frames[1]);
            let weld = Weld {
                sides: [Side::Prescribed(Vector3::zeros()); 2],
                point: two.translation.vector,
                error: Motion {
                    linear: two.translation.vector - one.translation.vector,
                    angular: (two.rotation * one.rotation.inverse()).scaled_axis(),
                },
                holds,
                turning: Vector3::zeros(),
                velocity: Some(
                    self.closing(WeldKey::Closure(index))
                        .unwrap_or(Motion::ZERO),
                ),
                impulse: Force::default(),
            };
            constraints.welds.push(WeldPoint {
                bodies: bodies.map(Some),
                frame: None,
                key: WeldKey::Closure(index),
                weld,
            });
        }
    }

    /// Returns the velocity of the second side of a weld relative to the first at the end of the last step; `None` before the
    /// first step, and after one in which it slept.
    pub(super) fn closing(&self, key: WeldKey) -> Option<Motion> {
        let known = &self.state.closing;
        let index = known.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        let [angular, linear] = known[index].1.map(Into::into);
        Some(Motion { angular, linear })
    }

    /// Stores the velocities of the welds at the end of the step.
    pub(super) fn keep_closing(&mut self, constraints: &ConstraintSet) {
        let closing = &mut self.state.closing;
        closing.clear();
        closing.extend(constraints.welds.iter().filter_map(|held| {
            let velocity = held.weld.velocity?;
            Some((held.key, [velocity.angular.into(), velocity.linear.into()]))
        }));
        closing.sort_unstable_by_key(|(key, _)| *key);
    }
}
