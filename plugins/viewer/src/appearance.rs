//! Materials and meshes of shapes: colours, images, checkers, highlights.
use bevy::{
    asset::RenderAssetUsages,
    image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor},
    mesh::VertexAttributeValues,
    prelude::*,
    render::render_resource::{Extent3d, TextureDimension, TextureFormat},
};
use morse_api::{
    paint::{Paint, Pattern, TextureCoordinates, Wrap},
    world_view::{Gloss, ScaledMesh, Scenery, Shape, ShapeInfo, Triangles},
};

use crate::shape;

/// Appearance of a part of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Appearance {
    color: [f64; 4],
    pattern: Option<Pattern>,
    gloss: Gloss,
    /// True if both sides of the triangles are visible.
    is_open: bool,
}

/// Returns the parts of a shape with their appearance: one part, or for a mesh one per material.
pub(crate) fn pieces(shape: &ShapeInfo, scenery: &Scenery) -> Vec<(Mesh, Appearance)> {
    let is_open = matches!(shape.shape, Shape::Grid { .. } | Shape::Mesh(_));
    let appearance = Appearance {
        color: shape.color,
        pattern: shape.paint.as_ref().map(|paint| paint.pattern.clone()),
        gloss: shape.gloss,
        is_open,
    };
    if let (Shape::Mesh(ScaledMesh { mesh, scale }), None) = (&shape.shape, &shape.paint)
        && let Some(from) = scenery.meshes.get(*mesh)
    {
        return parts(from, *scale as f32, &appearance);
    }
    let Some(mesh) = shape::mesh(&shape.shape, scenery) else {
        return Vec::new();
    };
    let mesh = match &shape.paint {
        Some(paint) => painted(mesh, &shape.shape, paint, scenery),
        None => mesh,
    };
    vec![(mesh, appearance)]
}

/// Returns the parts of a mesh that have their own material, and the rest.
fn parts(from: &Triangles, scale: f32, appearance: &Appearance) -> Vec<(Mesh, Appearance)> {
    let is_of_part = |face: &usize| from.parts.iter().any(|part| part.faces.contains(face));
    let rest: Vec<usize> = (0..from.faces.len())
        .filter(|face| !is_of_part(face))
        .collect();
    let rest = shape::triangles(from, &rest, scale).map(|mesh| (mesh, appearance.clone()));
    let own = from.parts.iter().filter_map(|part| {
        let faces: Vec<usize> = part.faces.clone().collect();
        let [red, green, blue] = part.color;
        let own = Appearance {
            color: [red, green, blue, appearance.color[3]],
            pattern: part.image.map(Pattern::Image),
            gloss: part.gloss,
            is_open: appearance.is_open,
        };
        Some((shape::triangles(from, &faces, scale)?, own))
    });
    rest.into_iter().chain(own).collect()
}

/// Returns a mesh with texture coordinates for its pattern.
fn painted(mut mesh: Mesh, shape: &Shape<ScaledMesh>, paint: &Paint, scenery: &Scenery) -> Mesh {
    let has_own = mesh.contains_attribute(Mesh::ATTRIBUTE_UV_0);
    if matches!(shape, Shape::Mesh(_)) && has_own && paint.size.is_none() {
        return mesh;
    }
    if mesh.indices().is_some() {
        mesh.duplicate_vertices();
    }
    let corners = |name| match mesh.attribute(name) {
        Some(VertexAttributeValues::Float32x3(values)) => values.clone(),
        _ => Vec::new(),
    };
    let (positions, normals) = (
        corners(Mesh::ATTRIBUTE_POSITION),
        corners(Mesh::ATTRIBUTE_NORMAL),
    );
    let Some(wrap) = Wrap::of(shape).or_else(|| around(&positions)) else {
        return mesh;
    };
    let image_shape = match paint.pattern {
        Pattern::Image(index) => scenery.images.get(index).map_or(1.0, |image| {
            f64::from(image.height) / f64::from(image.width.max(1))
        }),
        Pattern::Checker(_) => 1.0,
    };
    // The texture of a checker contains two squares in each direction.
    let unit = if matches!(paint.pattern, Pattern::Checker(_)) {
        2.0
    } else {
        1.0
    };
    let mut coordinates = Vec::with_capacity(positions.len());
    for (corners, normals) in positions.chunks_exact(3).zip(normals.chunks_exact(3)) {
        let mut wrapped = [0, 1, 2].map(|corner| {
            wrap.texture_coordinates(
                corners[corner].map(f64::from),
                normals[corner].map(f64::from),
            )
        });
        if wrapped.iter().any(|corner| corner.is_closed) {
            let is_pole = [0, 1, 2].map(|corner| {
                let [x, y, _] = corners[corner];
                x.abs() + y.abs() < 1e-6
            });
            close(&mut wrapped, is_pole);
        }
        coordinates.extend(wrapped.map(|corner| {
            let [right, up] = corner
                .repeated(paint, image_shape)
                .map(|coordinate| coordinate / unit);
            [right as f32, (1.0 - up) as f32]
        }));
    }
    mesh.with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, coordinates)
}

