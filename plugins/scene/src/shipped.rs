//! Files that are embedded in the program, in a virtual directory of their own.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Path (with `/`) and content of each embedded file; empty by default.
///
/// In messages, and in [`MeshFile`](crate::model::MeshFile), the path of such a file is `shipped:/robots/atrv.robray`.
#[derive(Clone, Copy, Default)]
pub struct Shipped(pub &'static [(&'static str, &'static [u8])]);

impl Shipped {
    /// Virtual directory that contains all embedded files.
    pub const ROOT: &'static str = "shipped:";

    /// Returns the path of an embedded file by its name: `shipped:/robots/atrv.robray`.
    #[must_use]
    pub fn path(name: &str) -> PathBuf {
        Path::new(Self::ROOT).join(name)
    }

    /// Returns the content of a file below [`Shipped::ROOT`].
    #[must_use]
    pub fn content(self, path: &Path) -> Option<&'static [u8]> {
        let name = Self::name(path)?;
        let index = self.0.binary_search_by(|(known, _)| (*known).cmp(&name));
        let index = index.ok();
        index
            .and_then(|index| self.0.get(index))
            .map(|(_, bytes)| *bytes)
    }

    /// Returns true if a path is below [`Shipped::ROOT`], even if no such file exists.
    pub fn owns(path: &Path) -> bool {
        path.starts_with(Self::ROOT)
    }

    /// Returns the path itself, or the embedded file that `written` names if the path does not exist, neither on the disk
    /// nor, below [`Shipped::ROOT`], among the embedded files. `..` is resolved in paths of embedded files.
    pub fn instead_of(self, path: PathBuf, written: &Path) -> PathBuf {
        let shipped = Path::new(Self::ROOT).join(written);
        if Self::owns(&path) {
            let is_missing = self.content(&path).is_none() && self.content(&shipped).is_some();
            let path = if is_missing { shipped } else { path };
            return Self::name(&path).map_or(path, |name| Self::path(&name));
        }
        if self.content(&shipped).is_some() && !path.exists() {
            return Self::name(&shipped).map_or(shipped, |name| Self::path(&name));
        }
        path
    }

    /// Returns the name of a path relative to [`Shipped::ROOT`], or `None` if the path leaves it.
    pub fn name(path: &Path) -> Option<String> {
        let mut segments: Vec<&str> = Vec::new();
        for component in path.strip_prefix(Self::ROOT).ok()?.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    segments.pop()?;
                }
                Component::Normal(segment) => segments.push(segment.to_str()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(segments.join("/"))
    }
}

impl fmt::Debug for Shipped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        formatter.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Shipped = Shipped(&[("a/one.robray", b"1"), ("b/two.obj", b"2")]);

    #[test]
    fn names_have_neither_dots_nor_ways_out() {
        let name = |path: &str| Shipped::name(Path::new(path));
        assert_eq!(
            name("shipped:/a/../b/./two.obj").as_deref(),
            Some("b/two.obj")
        );
        assert_eq!(name("shipped:/../etc/passwd"), None);
        assert_eq!(name("elsewhere/b/two.obj"), None);
    }

    #[test]
    fn what_is_on_the_disk_comes_first() {
        let here = Path::new("Cargo.toml");
        let missing = PathBuf::from("nowhere/two.obj");
        assert_eq!(SOME.instead_of(here.into(), Path::new("b/two.obj")), here);
        let path = SOME.instead_of(missing.clone(), Path::new("b/two.obj"));
        assert_eq!(SOME.content(&path), Some(&b"2"[..]));
        assert_eq!(
            SOME.instead_of(missing.clone(), Path::new("two.obj")),
            missing
        );
    }

    #[test]
    fn embedded_files_name_each_other_from_their_directory_or_from_the_root() {
        let path =
            |path: &str, written: &str| SOME.instead_of(Shipped::path(path), written.as_ref());
        assert_eq!(path("b/two.obj", "two.obj"), Shipped::path("b/two.obj"));
        assert_eq!(path("a/b/two.obj", "b/two.obj"), Shipped::path("b/two.obj"));
        assert_eq!(path("a/none.obj", "none.obj"), Shipped::path("a/none.obj"));
    }
}
