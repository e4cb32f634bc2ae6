//! Triangle meshes as data.
use std::{collections::BTreeMap, ops::Range};

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Three indices of `vertices` per triangle; all are valid.
    pub faces: Vec<[u32; 3]>,
    /// Normal of the surface at each vertex, if the file has them; not normalised.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates of each vertex, to the right and up from the image's lower left corner; empty if the file has
    /// none.
    pub coordinates: Vec<[f32; 2]>,
    /// Ranges of faces with a material, in order.
    pub parts: Vec<Part>,
    /// Names of the files that define materials.
    pub libraries: Vec<String>,
    /// Appearances of materials that the file defines itself.
    pub looks: BTreeMap<String, Look>,
    /// Remarks on content of the file that is not displayed.
    pub remarks: Vec<String>,
}

/// Range of faces with one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Indices of the faces.
    pub faces: Range<usize>,
    /// Name of the material.
    pub material: String,
}

/// Appearance of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Red, green and blue, 0 to 1.
    pub color: [f64; 3],
    /// File name of the image.
    pub image: Option<String>,
}
