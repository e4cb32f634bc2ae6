//! Files of meshes that a description refers to.
use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf, absolute},
};

use morse_scene::model::{Geometry, MeshFile, Scene, Shape, is_upright, stretched, turn_upright};

/// Number of sides of a cone's mesh.
const SIDES: usize = 48;

/// Directories of a description and its meshes.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// Absolute path of the description's directory.
    pub directory: PathBuf,
    /// Name of a directory beside the description for files that are written with it; `None` if there can be none.
    pub assets: Option<String>,
    /// True if all meshes are copied there.
    pub copy: bool,
    /// True if files are referred to by `file` URIs, instead of paths relative to the description's directory.
    pub uris: bool,
}

/// A file to write beside a description.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Path relative to the description's directory.
    pub name: String,
    /// Content of the file.
    pub content: Content,
}

/// Content of an asset.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Bytes of another file.
    Copy(PathBuf),
    /// Triangles of another file, to be converted to Wavefront OBJ.
    Obj(PathBuf),
    /// A text.
    Text(String),
}

/// Assets of a description under construction.
pub(super) struct Assets {
    paths: Paths,
    /// Names of files by their source, and whether they are converted.
    known: BTreeMap<(PathBuf, bool), String>,
    pub(super) files: Vec<Asset>,
}

impl Assets {
    pub(super) fn new(paths: Paths) -> Self {
        Self {
            paths,
            known: BTreeMap::new(),
            files: Vec::new(),
        }
    }

    /// Returns the path by which a description refers to a mesh, and its scale factors. A mesh whose extension is not among
    /// `readable` is converted. `None` if it would have to be written, and there is no directory for it.
    pub(super) fn mesh(
        &mut self,
        mesh: &MeshFile,
        readable: &[&str],
    ) -> Option<(String, [f64; 3])> {
        let (file, factors) = stretched(&mesh.resolved);
        let factors = factors.unwrap_or([1.0; 3]);
        let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
        let converts = !readable.iter().any(|known| ending == *known);
        let name = match is_upright(&mesh.resolved) {
            // No format says it: the mesh is written turned.
            true => self.path_of(&turn_upright(file), true),
            false => self.path_of(file, converts),
        };
        name.map(|name| (name, factors))
    }

    /// Returns the path by which a description refers to an image; `None` if it would have to be copied, and there is no
    /// directory for it.
    pub(super) fn image(&mut self, file: &Path) -> Option<String> {
        self.path_of(file, false)
    }

    /// Returns the path of a file, which is copied or converted if necessary.
    fn path_of(&mut self, file: &Path, converts: bool) -> Option<String> {
        if !converts && !self.paths.copy && file.is_file() {
            let file = absolute(file).ok()?;
            return Some(match self.paths.uris {
                true => uri(&file),
                false => relative(&self.paths.directory, &file),
            });
        }
        let key = (file.to_owned(), converts);
        if let Some(name) = self.known.get(&key) {
            return Some(name.clone());
        }
        let stem = file.file_stem()?.to_str()?.to_owned();
        let (ending, content) = if converts {
            ("obj".to_owned(), Content::Obj(file.to_owned()))
        } else {
            let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
            (ending.to_str()?.to_owned(), Content::Copy(file.to_owned()))
        };
        let name = self.add(&stem, &ending, content)?;
        self.known.insert(key, name.clone());
        Some(name)
    }

    /// Returns the path of a mesh of a cone or truncated cone, with its radii at z = 0 and z = `height`.
    pub(super) fn cone(&mut self, frame: &str, radii: [f64; 2], height: f64) -> Option<String> {
        self.add(
            &format!("{frame}_cone"),
            "obj",
            Content::Text(cone(radii, height)),
        )
    }

