//! Distances within which contacts are predicted, as the engine does it.
use bevy::math::Vec3;

use super::NearSide;
use crate::{engine::EngineItem, step::FAR};

/// Distances within which contacts are predicted in a step.
#[derive(Clone, Copy)]
pub(super) struct Prediction {
    /// Distance, m.
    pub distance: f32,
    /// Length of the step, s.
    dt: f32,
    /// Speed from which on contacts are predicted along the way of a body, m/s.
    fast: f32,
}

impl Prediction {
    pub(super) fn new(engine: &EngineItem<'_, '_>, dt: f64) -> Self {
        let parameters = &engine.simulation.integration_parameters;
        Self {
            distance: parameters.prediction_distance(),
            dt: dt as f32,
            fast: (FAR / dt) as f32,
        }
    }

    /// Returns the distance within which points are searched, m.
    pub(super) fn search_distance(&self, [one, two]: &[NearSide; 2]) -> f32 {
        let [one, two] = [one.velocity[0], two.velocity[0]];
        if one.length() > self.fast || two.length() > self.fast {
            self.distance.max(self.dt * (one - two).length())
        } else {
            self.distance
        }
    }

    /// Returns true if two points on the surfaces with this gap (m) along a normal count.
    pub(super) fn counts(
        &self,
        gap: f32,
        sides: &[NearSide; 2],
        points: [Vec3; 2],
        normal: Vec3,
    ) -> bool {
        let approaches = || {
            let [one, two] = [0, 1].map(|side| velocity_at(&sides[side], points[side]));
            gap + (two - one).dot(normal) * self.dt < self.distance
        };
        gap < self.distance || approaches()
    }
}

/// Returns the velocity of a side at a point, m/s.
fn velocity_at(side: &NearSide, point: Vec3) -> Vec3 {
    let [linear, angular] = side.velocity;
    linear + angular.cross(point - side.center.unwrap_or(point))
}
