//! Files that are written completely or not at all.
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

/// Writes a file under a temporary name beside it, and renames it when it is complete: a full disk leaves no incomplete
/// file, and the previous file stays.
///
/// Devices and pipes are written directly.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    // Follows a link, so that the link stays.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return filled(File::create(path)?, write);
    }
    let draft = Draft(beside(path));
    let file = match File::create(&draft.0) {
        Ok(file) => file,
        // The directory accepts no new files, but the existing file is writable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && before.is_some() => {
            return filled(File::create(path)?, write);
        }
        Err(error) => return Err(error),
    };
    filled(file, write)?;
    if let Some(before) = before {
        fs::set_permissions(&draft.0, before.permissions())?;
    }
    fs::rename(&draft.0, path)
}

fn filled(
    file: File,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.flush()
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// A temporary file that is removed unless it was renamed.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_there_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        for text in ["first", "second"] {
            write_whole(&path, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn half_a_file_is_not_there_and_the_old_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let full = |file: &mut BufWriter<File>| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        write_whole(&path, full).unwrap_err();
        assert!(names(folder.path()).is_empty());
        fs::write(&path, "old").unwrap();
        write_whole(&path, full).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_whole(Path::new("/dev/null"), |file| file.write_all(b"new")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
