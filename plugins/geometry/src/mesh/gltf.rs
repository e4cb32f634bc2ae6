//! Triangles from glTF 2.0 files: `.glb`, and `.gltf` with the files beside it.
//!
//! The axes of the file are kept, and its unit is the metre. The nodes of the default scene place its meshes in their rest
//! pose.
mod file;
mod nodes;
mod numbers;
#[cfg(test)]
mod tests;
mod uri;

use std::{collections::BTreeSet, path::Path};

use ::gltf::json::{
    Index,
    accessor::{Accessor, ComponentType, Type},
    mesh::{Mode, Primitive, Semantic},
    validation::Checked,
};

pub use file::{File, shown};
pub use uri::{Resource, resource};

use super::{MeshError, Part, Triangles, checked};
use nodes::Piece;
use numbers::Numbers;

/// Maximum number of triangles in a file, counting those of each node.
const MOST_TRIANGLES: usize = 1 << 23;

/// Reads a glTF file of either kind. The files that it names must be in the directory or below it. The material names of its
/// parts are the indices in the file.
///
/// # Errors
///
/// The reason why it cannot be read, in one line.
pub fn parse(bytes: &[u8], folder: &Path) -> Result<Triangles, MeshError> {
    let file = File::parse(bytes, folder)?;
    let mut pieces = nodes::pieces(&file.root)?;
    // One part per material, regardless of the number of nodes.
    pieces.sort_by_key(|piece| piece.primitive.material.map(|index| index.value()));
    let mut all = Triangles::default();
    let mut left_out = BTreeSet::new();
    if !file.root.animations.is_empty() {
        left_out.insert("animations");
    }
    for piece in &pieces {
        left_out.extend(unread(piece));
        if let Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) =
            piece.primitive.mode
        {
            add(&file, piece, mode, &mut all)?;
        }
    }
    if !left_out.is_empty() {
        let named: Vec<&str> = left_out.into_iter().collect();
        all.remarks
            .push(format!("its {} are not shown", named.join(", its ")));
    }
    if all.normals.iter().flatten().all(|number| *number == 0.0) {
        all.normals.clear();
    }
    checked(all)
}

/// Returns features of a piece that are not displayed.
fn unread(piece: &Piece<'_>) -> impl Iterator<Item = &'static str> {
    let primitive = piece.primitive;
    let colors = Checked::Valid(Semantic::Colors(0));
    let is_drawn = matches!(
        primitive.mode,
        Checked::Valid(Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)
    );
    let features = [
        (!is_drawn, "points and lines"),
        (piece.has_skin, "skins"),
        (primitive.targets.is_some(), "morph targets"),
        (primitive.attributes.contains_key(&colors), "vertex colours"),
    ];
    features
        .into_iter()
        .filter_map(|(is_there, what)| is_there.then_some(what))
}

/// Vertex data of a primitive.
struct Vertices<'a> {
    positions: Numbers<'a>,
    normals: Option<Numbers<'a>>,
    coordinates: Option<Numbers<'a>>,
}

impl<'a> Vertices<'a> {
    fn of(file: &'a File<'_>, primitive: &Primitive) -> Result<Self, MeshError> {
        let attribute = |semantic, kind, allowed: &[ComponentType]| {
            let accessor = primitive.attributes.get(&Checked::Valid(semantic));
            accessor
                .map(|accessor| file.numbers(*accessor, kind, allowed))
                .transpose()
        };
        let floats = [ComponentType::F32];
        let shares = [ComponentType::F32, ComponentType::U8, ComponentType::U16];
        let set = Semantic::TexCoords(set_of_coordinates(file, primitive));
        Ok(Self {
            positions: attribute(Semantic::Positions, Type::Vec3, &floats)?
                .ok_or_else(|| file::broken("a primitive has no positions"))?,
            normals: attribute(Semantic::Normals, Type::Vec3, &floats)?,
            coordinates: attribute(set, Type::Vec2, &shares)?,
        })
    }

