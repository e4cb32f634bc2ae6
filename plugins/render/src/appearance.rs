//! Appearance of a surface at a point: colour, pattern and highlights.
use std::sync::Arc;

use morse_api::{
    lighting::linear,
    paint::{self, TextureCoordinates, Wrap},
    world_view::Gloss,
};
use nalgebra::Vector3;

use super::{
    light::Rgb,
    mesh::VisualMesh,
    projection::Local,
    render_scene::{Form, Thing},
    texture::{Footprint, Texture, checker},
};

/// Pattern on a thing, and its mapping to the surface.
pub(super) struct Paint {
    pub(super) pattern: Pattern,
    /// Position and size of the pattern.
    pub(super) rule: paint::Paint,
    /// Mapping of the surface to the pattern; `None` for a mesh, whose file contains the mapping.
    pub(super) wrap: Option<Wrap>,
}

pub(super) enum Pattern {
    Checker(Rgb),
    Image(Arc<Texture>),
}

/// Appearance of a surface at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Appearance {
    /// Diffuse reflectance, linear.
    pub(super) color: Rgb,
    pub(super) gloss: Gloss,
}

impl Appearance {
    /// Returns the highlight of a surface: the specular reflection of a light.
    pub(super) fn highlight(
        &self,
        light: Rgb,
        normal: &Vector3<f64>,
        to_light: &Vector3<f64>,
        to_camera: &Vector3<f64>,
    ) -> Rgb {
        if self.gloss.color == [0.0; 3] {
            return [0.0; 3];
        }
        let half_way = (to_light + to_camera).normalize();
        let cosine = normal.dot(&half_way).max(0.0);
        let share = libm::pow(cosine, self.gloss.shininess);
        [0, 1, 2].map(|channel| light[channel] * (self.gloss.color[channel] * share) as f32)
    }
}

/// Maximum depth, relative to the depth of the pixel, at which the ray of a neighbouring pixel is intersected with an
/// oblique surface.
const STEEPEST: f64 = 8.0;

/// Point of a thing that a pixel shows.
pub(super) struct Spot<'a> {
    pub(super) thing: &'a Thing,
    pub(super) local: &'a Local,
    /// Rays of the pixel and of its neighbours to the right and below, in the axes of the camera.
    pub(super) rays: [Vector3<f64>; 3],
    pub(super) depth: f64,
    /// Point in the thing's own axes, without its scale.
    pub(super) at: Vector3<f64>,
    pub(super) normal: Vector3<f64>,
    /// Index of the face of a mesh.
    pub(super) face: u32,
}

impl Spot<'_> {
    pub(super) fn appearance(&self) -> Appearance {
        let thing = self.thing;
        let plain = Appearance {
            color: thing.color,
            gloss: thing.gloss,
        };
        match (&thing.paint, &thing.form) {
            (Some(paint), Form::Mesh { mesh, scale }) => Appearance {
                color: self.painted(paint, Some(mesh), *scale),
                ..plain
            },
            (Some(paint), _) => Appearance {
                color: self.painted(paint, None, 1.0),
                ..plain
            },
            (None, Form::Mesh { mesh, .. }) => match mesh.material(self.face) {
                Some(material) => {
                    let base = linear(material.color);
                    let color = material.image.as_ref().map_or(base, |image| {
                        let footprint = self.footprint(|at| mesh.coordinates(self.face, at));
                        over(image.mean(&footprint, [true; 2]), base)
                    });
                    Appearance {
                        color,
                        gloss: material.gloss,
                    }
                }
                None => plain,
            },
            (None, _) => plain,
        }
    }

    fn painted(&self, paint: &Paint, mesh: Option<&VisualMesh>, scale: f64) -> Rgb {
        let shape = match &paint.pattern {
            Pattern::Checker(_) => 1.0,
            Pattern::Image(image) => image.shape(),
        };
        let normal = (self.normal * scale.signum()).into();
        let texture_coordinates = |at: &Vector3<f64>| -> TextureCoordinates {
            match (&paint.wrap, mesh) {
                (None, Some(mesh)) => TextureCoordinates {
                    uv: mesh.coordinates(self.face, at),
                    size: [1.0; 2],
                    is_closed: false,
                },
                (wrap, _) => wrap
                    .unwrap_or(Wrap::Ball { radius: 1.0 })
                    .texture_coordinates((at * scale).into(), normal),
            }
        };
        let here = texture_coordinates(&self.at);
        let mut footprint = self.footprint(|at| {
            let there = texture_coordinates(at).uv;
            // Across the seam of a closed pattern the shorter difference is taken.
            let turns = if here.is_closed {
                (there[0] - here.uv[0]).round()
            } else {
                0.0
            };
            [there[0] - turns, there[1]]
        });
        footprint = footprint.scaled(here.counts(&paint.rule, shape));
        match &paint.pattern {
            Pattern::Checker(other) => {
                super::light::mix(self.thing.color, *other, checker(&footprint))
            }
            Pattern::Image(image) => {
                let is_endless = paint.rule.size.is_some() || paint.wrap.is_none();
                let goes_on = [is_endless || here.is_closed, is_endless];
                over(image.mean(&footprint, goes_on), self.thing.color)
            }
        }
    }

    /// Returns the footprint of the pixel on a pattern; `pattern_coordinates` maps a point of the thing to the pattern. The
    /// surface is approximated by its tangent plane at the point.
    fn footprint(&self, pattern_coordinates: impl Fn(&Vector3<f64>) -> [f64; 2]) -> Footprint {
        let directions = self.rays.map(|ray| self.local.direction(&ray));
        let ahead = self.normal.dot(&directions[0]);
        let at = pattern_coordinates(&self.at);
        let next = |direction: &Vector3<f64>| {
            let farther = ahead / self.normal.dot(direction);
            let farther = if (0.0..=STEEPEST).contains(&farther) {
                farther
            } else {
                STEEPEST
            };
            let there = pattern_coordinates(
                &(self.at + (direction * farther - directions[0]) * self.depth),
            );
            [there[0] - at[0], there[1] - at[1]]
        };
        Footprint {
            at,
            right: next(&directions[1]),
            below: next(&directions[2]),
        }
    }
}

/// Blends an image with opacity over a base colour.
fn over([red, green, blue, opacity]: [f32; 4], base: Rgb) -> Rgb {
    let through = 1.0 - opacity;
    [
        red + base[0] * through,
        green + base[1] * through,
        blue + base[2] * through,
    ]
}
