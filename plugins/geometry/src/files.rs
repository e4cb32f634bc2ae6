//! Untrusted files: limited in size, and confined to the directory of the file that names them.
use std::{
    borrow::Cow,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use morse_scene::{assets, model::inlined};

use crate::archive;

/// Reason why a file is not read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// A directory, device or pipe.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file is too large.
    #[error("{size} bytes are too many: at most {largest} are read")]
    TooLarge {
        /// Size of the file, bytes.
        size: u64,
        /// Maximum size of a file, bytes.
        largest: u64,
    },
    /// The name leads out of the directory of the mesh, and of its package.
    #[error(
        "it is neither in the directory of the mesh nor below that, nor in the package or the model of Gazebo that \
         contains the mesh; move it there"
    )]
    Outside,
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

/// Returns the content of a regular file of limited size, from the disk, from the embedded assets, from an
/// [`archive`], or from a path that contains it.
///
/// # Errors
///
/// The reason why it cannot be read, in one line.
pub fn bytes(file: &Path, largest: u64) -> Result<Cow<'static, [u8]>, FileError> {
    if let Some(shipped) = assets::SHIPPED.content(file) {
        return Ok(Cow::Borrowed(shipped));
    }
    if let Some(text) = inlined(file) {
        return Ok(Cow::Owned(text.as_bytes().to_vec()));
    }
    if let Some((archive, name)) = archive::find(file) {
        let archived = archive.file(&name);
        let missing = || FileError::from(io::Error::from(io::ErrorKind::NotFound));
        let bytes = archived.ok_or_else(missing)?.into_owned();
        return within(bytes.len() as u64, largest).map(|()| Cow::Owned(bytes));
    }
    let metadata = fs::metadata(file)?;
    if !metadata.is_file() {
        return Err(FileError::NotRegular);
    }
    within(metadata.len(), largest)?;
    Ok(Cow::Owned(fs::read(file)?))
}

fn within(size: u64, largest: u64) -> Result<(), FileError> {
    match size > largest {
        true => Err(FileError::TooLarge { size, largest }),
        false => Ok(()),
    }
}

/// Files by which the root directories of packages of ROS and of models of Gazebo are recognised.
const MANIFESTS: [&str; 3] = ["package.xml", "manifest.xml", "model.config"];

/// End of the names of directories of meshes in packages and models.
const MESHES: &str = "meshes";

/// Directories of images beside a directory of meshes. Where no manifest shows what belongs to the package, nothing else is
/// opened: the directory of meshes may be in a home directory.
const IMAGES: [&str; 3] = ["images", "materials", "textures"];

/// Returns the path of a file, from its name relative to the directory of the mesh that names it. The file is in this
/// directory or below it; in the package or model that contains the directory; or in a directory of images beside a directory
/// of meshes.
///
/// # Errors
///
/// The path leads out of the directory and of the package.
pub fn beside(folder: &Path, name: &str) -> Result<PathBuf, FileError> {
    let name = name.replace('\\', "/");
    let name = Path::new(&name);
    let is_relative = name.components().all(|segment| {
        matches!(
            segment,
            Component::Normal(_) | Component::CurDir | Component::ParentDir
        )
    });
    if !is_relative {
        return Err(FileError::Outside);
    }
    let goes_up = name
        .components()
        .any(|segment| matches!(segment, Component::ParentDir));
    let path = folder.join(name);
    if archive::find(folder).is_some() {
        return Ok(path);
    }
    // Links may lead anywhere.
    let is_inside = match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => belongs(&path, &folder),
        // The file is missing.
        (_, Ok(folder)) if goes_up => belongs(&lexical(&folder, name), &folder),
        _ => !goes_up,
    };
    is_inside.then_some(path).ok_or(FileError::Outside)
}

/// Returns true if a mesh in a directory may name a file; both paths are canonical.
fn belongs(path: &Path, folder: &Path) -> bool {
    let is_root = |folder: &&Path| {
        let mut manifests = MANIFESTS.iter();
        manifests.any(|manifest| folder.join(manifest).is_file())
    };
    let is_meshes = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(MESHES)
    };
    if path.starts_with(folder) {
        return true;
    }
    // The root of a file system contains everything.
    let root = folder.ancestors().find(is_root);
    if let Some(root) = root.filter(|root| root.parent().is_some()) {
        return path.starts_with(root);
    }
    let meshes = folder.ancestors().find(is_meshes);
    meshes.and_then(Path::parent).is_some_and(|parent| {
        let mut images = IMAGES.iter();
        images.any(|images| path.starts_with(parent.join(images)))
    })
}

/// Returns the path of a name in a directory, without `..`.
fn lexical(folder: &Path, name: &Path) -> PathBuf {
    let mut path = folder.to_owned();
    for segment in name.components() {
        match segment {
            Component::ParentDir => {
                path.pop();
            }
            segment => path.push(segment),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_mesh_lie_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = folder.path().join("mesh");
        fs::create_dir(&mesh).unwrap();
        fs::write(folder.path().join("secret.mtl"), "newmtl a\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.mtl", mesh.join("link.mtl")).unwrap();
        for name in [
            "../secret.mtl",
            "..\\secret.mtl",
            "/etc/hostname",
            "link.mtl",
        ] {
            assert!(beside(&mesh, name).is_err(), "{name}");
        }
        let inside = beside(&mesh, "./sub/a.mtl").unwrap();
        assert_eq!(inside, mesh.join("./sub/a.mtl"));
    }

    #[test]
    fn files_of_a_package_are_found_from_its_meshes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for directory in [
            "it/deep/visual",
            "it/textures",
            "free/meshes/arm",
            "free/textures",
            "free/.ssh",
        ] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        for file in [
            "it/model.config",
            "it/textures/a.png",
            "free/textures/a.png",
            "free/.ssh/key",
            "a.png",
        ] {
            fs::write(root.join(file), "").unwrap();
        }
        let has = |directory: &str, name: &str| beside(&root.join(directory), name).is_ok();
        assert!(has("it/deep/visual", "../../textures/a.png"));
        assert!(has("free/meshes/arm", "../../textures/a.png"));
        assert!(has("it/deep/visual", "../../textures/missing.png"));
        // Outside of the package; and files of a directory that is in no package.
        assert!(!has("it/deep/visual", "../../../a.png"));
        assert!(!has("it/deep/visual", "../../../missing.png"));
        assert!(!has("free/meshes/arm", "../../../a.png"));
        assert!(!has("free/textures", "../meshes/arm"));
        // Beside a directory of meshes, images only.
        assert!(!has("free/meshes/arm", "../../.ssh/key"));
        assert!(!has("free/meshes/arm", "../../missing.png"));
        assert!(!has("free/meshes/arm", "../../textures/../.ssh/key"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../../a.png", root.join("it/textures/link.png")).unwrap();
            assert!(!has("it/deep/visual", "../../textures/link.png"));
        }
    }

    #[test]
    fn only_regular_files_of_bearable_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "four").unwrap();
        assert_eq!(&*bytes(&path, 4).unwrap(), b"four");
        let refusal = |path: &Path, largest| bytes(path, largest).unwrap_err().to_string();
        assert!(refusal(&path, 3).contains("too many"));
        assert!(refusal(folder.path(), 99).contains("regular"));
        assert!(bytes(&folder.path().join("b"), 99).is_err());
    }
}