    /// Appends the vertices with these indices, transformed by the piece. Vertices without a normal get that of their
    /// triangles.
    fn add(&self, piece: &Piece<'_>, indices: &[u32], all: &mut Triangles) -> Option<()> {
        let before = all.vertices.len();
        for &index in indices {
            let index = index as usize;
            all.vertices
                .push(piece.point(self.positions.vector(index)?));
            all.normals.push(match &self.normals {
                Some(normals) => piece.direction(normals.vector(index)?),
                None => [0.0; 3],
            });
        }
        if let Some(coordinates) = &self.coordinates {
            all.coordinates.resize(before, [0.0; 2]);
            for &index in indices {
                // In glTF, texture coordinates start in the upper left corner of the image.
                let [right, down] = coordinates.vector(index as usize)?;
                all.coordinates.push([right, 1.0 - down]);
            }
        } else if !all.coordinates.is_empty() {
            all.coordinates.resize(all.vertices.len(), [0.0; 2]);
        }
        Some(())
    }
}

/// Appends the triangles of a piece, with the vertices that they use.
fn add(
    file: &File<'_>,
    piece: &Piece<'_>,
    mode: Mode,
    all: &mut Triangles,
) -> Result<(), MeshError> {
    let primitive = piece.primitive;
    let vertices = Vertices::of(file, primitive)?;
    let count = vertices.positions.len();
    let faces = faces(file, primitive.indices, mode, count, all.faces.len())?;
    let mut used: Vec<u32> = faces.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    let (first_vertex, first_face) = (all.vertices.len(), all.faces.len());
    vertices.add(piece, &used, all).ok_or_else(|| {
        file::broken(
            "a triangle names a vertex that does not exist, or that lacks a normal or coordinates",
        )
    })?;
    for face in faces {
        let [a, b, c] = face.map(|corner| {
            let index = used.partition_point(|known| *known < corner);
            u32::try_from(first_vertex + index).unwrap_or(u32::MAX)
        });
        // Mirrored triangles have the opposite winding.
        all.faces.push(if piece.is_mirrored {
            [a, c, b]
        } else {
            [a, b, c]
        });
    }
    if let Some(material) = primitive.material {
        let material = material.value().to_string();
        let faces = first_face..all.faces.len();
        match all.parts.last_mut() {
            Some(last) if last.material == material => last.faces.end = faces.end,
            _ if faces.is_empty() => {}
            _ => all.parts.push(Part { faces, material }),
        }
    }
    Ok(())
}

/// Returns the index of the set of texture coordinates that the displayed image uses.
fn set_of_coordinates(file: &File<'_>, primitive: &Primitive) -> u32 {
    let material = primitive.material.and_then(|index| file.root.get(index));
    material
        .and_then(|material| {
            let texture = material.pbr_metallic_roughness.base_color_texture.as_ref();
            texture.map(|texture| texture.tex_coord)
        })
        .unwrap_or_default()
}

/// Returns the triangles of a primitive, as indices of its vertices. Degenerate triangles, which only connect strips, are
/// omitted. `before` is the number of triangles of other primitives so far.
fn faces(
    file: &File<'_>,
    indices: Option<Index<Accessor>>,
    mode: Mode,
    vertices: usize,
    before: usize,
) -> Result<Vec<[u32; 3]>, MeshError> {
    let kinds = [ComponentType::U8, ComponentType::U16, ComponentType::U32];
    let indices = indices
        .map(|accessor| file.numbers(accessor, Type::Scalar, &kinds))
        .transpose()?;
    let corners = indices.as_ref().map_or(vertices, Numbers::len);
    let count = if mode == Mode::Triangles {
        corners / 3
    } else {
        corners.saturating_sub(2)
    };
    if before + count > MOST_TRIANGLES {
        return Err(MeshError::TooLarge(format!(
            "it has more than {MOST_TRIANGLES} triangles: export it with fewer of them, or in several files"
        )));
    }
    let corner = |index: usize| match &indices {
        Some(indices) => indices.integer(index),
        None => u32::try_from(index).ok(),
    };
    let mut faces = Vec::with_capacity(count);
    for index in 0..count {
        // The winding that keeps their front (glTF 2.0, 3.7.2.1).
        let [a, b, c] = match mode {
            Mode::TriangleStrip => [index, index + 1 + index % 2, index + 2 - index % 2],
            Mode::TriangleFan => [index + 1, index + 2, 0],
            _ => [3 * index, 3 * index + 1, 3 * index + 2],
        };
        let (Some(a), Some(b), Some(c)) = (corner(a), corner(b), corner(c)) else {
            return Err(file::broken("its indices end too early"));
        };
        if a != b && b != c && c != a {
            faces.push([a, b, c]);
        }
    }
    Ok(faces)
}