/// Makes the texture coordinates of a triangle continuous on a closed surface: beyond the seam they continue, and a pole,
/// whose angle is undefined, gets the mean of the other corners.
fn close(corners: &mut [TextureCoordinates; 3], is_pole: [bool; 3]) {
    let others = || corners.iter().zip(is_pole).filter(|(_, is_pole)| !is_pole);
    let most = others().map(|(corner, _)| corner.uv[0]).fold(0.0, f64::max);
    for (corner, is_pole) in corners.iter_mut().zip(is_pole) {
        if !is_pole && corner.is_closed && most - corner.uv[0] > 0.5 {
            corner.uv[0] += 1.0;
        }
    }
    let others = || corners.iter().zip(is_pole).filter(|(_, is_pole)| !is_pole);
    let count = others().count();
    if count > 0 {
        let mean = others().map(|(corner, _)| corner.uv[0]).sum::<f64>() / count as f64;
        for (corner, _) in corners
            .iter_mut()
            .zip(is_pole)
            .filter(|(_, is_pole)| *is_pole)
        {
            corner.uv[0] = mean;
        }
    }
}

/// Returns the bounding box of points.
fn around(points: &[[f32; 3]]) -> Option<Wrap> {
    let first = points.first()?.map(f64::from);
    let (mut low, mut high) = (first, first);
    for point in points {
        for axis in 0..3 {
            low[axis] = low[axis].min(f64::from(point[axis]));
            high[axis] = high[axis].max(f64::from(point[axis]));
        }
    }
    Some(Wrap::Sides { low, high })
}

impl Appearance {
    /// Returns the material for an appearance.
    pub(crate) fn material(
        &self,
        scenery: &Scenery,
        images: &mut Assets<Image>,
    ) -> StandardMaterial {
        let [red, green, blue, alpha] = self.color.map(|channel| channel as f32);
        let own = Color::srgba(red, green, blue, alpha);
        let texture = match &self.pattern {
            Some(Pattern::Checker(other)) => Some(checker(self.color, *other)),
            Some(Pattern::Image(index)) => scenery
                .images
                .get(*index)
                .map(|image| blended(image, self.color)),
            None => None,
        };
        let has_texture = texture.is_some();
        let gloss = self
            .gloss
            .color
            .iter()
            .fold(0.0, |most: f64, channel| most.max(*channel)) as f32;
        StandardMaterial {
            base_color: if has_texture {
                Color::srgba(1.0, 1.0, 1.0, alpha)
            } else {
                own
            },
            base_color_texture: texture.map(|texture| images.add(texture)),
            // Walter and others (2007): Blinn's exponent n is 2 / a² - 2, where a is the square of the perceptual roughness.
            perceptual_roughness: if gloss > 0.0 {
                ops::powf(2.0 / (self.gloss.shininess as f32 + 2.0), 0.25).clamp(0.089, 1.0)
            } else {
                1.0
            },
            // A reflectance of one half is usual for dielectrics.
            reflectance: 0.5 * gloss.min(1.0),
            alpha_mode: if alpha < 1.0 {
                AlphaMode::Blend
            } else {
                AlphaMode::Opaque
            },
            double_sided: self.is_open,
            cull_mode: None,
            ..default()
        }
    }
}

/// Returns the texture of a checker: two by two squares.
fn checker(own: [f64; 4], other: [f64; 3]) -> Image {
    let code = |channel: f64| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [red, green, blue, _] = own.map(code);
    let own = [red, green, blue, 255];
    let [red, green, blue] = other.map(code);
    let other = [red, green, blue, 255];
    // Row by row from the top: the lower left square has the other colour.
    texture(
        2,
        2,
        [own, other, other, own].as_flattened().to_vec(),
        ImageFilterMode::Nearest,
    )
}

