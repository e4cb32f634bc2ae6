//! Files that the program carries in itself, as if they lay in a directory of their own.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Path, with `/`, and content of each file that the program carries; none unless given.
///
/// Messages, and [`Shape::Mesh`](crate::model::Shape::Mesh), call such a file
/// `shipped:/robots/atrv.robray`.
#[derive(Clone, Copy, Default)]
pub struct Shipped(pub &'static [(&'static str, &'static [u8])]);

impl Shipped {
    /// The directory that holds all of them.
    pub const ROOT: &'static str = "shipped:";

    /// Path that the file of this name is said to have: `shipped:/robots/atrv.robray`.
    #[must_use]
    pub fn path(name: &str) -> PathBuf {
        Path::new(Self::ROOT).join(name)
    }

    /// The content of a file below [`Shipped::ROOT`].
    #[must_use]
    pub fn content(self, path: &Path) -> Option<&'static [u8]> {
        let name = Self::name(path)?;
        let place = self.0.binary_search_by(|(known, _)| (*known).cmp(&name));
        let place = place.ok();
        place.and_then(|at| self.0.get(at)).map(|(_, bytes)| *bytes)
    }

    /// Tells whether a path leads below [`Shipped::ROOT`], be there a file or not.
    pub fn owns(path: &Path) -> bool {
        path.starts_with(Self::ROOT)
    }

    /// The path itself, unless it leads nowhere and `written` is the name of a shipped file. Paths
    /// below [`Shipped::ROOT`] lose their `..`.
    pub fn instead_of(self, path: PathBuf, written: &Path) -> PathBuf {
        if Self::owns(&path) {
            return Self::name(&path).map_or(path, |name| Self::path(&name));
        }
        let shipped = Path::new(Self::ROOT).join(written);
        if self.content(&shipped).is_some() && !path.exists() {
            return Self::name(&shipped).map_or(shipped, |name| Self::path(&name));
        }
        path
    }

    /// Name of a path below [`Shipped::ROOT`], seen from there; nothing if it leads out again.
    pub fn name(path: &Path) -> Option<String> {
        let mut parts: Vec<&str> = Vec::new();
        for component in path.strip_prefix(Self::ROOT).ok()?.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop()?;
                }
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(parts.join("/"))
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
        let found = SOME.instead_of(missing.clone(), Path::new("b/two.obj"));
        assert_eq!(SOME.content(&found), Some(&b"2"[..]));
        assert_eq!(
            SOME.instead_of(missing.clone(), Path::new("two.obj")),
            missing
        );
    }
}
