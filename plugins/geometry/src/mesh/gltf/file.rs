//! A glTF file: its container, its JSON, and the bytes that it names, all limited in size.
use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    path::Path,
};

use ::gltf::{
    Document, Error, Glb,
    json::{Index, Root, buffer::View, mesh::Semantic, validation::Checked},
};
use serde::Deserialize;

use super::{
    super::{LARGEST_FILE, MeshError},
    uri::{Resource, resource},
};
use crate::files;

/// Maximum number of values in the JSON of a file: each takes a few hundred bytes of memory.
const MOST_VALUES: usize = 1 << 20;

/// A glTF file that is open.
pub struct File<'a> {
    /// Content of the JSON. Indices in it may be invalid.
    pub root: Root,
    /// Directory of the files that it names.
    pub folder: &'a Path,
    binary: Option<Cow<'a, [u8]>>,
    /// Each buffer is read when it is needed.
    buffers: Vec<OnceCell<Result<Cow<'a, [u8]>, MeshError>>>,
    /// Number of bytes that may still be read from other files.
    left: Cell<u64>,
}

/// Members of the JSON that are needed before the rest is parsed.
#[derive(Deserialize)]
struct Head {
    asset: Asset,
    #[serde(default, rename = "extensionsRequired")]
    extensions_required: Vec<String>,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

/// Returns the error of a file that violates the rules of the format.
pub(super) fn broken(what: &str) -> MeshError {
    MeshError::Gltf(what.to_owned())
}

/// Returns a text from a file in displayable form: short, and without control characters.
pub fn shown(text: &str) -> String {
    let begin: String = text.chars().take(80).collect();
    begin.escape_debug().to_string()
}

/// Returns the error of JSON that cannot be parsed: position and reason, without texts of the file.
fn misread(error: &serde_json::Error) -> MeshError {
    let (line, column) = (error.line(), error.column());
    let why = error.to_string();
    if !error.is_data() || why.starts_with("missing field") {
        return broken(&format!("its JSON: {why}"));
    }
    broken(&format!(
        "its JSON has a value of the wrong type at line {line} column {column}"
    ))
}

impl<'a> File<'a> {
    /// Opens a file of either kind. Files that it names must be in the directory or below it.
    ///
    /// # Errors
    ///
    /// The file is invalid, too large, or requires an unsupported feature: the reason in one line.
    pub fn parse(bytes: &'a [u8], folder: &'a Path) -> Result<Self, MeshError> {
        let (json, binary) = chunks(bytes)?;
        if values(&json) > MOST_VALUES {
            return Err(MeshError::TooLarge(format!(
                "its JSON has more than {MOST_VALUES} values: export it with fewer nodes, or in several files"
            )));
        }
        let head: Head = serde_json::from_slice(&json).map_err(|error| misread(&error))?;
        if !head.asset.version.starts_with("2.") {
            return Err(MeshError::Unsupported(format!(
                "it is of glTF {}, and only 2.0 can be read: convert it",
                shown(&head.asset.version)
            )));
        }
        if let Some(name) = head.extensions_required.first() {
            return Err(MeshError::Unsupported(format!(
                "it requires the extension `{}`, which cannot be read: {}",
                shown(name),
                remedy(name)
            )));
        }
        let root: Root = serde_json::from_slice(&json).map_err(|error| misread(&error))?;
        let root = valid(root)?;
        Ok(Self {
            buffers: root.buffers.iter().map(|_| OnceCell::new()).collect(),
            root,
            folder,
            binary,
            left: Cell::new(LARGEST_FILE),
        })
    }

    /// Returns the bytes of a buffer view, and the stride of its elements, if it defines one.
    ///
    /// # Errors
    ///
    /// The view is out of range.
    pub fn view(&self, index: Index<View>) -> Result<(&[u8], Option<usize>), MeshError> {
        let wrong = |what: &str| broken(&format!("buffer view {} {what}", index.value()));
        let Some(view) = self.root.get(index) else {
            return Err(wrong("does not exist"));
        };
        let buffer = self.buffer(view.buffer.value())?;
        let begin = view.byte_offset.map_or(0, |offset| offset.0);
        let end = begin.checked_add(view.byte_length.0);
        let to_usize = |value: u64| usize::try_from(value).ok();
        let range = to_usize(begin).zip(end.and_then(to_usize));
        let bytes = range.and_then(|(begin, end)| buffer.get(begin..end));
        let bytes = bytes.ok_or_else(|| wrong("ends beyond its buffer"))?;
        Ok((bytes, view.byte_stride.map(|stride| stride.0)))
    }

