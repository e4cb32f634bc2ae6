//! Directory of a compiled scene, and the arrays to which it refers.

use std::ops::Range;

use morse_geometry::archive::Hull;
use morse_geometry::mesh::{Look, Part, Triangles};
use serde::{Deserialize, Serialize};

use crate::content::{Content, Source, StoredScene};
use crate::{CompiledError, header};

/// Position of an array in the file: offset after the directory, and length, bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Blob {
    offset: u64,
    length: u64,
}

/// Everything that is no array.
#[derive(Serialize, Deserialize)]
pub(crate) struct Directory {
    pub(crate) scene: StoredScene,
    pub(crate) sources: Vec<Source>,
    pub(crate) meshes: Vec<(String, Mesh)>,
    pub(crate) hulls: Vec<(String, u64, [Blob; 2])>,
    pub(crate) files: Vec<(String, Blob)>,
}

/// A mesh; its arrays are those of [`Triangles`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Mesh {
    vertices: Blob,
    faces: Blob,
    normals: Blob,
    coordinates: Blob,
    parts: Vec<(u64, u64, String)>,
    libraries: Vec<String>,
    looks: Vec<(String, [f64; 3], Option<String>)>,
    remarks: Vec<String>,
}

/// Arrays of a file that is being written.
#[derive(Default)]
struct Arrays(Vec<u8>);

impl Arrays {
    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) -> Blob {
        let offset = self.0.len();
        self.0.extend(bytes);
        Blob {
            offset: offset as u64,
            length: (self.0.len() - offset) as u64,
        }
    }

    fn floats<const N: usize>(&mut self, numbers: &[[f32; N]]) -> Blob {
        self.add(
            numbers
                .iter()
                .flatten()
                .flat_map(|number| number.to_le_bytes()),
        )
    }

    fn indices(&mut self, numbers: &[[u32; 3]]) -> Blob {
        self.add(
            numbers
                .iter()
                .flatten()
                .flat_map(|number| number.to_le_bytes()),
        )
    }

    fn mesh(&mut self, mesh: &Triangles) -> Mesh {
        let parts = mesh.parts.iter().map(|part| {
            let Range { start, end } = part.faces;
            (start as u64, end as u64, part.material.clone())
        });
        let looks = mesh.looks.iter();
        let looks = looks.map(|(name, look)| (name.clone(), look.color, look.image.clone()));
        Mesh {
            vertices: self.floats(&mesh.vertices),
            faces: self.indices(&mesh.faces),
            normals: self.floats(&mesh.normals),
            coordinates: self.floats(&mesh.coordinates),
            parts: parts.collect(),
            libraries: mesh.libraries.clone(),
            looks: looks.collect(),
            remarks: mesh.remarks.clone(),
        }
    }
}

pub(crate) fn encode(content: &Content) -> Result<Vec<u8>, CompiledError> {
    let mut arrays = Arrays::default();
    let meshes = content.meshes.iter();
    let meshes = meshes
        .map(|(name, mesh)| (name.clone(), arrays.mesh(mesh)))
        .collect();
    let hulls = content.hulls.iter().map(|((name, scale), hull)| {
        let blobs = [arrays.floats(&hull.vertices), arrays.indices(&hull.faces)];
        (name.clone(), *scale, blobs)
    });
    let hulls = hulls.collect();
    let files = content.files.iter();
    let files = files.map(|(name, bytes)| (name.clone(), arrays.add(bytes.iter().copied())));
    let directory = Directory {
        files: files.collect(),
        scene: StoredScene::of(&content.scene),
        sources: content.sources.clone(),
        meshes,
        hulls,
    };
    let invalid = |error: postcard::Error| CompiledError::Invalid(error.to_string());
    let directory = postcard::to_stdvec(&directory).map_err(invalid)?;
    let mut file = vec![0; header::SIZE];
    file.extend(&directory);
    file.extend(&arrays.0);
    header::write(&mut file, directory.len());
    Ok(file)
}

impl Blob {
    /// Returns the bytes of the array.
    pub(crate) fn bytes(self, arrays: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.offset).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        arrays.get(start..end)
    }

    fn floats<const N: usize>(self, arrays: &[u8]) -> Option<Vec<[f32; N]>> {
        let numbers: Vec<f32> = self.words(arrays)?.map(f32::from_le_bytes).collect();
        let is_finite = numbers.iter().all(|number| number.is_finite());
        grouped(&numbers).filter(|_| is_finite)
    }

    /// Returns triangles whose indices are below a number of vertices.
    fn indices(self, arrays: &[u8], vertices: usize) -> Option<Vec<[u32; 3]>> {
        let numbers: Vec<u32> = self.words(arrays)?.map(u32::from_le_bytes).collect();
        let fits = |index: &u32| usize::try_from(*index).is_ok_and(|index| index < vertices);
        let all_fit = numbers.iter().all(fits);
        grouped(&numbers).filter(|_| all_fit)
    }

    fn words(self, arrays: &[u8]) -> Option<impl Iterator<Item = [u8; 4]> + '_> {
        let (words, rest) = self.bytes(arrays)?.as_chunks::<4>();
        rest.is_empty().then(|| words.iter().copied())
    }
}

