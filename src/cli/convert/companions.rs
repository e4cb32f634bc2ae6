//! Materials and images of the meshes that are copied.
use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use morse_description::write::{Asset, Content, Written};
use morse_diagnostics::printable_path;
use morse_geometry::files;

use super::LARGEST_MESH;
use crate::scene::compiled::files_of_mesh;

/// Adds the files that the copied meshes name, at the same places beside the copies. Where two meshes name different files
/// by the same name, the second one is not copied, and reported.
pub(super) fn add(written: &mut Written) {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    let copied = written
        .assets
        .iter()
        .filter_map(|asset| match &asset.content {
            Content::Copy(path) => Some((asset.name.clone(), path.clone())),
            Content::Obj(_) | Content::Text(_) => None,
        });
    let copied: Vec<(String, PathBuf)> = copied.collect();
    known.extend(copied.iter().cloned());
    for (mesh, source) in &copied {
        let folder = source.parent().unwrap_or(Path::new(""));
        for file in files_of_mesh(source) {
            let name = file.strip_prefix(folder).ok();
            let Some(name) = name.and_then(|inner| name_beside(mesh, inner)) else {
                continue;
            };
            match known.get(&name) {
                Some(other) if is_same(other, &file) => {}
                Some(_) => {
                    let shown = printable_path(&file.display().to_string());
                    written.losses.push(format!(
                        "`{shown}` is not copied: another mesh has a file with this name"
                    ));
                }
                None => {
                    known.insert(name.clone(), file.clone());
                    let content = Content::Copy(file);
                    written.assets.push(Asset { name, content });
                }
            }
        }
    }
}

/// Returns the path of a file beside a mesh, without `..`; `None` if it would be above the description.
fn name_beside(mesh: &str, inner: &Path) -> Option<String> {
    let mut segments: Vec<String> = mesh.split('/').map(str::to_owned).collect();
    segments.pop();
    for segment in inner.components() {
        match segment {
            Component::ParentDir => drop(segments.pop()?),
            Component::Normal(segment) => segments.push(segment.to_str()?.to_owned()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(segments.join("/"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let bytes = |path| files::bytes(path, LARGEST_MESH).ok();
    one == other || bytes(one).is_some_and(|bytes_of_one| bytes(other) == Some(bytes_of_one))
}
