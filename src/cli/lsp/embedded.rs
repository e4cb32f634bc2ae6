//! Copies of the embedded files on the disk, which editors can show.
use std::path::{Path, PathBuf};

use morse_api::whole_file::write_whole;
use morse_scene::{assets::SHIPPED, shipped::Shipped};

/// Returns a copy of an embedded file in a cache directory, or `None` if the path is not that of an embedded file or
/// the directory cannot be written. All files are copied, so that paths from one to another are valid.
pub(super) fn copy(path: &Path, cache: &Path) -> Option<PathBuf> {
    SHIPPED.content(path)?;
    let directory = cache.join(env!("CARGO_PKG_VERSION"));
    for (name, content) in SHIPPED.0 {
        let copy = directory.join(name);
        if std::fs::read(&copy).is_ok_and(|known| known == *content) {
            continue;
        }
        std::fs::create_dir_all(copy.parent()?).ok()?;
        write_whole(&copy, |file| std::io::Write::write_all(file, content)).ok()?;
    }
    Some(directory.join(Shipped::name(path)?))
}
