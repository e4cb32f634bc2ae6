//! Submerged part of a shape: its volume and its centroid.

use bevy_rapier3d::parry::shape::{Shape, TypedShape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{convert, prepare::PreparedSolid};

/// Number of sides of the polygons that replace circles.
const SIDES: u32 = 24;

/// A closed triangle mesh, with outward normals by the right-hand rule, in the frame of its body. Boxes and meshes are
/// exact; round shapes are polyhedra of the same volume.
pub(crate) struct Hull {
    triangles: Vec<[Vector3<f64>; 3]>,
    volume: f64,
    center: Vector3<f64>,
    /// Distance from the centre to the farthest point, m.
    radius: f64,
}

impl Hull {
    /// Returns the surface of a solid; `None` without volume.
    pub(super) fn new(solid: &PreparedSolid) -> Option<Self> {
        let shape = &*solid.solid.shape;
        let (points, faces) = triangles(shape)?;
        let pose = solid.body_from_frame * solid.solid.frame_from_shape;
        let point = |index: u32| {
            let point = points.get(usize::try_from(index).ok()?)?;
            Some((pose * convert::point(*point)).coords)
        };
        let faces = faces
            .iter()
            .filter_map(|[one, two, three]| Some([point(*one)?, point(*two)?, point(*three)?]));
        let mut hull = Self {
            triangles: faces.collect(),
            volume: 0.0,
            center: Vector3::zeros(),
            radius: 0.0,
        };
        let everything = hull.below(&Isometry3::identity(), f64::INFINITY, Vector3::zeros());
        let exact = f64::from(shape.mass_properties(1.0).mass());
        if everything.0.is_nan() || everything.0 <= 0.0 || exact <= 0.0 {
            return None;
        }
        (hull.volume, hull.center) = (exact, everything.1);
        let scale = libm::cbrt(exact / everything.0);
        for point in hull.triangles.iter_mut().flatten() {
            *point = hull.center + (*point - hull.center) * scale;
            hull.radius = hull.radius.max((*point - hull.center).norm());
        }
        Some(hull)
    }

    /// Returns the volume, m³.
    pub(super) fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the volume below a level and its centroid, in the world, for a pose of the body.
    pub(super) fn under(&self, pose: &Isometry3<f64>, level: f64) -> (f64, Vector3<f64>) {
        let center = (pose * Point3::from(self.center)).coords;
        if center.z - self.radius >= level {
            return (0.0, center);
        }
        if center.z + self.radius <= level {
            return (self.volume, center);
        }
        // Relative to a point of the water's surface, the lid that closes the submerged part has no volume.
        self.below(pose, level, Vector3::new(center.x, center.y, level))
    }

    fn below(&self, pose: &Isometry3<f64>, level: f64, from: Vector3<f64>) -> (f64, Vector3<f64>) {
        let mut volume = 0.0;
        let mut moment = Vector3::zeros();
        let mut add = |one: &Vector3<f64>, two: &Vector3<f64>, three: &Vector3<f64>| {
            let tetrahedron = one.dot(&two.cross(three)) / 6.0;
            volume += tetrahedron;
            moment += (one + two + three) * (tetrahedron / 4.0);
        };
        for triangle in &self.triangles {
            let corners = triangle.map(|corner| (pose * Point3::from(corner)).coords - from);
            let (kept, count) = clipped(&corners, level - from.z);
            for last in 2..count {
                add(&kept[0], &kept[last - 1], &kept[last]);
            }
        }
        if volume > 0.0 {
            (volume, moment / volume + from)
        } else {
            (0.0, from)
        }
    }
}

/// Returns the polygon of a triangle that is not above a height: up to four vertices, in order.
fn clipped(corners: &[Vector3<f64>; 3], height: f64) -> ([Vector3<f64>; 4], usize) {
    let mut kept = [Vector3::zeros(); 4];
    let mut count = 0;
    let mut keep = |corner: Vector3<f64>| {
        if let Some(slot) = kept.get_mut(count) {
            *slot = corner;
            count += 1;
        }
    };
    for (index, one) in corners.iter().enumerate() {
        let two = corners.get((index + 1) % 3).unwrap_or(one);
        let (above_one, above_two) = (one.z - height, two.z - height);
        if above_one <= 0.0 {
            keep(*one);
        }
        if (above_one < 0.0 && above_two > 0.0) || (above_one > 0.0 && above_two < 0.0) {
            keep(one + (two - one) * (above_one / (above_one - above_two)));
        }
    }
    (kept, count)
}

type Mesh = (Vec<bevy::math::Vec3>, Vec<[u32; 3]>);

fn triangles(shape: &dyn Shape) -> Option<Mesh> {
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => Some(ball.to_trimesh(SIDES, SIDES)),
        TypedShape::Cuboid(cuboid) => Some(cuboid.to_trimesh()),
        TypedShape::Capsule(capsule) => Some(capsule.to_trimesh(SIDES, SIDES)),
        TypedShape::Cylinder(cylinder) => Some(cylinder.to_trimesh(SIDES)),
        TypedShape::Cone(cone) => Some(cone.to_trimesh(SIDES)),
        TypedShape::ConvexPolyhedron(hull) => Some(hull.to_trimesh()),
        TypedShape::Compound(parts) => {
            let mut all = Mesh::default();
            for (_, part) in parts.shapes() {
                let (points, faces) = triangles(&**part)?;
                let first = all.0.len() as u32;
                all.0.extend(points);
                all.1
                    .extend(faces.iter().map(|face| face.map(|corner| corner + first)));
            }
            Some(all)
        }
        _ => None,
    }
}