    fn buffer(&self, index: usize) -> Result<&[u8], MeshError> {
        let cell = self.buffers.get(index);
        let cell = cell.ok_or_else(|| broken(&format!("there is no buffer {index}")))?;
        cell.get_or_init(|| self.load(index))
            .as_deref()
            .map_err(Clone::clone)
    }

    fn load(&self, index: usize) -> Result<Cow<'a, [u8]>, MeshError> {
        let buffer = self.root.buffers.get(index);
        let uri = buffer.and_then(|buffer| buffer.uri.as_deref());
        let bytes = match (uri, &self.binary) {
            (None, Some(binary)) if index == 0 => binary.clone(),
            (None, _) => return Err(broken(&format!("buffer {index} has no content"))),
            (Some(uri), _) => match resource(uri, self.folder)? {
                Resource::Data(bytes) => Cow::Owned(bytes),
                Resource::File(path) => {
                    let bytes = files::bytes(&path, self.left.get()).map_err(|cause| {
                        let file = path.display().to_string();
                        MeshError::Named { file, cause }
                    })?;
                    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                    self.left.set(self.left.get().saturating_sub(length));
                    bytes
                }
            },
        };
        let stated = buffer.map_or(0, |buffer| buffer.byte_length.0);
        let length = usize::try_from(stated).unwrap_or(usize::MAX);
        if length > bytes.len() {
            return Err(broken(&format!(
                "buffer {index} has {} bytes, not {stated}",
                bytes.len()
            )));
        }
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..length).unwrap_or(bytes)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length);
                Cow::Owned(bytes)
            }
        })
    }
}

/// Returns the JSON and the binary chunk.
fn chunks(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Option<Cow<'_, [u8]>>), MeshError> {
    let Some(header) = bytes.strip_prefix(b"glTF") else {
        return Ok((bytes.into(), None));
    };
    // The library subtracts the length of the header, 12 bytes, from that of the file.
    let length = header.get(4..8).and_then(|length| length.first_chunk());
    if length.is_none_or(|length| u32::from_le_bytes(*length) < 12) {
        return Err(broken("it ends within its header"));
    }
    match Glb::from_slice(bytes) {
        Ok(glb) => Ok((glb.json, glb.bin)),
        Err(Error::Binary(::gltf::binary::Error::Version(version))) => Err(MeshError::Unsupported(
            format!("it is of glTF {version}, and only 2.0 can be read: convert it"),
        )),
        Err(error) => Err(broken(&error.to_string())),
    }
}

/// Returns an upper bound of the number of values in a JSON text.
fn values(json: &[u8]) -> usize {
    let mut count = 1;
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'{' | b'[' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

/// Returns the remedy for an unsupported extension.
fn remedy(extension: &str) -> &'static str {
    match extension {
        "KHR_draco_mesh_compression" | "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            "export it without compression"
        }
        "KHR_mesh_quantization" => "export it without quantization",
        "KHR_texture_basisu" | "EXT_texture_webp" => "export it with images in PNG",
        _ => "export it without this extension",
    }
}

/// Validates the rules of the format that the library checks.
fn valid(root: Root) -> Result<Root, MeshError> {
    // The library indexes these before it validates them.
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut positions = primitives.filter_map(|primitive| {
        let positions = Checked::Valid(Semantic::Positions);
        primitive.attributes.get(&positions)
    });
    if let Some(index) = positions.find(|index| index.value() >= root.accessors.len()) {
        return Err(broken(&format!(
            "accessor {} does not exist",
            index.value()
        )));
    }
    match Document::from_json(root) {
        Ok(document) => Ok(document.into_json()),
        Err(Error::Validation(errors)) => Err(errors.first().map_or_else(
            || broken("it breaks a rule"),
            |(path, error)| broken(&format!("`{path}`: {error}")),
        )),
        Err(error) => Err(broken(&error.to_string())),
    }
}