    /// Sets a mesh to the path at its new location. Equal factors become the scale of the geometry; other ones are applied to a
    /// converted mesh. Returns false if that would have to be written, and there is no directory for it.
    fn move_mesh(&mut self, geometry: &mut Geometry) -> bool {
        let Shape::Mesh(mesh) = &mut geometry.shape else {
            return true;
        };
        let (file, factors) = stretched(&mesh.resolved);
        let [x, y, z] = factors.unwrap_or([1.0; 3]);
        let name = if x == y && y == z && !is_upright(&mesh.resolved) {
            let ending = file
                .extension()
                .unwrap_or_default()
                .to_string_lossy()
                .to_ascii_lowercase();
            self.mesh(mesh, &[&ending]).map(|(name, _)| (name, x))
        } else {
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let name = self.add(&stem, "obj", Content::Obj(mesh.resolved.clone()));
            name.map(|name| (name, 1.0))
        };
        let Some((name, factor)) = name else {
            return false;
        };
        geometry.scale *= factor;
        mesh.file = name;
        true
    }

    fn add(&mut self, stem: &str, ending: &str, content: Content) -> Option<String> {
        let folder = self.paths.assets.as_ref()?;
        let safe = |letter: char| {
            if letter.is_ascii_alphanumeric() || "_-.".contains(letter) {
                letter
            } else {
                '_'
            }
        };
        let stem: String = stem.chars().map(safe).collect();
        let mut name = format!("{folder}/{stem}.{ending}");
        let mut count = 1;
        while self.files.iter().any(|file| file.name == name) {
            count += 1;
            name = format!("{folder}/{stem}_{count}.{ending}");
        }
        self.files.push(Asset {
            name: name.clone(),
            content,
        });
        Some(name)
    }
}

/// Returns a scene whose meshes and images have paths relative to the directory of a new file in the scene language, the
/// files to write beside it, and the frames that lose a mesh.
#[must_use]
pub fn relocated(scene: &Scene, paths: Paths) -> (Scene, Vec<Asset>, Vec<String>) {
    let mut assets = Assets::new(paths);
    let (mut moved, mut lost) = (scene.clone(), Vec::new());
    for frame in scene.frames() {
        let mut frame = frame.clone();
        frame.geometry.retain_mut(|geometry| {
            if let Some(image) = &mut geometry.image
                && let Some(resolved) = image.resolved.as_ref().filter(|file| file.is_absolute())
            {
                image.file = relative(&assets.paths.directory, resolved);
            }
            let is_moved = assets.move_mesh(geometry);
            if !is_moved {
                lost.push(frame.name.clone());
            }
            is_moved
        });
        // The frame exists, and its parent did not change.
        moved.replace_frame(frame).ok();
    }
    (moved, assets.files, lost)
}

/// Returns the path of a file relative to a directory; both are absolute.
fn relative(directory: &Path, file: &Path) -> String {
    let [from, to] =
        [directory, file].map(|path| path.components().collect::<Vec<Component<'_>>>());
    let shared = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let down = to[shared..]
        .iter()
        .map(|segment| segment.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Returns the URI of an absolute path: RFC 8089, with the characters that RFC 3986 reserves or lacks as percent codes.
fn uri(file: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            letter if letter.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns the Wavefront OBJ text of a cone.
fn cone([start, end]: [f64; 2], height: f64) -> String {
    let mut text = String::new();
    for (radius, z) in [(start, 0.0), (end, height)] {
        for side in 0..SIDES {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * side as f64 / SIDES as f64);
            text.push_str(&format!(
                "v {:?} {:?} {:?}\n",
                radius * cos,
                radius * sin,
                z
            ));
        }
    }
    text.push_str(&format!("v 0 0 0\nv 0 0 {height:?}\n"));
    let [bottom, top] = [2 * SIDES + 1, 2 * SIDES + 2];
    for side in 0..SIDES {
        let next = (side + 1) % SIDES;
        let (a, b) = (side + 1, next + 1);
        let (c, d) = (a + SIDES, b + SIDES);
        let faces = [[bottom, b, a], [a, b, d], [a, d, c], [top, c, d]];
        for [one, two, three] in faces {
            // A negative height would turn the faces inside out.
            let [two, three] = if height < 0.0 {
                [three, two]
            } else {
                [two, three]
            };
            text.push_str(&format!("f {one} {two} {three}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_description() {
        for (directory, file, expected) in [
            ("/a/b", "/a/b/c.stl", "c.stl"),
            ("/a/b", "/a/d/c.stl", "../d/c.stl"),
            ("/a/b/e", "/x.obj", "../../../x.obj"),
        ] {
            assert_eq!(relative(Path::new(directory), Path::new(file)), expected);
        }
    }
}
