//! Compiled scenes: everything that a scene file names, collected for one file, and the way back.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use morse_compiled::{Content, Source, hash, move_paths};
use morse_diagnostics::{Diagnostic, Failed, printable_path, real_path};
use morse_geometry::{
    files,
    mesh::{
        self,
        gltf::{File, Resource, resource},
    },
};
use morse_physics::shapes::hull;
use morse_render::paint::Material;
use morse_scene::{
    model::{Geometry, Scene, Shape, inlined, stretched},
    shipped::Shipped,
};

use super::load::{LoadOptions, Loaded, load};

/// Maximum size of an image or another file of a mesh, bytes.
const LARGEST_FILE: u64 = 512 << 20;

/// Reads a scene file with all its meshes and images, for [`morse_compiled::encode`]. The paths of the sources are relative to
/// `directory`, that of the compiled scene.
///
/// # Errors
///
/// All errors of the files, in one pass.
pub fn collect(
    path: &Path,
    options: &LoadOptions,
    directory: &Path,
) -> Result<(Content, Loaded), Box<Failed>> {
    let loaded = load(path, options)?;
    let mut collector = Collector {
        directory: real_path(directory),
        content: Content::default(),
        folders: BTreeMap::new(),
        read: BTreeMap::new(),
        errors: Vec::new(),
    };
    for source in loaded.sources.iter() {
        collector.source(Path::new(source.name()), source.text().as_bytes());
    }
    collector.scene(&loaded.scene);
    let Collector {
        content, errors, ..
    } = collector;
    if errors.is_empty() {
        return Ok((content, loaded));
    }
    Err(Box::new(Failed {
        diagnostics: errors,
        sources: loaded.sources,
    }))
}

/// Collector of the content of a compiled scene.
struct Collector {
    /// Directory of the compiled scene.
    directory: PathBuf,
    content: Content,
    /// Number of each directory with files, which stands for it in names.
    folders: BTreeMap<PathBuf, usize>,
    /// Names of the files that were read.
    read: BTreeMap<PathBuf, String>,
    errors: Vec<Diagnostic>,
}

impl Collector {
    fn scene(&mut self, scene: &Scene) {
        let mut compiled = Scene::default();
        for frame in scene.frames() {
            let mut frame = frame.clone();
            for geometry in &mut frame.geometry {
                self.geometry(geometry);
                move_paths(geometry, |path| {
                    self.read
                        .get(path)
                        .map_or_else(|| path.to_owned(), PathBuf::from)
                });
            }
            // Cannot fail: the frame comes from a scene.
            compiled.add_frame(frame).ok();
        }
        for class in scene.classes() {
            compiled.add_class(class.clone()).ok();
        }
        for (one, other) in scene.allowed_collisions() {
            compiled.allow_collision(one, other);
        }
        for closure in scene.closures() {
            compiled.add_closure(closure.clone());
        }
        self.content.scene = compiled;
    }

    /// Reads mesh and image of a geometry.
    fn geometry(&mut self, geometry: &Geometry) {
        if let Shape::Mesh(file) = &geometry.shape
            && let Some(name) = self.mesh(&file.resolved)
        {
            let key = (name, geometry.scale.to_bits());
            if !self.content.hulls.contains_key(&key)
                && let Some(hull) = self
                    .content
                    .meshes
                    .get(&key.0)
                    .and_then(|mesh| hull(mesh, geometry.scale))
            {
                self.content.hulls.insert(key, hull);
            }
        }
        if let Some(image) = geometry
            .image
            .as_ref()
            .and_then(|image| image.resolved.as_ref())
            && !self.read.contains_key(image)
        {
            let name = self.name(image);
            self.read.insert(image.clone(), name.clone());
            self.file(image, name);
        }
    }

    /// Reads a mesh, and returns its name; `None` after an error, which is reported once.
    fn mesh(&mut self, path: &Path) -> Option<String> {
        if let Some(name) = self.read.get(path) {
            return Some(name.clone());
        }
        let name = self.name(path);
        self.read.insert(path.to_owned(), name.clone());
        match mesh::read(path) {
            Ok(mesh) => {
                self.companions(path, &mesh);
                self.content.meshes.insert(name.clone(), mesh);
                Some(name)
            }
            Err(error) => {
                let shown = printable_path(&path.display().to_string());
                let message = format!("the mesh `{shown}` cannot be read: {error}");
                self.errors.push(Diagnostic::error("scene::mesh", message));
                None
            }
        }
    }

    /// Reads the files that a mesh names: materials, images and buffers. Those that are missing are reported when they are
    /// drawn, as without compilation.
    fn companions(&mut self, path: &Path, mesh: &mesh::Triangles) {
        let (file, _) = stretched(path);
        let folder = file.parent().unwrap_or(Path::new(""));
        let base = self.name(file);
        let Ok(bytes) = files::bytes(file, LARGEST_FILE) else {
            return;
        };
        self.source(file, &bytes);
        let paths = companions(path, mesh, &bytes);
        if is_gltf(file) {
            // Materials and images are read from the file itself.
            self.content.files.insert(base.clone(), bytes.into_owned());
        }
        for path in paths {
            self.companion(folder, &base, &path);
        }
    }

