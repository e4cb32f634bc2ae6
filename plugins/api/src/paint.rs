//! Textures of shapes: images and checkers, and texture coordinates of surface points.
//!
//! Texture coordinates start at the lower left corner of an image and run to the right and up, so that the image covers (0,
//! 0) to (1, 1). Textures repeat without end.
use std::{f64::consts::PI, fmt, sync::Arc};

use crate::shape::Shape;

/// An image, shared by all shapes that show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Red, green, blue (sRGB) and opacity of each pixel, a byte each, row by row from the top left.
    pub pixels: Arc<[u8]>,
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Image({} by {})", self.width, self.height)
    }
}

/// Texture of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint {
    /// Pattern.
    pub pattern: Pattern,
    /// Side of a square of a checker, or width of an image, m. Without it the image, or two by two squares, cover each part
    /// of the surface once.
    pub size: Option<f64>,
}

/// Pattern of a texture.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Squares of the shape's own colour and of this one; the square in the lower left corner has this one.
    Checker([f64; 3]),
    /// An image, by its index in [`crate::world_view::Scenery::images`]. The shape's own colour shows through transparent
    /// pixels.
    Image(usize),
}

/// Mapping of a surface to texture coordinates, in the axes of the shape, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrap {
    /// Six sides, each with its own coordinates and upright from outside; the top and bottom sides with y up. The normal
    /// selects the side. The coordinates of a side start at its lower left corner.
    Sides {
        /// Minimum corner.
        low: [f64; 3],
        /// Maximum corner.
        high: [f64; 3],
    },
    /// Around z, with the middle at +x, from the lower pole to the upper one.
    Ball {
        /// Radius of the sphere.
        radius: f64,
    },
    /// The lateral surface around z, with the middle at +x, from the lower end to the upper one; the ends as the top and
    /// bottom sides of the bounding box.
    Turned {
        /// Greatest radius.
        radius: f64,
        /// Smallest radius.
        least: f64,
        /// z of the lower end.
        low: f64,
        /// z of the upper end.
        high: f64,
    },
    /// Around z, with the middle at +x, along the surface from the lower pole to the upper one.
    Capsule {
        /// Radius of the cylinder and of the caps.
        radius: f64,
        /// z of the centre of the lower cap.
        low: f64,
        /// z of the centre of the upper cap.
        high: f64,
    },
}

/// Texture coordinates on a part of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureCoordinates {
    /// Coordinates to the right and up, each from 0 to 1.
    pub uv: [f64; 2],
    /// Lengths of the part in both directions, m.
    pub size: [f64; 2],
    /// True if the part is closed in the horizontal direction.
    pub is_closed: bool,
}

impl Wrap {
    /// Returns the mapping of a shape. Grids have none; meshes without texture coordinates in their file have that of their
    /// bounding box.
    #[must_use]
    pub fn of<M>(shape: &Shape<M>) -> Option<Self> {
        Some(match *shape {
            Shape::Box { dimension } => Self::Sides {
                low: dimension.map(|side| -side.abs() / 2.0),
                high: dimension.map(|side| side.abs() / 2.0),
            },
            Shape::Sphere { radius } => Self::Ball {
                radius: radius.abs(),
            },
            Shape::Cylinder { radius, height } => Self::Turned {
                radius: radius.abs(),
                least: radius.abs(),
                low: height.min(0.0),
                high: height.max(0.0),
            },
            Shape::Cone {
                start_radius,
                end_radius,
                height,
            } => Self::Turned {
                radius: start_radius.abs().max(end_radius.abs()),
                least: start_radius.abs().min(end_radius.abs()),
                low: height.min(0.0),
                high: height.max(0.0),
            },
            Shape::Capsule { radius, height } => Self::Capsule {
                radius: radius.abs(),
                low: height.min(0.0),
                high: height.max(0.0),
            },
            Shape::Grid { .. } | Shape::Mesh(_) => return None,
        })
    }

