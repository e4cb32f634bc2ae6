//! Reader of MSH, the binary meshes of MuJoCo.
//!
//! Four counts (vertices, normals, texture coordinates, faces) as 32-bit integers are followed by these in the same order:
//! three, three and two 32-bit floats each, and three 32-bit indices of a face; all little-endian.

use super::{MeshError, Triangles, broken, checked};

/// Size of the counts, bytes.
const HEADER: usize = 16;

/// Reads an MSH file. Normals and texture coordinates are taken if there is one for each vertex.
///
/// # Errors
///
/// The length does not fit the counts, a number is not finite, or a face names a vertex that does not exist.
pub fn parse(bytes: &[u8]) -> Result<Triangles, MeshError> {
    let unfit = || broken("this is no MSH file: its length does not fit its counts");
    let (words, rest) = bytes.as_chunks::<4>();
    let (counts, words) = words.split_at_checked(HEADER / 4).ok_or_else(unfit)?;
    let mut sizes = [0_usize; 4];
    for ((size, count), width) in sizes.iter_mut().zip(counts).zip([3, 3, 2, 3]) {
        let count = usize::try_from(i32::from_le_bytes(*count)).map_err(|_negative| unfit())?;
        *size = count.checked_mul(width).ok_or_else(unfit)?;
    }
    let total = sizes
        .iter()
        .try_fold(0_usize, |all, size| all.checked_add(*size));
    if total != Some(words.len()) || !rest.is_empty() {
        return Err(unfit());
    }
    let [vertices, normals, coordinates, _] = sizes;
    let floats = |words: &[[u8; 4]]| -> Vec<f32> {
        words.iter().map(|word| f32::from_le_bytes(*word)).collect()
    };
    let (first, words) = words.split_at(vertices);
    let (second, words) = words.split_at(normals);
    let (third, words) = words.split_at(coordinates);
    let vertices = floats(first).as_chunks::<3>().0.to_vec();
    let mut normals = floats(second).as_chunks::<3>().0.to_vec();
    let mut coordinates = floats(third).as_chunks::<2>().0.to_vec();
    if normals.len() != vertices.len() {
        normals.clear();
    }
    if coordinates.len() != vertices.len() {
        coordinates.clear();
    }
    let indices: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let faces = indices.as_chunks::<3>().0.to_vec();
    let is_known = |index: &u32| usize::try_from(*index).is_ok_and(|index| index < vertices.len());
    if !faces.iter().flatten().all(is_known) {
        return Err(broken("a face names a vertex that does not exist"));
    }
    checked(Triangles {
        vertices,
        faces,
        normals,
        coordinates,
        ..Triangles::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with one triangle whose last index is given.
    fn file(last: u32) -> Vec<u8> {
        let counts = [3_u32, 0, 0, 1].map(u32::to_le_bytes).concat();
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5_f32];
        let corners = corners.map(f32::to_le_bytes).concat();
        [counts, corners, [0, 1, last].map(u32::to_le_bytes).concat()].concat()
    }

    #[test]
    fn a_triangle_is_read() {
        let read = parse(&file(2)).unwrap();
        assert_eq!(read.vertices[2], [0.0, 1.0, 0.5]);
        assert_eq!(read.faces, [[0, 1, 2]]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = file(2);
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(parse(&file(3)).is_err());
        let mut negative = whole.clone();
        negative[3] = 0xFF;
        assert!(parse(&negative).is_err());
        let mut infinite = whole;
        infinite[16..20].copy_from_slice(&f32::INFINITY.to_le_bytes());
        assert!(parse(&infinite).is_err());
    }
}
