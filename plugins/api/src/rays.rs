//! Rays into the world, for scanners and proximity sensors.
pub mod planar;

use std::ops::Deref;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

pub use planar::{PlanarFan, ScanBuffer};

/// Hit of a ray on a geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("geomid"))]
pub struct Hit {
    /// Distance from the origin along the direction, in multiples of the direction's length.
    pub distance: f64,
    /// Entity of the geometry.
    pub entity: Entity,
}

/// Casts rays against all geometries that collide, as they are after the last tick.
///
/// The result of a set of rays does not depend on its distribution over threads.
pub trait CastRays: Send + Sync {
    /// Updates the data structures for rays. Call it before casting from several threads at once.
    fn prepare(&self) {}

    /// Writes the nearest hit of each ray from `origin` within `max_distance`, ignoring all geometries of `without` (a
    /// robot). `directions` and `hits` have the same length; `None` stands for no hit.
    fn cast_fan(
        &self,
        origin: Point3<f64>,
        directions: &[Vector3<f64>],
        max_distance: f64,
        without: Option<Entity>,
        hits: &mut [Option<Hit>],
    );

    /// Like [`CastRays::cast_fan`], for the rays of a planar scanner at a pose: `hits[i]` belongs to ray i of the fan.
    /// Distances agree with those of [`CastRays::cast_fan`] within a tenth of a millimetre, and the hit geometries are
    /// equal.
    fn cast_planar(
        &self,
        fan: &PlanarFan,
        world_from_scanner: &Isometry3<f64>,
        max_distance: f64,
        without: Option<Entity>,
        _buffer: &mut ScanBuffer,
        hits: &mut [Option<Hit>],
    ) {
        let origin = world_from_scanner.translation.vector.into();
        for (number, direction) in fan.rays() {
            let direction = world_from_scanner.rotation * direction;
            hits[number] = self.cast(origin, direction, max_distance, without);
        }
    }

    /// Returns the nearest hit of one ray.
    fn cast(
        &self,
        origin: Point3<f64>,
        direction: Vector3<f64>,
        max_distance: f64,
        without: Option<Entity>,
    ) -> Option<Hit> {
        let mut hits = [None];
        self.cast_fan(origin, &[direction], max_distance, without, &mut hits);
        hits[0]
    }
}

/// Reflectance of the surface of a geometry. A component of the geometry's entity.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// `specular` of the scene: red, green and blue.
    pub specular: [f64; 3],
}

impl Surface {
    /// Returns the fraction of a laser's light that is reflected: the mean of the three colours.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        let [red, green, blue] = self.specular;
        (red + green + blue) / 3.0
    }
}

/// The world's ray caster. It has the methods of [`CastRays`].
///
/// ```
/// use morse_api::{prelude::*, rays::{CastRays, Hit, Rays}};
///
/// /// A floor at z = 0.
/// struct Floor(Entity);
///
/// impl CastRays for Floor {
///     fn cast_fan(
///         &self,
///         origin: Point3<f64>,
///         directions: &[Vector3<f64>],
///         max_distance: f64,
///         _without: Option<Entity>,
///         hits: &mut [Option<Hit>],
///     ) {
///         for (direction, hit) in directions.iter().zip(hits) {
///             let distance = -origin.z / direction.z;
///             let is_hit = (0.0..=max_distance).contains(&distance);
///             *hit = is_hit.then_some(Hit { distance, entity: self.0 });
///         }
///     }
/// }
///
/// let rays = Rays::new(Floor(Entity::PLACEHOLDER));
/// let down = -Vector3::z();
/// let hit = rays.cast(Point3::new(0.0, 0.0, 3.0), down, 10.0, None);
/// assert_eq!(hit.map(|hit| hit.distance), Some(3.0));
/// assert_eq!(rays.cast(Point3::new(0.0, 0.0, 30.0), down, 10.0, None), None);
/// ```
#[doc(alias("mj_ray", "raycast", "LaserScan"))]
#[derive(Resource)]
pub struct Rays(Box<dyn CastRays>);

impl Rays {
    /// Returns the resource for a ray caster.
    #[must_use]
    pub fn new(caster: impl CastRays + 'static) -> Self {
        Self(Box::new(caster))
    }
}

impl Deref for Rays {
    type Target = dyn CastRays;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}
