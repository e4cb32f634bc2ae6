//! Trees with nothing near them: the engine detects no contacts for them.
//!
//! To detect the contacts of a link costs more than to move it. So the links of a tree that nothing is near sleep in the
//! engine, at the poses of an earlier step. Boxes in the engine's broad phase that are larger than the links contain them
//! until one of them has moved by its clearance: then the engine gets their poses, and the clearances are measured again. If
//! another body comes into a box earlier, the engine calls the contact filter, and the tree gets its contacts in the same
//! step. The boxes of a tree far from everything grow from one measurement to the next, so that it is measured less often.
use std::{mem, sync::atomic::Ordering};

use bevy::ecs::change_detection::DetectChangesMut as _;
use bevy_rapier3d::{
    parry::bounding_volume::BoundingVolume as _,
    rapier::{
        geometry::ContactPair,
        prelude::{RigidBody, RigidBodyType},
    },
};
use morse_api::body::BodyKind;
use morse_mechanisms::{Base, Pose};

use super::{
    Trees,
    bodies::rigid,
    displacement::{Extent, LastCheck},
    isometry,
    near::NearPair,
};
use crate::{
    body_poses::STILL,
    engine::{EngineItem, Tables},
    grasp::Grasps,
};

/// Least and largest margin: the distance by which the boxes in the broad phase are larger than the links, m; and the factor
/// by which it grows.
const MARGINS: [f32; 2] = [0.05, 0.25];
const GROWTH: f32 = 1.5;

/// Rest of the margin beyond the clearance, m: the engine predicts contacts within it.
pub(super) const PREDICTION: f32 = 0.01;

/// Least clearance, m.
pub(super) const LEAST: f32 = 0.01;

/// Distance of geometries below which their contacts are detected in each step, m: the clearance is what the others have.
pub(super) const NEAR: f32 = 0.04;

/// Number of steps after which the clearances of a tree with something near it are measured again.
const PAUSE: u32 = 32;

/// Binary logarithm of the greatest factor by which this number grows while something stays near, so that a robot that always
/// has something near it is rarely measured.
const MOST_FAILURES: u32 = 3;

/// Number of measurements for which a margin does not grow after something came into larger boxes.
const GROWTH_PAUSE: u32 = 256;

/// State of the clearances of a tree.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Clearance {
    /// Displacement by which each link may deviate from its pose in the engine without coming near another body, m; empty if
    /// the poses in the engine are those of the links.
    pub(super) distances: Vec<f32>,
    /// Pairs of geometries near each other, whose contacts are detected in each step; in the order of the links. They stay
    /// for one step after the end of the clearances, for those who read contacts.
    pub(super) near: Vec<NearPair>,
    /// Distance by which the boxes in the broad phase are larger than the links, m.
    pub(super) margin: f32,
    /// Number of steps until they are measured.
    pause: u32,
    /// Number of measurements in sequence that something near made fail.
    failures: u32,
    /// Number of measurements until the margin may grow.
    growth_pause: u32,
}

impl Default for Clearance {
    fn default() -> Self {
        Self {
            distances: Vec::new(),
            near: Vec::new(),
            margin: MARGINS[0],
            pause: 0,
            failures: 0,
            growth_pause: 0,
        }
    }
}

impl Clearance {
    /// Returns the clearance of each link, m; nothing if there are none.
    pub(super) fn distances(&self) -> &[f32] {
        &self.distances
    }

    /// Ends the clearances. In larger boxes than the least ones, the reason may be far away: they are measured again at once.
    pub(super) fn end(&mut self) {
        let [least, _] = MARGINS;
        self.distances.clear();
        if self.margin > least {
            (self.margin, self.pause, self.growth_pause) = (least, 1, GROWTH_PAUSE);
        } else {
            self.pause = PAUSE;
        }
    }

    /// Postpones the next measurement after one that something near made fail.
    fn fail(&mut self) {
        self.failures = (self.failures + 1).min(MOST_FAILURES);
        if self.pause >= PAUSE {
            self.pause = PAUSE << self.failures;
        }
    }

    /// Keeps a pair that was near already. Returns false if it was not.
    pub(super) fn keep(&mut self, pair: &ContactPair, known: &mut Vec<NearPair>) -> bool {
        let is_it = |near: &NearPair| near.colliders == [pair.collider1, pair.collider2];
        if let Some(index) = known.iter().position(is_it) {
            self.near.push(known.remove(index));
            return true;
        }
        self.near.iter().any(is_it)
    }

    /// Enlarges the margin for the next measurement.
    fn grow(&mut self) {
        let [_, largest] = MARGINS;
        if self.growth_pause > 0 {
            self.growth_pause -= 1;
        } else {
            self.margin = (self.margin * GROWTH).min(largest);
        }
    }
}

