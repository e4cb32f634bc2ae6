//! Triangle meshes of shapes.
use std::f32::consts::{FRAC_PI_2, TAU};

use bevy::{asset::RenderAssetUsages, mesh::PrimitiveTopology, prelude::*};
use morse_api::world_view::{ScaledMesh, Scenery, Shape, Triangles};

/// Number of edges that approximate a circle.
const EDGES: u32 = 48;
/// Maximum number of lines of a grid; a grid with more is drawn as a surface.
const MOST_LINES: f64 = 2000.0;

/// Returns the triangles of a shape, in its axes, or `None` if its size is zero.
pub(crate) fn mesh(shape: &Shape<ScaledMesh>, scenery: &Scenery) -> Option<Mesh> {
    Some(match shape {
        Shape::Box { dimension } => {
            let [x, y, z] = dimension.map(|side| side.abs() as f32);
            Cuboid::new(x, y, z).into()
        }
        Shape::Sphere { radius } => Sphere::new(radius.abs() as f32).mesh().uv(EDGES, EDGES / 2),
        Shape::Cylinder { radius, height } => cone(*radius as f32, *radius as f32, *height as f32),
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => cone(*start_radius as f32, *end_radius as f32, *height as f32),
        Shape::Capsule { radius, height } => {
            let capsule = Capsule3d::new(radius.abs() as f32, height.abs() as f32);
            let mesh = capsule
                .mesh()
                .longitudes(EDGES)
                .latitudes(EDGES / 2)
                .build();
            upright(mesh, *height as f32)
        }
        Shape::Grid {
            dimension,
            delta,
            thickness,
        } => grid(dimension, delta, *thickness as f32),
        Shape::Mesh(ScaledMesh { mesh, scale }) => {
            let from = scenery.meshes.get(*mesh)?;
            let all: Vec<usize> = (0..from.faces.len()).collect();
            triangles(from, &all, *scale as f32)?
        }
    })
}

/// Rotates a mesh that extends along y to z, and moves its start to z = 0.
fn upright(mesh: Mesh, height: f32) -> Mesh {
    mesh.rotated_by(Quat::from_rotation_x(FRAC_PI_2))
        .translated_by(Vec3::Z * (height / 2.0))
}

/// Returns a cone, a truncated cone, or a cylinder, from z = 0 to z = `height`.
fn cone(start: f32, end: f32, height: f32) -> Mesh {
    let (bottom, top) = if height < 0.0 {
        (end, start)
    } else {
        (start, end)
    };
    let frustum = ConicalFrustum {
        radius_bottom: bottom.abs(),
        radius_top: top.abs(),
        height: height.abs(),
    };
    upright(frustum.mesh().resolution(EDGES).build(), height)
}

/// Returns the lines of a grid, each with the thickness as its width, visible from both sides.
fn grid(half: &[f64; 2], delta: &[f64; 2], thickness: f32) -> Mesh {
    let mut corners: Vec<[f32; 3]> = Vec::new();
    let mut line = |along_x: bool, at: f32, half_length: f32| {
        let wide = thickness.abs().max(1e-4) / 2.0;
        let point = |length: f32, side: f32| {
            if along_x {
                [length, side, 0.0]
            } else {
                [side, length, 0.0]
            }
        };
        let [a, b, c, d] = [
            point(-half_length, at - wide),
            point(half_length, at - wide),
            point(half_length, at + wide),
            point(-half_length, at + wide),
        ];
        corners.extend([a, b, c, a, c, d]);
    };
    for (axis, along_x) in [(1, true), (0, false)] {
        let (half_length, step) = (half[axis].abs(), delta[axis].abs());
        let lines = if step > 0.0 {
            (half_length / step).floor().min(MOST_LINES) as i32
        } else {
            0
        };
        for number in -lines..=lines {
            line(
                along_x,
                (f64::from(number) * step) as f32,
                half[1 - axis].abs() as f32,
            );
        }
    }
    let normals = vec![[0.0, 0.0, 1.0]; corners.len()];
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
}

/// Returns the selected triangles of a file, with its normals if it has any. Otherwise normals are computed, and edges
/// sharper than 40 degrees stay sharp.
pub(crate) fn triangles(from: &Triangles, which: &[usize], scale: f32) -> Option<Mesh> {
    let vertex = |index: u32| {
        let corner = from.vertices.get(index as usize)?;
        Some(Vec3::from(*corner) * scale)
    };
    let face = |index: &usize| {
        let [a, b, c] = *from.faces.get(*index)?;
        Some(([a, b, c], [vertex(a)?, vertex(b)?, vertex(c)?]))
    };
    let (corners, faces): (Vec<[u32; 3]>, Vec<[Vec3; 3]>) = which.iter().filter_map(face).unzip();
    if faces.is_empty() {
        return None;
    }
    let corners = corners.as_flattened();
    let known: Option<Vec<[f32; 3]>> = corners
        .iter()
        .map(|&index| {
            let normal = Vec3::from(*from.normals.get(index as usize)?);
            Some(normal.try_normalize()?.to_array())
        })
        .collect();
    let positions: Vec<[f32; 3]> = faces.as_flattened().iter().map(Vec3::to_array).collect();
    let mut mesh = Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_NORMAL,
        known.unwrap_or_else(|| creased(&faces)),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    let coordinates: Option<Vec<[f32; 2]>> = corners
        .iter()
        .map(|&index| {
            let [right, up] = *from.coordinates.get(index as usize)?;
            Some([right, 1.0 - up])
        })
        .collect();
    if let Some(coordinates) = coordinates {
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, coordinates);
    }
    Some(mesh)
}

/// Cosine of the angle above which an edge is sharp.
const SHARP: f32 = 0.766;

