//! Trees with nothing near them: the engine detects no contacts for them.
//!
//! To detect the contacts of a link costs more than to move it. So the links of a tree that nothing is near sleep in the
//! engine, at the poses of an earlier step. Boxes in the engine's broad phase that are larger than the links contain them
//! until one of them has moved by the clearance: then the engine gets their poses, and the clearance is measured again. If
//! another body comes into a box earlier, the engine calls the contact filter, and the tree gets its contacts in the same
//! step.
use std::{mem, sync::atomic::Ordering};

use bevy_rapier3d::{
    parry::{bounding_volume::BoundingVolume as _, query},
    rapier::{
        geometry::ContactPair,
        prelude::{RigidBody, RigidBodyType},
    },
};
use morse_api::body::BodyKind;
use morse_mechanisms::{Base, Pose};

use super::{Trees, bodies::rigid, collect::who, isometry};
use crate::{
    body_poses::STILL,
    convert,
    engine::{EngineItem, Tables},
    filter,
    grasp::Grasps,
};

/// Distance by which the boxes in the broad phase are larger than the links, m.
const MARGIN: f32 = 0.05;

/// Largest and least clearance, m. The engine predicts contacts within the rest of the margin.
const MOST: f32 = 0.04;
const LEAST: f32 = 0.01;

/// Number of steps after which the clearance of a tree with something near it is measured again.
const PAUSE: u32 = 32;

/// State of a tree's clearance.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Clearance {
    /// Displacement by which each link may deviate from its pose in the engine without coming near another body, m; `None`
    /// if the poses in the engine are those of the links.
    distance: Option<f32>,
    /// Number of steps until it is measured.
    pause: u32,
}

/// Result of the last comparison of a tree's poses with those in the engine: while its joints move little, the result of the
/// next one follows from it.
#[derive(Default)]
pub(super) struct LastCheck {
    /// Greatest change of a link per radian of each joint, m; `None` for a tree with other joints. Computed from the scene.
    changes: Option<Vec<f64>>,
    /// Positions of the joints.
    positions: Vec<f64>,
    /// Change by which the links might still move, m; zero if there was no comparison.
    rest: f64,
}

impl LastCheck {
    /// Returns true if the links have not moved by the rest of the clearance since the last comparison.
    fn is_near(&self, positions: &[f64]) -> bool {
        let Some(changes) = self.changes.as_ref().filter(|_| self.rest > 0.0) else {
            return false;
        };
        let displacements = self.positions.iter().zip(positions);
        let displacements = displacements.map(|(one, other)| (one - other).abs());
        let change: f64 = displacements
            .zip(changes)
            .map(|(displacement, change)| displacement * change)
            .sum();
        change < self.rest
    }
}

/// Part of a rest that rounding may take, m.
const ROUNDING: f64 = 1e-9;

impl Trees {
    /// Sets whether the engine casts rays.
    pub(crate) fn set_casts_rays(&mut self, casts_rays: bool) {
        self.casts_rays = casts_rays;
    }

    /// Returns true if the engine does not detect the contacts of a tree.
    pub(super) fn is_clear(&self, index: usize) -> bool {
        self.state.trees[index].clearance.distance.is_some()
    }

