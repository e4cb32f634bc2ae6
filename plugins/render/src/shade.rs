//! Shading: light that surfaces reflect towards the camera, pixel by pixel.
use nalgebra::Vector3;

use super::appearance::{Appearance, Spot};
use super::light::{Rgb, plus, times};
use super::projection::{Cast, Faces};
use super::shadow::{Bounds, Shadows};
use super::tile::{NONE, Nearest, Pane, SIDE, Tile, unpack};

/// Shading of the surfaces in a tile.
pub(super) struct Shading<'t> {
    tile: &'t Tile<'t>,
    /// Shadow casters that may be between this tile and the sun.
    shadows: Option<(&'t Shadows, Vec<usize>)>,
    /// Bounds of the surfaces that the tile shows, in the sun's axes, if there are shadows.
    pub(super) bounds: Bounds,
}

impl<'t> Shading<'t> {
    pub(super) fn new(tile: &'t Tile<'t>, nearest: &Nearest, panes: &[Pane]) -> Self {
        let mut bounds = Bounds::NOTHING;
        let shadows = tile.projection.shadows.as_ref().map(|shadows| {
            let mut add = |row: usize, lane: usize, inverse_depth: f64| {
                bounds.add(&shadows.in_sun(&tile.in_world((row, lane), inverse_depth)));
            };
            for row in 0..SIDE {
                for lane in 0..SIDE {
                    if nearest.what[row][lane] != NONE {
                        add(row, lane, nearest.inverse_depth[row][lane]);
                    }
                }
            }
            panes
                .iter()
                .for_each(|pane| add(pane.row, pane.lane, pane.inverse_depth));
            (shadows, shadows.between(&bounds))
        });
        Self {
            tile,
            shadows,
            bounds,
        }
    }

    /// Returns the light that a thing reflects in a pixel.
    pub(super) fn color(
        &self,
        cast: &Cast,
        what: u64,
        pixel: (usize, usize),
        inverse_depth: f64,
    ) -> Rgb {
        let tile = self.tile;
        let [u, v] = tile.pixels.undistorted(pixel);
        let face = |faces: &Faces| faces.entered(u, v);
        if let (Some(faces), Some(flat)) = (&cast.faces, &cast.flat) {
            let face = &flat[face(faces)];
            let is_lit = face.is_sunny
                && (self.has_clear_sky()
                    || self.is_sunny(&tile.in_world(pixel, inverse_depth), &face.normal));
            return if is_lit { face.lit } else { face.shade };
        }
        let (projection, scene) = (tile.projection, tile.projection.scene);
        let Some(thing) = scene.things.get(cast.thing) else {
            return [0.0; 3];
        };
        let ray = tile.pixels.ray(pixel);
        let next = 1.0 / projection.camera.focal;
        let local = cast.local.point(&(ray / inverse_depth));
        let own = match &cast.faces {
            Some(faces) => {
                let face = face(faces);
                let mut normal = Vector3::zeros();
                normal[face / 2] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
                normal
            }
            None => thing.form.normal(&local, unpack(what).1),
        };
        let appearance = Spot {
            thing,
            local: &cast.local,
            rays: [ray, ray + Vector3::x() * next, ray + Vector3::y() * next],
            depth: 1.0 / inverse_depth,
            at: local,
            normal: own,
            face: unpack(what).1,
        }
        .appearance();
        let mut normal = thing.world_from_thing.rotation * own.normalize();
        let at = tile.in_world(pixel, inverse_depth);
        let sight = projection.rotation * ray;
        // Triangles and lines are two-sided.
        if normal.dot(&sight) > 0.0 {
            normal = -normal;
        }
        self.sent_back(&appearance, &at, &normal, &-sight.normalize())
    }

    /// Returns the light that a surface reflects towards the camera.
    fn sent_back(
        &self,
        appearance: &Appearance,
        at: &Vector3<f64>,
        normal: &Vector3<f64>,
        to_camera: &Vector3<f64>,
    ) -> Rgb {
        let scene = self.tile.projection.scene;
        let illumination = &scene.illumination;
        let (mut light, mut shine) = (illumination.ambient(normal), [0.0; 3]);
        let mut add = |from: Rgb, to_light: &Vector3<f64>| {
            light = plus(light, from);
            shine = plus(
                shine,
                appearance.highlight(from, normal, to_light, to_camera),
            );
        };
        if normal.dot(&illumination.to_sun) > 0.0 && self.is_sunny(at, normal) {
            add(illumination.sunlight(normal), &illumination.to_sun);
        }
        for lamp in &scene.lamps {
            if let Some(more) = lamp.light(at, normal)
                && self.reaches(at, normal, &lamp.position)
            {
                add(more, &(lamp.position - at).normalize());
            }
        }
        plus(times(appearance.color, light), shine)
    }

    /// Returns true if nothing can be between this tile and the sun.
    fn has_clear_sky(&self) -> bool {
        let shadows = self.shadows.as_ref();
        shadows.is_none_or(|(_, casters)| casters.is_empty())
    }

    fn is_sunny(&self, at: &Vector3<f64>, normal: &Vector3<f64>) -> bool {
        self.shadows.as_ref().is_none_or(|(shadows, casters)| {
            shadows.is_sunny(self.tile.projection.scene, casters, at, normal)
        })
    }

    fn reaches(&self, at: &Vector3<f64>, normal: &Vector3<f64>, lamp: &Vector3<f64>) -> bool {
        self.shadows.as_ref().is_none_or(|(shadows, _)| {
            shadows.is_clear(self.tile.projection.scene, at, normal, lamp)
        })
    }
}
