//! Rays into the world, for scanners and proximity sensors.
pub mod planar;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

pub use planar::{PlanarFan, ScanBuffer};

/// Hit of a ray on a geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the origin along the direction, in lengths of the direction.
    pub distance: f64,
    /// The geometry's entity.
    pub entity: Entity,
}

/// Casts rays against everything that collides, as it stands after the last tick.
///
/// The answer to a set of rays does not depend on how it is split among threads.
pub trait CastRays: Send + Sync {
    /// Brings what rays meet up to date. Whoever casts from several threads at once does this before.
    fn prepare(&self) {}

    /// The nearest hit of each ray from `origin` within `max_distance`, ignoring all geometry of
    /// `without` (a robot). `directions` and `hits` have the same length; `None` where nothing was met.
    fn cast_fan(
        &self,
        origin: Point3<f64>,
        directions: &[Vector3<f64>],
        max_distance: f64,
        without: Option<Entity>,
        hits: &mut [Option<Hit>],
    );

    /// The same for the rays of a planar scanner at a pose: `hits[i]` is that of the fan's ray i. Distances are those
    /// of [`CastRays::cast_fan`] to a tenth of a millimetre, and what is hit is the same.
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

    /// The nearest hit of one ray.
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

/// Reflection of light by the surface of a geometry, for who looks at it. On the geometry's entity.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// The `specular` of the scene: red, green and blue.
    pub specular: [f64; 3],
}

impl Surface {
    /// Share of a laser's light that comes back: the mean of the three. Lasers see no colour.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        let [red, green, blue] = self.specular;
        (red + green + blue) / 3.0
    }
}

/// The world's ray caster.
#[derive(Resource)]
pub struct Rays(pub Box<dyn CastRays>);