    /// Adds a file in the directory of a mesh or below it.
    fn companion(&mut self, folder: &Path, base: &str, path: &Path) {
        let (Ok(bytes), Ok(inner)) = (files::bytes(path, LARGEST_FILE), path.strip_prefix(folder))
        else {
            return;
        };
        self.source(path, &bytes);
        let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
        let segments: Vec<_> = inner
            .iter()
            .map(|segment| segment.to_string_lossy())
            .collect();
        let name = format!("{folder}/{}", segments.join("/"));
        self.content.files.insert(name, bytes.into_owned());
    }

    /// Adds a file of the disk.
    fn file(&mut self, path: &Path, name: String) {
        // A missing image is reported when it is drawn.
        if let Ok(bytes) = files::bytes(path, LARGEST_FILE) {
            self.source(path, &bytes);
            self.content.files.insert(name, bytes.into_owned());
        }
    }

    /// Returns the name of a file in the compiled scene: the number of its directory, and its file name.
    fn name(&mut self, path: &Path) -> String {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let next = self.folders.len();
        let number = *self.folders.entry(folder).or_insert(next);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{number}/{file}")
    }

    /// Adds a file to the sources. Files that are embedded in the program do not change.
    fn source(&mut self, path: &Path, bytes: &[u8]) {
        if Shipped::owns(path) {
            return;
        }
        let path = relative(&real_path(path), &self.directory);
        let source = Source {
            path: path.to_string_lossy().replace('\\', "/"),
            hash: hash(bytes),
        };
        if !self.content.sources.contains(&source) {
            self.content.sources.push(source);
        }
    }
}

/// Returns the files that a scene names: meshes with their materials, images and buffers, and images.
pub(crate) fn named_files(scene: &Scene) -> BTreeSet<PathBuf> {
    let mut meshes = BTreeSet::new();
    let mut all = BTreeSet::new();
    for geometry in scene.frames().iter().flat_map(|frame| &frame.geometry) {
        if let Shape::Mesh(mesh) = &geometry.shape {
            meshes.insert(mesh.resolved.clone());
        }
        let image = geometry.image.as_ref();
        all.extend(image.and_then(|image| image.resolved.clone()));
    }
    for path in meshes {
        all.extend(files_of_mesh(&path));
        all.insert(stretched(&path).0.to_owned());
    }
    all.retain(|path| !Shipped::owns(path) && inlined(path).is_none());
    all
}

/// Returns the files that a mesh names: materials, images and buffers; none if it cannot be read.
pub(crate) fn files_of_mesh(path: &Path) -> Vec<PathBuf> {
    let (file, _) = stretched(path);
    match (mesh::read(path), files::bytes(file, LARGEST_FILE)) {
        (Ok(mesh), Ok(bytes)) => companions(path, &mesh, &bytes),
        _ => Vec::new(),
    }
}

/// Returns the files that a mesh with this content names.
fn companions(path: &Path, mesh: &mesh::Triangles, bytes: &[u8]) -> Vec<PathBuf> {
    let (file, _) = stretched(path);
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut paths: Vec<PathBuf> = Vec::new();
    let libraries = mesh.libraries.iter();
    paths.extend(libraries.filter_map(|library| files::beside(folder, library).ok()));
    let materials = Material::read_all(path, mesh, &mut Vec::new());
    let images = materials
        .into_values()
        .filter_map(|material| material.image);
    paths.extend(
        images
            .filter(|image| image.inside.is_none())
            .map(|image| image.file),
    );
    if is_gltf(file) {
        paths.extend(buffers(bytes, folder));
    }
    paths
}

fn is_gltf(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
    ending == "glb" || ending == "gltf"
}

/// Returns the files with buffers of a glTF file.
fn buffers(bytes: &[u8], folder: &Path) -> Vec<PathBuf> {
    let Ok(file) = File::parse(bytes, folder) else {
        return Vec::new();
    };
    let uris = file
        .root
        .buffers
        .iter()
        .filter_map(|buffer| buffer.uri.as_deref());
    let resources = uris.filter_map(|uri| resource(uri, folder).ok());
    let paths = resources.filter_map(|resource| match resource {
        Resource::File(path) => Some(path),
        Resource::Data(_) => None,
    });
    paths.collect()
}

/// Returns the path from a directory to a file; both are absolute.
fn relative(path: &Path, directory: &Path) -> PathBuf {
    let (mut own, mut base) = (
        path.components().peekable(),
        directory.components().peekable(),
    );
    while own.peek().is_some() && own.peek() == base.peek() {
        own.next();
        base.next();
    }
    if base
        .clone()
        .any(|segment| matches!(segment, Component::Prefix(_)))
    {
        return path.to_owned();
    }
    let up = base.map(|_| Component::ParentDir);
    up.chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_relative_to_the_directory_of_the_compiled_scene() {
        let path = |path: &str, directory: &str| relative(Path::new(path), Path::new(directory));
        assert_eq!(path("/a/b/c.robray", "/a/b"), Path::new("c.robray"));
        assert_eq!(path("/a/b/c.robray", "/a/out"), Path::new("../b/c.robray"));
        assert_eq!(path("/a/b/c.robray", "/x"), Path::new("../a/b/c.robray"));
    }
}
