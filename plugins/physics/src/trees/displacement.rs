//! Displacements of the links of a tree from their poses in the engine.
use bevy_rapier3d::{parry::bounding_volume::BoundingVolume as _, rapier::prelude::RigidBody};
use morse_mechanisms::{Base, Pose, Tree};
use nalgebra::Vector3;

use super::{Trees, bodies::rigid};
use crate::{
    convert,
    engine::{EngineItem, Tables},
};

/// A sphere that contains the geometry of a link, in its axes.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    center: Vector3<f64>,
    radius: f64,
}

/// Result of the last comparison of a tree's poses with those in the engine: while its joints move little, the result of the
/// next one follows from it.
#[derive(Default)]
pub(super) struct LastCheck {
    /// Greatest change of a link per radian of each joint, m; `None` for a tree with other joints. Computed from the scene.
    changes: Option<Vec<f64>>,
    /// Positions of the joints.
    positions: Vec<f64>,
    /// Change by which each link might still move, m; zero if there was no comparison.
    rest: f64,
}

impl LastCheck {
    /// Returns no result for a tree whose links are within these spheres.
    pub(super) fn none(tree: &Tree, extents: &[Extent]) -> Self {
        let farthest = extents.iter();
        let farthest = farthest.map(|extent| extent.center.norm() + extent.radius);
        let farthest: Vec<f64> = farthest.collect();
        Self {
            changes: tree.greatest_changes(&farthest),
            ..Self::default()
        }
    }

    /// Forgets the result.
    pub(super) fn forget(&mut self) {
        self.rest = 0.0;
    }

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
    /// Returns true if no link of a tree has moved by the rest of its clearance since the last comparison.
    pub(super) fn is_near_last_check(&self, index: usize) -> bool {
        self.last_checks[index].is_near(self.integrators[index].predicted_positions())
    }

    /// Returns true if a link of a tree has moved by half of its clearance from its pose in the engine. It does not follow
    /// from the last comparison, which a restored simulation does not have.
    pub(super) fn is_halfway(
        &mut self,
        index: usize,
        (base, base_pose): &(Base, Pose),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        self.pose(index, base);
        let distances = self.state.trees[index].clearance.distances().iter();
        let least = distances.copied().fold(f32::INFINITY, f32::min);
        self.least_rest(index, base_pose, engine, tables) < f64::from(least) / 2.0
    }

    /// Returns true if a link has moved by more than its clearance from its pose in the engine.
    pub(super) fn is_beyond(
        &mut self,
        index: usize,
        (base, base_pose): &(Base, Pose),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        self.pose(index, base);
        let rest = self.least_rest(index, base_pose, engine, tables);
        let positions = self.integrators[index].predicted_positions();
        let check = &mut self.last_checks[index];
        check.positions.clear();
        check.positions.extend(positions);
        check.rest = rest - ROUNDING;
        rest <= 0.0
    }

    /// Returns the least distance by which a link may still move, m; a lower bound.
    fn least_rest(
        &self,
        index: usize,
        base_pose: &Pose,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> f64 {
        let origin = engine.body_poses.origin.vector();
        let workspace = &self.integrators[index].workspace;
        let distances = self.state.trees[index].clearance.distances();
        let links = self.rows[index].links.iter().zip(&self.extents[index]);
        let rests = links
            .zip(distances)
            .enumerate()
            .map(|(link, ((body, extent), distance))| {
                let Some(body) = rigid(engine, tables, *body) else {
                    return f64::NEG_INFINITY;
                };
                let pose = *base_pose * workspace.pose_of(link);
                let known = convert::isometry(body.position());
                let turn = known.rotation.to_rotation_matrix();
                let center = pose.position + pose.rotation * extent.center;
                let known = known.translation.vector + origin + turn * extent.center;
                // The displacement of a point by a rotation is bounded by the Frobenius norm of the difference.
                let turned = (pose.rotation - turn.matrix()).norm();
                let moved = (center - known).norm() + turned * extent.radius;
                f64::from(*distance) - moved - self.step_displacement(index, link, extent)
            });
        rests.fold(f64::INFINITY, f64::min)
    }
}

impl Trees {
    /// Returns the distance that a link of a floating robot covers in a step, m: within it contacts are predicted.
    fn step_displacement(&self, index: usize, link: usize, extent: &Extent) -> f64 {
        if !self.rows[index].floats {
            return 0.0;
        }
        let workspace = &self.integrators[index].workspace;
        let [linear, angular] = workspace.velocity_at(link, &extent.center);
        (linear.norm() + angular.norm() * extent.radius) * self.step_length
    }
}

impl Extent {
    /// Returns a sphere that contains the geometry of a body.
    pub(super) fn of(body: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> Self {
        let colliders = rigid(engine, tables, body).map_or(&[][..], RigidBody::colliders);
        let colliders = colliders.iter();
        let colliders = colliders.filter_map(|handle| engine.colliders.colliders.get(*handle));
        let spheres = colliders.map(|collider| {
            let sphere = collider.shape().compute_local_bounding_sphere();
            let pose = collider.position_wrt_parent();
            pose.map_or(sphere, |pose| sphere.transform_by(pose))
        });
        let whole = spheres.reduce(|one, other| one.merged(&other));
        whole.map_or_else(Self::default, |whole| Self {
            center: convert::vector(whole.center),
            radius: f64::from(whole.radius),
        })
    }
}
