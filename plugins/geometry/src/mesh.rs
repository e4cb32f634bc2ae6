//! Triangle meshes from files: STL (text and binary), OBJ, Collada, glTF, PLY, MuJoCo's MSH, and height maps in PNG.
pub mod collada;
pub mod elevation;
pub mod gltf;
pub mod msh;
pub mod ply;
mod stretch;

use std::{collections::BTreeSet, path::Path};

use morse_scene::model::{is_upright, stretched};

use crate::archive;
use crate::files::{self, FileError};
pub use crate::triangles::{Look, Part, Triangles};

/// Reason why a mesh is not read, or does not enclose a solid.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that the mesh names cannot be read.
    #[error("its file `{file}` cannot be read: {cause}")]
    Named {
        /// Name of the file, relative to the mesh.
        file: String,
        /// Reason why it is not read.
        cause: FileError,
    },
    /// A name in the mesh is no valid path.
    #[error("{0}")]
    Name(String),
    /// The file name has an unknown extension.
    #[error(
        "only meshes in STL, OBJ, Collada, glTF, PLY and MSH and height maps in PNG can be read: its name has to end with `.stl`, `.obj`, `.dae`, `.glb`, `.gltf`, `.ply`, `.msh` or `.png`"
    )]
    Ending,
    /// The file violates the rules of glTF.
    #[error("it is no valid glTF file: {0}; export it again, a glTF validator reports details")]
    Gltf(String),
    /// The format has a feature that cannot be read; the text names the remedy.
    #[error("{0}")]
    Unsupported(String),
    /// The file has too many triangles, pieces or values.
    #[error("{0}")]
    TooLarge(String),
    /// The file is invalid, or has no triangles.
    #[error("{0}")]
    Broken(String),
    /// The triangles enclose no volume.
    #[error("its convex hull has no volume")]
    Flat,
}

/// Maximum size of a mesh file, bytes.
pub const LARGEST_FILE: u64 = 512 << 20;

/// Size of the header before the number of triangles in a binary STL file, bytes.
const STL_HEADER: usize = 80;

/// Size of a triangle in a binary STL file, bytes.
const STL_TRIANGLE: usize = 50;

/// Reads a mesh file, from the disk or from the embedded assets. The extension determines the format. A mesh that is
/// [`stretched`] is scaled; a Collada file that [`is_upright`] is turned first.
///
/// # Errors
///
/// The file is missing, too large, invalid, or of an unknown format: the reason in one line.
pub fn read(path: &Path) -> Result<Triangles, MeshError> {
    let (whole, (path, factors)) = (path, stretched(path));
    if let Some(mesh) = archive::find(whole).and_then(|(archive, name)| archive.mesh(&name)) {
        return Ok(mesh);
    }
    let bytes = files::bytes(path, LARGEST_FILE)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let read = match ending.to_str() {
        Some("stl") => parse_stl(&bytes),
        Some("obj") => parse_obj(&bytes),
        Some("dae") if is_upright(whole) => collada::parse_upright(&bytes),
        Some("dae") => collada::parse(&bytes),
        Some("glb" | "gltf") => gltf::parse(&bytes, folder),
        Some("ply") => ply::parse(&bytes),
        Some("msh") => msh::parse(&bytes),
        Some("png") => elevation::parse(&bytes),
        _ => Err(MeshError::Ending),
    };
    match factors {
        Some(factors) => read.map(|triangles| triangles.stretched(factors)),
        None => read,
    }
}

/// Reads an STL file. A binary file may begin with the word `solid` as well, so its length decides.
///
/// # Errors
///
/// The file is neither text nor binary STL, or a number is not finite.
pub fn parse_stl(bytes: &[u8]) -> Result<Triangles, MeshError> {
    if let Some(triangles) = binary_stl(bytes) {
        return checked(triangles);
    }
    if !bytes.trim_ascii_start().starts_with(b"solid") {
        return Err(broken(
            "this is no STL file: its length does not fit its number of triangles",
        ));
    }
    // The vertices determine the normals as well.
    let triangles = merge(mesh_loader::stl::from_slice(bytes))?;
    Ok(Triangles {
        vertices: triangles.vertices,
        faces: triangles.faces,
        ..Triangles::default()
    })
}

/// Reads an OBJ file. The files with its materials are not opened.
///
/// # Errors
///
/// The file cannot be parsed, or a face names a vertex that does not exist.
pub fn parse_obj(bytes: &[u8]) -> Result<Triangles, MeshError> {
    let named = |word: &[u8]| named(bytes, word);
    // The loader separates parts by the materials that are defined; here all materials that are used.
    let materials: BTreeSet<String> = named(b"usemtl").into_iter().collect();
    let library: String = materials
        .iter()
        .map(|name| format!("newmtl {name}\n"))
        .collect();
    let read = mesh_loader::obj::from_slice(bytes, Some(Path::new("mesh.obj")), |_| {
        Ok(library.as_bytes())
    });
    let mut triangles = merge(read)?;
    triangles.libraries = named(b"mtllib");
    Ok(triangles)
}

/// Returns the names that follow a keyword at the beginning of lines.
fn named(bytes: &[u8], word: &[u8]) -> Vec<String> {
    let lines = bytes.split(|byte| [b'\n', b'\r'].contains(byte));
    let rests = lines.filter_map(|line| line.trim_ascii_start().strip_prefix(word));
    let names = rests.filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    names
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned())
        .collect()
}