impl Trees {
    /// Sets whether the engine casts rays.
    pub(crate) fn set_casts_rays(&mut self, casts_rays: bool) {
        self.casts_rays = casts_rays;
    }

    /// Returns true if the engine does not detect the contacts of a tree.
    pub(super) fn is_clear(&self, index: usize) -> bool {
        !self.state.trees[index].clearance.distances.is_empty()
    }

    /// Returns true if a body is a link of such a tree.
    pub(crate) fn is_clear_of(&self, body: usize) -> bool {
        let tree = self.of_body.get(body).copied().flatten();
        tree.is_some_and(|(index, _)| self.is_clear(index))
    }

    /// Returns true if a tree with clearances has something near it.
    pub(super) fn has_near(&self, index: usize) -> bool {
        !self.state.trees[index].clearance.near.is_empty()
    }

    /// Forgets the pairs that were near each other.
    pub(super) fn forget_near(&mut self, index: usize) {
        let near = &mut self.state.trees[index].clearance.near;
        self.near_buffers.spare.append(near);
    }

    /// Records that a pair of bodies may be in contact, neither of which is static: distances from static ones are known.
    pub(crate) fn note_near(&self, bodies: [usize; 2]) {
        let [one, two] = bodies.map(|body| self.of_body.get(body).copied().flatten());
        let [one, two] = [one, two].map(|of| of.map(|(tree, _)| tree));
        if one == two {
            return;
        }
        for tree in [one, two].into_iter().flatten() {
            if self.is_clear(tree) && !self.measuring[tree] {
                self.intruded[tree].store(true, Ordering::Relaxed);
            }
        }
    }

    /// Measures all clearances again in the next step, since the poses in the engine have changed.
    pub(crate) fn measure_again(&mut self) {
        for tree in &mut self.state.trees {
            tree.clearance.distances.fill(0.0);
        }
        self.forget_checks();
    }

    /// Forgets the last comparisons of poses, since the poses in the engine have changed.
    pub(super) fn forget_checks(&mut self) {
        for check in &mut self.last_checks {
            check.forget();
        }
    }

    /// Returns true if another body has come near to a tree in this step.
    pub(super) fn is_intruded(&self, index: usize) -> bool {
        self.intruded[index].load(Ordering::Relaxed)
    }

    /// Returns true if the engine has to have the poses of a tree with nothing near it, since it casts rays, or since one of
    /// the links was changed.
    pub(super) fn is_disturbed(
        &self,
        index: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        let rests = |body: &RigidBody| {
            body.is_enabled() && body.body_type() == RigidBodyType::Dynamic && body.is_sleeping()
        };
        let mut links = self.rows[index].links.iter();
        self.casts_rays || !links.all(|body| rigid(engine, tables, *body).is_some_and(rests))
    }

    /// Decides whether the engine needs the predicted poses of a tree's links in this step.
    pub(super) fn needs_engine(
        &mut self,
        index: usize,
        base: &(Base, Pose),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        if self.is_clear(index) {
            let has_moved = self.is_beyond(index, base, engine, tables);
            self.measuring[index] = has_moved;
            return has_moved;
        }
        let pause = &mut self.state.trees[index].clearance.pause;
        *pause = pause.saturating_sub(1);
        let is_due = *pause == 0;
        let may_be_clear = self.may_be_clear[index] && !self.casts_rays;
        self.measuring[index] = is_due && may_be_clear && !self.is_at_rest(index);
        true
    }

    /// Computes the predicted poses of a tree's links, if it has none in this step.
    pub(super) fn pose(&mut self, index: usize, base: &Base) {
        if mem::take(&mut self.unposed[index]) {
            self.integrators[index].pose_prediction(&self.rows[index].tree, base);
        }
    }

    /// Computes the predicted poses of trees to which something came near in this step; of all trees if `are_looked_at` is
    /// true, since grasps, closures or sensors use them.
    pub(super) fn pose_noticed(
        &mut self,
        are_looked_at: bool,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        for index in 0..self.rows.len() {
            if self.unposed[index] && (are_looked_at || self.is_intruded(index)) {
                let (base, _) = self.base(index, engine, tables);
                self.pose(index, &base);
            }
        }
    }

    /// Returns true if a tree is almost at rest.
    fn is_at_rest(&self, index: usize) -> bool {
        let motion = &self.state.trees[index].motion;
        let still = f64::from(STILL);
        let mut speeds = motion.velocities.iter();
        speeds.all(|speed| speed.abs() < still)
    }

    /// Enlarges the boxes of a tree's links in the broad phase.
    pub(super) fn enlarge(&self, index: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let margin = self.state.trees[index].clearance.margin;
        self.set_boxes(index, margin, engine, tables);
    }

