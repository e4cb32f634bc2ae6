//! Radars that detect obstacles: two cones that look ahead, each made of rays.
use std::f64::consts::TAU;

use bevy::{ecs::system::SystemParam, prelude::ChildOf};
use morse_api::{names::fits_any, prelude::*, rays::Rays};
use nalgebra::Point3;

use super::Waypoint;

/// Number of rays on the rim of a cone; one more ray runs along its axis.
const RIM: usize = 8;

/// System parameters: names of the geometry that rays hit.
#[derive(SystemParam)]
pub(super) struct Names<'w, 's> {
    paths: Query<'w, 's, &'static ComponentPath>,
    parents: Query<'w, 's, &'static ChildOf>,
}

impl Names<'_, '_> {
    /// Returns the name of a geometry, or else of the body that carries it.
    fn of(&self, geometry: Entity) -> Option<&str> {
        let own = self.paths.get(geometry).ok();
        let path = own.or_else(|| {
            self.paths
                .get(self.parents.get(geometry).ok()?.parent())
                .ok()
        });
        path.map(ComponentPath::as_str)
    }
}

/// The two radars of an actuator, in this action.
pub(super) struct Radar<'a> {
    pub(super) settings: &'a Waypoint,
    pub(super) rays: Option<&'a Rays>,
    pub(super) names: &'a Names<'a, 'a>,
    /// Geometry that is ignored, sorted.
    pub(super) unseen: &'a [Entity],
    pub(super) pose: &'a Isometry3<f64>,
    pub(super) robot: Entity,
}

impl Radar<'_> {
    /// Returns true if the radar on one side (1 is left, -1 right) detects geometry that is not ignored.
    pub(super) fn sees(&self, side: f64) -> bool {
        let Some(rays) = self.rays else { return false };
        let [x, y, z] = self.settings.radar_at;
        let origin = self.pose * Point3::new(x, side * y, z);
        let mut hits = [None; RIM + 1];
        rays.cast_fan(
            origin,
            &self.directions(),
            self.settings.radar_range,
            Some(self.robot),
            &mut hits,
        );
        hits.iter().flatten().any(|hit| {
            let name = self.names.of(hit.entity).unwrap_or_default();
            !fits_any(&self.settings.ignore, name)
                && self.unseen.binary_search(&hit.entity).is_err()
        })
    }

    fn directions(&self) -> [Vector3<f64>; RIM + 1] {
        let (radius, along) = libm::sincos(self.settings.radar_angle / 2.0);
        std::array::from_fn(|index| {
            let in_actuator = if index == RIM {
                Vector3::x()
            } else {
                let (sin, cos) = libm::sincos(TAU * index as f64 / RIM as f64);
                Vector3::new(along, radius * cos, radius * sin)
            };
            self.pose.rotation * in_actuator
        })
    }
}
