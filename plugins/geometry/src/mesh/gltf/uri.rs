//! Resources that a glTF file names: files beside it, and data URIs.
use std::path::{Path, PathBuf};

use data_encoding::BASE64;

use super::{super::MeshError, file::shown};
use crate::files;

/// Resource of a URI.
#[derive(Debug, PartialEq, Eq)]
pub enum Resource {
    /// Content of a data URI.
    Data(Vec<u8>),
    /// A file beside the mesh.
    File(PathBuf),
}

/// Resolves a URI relative to a mesh in this directory.
///
/// # Errors
///
/// The URI is invalid, or leads out of the directory.
pub fn resource(uri: &str, folder: &Path) -> Result<Resource, MeshError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, content) = data.split_once(',').unwrap_or((data, ""));
        if !kind.ends_with(";base64") {
            return Err(MeshError::Unsupported(
                "a data URI is not in base64, and others cannot be read".to_owned(),
            ));
        }
        return match BASE64.decode(content.as_bytes()) {
            Ok(bytes) => Ok(Resource::Data(bytes)),
            Err(error) => {
                let why = format!("a data URI is not valid base64: {error}");
                Err(MeshError::Broken(why))
            }
        };
    }
    let shown = shown(uri);
    let Some(name) = unescaped(uri) else {
        return Err(MeshError::Name(format!(
            "the name `{shown}` is no valid URI"
        )));
    };
    let begin = name.split('/').next().unwrap_or_default();
    if begin.contains(':') {
        return Err(MeshError::Name(format!(
            "`{shown}` is not opened: put the file into the directory of the mesh, and name it there"
        )));
    }
    files::beside(folder, &name)
        .map(Resource::File)
        .map_err(|why| MeshError::Name(format!("`{shown}` is not opened: {why}")))
}

/// Decodes percent-encoded characters such as `%20`.
fn unescaped(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>()?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