    /// Sets the boxes of a tree's links in the broad phase, larger by a margin (m).
    pub(super) fn set_boxes(
        &self,
        index: usize,
        margin: f32,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        let simulation = &mut *engine.simulation;
        for body in &self.rows[index].links {
            let row = tables.bodies.get(*body);
            let Some(body) = row.and_then(|row| engine.bodies.bodies.get(row.handle)) else {
                continue;
            };
            for handle in body.colliders() {
                let Some(collider) = engine.colliders.colliders.get(*handle) else {
                    continue;
                };
                // The engine moves the colliders in its step.
                let pose = collider.position_wrt_parent();
                let pose = pose.map_or(*collider.position(), |pose| body.position() * pose);
                let bounds = collider.shape().compute_aabb(&pose).loosened(margin);
                let parameters = &simulation.integration_parameters;
                simulation.broad_phase.set_aabb(parameters, *handle, bounds);
            }
        }
    }

    /// Lets the links of a tree sleep in the engine: its step wakes those whose poses were set. This counts as no change of the
    /// engine's sets, since a step of sleeping bodies changes nothing.
    fn let_sleep(&mut self, index: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let tree = &mut self.state.trees[index];
        let bodies = &mut engine.bodies.bypass_change_detection().bodies;
        for (body, shown) in self.rows[index].links.iter().zip(&mut tree.shown) {
            let row = tables.bodies.get(*body);
            if let Some(body) = row.and_then(|row| bodies.get_mut(row.handle)) {
                body.sleep();
                *shown = [[0.0; 3]; 2];
            }
        }
    }

    /// Measures the clearances of the trees that were to be measured in this step, after the engine's step, and ends those
    /// of trees to which something has come near.
    pub(super) fn update_clearances(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
    ) {
        for index in 0..self.rows.len() {
            let is_broken = self.broken.contains(&index);
            if mem::take(&mut self.measuring[index]) {
                self.last_checks[index].forget();
                let mut known = mem::take(&mut self.state.trees[index].clearance);
                let mut buffers = mem::take(&mut self.near_buffers);
                let all = (&*engine, tables, grasps);
                let is_clear =
                    !is_broken && self.measure_clearance(index, &mut known, all, &mut buffers);
                self.near_buffers = buffers;
                let clearance = &mut self.state.trees[index].clearance;
                *clearance = known;
                if is_clear {
                    clearance.failures = 0;
                    clearance.grow();
                    self.let_sleep(index, engine, tables);
                } else {
                    self.end_clearance(index, engine, tables);
                    self.state.trees[index].clearance.fail();
                }
            } else if mem::take(self.intruded[index].get_mut())
                || self.is_clear(index) && (self.is_at_rest(index) || is_broken)
            {
                self.end_clearance(index, engine, tables);
            }
        }
    }

    /// Records the exact poses of the links of a tree with nothing near it.
    pub(super) fn note_poses(
        &mut self,
        index: usize,
        base_pose: &Pose,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        for (link, body) in self.rows[index].links.iter().enumerate() {
            let row = tables.bodies.get(*body);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get(row.handle)) {
                let pose = *base_pose * self.integrators[index].workspace.pose_of(link);
                let pose = isometry(&pose);
                engine.body_poses.note(body, &pose);
                if link == 0 {
                    self.state.trees[index].at = pose;
                }
            }
        }
    }

    /// Does what [`note_poses`](Self::note_poses) does for a tree whose links are where they were in the engine.
    pub(super) fn note_arrival(&mut self, index: usize, engine: &mut EngineItem<'_, '_>) {
        let states = self.spare[index].links();
        if let Some(first) = states.first() {
            self.state.trees[index].at = first.pose;
        }
        for (body, state) in self.rows[index].links.iter().zip(states) {
            engine.body_poses.advance(*body, &state.pose);
        }
    }

    /// Finds the trees for which the engine may be spared: on bases that are fixed or that forces move, and without fluids.
    /// Computes spheres around the links.
    pub(super) fn find_clearances(
        &mut self,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        immersed: &[usize],
    ) {
        self.intruded.resize_with(self.rows.len(), Default::default);
        self.measuring = vec![false; self.rows.len()];
        self.near_buffers.prepare();
        for row in &self.rows {
            let base = tables.bodies.get(row.base);
            // MORSE's motion changes the friction of contacts in the engine.
            let stands = if row.floats {
                !self.is_morse
            } else {
                base.is_some_and(|base| base.kind == BodyKind::Fixed)
            };
            let is_dry = row.links.iter().all(|link| !immersed.contains(link));
            self.may_be_clear.push(stands && is_dry);
            let extents = row.links.iter();
            let extents = extents.map(|body| Extent::of(*body, engine, tables));
            let extents: Vec<Extent> = extents.collect();
            self.last_checks.push(LastCheck::none(&row.tree, &extents));
            self.extents.push(extents);
        }
    }
}
