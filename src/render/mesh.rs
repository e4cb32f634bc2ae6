//! Meshes as they are looked at: triangles with the normals of their corners.
use std::{path::Path, sync::Arc};

use nalgebra::Vector3;

use crate::{physics, rays};

/// A mesh that is drawn.
pub(super) struct VisualMesh {
    /// What rays meet.
    pub(super) triangles: Arc<rays::Mesh>,
    vertices: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    /// Empty where the file has none.
    normals: Vec<[f32; 3]>,
}

impl VisualMesh {
    /// Reads a mesh file.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        physics::mesh::read(file).map(Self::new)
    }

    pub(super) fn new(read: physics::mesh::Triangles) -> Self {
        let physics::mesh::Triangles {
            vertices,
            faces,
            normals,
        } = read;
        Self {
            triangles: Arc::new(rays::Mesh::new(&vertices, &faces)),
            vertices,
            faces,
            normals,
        }
    }

    /// The normal at a place on a face, in the frame of the mesh: that of the corners, mixed, or else that of the
    /// plane. Not of any certain length, and to either side.
    pub(super) fn normal(&self, face: u32, at: &Vector3<f64>) -> Vector3<f64> {
        let Some(corners) = self.faces.get(face as usize) else {
            return Vector3::z();
        };
        let [a, b, c] = corners.map(|corner| vector(&self.vertices, corner));
        let plane = (b - a).cross(&(c - a));
        let [na, nb, nc] = corners.map(|corner| vector(&self.normals, corner));
        // Shares of the opposite parts of the triangle.
        let share =
            |from: &Vector3<f64>, to: &Vector3<f64>| (to - from).cross(&(at - from)).dot(&plane);
        let (sa, sb, sc) = (share(&b, &c), share(&c, &a), share(&a, &b));
        let mixed = na * sa + nb * sb + nc * sc;
        if mixed.norm_squared() > 0.0 {
            mixed
        } else {
            plane
        }
    }
}

fn vector(of: &[[f32; 3]], index: u32) -> Vector3<f64> {
    let found = of.get(index as usize).copied().unwrap_or_default();
    Vector3::from(found.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use physics::mesh::Triangles;

    fn mesh(normals: Vec<[f32; 3]>) -> VisualMesh {
        VisualMesh::new(Triangles {
            vertices: vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            faces: vec![[0, 1, 2]],
            normals,
        })
    }

    #[test]
    fn normals_are_mixed_by_how_near_the_corners_are() {
        let bent = mesh(vec![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        for (at, expected) in [
            ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ([2.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
            ([1.0, 0.0, 0.0], [0.5, 0.0, 0.5]),
            ([1.0, 1.0, 0.0], [0.5, 0.0, 0.5]),
        ] {
            let normal = bent.normal(0, &at.into()).normalize();
            assert!(
                (normal - Vector3::from(expected).normalize()).norm() < 1e-12,
                "{at:?}"
            );
        }
        let flat = mesh(Vec::new()).normal(0, &Vector3::new(0.5, 0.5, 0.0));
        assert_eq!(flat.normalize(), Vector3::z());
    }
}
