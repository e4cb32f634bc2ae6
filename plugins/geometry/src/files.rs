//! Files that may come from strangers: of bearable size, and what they name lies beside them.
use std::{
    borrow::Cow,
    fs,
    path::{Component, Path, PathBuf},
};

use morse_scene::assets;

/// The content of a regular file of bearable size, from the disk or from those that the program carries.
///
/// # Errors
///
/// Why it cannot be read, in one line.
pub fn bytes(file: &Path, largest: u64) -> Result<Cow<'static, [u8]>, String> {
    if let Some(shipped) = assets::SHIPPED.content(file) {
        return Ok(Cow::Borrowed(shipped));
    }
    let metadata = fs::metadata(file).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.len() > largest {
        return Err(format!(
            "{} bytes are too many: at most {largest} are read",
            metadata.len()
        ));
    }
    fs::read(file)
        .map(Cow::Owned)
        .map_err(|error| error.to_string())
}

/// The path of a file in a folder or below it, from its name as a file in the folder has it.
///
/// # Errors
///
/// When it leads out of the folder.
pub fn beside(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let name = name.replace('\\', "/");
    let name = Path::new(&name);
    let is_inside = name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = folder.join(name);
    // Links may lead anywhere.
    let leads_out = match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => !path.starts_with(folder),
        _ => false,
    };
    if is_inside && !leads_out {
        Ok(path)
    } else {
        Err("it is neither in the directory of the mesh nor below that".to_owned())
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
        assert_eq!(beside(&mesh, "./sub/a.mtl"), Ok(mesh.join("./sub/a.mtl")));
    }

    #[test]
    fn only_regular_files_of_bearable_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "four").unwrap();
        assert_eq!(bytes(&path, 4).as_deref(), Ok("four".as_bytes()));
        assert!(bytes(&path, 3).unwrap_err().contains("too many"));
        assert!(bytes(folder.path(), 99).unwrap_err().contains("regular"));
        assert!(bytes(&folder.path().join("b"), 99).is_err());
    }
}
