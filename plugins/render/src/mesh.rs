//! Visual meshes: triangles with normals, materials and texture coordinates.
use std::{path::Path, sync::Arc};

use morse_api::world_view::Gloss;
use morse_geometry::rays;
use nalgebra::{Vector2, Vector3};

use super::texture::Texture;
use crate::paint;

/// A mesh that is drawn.
pub(super) struct VisualMesh {
    /// Triangles for ray intersection.
    pub(super) triangles: Arc<rays::Mesh>,
    vertices: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    /// Normals of the vertices; empty if the file has none.
    normals: Vec<[f32; 3]>,
    /// Texture coordinates of the vertices; empty if the file has none.
    coordinates: Vec<[f32; 2]>,
    /// First face, face after the last, and material, for each part.
    parts: Vec<(usize, usize, Material)>,
}

/// Material of a part of a mesh.
pub(super) struct Material {
    /// Red, green and blue as in the file.
    pub(super) color: [f64; 3],
    pub(super) gloss: Gloss,
    pub(super) image: Option<Arc<Texture>>,
}

impl VisualMesh {
    /// Reads a mesh file. Problems with its materials are reported as warnings.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file cannot be read.
    pub(super) fn read(
        file: &Path,
        warnings: &mut Vec<String>,
        texture: &mut dyn FnMut(&paint::Source) -> Option<Arc<Texture>>,
    ) -> Result<Self, morse_geometry::mesh::MeshError> {
        let read = morse_geometry::mesh::read(file)?;
        let materials = paint::Material::read_all(file, &read, warnings);
        let parts = read.parts.iter().filter_map(|part| {
            let material = materials.get(&part.material)?;
            let look = Material {
                color: material.color,
                gloss: material.gloss,
                image: material.image.as_ref().and_then(&mut *texture),
            };
            Some((part.faces.start, part.faces.end, look))
        });
        let parts = parts.collect();
        Ok(Self {
            parts,
            ..Self::new(read)
        })
    }

    pub(super) fn new(read: morse_geometry::mesh::Triangles) -> Self {
        Self {
            triangles: Arc::new(rays::Mesh::new(&read.vertices, &read.faces)),
            vertices: read.vertices,
            faces: read.faces,
            normals: read.normals,
            coordinates: read.coordinates,
            parts: Vec::new(),
        }
    }

    /// Returns the material of a face, if the file defines one.
    pub(super) fn material(&self, face: u32) -> Option<&Material> {
        let face = face as usize;
        let after = self.parts.partition_point(|(first, ..)| *first <= face);
        let (_, end, material) = self.parts.get(after.checked_sub(1)?)?;
        (face < *end).then_some(material)
    }

    /// Returns true if the file contains texture coordinates.
    pub(super) fn has_coordinates(&self) -> bool {
        !self.coordinates.is_empty()
    }

    /// Returns the texture coordinates of a point on a face.
    pub(super) fn coordinates(&self, face: u32, at: &Vector3<f64>) -> [f64; 2] {
        let Some(corners) = self.faces.get(face as usize) else {
            return [0.0; 2];
        };
        let [a, b, c] = corners.map(|corner| {
            let uv = self.coordinates.get(corner as usize);
            Vector2::from(uv.copied().unwrap_or_default().map(f64::from))
        });
        let (shares, plane) = self.shares(*corners, at);
        let whole = plane.norm_squared();
        if whole > 0.0 {
            ((a * shares[0] + b * shares[1] + c * shares[2]) / whole).into()
        } else {
            a.into()
        }
    }

    /// Returns the normal at a point on a face, in the frame of the mesh: interpolated from the vertices, or else the normal
    /// of the plane. It is not normalised, and may point to either side.
    pub(super) fn normal(&self, face: u32, at: &Vector3<f64>) -> Vector3<f64> {
        let Some(corners) = self.faces.get(face as usize) else {
            return Vector3::z();
        };
        let [a, b, c] = corners.map(|corner| vector(&self.normals, corner));
        let (shares, plane) = self.shares(*corners, at);
        let mixed = a * shares[0] + b * shares[1] + c * shares[2];
        if mixed.norm_squared() > 0.0 {
            mixed
        } else {
            plane
        }
    }

    /// Returns barycentric coordinates of a point, not normalised: the areas of the opposite triangles, whose sum is the
    /// squared length of the second vector, the normal of the plane.
    fn shares(&self, corners: [u32; 3], at: &Vector3<f64>) -> ([f64; 3], Vector3<f64>) {
        let [a, b, c] = corners.map(|corner| vector(&self.vertices, corner));
        let plane = (b - a).cross(&(c - a));
        let share =
            |from: &Vector3<f64>, to: &Vector3<f64>| (to - from).cross(&(at - from)).dot(&plane);
        ([share(&b, &c), share(&c, &a), share(&a, &b)], plane)
    }
}

fn vector(of: &[[f32; 3]], index: u32) -> Vector3<f64> {
    let coordinates = of.get(index as usize).copied().unwrap_or_default();
    Vector3::from(coordinates.map(f64::from))
}

#[cfg(test)]
mod tests {
    use morse_geometry::mesh::Triangles;

    use super::*;

    fn mesh(normals: Vec<[f32; 3]>) -> VisualMesh {
        VisualMesh::new(Triangles {
            vertices: vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            faces: vec![[0, 1, 2]],
            normals,
            coordinates: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]],
            ..Triangles::default()
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

    #[test]
    fn texture_coordinates_are_interpolated() {
        let mesh = mesh(Vec::new());
        for (at, expected) in [
            ([0.0, 0.0, 0.0], [0.0, 0.0]),
            ([2.0, 0.0, 0.0], [1.0, 0.0]),
            ([1.0, 1.0, 0.0], [0.5, 0.25]),
            // Beyond the edge the interpolation is extrapolated.
            ([4.0, 0.0, 0.0], [2.0, 0.0]),
        ] {
            assert_eq!(mesh.coordinates(0, &at.into()), expected, "{at:?}");
        }
    }
}
