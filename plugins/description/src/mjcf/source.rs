//! Sources of the triangles of assets.

/// Maximum number of numbers in an attribute of an asset.
pub(super) const MOST_NUMBERS: usize = 3 << 20;

/// Source of the triangles of an asset.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// File name relative to the model.
    File(String),
    /// File name of binary heights, relative to the model.
    Heights(String),
    /// Vertices, and the triangles between them; without triangles, their convex hull.
    Vertices(Vec<[f64; 3]>, Vec<[usize; 3]>),
}
