//! Paths of meshes that are part of a description instead of a file.

use std::path::{Path, PathBuf};

/// Beginning of the path of a mesh whose text follows.
const ROOT: &str = "inline:";

/// Returns the path of a mesh in Wavefront OBJ that no file contains: it consists of the text and a name. The text must not
/// contain a slash.
#[must_use]
pub fn inline(name: &str, text: &str) -> PathBuf {
    let name = name.replace(['/', '#'], "_");
    format!("{ROOT}{text}/{name}.obj").into()
}

/// Returns the text of a mesh that no file contains; `None` for other paths.
#[must_use]
pub fn inlined(path: &Path) -> Option<&str> {
    let text = path.to_str()?.strip_prefix(ROOT)?;
    text.rsplit_once('/').map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let path = inline("a/b", "v 0 0 0\n");
        assert_eq!(inlined(&path), Some("v 0 0 0\n"));
        assert_eq!(path.file_name().unwrap(), "a_b.obj");
        assert_eq!(inlined(Path::new("dir/inline:a/b.obj")), None);
    }
}