/// Reads a binary STL file; `None` if the length does not fit the number of triangles in it.
fn binary_stl(bytes: &[u8]) -> Option<Triangles> {
    let (_, rest) = bytes.split_at_checked(STL_HEADER)?;
    let (count, body) = rest.split_first_chunk::<4>()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    if count.checked_mul(STL_TRIANGLE)? != body.len() {
        return None;
    }
    let mut triangles = Triangles::default();
    for triangle in body.chunks_exact(STL_TRIANGLE) {
        let first = u32::try_from(triangles.vertices.len()).ok()?;
        // The first three numbers are the normal, which the vertices determine as well.
        let numbers: Vec<f32> = triangle
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        let corners = numbers.get(3..12)?.as_chunks::<3>().0;
        triangles.vertices.extend_from_slice(corners);
        triangles.faces.push([first, first + 1, first + 2]);
    }
    Some(triangles)
}

fn merge(read: std::io::Result<mesh_loader::Scene>) -> Result<Triangles, MeshError> {
    let scene = read.map_err(broken)?;
    let mut all = Triangles::default();
    let mut materials = scene.materials.into_iter();
    for mesh in scene.meshes {
        let faces = all.faces.len()..all.faces.len() + mesh.faces.len();
        let material = materials.next().map(|material| material.name);
        if let Some(material) = material.filter(|name| !name.is_empty()) {
            all.parts.push(Part { faces, material });
        }
        let first = u32::try_from(all.vertices.len()).map_err(broken)?;
        all.vertices.extend_from_slice(&mesh.vertices);
        all.normals.extend_from_slice(&mesh.normals);
        // A part without normals is rendered with those of its triangles.
        all.normals.resize(all.vertices.len(), [0.0; 3]);
        let [coordinates, _] = mesh.texcoords;
        all.coordinates.extend_from_slice(&coordinates);
        all.coordinates.resize(all.vertices.len(), [0.0; 2]);
        for face in mesh.faces {
            all.faces
                .push(face.map(|corner| corner.saturating_add(first)));
        }
    }
    if all
        .coordinates
        .iter()
        .flatten()
        .all(|number| *number == 0.0)
    {
        all.coordinates.clear();
    }
    checked(all)
}

fn broken(why: impl ToString) -> MeshError {
    MeshError::Broken(why.to_string())
}

fn checked(triangles: Triangles) -> Result<Triangles, MeshError> {
    let count = triangles.vertices.len();
    let exists = |corner: &u32| usize::try_from(*corner).is_ok_and(|corner| corner < count);
    if triangles.faces.is_empty() {
        return Err(broken("there are no triangles in it"));
    }
    if !triangles.faces.iter().flatten().all(exists) {
        return Err(broken("a triangle names a vertex that does not exist"));
    }
    if !triangles
        .vertices
        .iter()
        .flatten()
        .all(|number| number.is_finite())
    {
        return Err(broken("a coordinate is not finite"));
    }
    let numbers = triangles.coordinates.iter().flatten();
    if !numbers
        .chain(triangles.normals.iter().flatten())
        .all(|number| number.is_finite())
    {
        return Err(broken("a normal or a texture coordinate is not finite"));
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                         vertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

    fn binary(header: &[u8], count: u32, triangles: usize) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(STL_HEADER, b' ');
        bytes.extend(count.to_le_bytes());
        for _ in 0..triangles {
            for number in [
                0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0f32,
            ] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn text_and_binary_stl_give_the_same_triangle() {
        let text = parse_stl(ASCII.as_bytes()).unwrap();
        assert_eq!(text.faces.len(), 1);
        assert_eq!(text, parse_stl(&binary(b"made by hand", 1, 1)).unwrap());
        assert_eq!(
            text,
            parse_stl(&binary(b"solid, but binary", 1, 1)).unwrap()
        );
    }

    #[test]
    fn a_header_that_promises_too_much_is_refused() {
        assert!(parse_stl(&binary(b"hostile", u32::MAX, 1)).is_err());
        assert!(parse_stl(&binary(b"empty", 0, 0)).is_err());
        assert!(parse_stl(b"").is_err());
    }

    #[test]
    fn obj_faces_of_several_objects_keep_their_vertices() {
        let text =
            "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 4 5 6\n";
        let triangles = parse_obj(text.as_bytes()).unwrap();
        assert_eq!(triangles.faces.len(), 2);
        let heights: Vec<f32> = triangles
            .faces
            .iter()
            .map(|face| triangles.vertices[face[0] as usize][2])
            .collect();
        assert_eq!(heights, [0.0, 1.0]);
    }

    #[test]
    fn obj_parts_have_materials_and_texture_coordinates() {
        let text = "mtllib a b.mtl\nmtllib c.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 0.5\n\
                    f 1/1 2/2 3/3\nusemtl red brick\nf 1/1 2/2 3/3\nf 3/3 2/2 1/1\n\
                    usemtl\tblue\r\nf 1 2 3\n";
        let triangles = parse_obj(text.as_bytes()).unwrap();
        assert_eq!(triangles.libraries, ["a b.mtl", "c.mtl"]);
        let parts = [(1..3, "red brick"), (3..4, "blue")];
        let parts = parts.map(|(faces, material)| Part {
            faces,
            material: material.to_owned(),
        });
        assert_eq!(triangles.parts, parts);
        let corner = |face: usize| triangles.faces[face][2] as usize;
        assert_eq!(triangles.coordinates[corner(1)], [0.0, 0.5]);
        assert_eq!(triangles.coordinates[corner(3)], [0.0, 0.0]);
        assert_eq!(triangles.coordinates.len(), triangles.vertices.len());
        let plain = parse_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert!(plain.coordinates.is_empty() && plain.parts.is_empty());
    }

    #[test]
    fn broken_obj_is_an_error() {
        assert!(parse_obj(b"v 0 0 0\nf 1 2 3\n").is_err());
        assert!(parse_obj(b"f 1 2\n").is_err());
        assert!(parse_obj(&[0xff, 0xfe, 0x00, 0x66]).is_err());
    }
}
