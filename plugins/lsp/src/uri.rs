//! Conversion between paths and `file:` URIs.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use lsp_types::Uri;

/// Returns the path of a `file:` URI, or `None` for other schemes.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // The host is empty or this computer.
    let start = rest.find('/')?;
    let path = decoded(rest.get(start..)?)?;
    // `/c:/scene.robray` on Windows.
    let drive = path
        .get(1..)
        .filter(|path| path.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(match drive {
        Some(path) if cfg!(windows) => path,
        _ => path.as_str(),
    }))
}

/// Returns the `file:` URI of an absolute path, or `None` if the path is not UTF-8.
pub(crate) fn of_path(path: &Path) -> Option<Uri> {
    let text = path
        .to_str()?
        .replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&uri).ok()
}

/// Decodes `%XX`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/a/b.robray", "/with space/50%/ä#?.ron", "/c:/x+y@z"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(
                to_path(&uri).as_deref(),
                Some(Path::new(path)),
                "{}",
                uri.as_str()
            );
        }
    }

    #[test]
    fn other_schemes_are_no_paths() {
        let path = |uri| to_path(&Uri::from_str(uri).unwrap());
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(decoded("/a%zz"), None);
        assert_eq!(path("file://localhost/a"), Some("/a".into()));
    }
}
