//! Meshes that are scaled along their axes, or mirrored.

use super::Triangles;

impl Triangles {
    /// Scales the mesh along its axes; a negative factor mirrors.
    #[must_use]
    pub(super) fn stretched(mut self, factors: [f64; 3]) -> Self {
        for vertex in &mut self.vertices {
            for (number, factor) in vertex.iter_mut().zip(factors) {
                *number = (f64::from(*number) * factor) as f32;
            }
        }
        for normal in &mut self.normals {
            // Normals stay perpendicular to their surface.
            for (number, factor) in normal.iter_mut().zip(factors) {
                *number = (f64::from(*number) / factor) as f32;
            }
        }
        if factors.iter().product::<f64>() < 0.0 {
            for face in &mut self.faces {
                face.swap(1, 2);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_triangles_look_outwards_still() {
        let mesh = Triangles {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            faces: vec![[0, 1, 2]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            ..Triangles::default()
        };
        let mirrored = mesh.clone().stretched([-2.0, 1.0, 1.0]);
        assert_eq!(mirrored.vertices[1], [-2.0, 0.0, 0.0]);
        assert_eq!(mirrored.faces, [[0, 2, 1]]);
        assert_eq!(mirrored.normals[0], [0.0, 0.0, 1.0]);
        let turned = mesh.stretched([-1.0, -1.0, 1.0]);
        assert_eq!(turned.faces, [[0, 1, 2]]);
    }
}