fn grouped<T: Copy, const N: usize>(numbers: &[T]) -> Option<Vec<[T; N]>> {
    let (groups, rest) = numbers.as_chunks::<N>();
    rest.is_empty().then(|| groups.to_vec())
}

impl Mesh {
    /// Returns true if all arrays are in the file.
    pub(crate) fn fits(&self, arrays: &[u8]) -> bool {
        let blobs = [self.vertices, self.faces, self.normals, self.coordinates];
        blobs.iter().all(|blob| blob.bytes(arrays).is_some())
    }

    /// Returns the mesh; `None` if it is invalid.
    pub(crate) fn read(&self, arrays: &[u8]) -> Option<Triangles> {
        let vertices: Vec<[f32; 3]> = self.vertices.floats(arrays)?;
        let faces = self.faces.indices(arrays, vertices.len())?;
        let normals = self.normals.floats(arrays)?;
        let coordinates = self.coordinates.floats(arrays)?;
        let count = vertices.len();
        let fits = |length: usize| length == 0 || length == count;
        if faces.is_empty() || !fits(normals.len()) || !fits(coordinates.len()) {
            return None;
        }
        let part = |(start, end, material): &(u64, u64, String)| {
            let (start, end) = (usize::try_from(*start).ok()?, usize::try_from(*end).ok()?);
            let material = material.clone();
            (start <= end && end <= faces.len()).then_some(Part {
                faces: start..end,
                material,
            })
        };
        let parts: Option<Vec<Part>> = self.parts.iter().map(part).collect();
        let looks = self.looks.iter().cloned();
        let looks = looks.map(|(name, color, image)| (name, Look { color, image }));
        Some(Triangles {
            parts: parts?,
            looks: looks.collect(),
            libraries: self.libraries.clone(),
            remarks: self.remarks.clone(),
            vertices,
            faces,
            normals,
            coordinates,
        })
    }
}

/// Returns a hull; `None` if its surface is not closed.
pub(crate) fn hull([vertices, faces]: [Blob; 2], arrays: &[u8]) -> Option<Hull> {
    let vertices: Vec<[f32; 3]> = vertices.floats(arrays)?;
    let faces = faces.indices(arrays, vertices.len())?;
    is_closed(&faces, vertices.len()).then_some(Hull { vertices, faces })
}

/// Returns true if each edge of a surface belongs to two triangles, which have it in opposite directions.
fn is_closed(faces: &[[u32; 3]], vertices: usize) -> bool {
    let edges = || {
        faces
            .iter()
            .flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)])
    };
    // The ends of the edges from each vertex, one list after the other.
    let mut starts = vec![0_usize; vertices + 1];
    for (from, _) in edges() {
        if let Some(count) = starts.get_mut(from as usize + 1) {
            *count += 1;
        }
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut next = starts.clone();
    let mut ends = vec![0_u32; faces.len() * 3];
    for (from, to) in edges() {
        if let Some(index) = next.get_mut(from as usize) {
            if let Some(end) = ends.get_mut(*index) {
                *end = to;
            }
            *index += 1;
        }
    }
    let range = |vertex: usize| Some(*starts.get(vertex)?..*starts.get(vertex + 1)?);
    for vertex in 0..vertices {
        if let Some(list) = range(vertex).and_then(|range| ends.get_mut(range)) {
            list.sort_unstable();
            if list.windows(2).any(|pair| pair.first() == pair.last()) {
                return false;
            }
        }
    }
    let has = |(from, to): (u32, u32)| {
        let list = range(from as usize).and_then(|range| ends.get(range));
        list.is_some_and(|list| list.binary_search(&to).is_ok())
    };
    !faces.is_empty() && edges().all(|(from, to)| has((to, from)))
}

#[cfg(test)]
mod tests {
    use super::is_closed;

    #[test]
    fn only_closed_surfaces_are_hulls() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert!(is_closed(&tetrahedron, 4));
        assert!(!is_closed(&tetrahedron[1..], 4), "a hole");
        assert!(!is_closed(&[[0, 1, 2], [0, 1, 2]], 3), "an edge twice");
        assert!(
            !is_closed(&[[0, 1, 2], [0, 2, 1]], 2),
            "an index out of range"
        );
        assert!(!is_closed(&[], 0));
    }
}
