//! Closed surfaces of triangles, and their normals.
use std::collections::BTreeMap;

use nalgebra::{Rotation3, Unit, Vector3};

/// Angle between faces above which their common edge is sharp, rad.
const CREASE: f64 = 0.9;

/// A surface of triangles, which are counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell {
    pub(crate) points: Vec<Vector3<f64>>,
    pub(crate) faces: Vec<[usize; 3]>,
}

/// A vertex: position and normal.
pub(crate) type Vertex = [Vector3<f64>; 2];

impl Shell {
    /// Moves the shell by a displacement, m.
    pub(crate) fn at(self, x: f64, y: f64, z: f64) -> Self {
        self.map(|point| point + Vector3::new(x, y, z))
    }

    /// Rotates the shell about an axis through the origin by an angle, degrees.
    pub(crate) fn turned(self, axis: [f64; 3], degrees: f64) -> Self {
        let axis = Unit::new_normalize(Vector3::from(axis));
        let (sin, cos) = libm::sincos(degrees.to_radians());
        let (k, c) = (axis.into_inner(), 1.0 - cos);
        let rotation = Rotation3::from_matrix_unchecked(
            nalgebra::Matrix3::identity() * cos + k * k.transpose() * c + k.cross_matrix() * sin,
        );
        self.map(|point| rotation * point)
    }

    /// Rotates the shell so that its z axis points along x.
    pub(crate) fn along_x(self) -> Self {
        self.map(|point| Vector3::new(point.z, point.y, -point.x))
    }

    /// Rotates the shell so that its z axis points along y.
    pub(crate) fn along_y(self) -> Self {
        self.map(|point| Vector3::new(point.x, point.z, -point.y))
    }

    /// Scales the shell by a factor for each axis; negative factors mirror it.
    pub(crate) fn scaled(self, x: f64, y: f64, z: f64) -> Self {
        let mut shell = self.map(|point| point.component_mul(&Vector3::new(x, y, z)));
        if x * y * z < 0.0 {
            for face in &mut shell.faces {
                face.swap(1, 2);
            }
        }
        shell
    }

    /// Adds another shell.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        let first = self.points.len();
        self.points.extend(&other.points);
        let faces = other.faces.iter();
        self.faces
            .extend(faces.map(|face| face.map(|corner| corner + first)));
        self
    }

    /// Adds the mirror image at the plane y = 0.
    pub(crate) fn mirrored(self) -> Self {
        let other = self.clone().scaled(1.0, -1.0, 1.0);
        self.and(&other)
    }

    /// Repeats the shell around the z axis.
    pub(crate) fn repeated(self, count: u32) -> Self {
        (1..count).fold(self.clone(), |all, index| {
            let angle = 360.0 * f64::from(index) / f64::from(count);
            all.and(&self.clone().turned([0.0, 0.0, 1.0], angle))
        })
    }

    /// Applies a function to all points.
    pub(crate) fn map(mut self, change: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Self {
        for point in &mut self.points {
            *point = change(*point);
        }
        self
    }

    /// Adds triangles between two rings of points with the same number of points, which are counter-clockwise seen from the
    /// side of the second one.
    pub(crate) fn join(&mut self, below: &[usize], above: &[usize]) {
        let count = below.len();
        for corner in 0..count {
            let next = (corner + 1) % count;
            let [a, b, c, d] = [below[corner], below[next], above[next], above[corner]];
            self.faces.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// Adds points, and returns their indices.
    pub(crate) fn ring(&mut self, points: impl IntoIterator<Item = Vector3<f64>>) -> Vec<usize> {
        let first = self.points.len();
        self.points.extend(points);
        (first..self.points.len()).collect()
    }

    /// Returns three vertices for each face that has an area: the normals are the means of those of the faces around a
    /// point, weighted by area, without the faces behind a sharp edge.
    pub(crate) fn vertices(&self) -> Vec<[Vertex; 3]> {
        let key = |index: usize| self.points[index].map(|value| (value * 1e6).round() as i64);
        let areas: Vec<Vector3<f64>> = self
            .faces
            .iter()
            .map(|[a, b, c]| {
                let [a, b, c] = [a, b, c].map(|corner| self.points[*corner]);
                (b - a).cross(&(c - a))
            })
            .collect();
        let mut around = BTreeMap::<[i64; 3], Vec<usize>>::new();
        for (number, face) in self.faces.iter().enumerate() {
            for corner in face {
                around.entry(key(*corner).into()).or_default().push(number);
            }
        }
        let limit = libm::cos(CREASE);
        let mut vertices = Vec::new();
        for (face, area) in self.faces.iter().zip(&areas) {
            if area.norm() < 1e-12 {
                continue;
            }
            vertices.push(face.map(|corner| {
                let faces = around.get::<[i64; 3]>(&key(corner).into());
                let smooth = faces.into_iter().flatten().filter(|other| {
                    let other = areas[**other];
                    other.dot(area) >= limit * other.norm() * area.norm()
                });
                let normal: Vector3<f64> = smooth.map(|other| areas[*other]).sum();
                [self.points[corner], normal.normalize()]
            }));
        }
        vertices
    }
}