    /// Returns the texture coordinates of a point of the surface with this normal.
    #[must_use]
    pub fn texture_coordinates(&self, point: [f64; 3], normal: [f64; 3]) -> TextureCoordinates {
        match *self {
            Self::Sides { low, high } => side(point, normal, low, high),
            Self::Ball { radius } => {
                let length = libm::hypot(libm::hypot(point[0], point[1]), point[2]);
                let up = libm::asin((point[2] / length.max(1e-300)).clamp(-1.0, 1.0));
                TextureCoordinates {
                    uv: [around(point), 0.5 + up / PI],
                    size: [2.0 * PI * radius, PI * radius],
                    is_closed: true,
                }
            }
            Self::Turned {
                radius,
                least,
                low,
                high,
            } => {
                let is_end =
                    normal[0] * normal[0] + normal[1] * normal[1] < 1e-12 * normal[2] * normal[2];
                if is_end {
                    let half = [radius, radius, 0.0];
                    return side(point, normal, half.map(|half| -half), half);
                }
                TextureCoordinates {
                    uv: [around(point), (point[2] - low) / (high - low).max(1e-300)],
                    size: [2.0 * PI * radius, libm::hypot(high - low, radius - least)],
                    is_closed: true,
                }
            }
            Self::Capsule { radius, low, high } => {
                let across = libm::hypot(point[0], point[1]);
                let quarter = PI / 2.0 * radius;
                let cap = |center: f64| radius * libm::atan2(point[2] - center, across);
                let along = if point[2] < low {
                    quarter + cap(low)
                } else if point[2] > high {
                    quarter + high - low + cap(high)
                } else {
                    quarter + point[2] - low
                };
                let length = 2.0 * quarter + high - low;
                TextureCoordinates {
                    uv: [around(point), along / length.max(1e-300)],
                    size: [2.0 * PI * radius, length],
                    is_closed: true,
                }
            }
        }
    }
}

/// Returns the fraction of a turn around z at which a point is, from −x to the left seen from above: 0 to 1.
fn around(point: [f64; 3]) -> f64 {
    0.5 + libm::atan2(point[1], point[0]) / (2.0 * PI)
}

/// For each side, by the axis of its normal and whether it is the upper side: the axes that run to the right and up in it,
/// and whether they run backwards.
const SIDES: [[[(usize, bool); 2]; 2]; 3] = [
    [[(1, true), (2, false)], [(1, false), (2, false)]],
    [[(0, false), (2, false)], [(0, true), (2, false)]],
    [[(0, true), (1, false)], [(0, false), (1, false)]],
];

fn side(point: [f64; 3], normal: [f64; 3], low: [f64; 3], high: [f64; 3]) -> TextureCoordinates {
    let steep = |axis: usize| normal[axis].abs();
    let axis = (1..3).fold(0, |best, axis| {
        if steep(axis) > steep(best) {
            axis
        } else {
            best
        }
    });
    let along = |(axis, is_backwards): (usize, bool)| {
        let length = high[axis] - low[axis];
        let from = if is_backwards {
            high[axis] - point[axis]
        } else {
            point[axis] - low[axis]
        };
        (from / length.max(1e-300), length)
    };
    let [(u, width), (v, height)] = SIDES[axis][usize::from(normal[axis] > 0.0)].map(along);
    TextureCoordinates {
        uv: [u, v],
        size: [width, height],
        is_closed: false,
    }
}

impl TextureCoordinates {
    /// Returns the numbers of repetitions of the texture, horizontally and vertically, on the whole part: squares of a
    /// checker, or images with this shape (height over width). Closed parts get an integer number of images, or of pairs of
    /// squares.
    #[must_use]
    pub fn counts(&self, paint: &Paint, image_shape: f64) -> [f64; 2] {
        let (unit, pair, shape) = match paint.pattern {
            Pattern::Checker(_) => (2.0, 2.0, 1.0),
            Pattern::Image(_) => (1.0, 1.0, image_shape),
        };
        let Some(size) = paint.size else {
            return [unit; 2];
        };
        let mut count = [self.size[0] / size, self.size[1] / (size * shape)];
        if self.is_closed {
            count[0] = ((count[0] / pair).round() * pair).max(pair);
        }
        count
    }

