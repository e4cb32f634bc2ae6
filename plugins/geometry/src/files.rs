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
    /// The name leads out of the directory of the mesh.
    #[error("it is neither in the directory of the mesh nor below that")]
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

/// Returns the path of a file in a directory or below it, from its name relative to the directory.
///
/// # Errors
///
/// The path leads out of the directory.
pub fn beside(folder: &Path, name: &str) -> Result<PathBuf, FileError> {
    let name = name.replace('\\', "/");
    let name = Path::new(&name);
    let is_inside = name
        .components()
        .all(|segment| matches!(segment, Component::Normal(_) | Component::CurDir));
    let path = folder.join(name);
    // Links may lead anywhere.
    let leads_out = match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => !path.starts_with(folder),
        _ => false,
    };
    if is_inside && !leads_out {
        Ok(path)
    } else {
        Err(FileError::Outside)
    }
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