/// Returns a normal for each corner: the mean of the adjacent faces whose edges are not sharp.
fn creased(faces: &[[Vec3; 3]]) -> Vec<[f32; 3]> {
    let key = |point: &Vec3| {
        point
            .to_array()
            .map(|coordinate| (coordinate + 0.0).to_bits())
    };
    let normal = |[a, b, c]: &[Vec3; 3]| (b - a).cross(c - a);
    let mut around: std::collections::BTreeMap<[u32; 3], Vec<Vec3>> = Default::default();
    for face in faces {
        for point in face {
            around.entry(key(point)).or_default().push(normal(face));
        }
    }
    let corner = |own: Vec3, point: &Vec3| {
        let flat = own.normalize_or_zero();
        let others = around.get(&key(point)).into_iter().flatten();
        let near = others.filter(|other| other.normalize_or_zero().dot(flat) > SHARP);
        let sum: Vec3 = near.sum();
        sum.try_normalize()
            .unwrap_or(if flat == Vec3::ZERO { Vec3::Z } else { flat })
    };
    faces
        .iter()
        .flat_map(|face| face.map(|point| corner(normal(face), &point).to_array()))
        .collect()
}

/// Returns points on a circle about z; the first and the last one are equal.
pub(crate) fn circle(radius: f32) -> impl Iterator<Item = Vec3> {
    (0..=EDGES).map(move |edge| {
        let (sin, cos) = ops::sin_cos(TAU * edge as f32 / EDGES as f32);
        Vec3::new(radius * cos, radius * sin, 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the minimum and maximum corner.
    fn bounds(mesh: &Mesh) -> [Vec3; 2] {
        let positions = mesh
            .attribute(Mesh::ATTRIBUTE_POSITION)
            .unwrap()
            .as_float3()
            .unwrap();
        let points = positions.iter().map(|at| Vec3::from(*at));
        points.fold([Vec3::MAX, Vec3::MIN], |[low, high], point| {
            [low.min(point), high.max(point)]
        })
    }

    fn is_near(actual: [Vec3; 2], low: [f32; 3], high: [f32; 3]) -> bool {
        actual[0].distance(low.into()) < 1e-4 && actual[1].distance(high.into()) < 1e-4
    }

    #[test]
    fn forms_are_where_the_scene_says() {
        let scenery = Scenery::default();
        let bounds_of = |form| bounds(&mesh(&form, &scenery).unwrap());
        assert!(is_near(
            bounds_of(Shape::Box {
                dimension: [1.0, 2.0, 4.0],
            }),
            [-0.5, -1.0, -2.0],
            [0.5, 1.0, 2.0]
        ));
        assert!(is_near(
            bounds_of(Shape::Sphere { radius: 2.0 }),
            [-2.0; 3],
            [2.0; 3]
        ));
        let cone = |height| Shape::Cone {
            start_radius: 1.0,
            end_radius: 0.5,
            height,
        };
        assert!(is_near(
            bounds_of(cone(3.0)),
            [-1.0, -1.0, 0.0],
            [1.0, 1.0, 3.0]
        ));
        assert!(is_near(
            bounds_of(cone(-3.0)),
            [-1.0, -1.0, -3.0],
            [1.0, 1.0, 0.0]
        ));
        let capsule = Shape::Capsule {
            radius: 0.5,
            height: 2.0,
        };
        assert!(is_near(
            bounds_of(capsule),
            [-0.5, -0.5, -0.5],
            [0.5, 0.5, 2.5]
        ));
        let grid = Shape::Grid {
            dimension: [2.0, 1.0],
            delta: [1.0, 0.5],
            thickness: 0.1,
        };
        assert!(is_near(
            bounds_of(grid),
            [-2.05, -1.05, 0.0],
            [2.05, 1.05, 0.0]
        ));
    }

    #[test]
    fn the_wide_end_of_a_cone_is_its_start() {
        let scenery = Scenery::default();
        let cone = Shape::Cone {
            start_radius: 1.0,
            end_radius: 0.0,
            height: -2.0,
        };
        let mesh = mesh(&cone, &scenery).unwrap();
        let positions = mesh
            .attribute(Mesh::ATTRIBUTE_POSITION)
            .unwrap()
            .as_float3()
            .unwrap();
        let widest = positions
            .iter()
            .max_by(|one, two| one[0].total_cmp(&two[0]))
            .unwrap();
        assert!(widest[2].abs() < 1e-6, "{widest:?}");
    }

    #[test]
    fn sharp_edges_stay_sharp_and_smooth_ones_are_smoothed() {
        let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.2)];
        let smooth = creased(&[[a, b, c], [b, d, c]]);
        assert_eq!(smooth[1], smooth[3], "one normal at b");
        assert_ne!(smooth[0], smooth[1]);
        let sharp = creased(&[[a, b, c], [a, c, Vec3::Z]]);
        assert_eq!(sharp[0], [0.0, 0.0, 1.0]);
        assert_eq!(sharp[3], [1.0, 0.0, 0.0]);
    }

    #[test]
    fn what_has_no_triangles_is_not_drawn() {
        let mut scenery = Scenery::default();
        scenery.meshes.push(Triangles {
            vertices: vec![[0.0; 3]],
            faces: vec![[0, 1, 2]],
            ..Triangles::default()
        });
        assert!(
            mesh(
                &Shape::Mesh(ScaledMesh {
                    mesh: 0,
                    scale: 1.0
                }),
                &scenery
            )
            .is_none()
        );
        assert!(
            mesh(
                &Shape::Mesh(ScaledMesh {
                    mesh: 7,
                    scale: 1.0
                }),
                &scenery
            )
            .is_none()
        );
    }
}