    /// Returns the coordinates in units of repetitions; see [`TextureCoordinates::counts`].
    #[must_use]
    pub fn repeated(&self, paint: &Paint, image_shape: f64) -> [f64; 2] {
        let count = self.counts(paint, image_shape);
        [self.uv[0] * count[0], self.uv[1] * count[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Wrap = Wrap::Sides {
        low: [-1.0, -2.0, -3.0],
        high: [1.0, 2.0, 3.0],
    };

    #[test]
    fn the_sides_of_a_box_are_upright_from_outside() {
        // Lower left and upper right corners of each side, seen from outside.
        for (normal, lower_left, upper_right) in [
            ([1.0, 0.0, 0.0], [1.0, -2.0, -3.0], [1.0, 2.0, 3.0]),
            ([-1.0, 0.0, 0.0], [-1.0, 2.0, -3.0], [-1.0, -2.0, 3.0]),
            ([0.0, 1.0, 0.0], [1.0, 2.0, -3.0], [-1.0, 2.0, 3.0]),
            ([0.0, -1.0, 0.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0]),
            ([0.0, 0.0, 1.0], [-1.0, -2.0, 3.0], [1.0, 2.0, 3.0]),
            ([0.0, 0.0, -1.0], [1.0, -2.0, -3.0], [-1.0, 2.0, -3.0]),
        ] {
            assert_eq!(
                BOX.texture_coordinates(lower_left, normal).uv,
                [0.0, 0.0],
                "{normal:?}"
            );
            assert_eq!(
                BOX.texture_coordinates(upper_right, normal).uv,
                [1.0, 1.0],
                "{normal:?}"
            );
        }
        assert_eq!(
            BOX.texture_coordinates([0.0, 0.0, 3.0], [0.0, 0.0, 2.0])
                .size,
            [2.0, 4.0]
        );
    }

    #[test]
    fn round_things_are_wrapped_around() {
        let ball = Wrap::Ball { radius: 2.0 };
        for (point, expected) in [
            ([2.0, 0.0, 0.0], [0.5, 0.5]),
            ([0.0, 2.0, 0.0], [0.75, 0.5]),
            ([0.0, -2.0, 0.0], [0.25, 0.5]),
            ([0.0, 0.0, 2.0], [0.5, 1.0]),
            ([1.0, 0.0, -(3.0_f64.sqrt())], [0.5, 1.0 / 6.0]),
        ] {
            let uv = ball.texture_coordinates(point, point).uv;
            let off = (uv[0] - expected[0]).abs() + (uv[1] - expected[1]).abs();
            assert!(off < 1e-12, "{point:?}: {uv:?}");
        }
        let tube = Wrap::of(&Shape::<()>::Cone {
            start_radius: 1.0,
            end_radius: 0.5,
            height: -2.0,
        })
        .unwrap();
        let flank = tube.texture_coordinates([0.75, 0.0, -1.0], [1.0, 0.0, -0.25]);
        assert_eq!(flank.uv, [0.5, 0.5]);
        assert_eq!(flank.size, [2.0 * PI, libm::hypot(2.0, 0.5)]);
        let end = tube.texture_coordinates([0.5, -1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!((end.uv, end.size), ([0.75, 0.0], [2.0, 2.0]));
    }

    #[test]
    fn a_capsule_is_measured_along_its_surface() {
        let pill = Wrap::Capsule {
            radius: 1.0,
            low: 0.0,
            high: 2.0,
        };
        let length = PI + 2.0;
        for (point, along) in [
            ([0.0, 0.0, -1.0], 0.0),
            ([1.0, 0.0, 0.0], PI / 2.0),
            ([1.0, 0.0, 1.5], PI / 2.0 + 1.5),
            ([0.5_f64.sqrt(), 0.0, 2.0 + 0.5_f64.sqrt()], 0.75 * PI + 2.0),
        ] {
            let height = pill.texture_coordinates(point, point).uv[1] * length;
            assert!((height - along).abs() < 1e-12, "{point:?}: {height}");
        }
    }

    #[test]
    fn patterns_have_a_size_in_metres() {
        let texture_coordinates = BOX.texture_coordinates([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let paint = |pattern, size| Paint { pattern, size };
        let checker = Pattern::Checker([0.0; 3]);
        let repetitions = |paint: Paint| texture_coordinates.repeated(&paint, 0.5);
        assert_eq!(repetitions(paint(checker.clone(), None)), [1.0, 1.0]);
        // 2 m from the edge below and 3 m from that to the left, with squares of half a metre.
        assert_eq!(repetitions(paint(checker.clone(), Some(0.5))), [4.0, 6.0]);
        // Images half as high as wide.
        assert_eq!(repetitions(paint(Pattern::Image(0), Some(2.0))), [1.0, 3.0]);
        // Around a ball: 6.28 m, so 4 of the 5 squares of 1.3 m.
        let ball = Wrap::Ball { radius: 1.0 };
        let end = TextureCoordinates {
            uv: [1.0, 0.0],
            ..ball.texture_coordinates([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
        };
        assert_eq!(end.repeated(&paint(checker, Some(1.3)), 1.0), [4.0, 0.0]);
    }
}