/// Blends an image with opacity over a colour.
fn blended(image: &morse_api::paint::Image, under: [f64; 4]) -> Image {
    let (pixels, _) = image.pixels.as_chunks::<4>();
    let under =
        [under[0], under[1], under[2]].map(|channel| (channel.clamp(0.0, 1.0) * 255.0) as f32);
    let over = |[red, green, blue, alpha]: &[u8; 4]| {
        let share = f32::from(*alpha) / 255.0;
        let [red, green, blue] = [(red, under[0]), (green, under[1]), (blue, under[2])]
            .map(|(code, under)| (f32::from(*code) * share + under * (1.0 - share)).round() as u8);
        [red, green, blue, 255]
    };
    let bytes = pixels.iter().flat_map(over).collect();
    texture(image.width, image.height, bytes, ImageFilterMode::Linear)
}

fn texture(width: u32, height: u32, bytes: Vec<u8>, filter: ImageFilterMode) -> Image {
    let size = Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(
        size,
        TextureDimension::D2,
        bytes,
        format,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        mag_filter: filter,
        min_filter: filter,
        ..default()
    });
    image
}

#[cfg(test)]
mod tests {
    use morse_api::world_view::Part;
    use nalgebra::Isometry3;

    use super::*;

    fn shape(shape: Shape<ScaledMesh>, paint: Option<Paint>) -> ShapeInfo {
        ShapeInfo {
            body: 0,
            body_from_shape: Isometry3::identity(),
            shape,
            color: [1.0, 0.0, 0.0, 1.0],
            paint,
            gloss: Gloss::default(),
        }
    }

    fn texture_coordinates(mesh: &Mesh) -> Vec<[f32; 2]> {
        match mesh.attribute(Mesh::ATTRIBUTE_UV_0) {
            Some(VertexAttributeValues::Float32x2(texture_coordinates)) => {
                texture_coordinates.clone()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_checker_has_two_squares_a_texture() {
        let paint = Paint {
            pattern: Pattern::Checker([0.0; 3]),
            size: Some(0.25),
        };
        let pieces = pieces(
            &shape(
                Shape::Box {
                    dimension: [1.0; 3],
                },
                Some(paint),
            ),
            &Scenery::default(),
        );
        let [(mesh, appearance)] = pieces.as_slice() else {
            panic!("one piece")
        };
        // Four squares along a side are two textures.
        let most = texture_coordinates(mesh)
            .iter()
            .fold(f32::MIN, |most, [right, _]| most.max(*right));
        assert_eq!(most, 2.0);
        let mut images = Assets::<Image>::default();
        let material = appearance.material(&Scenery::default(), &mut images);
        let image = images.get(&material.base_color_texture.unwrap()).unwrap();
        let expected = [
            [255, 0, 0, 255],
            [0, 0, 0, 255],
            [0, 0, 0, 255],
            [255, 0, 0, 255],
        ];
        assert_eq!(image.data.as_deref(), Some(expected.as_flattened()));
    }

    #[test]
    fn no_triangle_goes_back_around_a_ball() {
        let paint = Paint {
            pattern: Pattern::Image(0),
            size: None,
        };
        let pieces = pieces(
            &shape(Shape::Sphere { radius: 1.0 }, Some(paint)),
            &Scenery::default(),
        );
        for corners in texture_coordinates(&pieces[0].0).chunks_exact(3) {
            let across = |one: [f32; 2], two: [f32; 2]| (one[0] - two[0]).abs();
            assert!(
                across(corners[0], corners[1]) < 0.51 && across(corners[0], corners[2]) < 0.51,
                "{corners:?}"
            );
        }
    }

    #[test]
    fn a_mesh_has_a_piece_for_each_material() {
        let mut scenery = Scenery::default();
        scenery.meshes.push(Triangles {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            faces: vec![[0, 1, 2], [0, 1, 3], [0, 2, 3]],
            parts: vec![Part {
                faces: 1..2,
                color: [0.0, 1.0, 0.0],
                image: None,
                gloss: Gloss::default(),
            }],
            ..Triangles::default()
        });
        let mesh = Shape::Mesh(ScaledMesh {
            mesh: 0,
            scale: 2.0,
        });
        let pieces = pieces(&shape(mesh, None), &scenery);
        let actual: Vec<_> = pieces
            .iter()
            .map(|(mesh, appearance)| (mesh.count_vertices(), appearance.color))
            .collect();
        assert_eq!(
            actual,
            [(6, [1.0, 0.0, 0.0, 1.0]), (3, [0.0, 1.0, 0.0, 1.0])]
        );
    }
}