    /// Records that a pair of bodies may be in contact.
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
            if let Some(distance) = &mut tree.clearance.distance {
                *distance = 0.0;
            }
        }
        self.forget_checks();
    }

    /// Forgets the last comparisons of poses, since the poses in the engine have changed.
    pub(super) fn forget_checks(&mut self) {
        for check in &mut self.last_checks {
            check.rest = 0.0;
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

    /// Wakes the links of a tree in the engine, at their poses.
    pub(super) fn end_clearance(
        &mut self,
        index: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        self.last_checks[index].rest = 0.0;
        self.state.trees[index].clearance = Clearance {
            distance: None,
            pause: PAUSE,
        };
        let (_, base_pose) = self.base(index, engine, tables);
        for (link, body) in self.rows[index].links.iter().enumerate() {
            let Some(row) = tables.bodies.get(*body) else {
                continue;
            };
            let pose = isometry(&(base_pose * self.integrators[index].workspace.pose_of(link)));
            engine.put(row.handle, &pose, false);
            engine.wake(row.handle);
        }
    }

    /// Decides whether the engine needs the predicted poses of a tree's links in this step.
    pub(super) fn needs_engine(
        &mut self,
        index: usize,
        base: &(Base, Pose),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        let Clearance { distance, pause } = &mut self.state.trees[index].clearance;
        if let Some(distance) = *distance {
            let has_moved = self.is_beyond(index, distance, base, engine, tables);
            self.measuring[index] = has_moved;
            return has_moved;
        }
        *pause = pause.saturating_sub(1);
        let may_be_clear = self.may_be_clear[index] && !self.casts_rays;
        self.measuring[index] = *pause == 0 && may_be_clear && !self.is_at_rest(index);
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

    /// Returns true if a link has moved by more than a distance (m) from its pose in the engine.
    fn is_beyond(
        &mut self,
        index: usize,
        distance: f32,
        (base, base_pose): &(Base, Pose),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        let positions = self.integrators[index].predicted_positions();
        if self.last_checks[index].is_near(positions) {
            return false;
        }
        self.pose(index, base);
        let greatest = self.greatest_way(index, base_pose, engine, tables);
        let positions = self.integrators[index].predicted_positions();
        let check = &mut self.last_checks[index];
        check.positions.clear();
        check.positions.extend(positions);
        check.rest = f64::from(distance) - greatest - ROUNDING;
        greatest >= f64::from(distance)
    }

    /// Returns the greatest distance of a point of a link from its position in the engine, m; an upper bound.
    fn greatest_way(
        &self,
        index: usize,
        base_pose: &Pose,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> f64 {
        let origin = engine.body_poses.origin.vector();
        let workspace = &self.integrators[index].workspace;
        let links = self.rows[index].links.iter().zip(&self.extents[index]);
        let displacements = links.enumerate().map(|(link, (body, extent))| {
            let Some(body) = rigid(engine, tables, *body) else {
                return f64::INFINITY;
            };
            let pose = *base_pose * workspace.pose_of(link);
            let known = body.position();
            let displacement = pose.position - origin - convert::vector(known.translation);
            // The largest displacement of a point by a rotation is bounded by the Frobenius norm of the difference.
            let known = convert::isometry(known).rotation.to_rotation_matrix();
            let turned = (pose.rotation - known.matrix()).norm();
            displacement.norm() + turned * extent
        });
        displacements.fold(0.0, f64::max)
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
                let bounds = collider.shape().compute_aabb(&pose).loosened(MARGIN);
                let parameters = &simulation.integration_parameters;
                simulation.broad_phase.set_aabb(parameters, *handle, bounds);
            }
        }
    }

    /// Lets the links of a tree sleep in the engine: its step wakes those whose poses were set.
    fn let_sleep(&mut self, index: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let tree = &mut self.state.trees[index];
        for (body, shown) in self.rows[index].links.iter().zip(&mut tree.shown) {
            let row = tables.bodies.get(*body);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle)) {
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
                self.last_checks[index].rest = 0.0;
                let distance = self.measure_clearance(index, engine, tables, grasps);
                let distance = distance.filter(|_| !is_broken);
                self.state.trees[index].clearance.distance = distance;
                if distance.is_some() {
                    self.let_sleep(index, engine, tables);
                } else {
                    self.end_clearance(index, engine, tables);
                }
            } else if mem::take(self.intruded[index].get_mut())
                || self.is_clear(index) && (self.is_at_rest(index) || is_broken)
            {
                self.end_clearance(index, engine, tables);
            }
        }
    }

    /// Returns the clearance of a tree at the poses in the engine, m; `None` if something is near.
    fn measure_clearance(
        &self,
        index: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
    ) -> Option<f32> {
        let mut least = MOST;
        for body in &self.rows[index].links {
            let own = rigid(engine, tables, *body).map_or(&[][..], RigidBody::colliders);
            for collider in own {
                for pair in engine.simulation.narrow_phase.contact_pairs_with(*collider) {
                    least = least.min(self.measure_pair(pair, engine, tables, grasps)?);
                }
            }
        }
        (least >= LEAST).then_some(least)
    }

    /// Returns the clearance of a pair with a link, m; `None` if the other side is not a link of the same tree, and moves.
    fn measure_pair(
        &self,
        pair: &ContactPair,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
    ) -> Option<f32> {
        let (bodies, geometry) = who(engine, tables, pair)?;
        let [one, two] = geometry.map(|index| tables.geometry.get(index as usize));
        if !filter::is_admitted(tables, grasps, one?, two?) {
            return Some(MOST);
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
        let free = distance - (MARGIN - MOST);
        Some(if both_move { free / 2.0 } else { free })
    }

    /// Records the exact poses of the links of a tree with nothing near it.
    pub(super) fn note_poses(
        &self,
        index: usize,
        base_pose: &Pose,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        for (link, body) in self.rows[index].links.iter().enumerate() {
            let row = tables.bodies.get(*body);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get(row.handle)) {
                let pose = *base_pose * self.integrators[index].workspace.pose_of(link);
                engine.body_poses.note(body, &isometry(&pose));
            }
        }
    }

    /// Finds the trees for which the engine may be spared: on fixed bases, and without fluids. Computes the distance of the
    /// farthest point of each link from its origin.
    pub(super) fn find_clearances(
        &mut self,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        immersed: &[usize],
    ) {
        self.intruded.resize_with(self.rows.len(), Default::default);
        self.measuring = vec![false; self.rows.len()];
        for row in &self.rows {
            let base = tables.bodies.get(row.base);
            let stands = !row.floats && base.is_some_and(|base| base.kind == BodyKind::Fixed);
            let is_dry = row.links.iter().all(|link| !immersed.contains(link));
            self.may_be_clear.push(stands && is_dry);
            let extents = row.links.iter();
            let extents = extents.map(|body| extent(*body, engine, tables));
            let extents: Vec<f64> = extents.collect();
            self.last_checks.push(LastCheck {
                changes: row.tree.greatest_changes(&extents),
                ..LastCheck::default()
            });
            self.extents.push(extents);
        }
    }
}

/// Returns the distance of the farthest point of a body's geometry from its origin, m; an upper bound.
fn extent(body: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> f64 {
    let colliders = rigid(engine, tables, body).map_or(&[][..], RigidBody::colliders);
    let colliders = colliders.iter();
    let colliders = colliders.filter_map(|handle| engine.colliders.colliders.get(*handle));
    let farthest = colliders.map(|collider| {
        let sphere = collider.shape().compute_local_bounding_sphere();
        let center = collider
            .position_wrt_parent()
            .map_or(sphere.center, |pose| *pose * sphere.center);
        convert::vector(center).norm() + f64::from(sphere.radius)
    });
    farthest.fold(0.0, f64::max)
}
