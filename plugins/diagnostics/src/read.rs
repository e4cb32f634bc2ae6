//! Reading of input files, with a limit of their size.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum size of an input file, bytes; larger files are refused.
pub const LARGEST_FILE: usize = 64 * 1024 * 1024;

/// Returns the content of a file; at most one byte more than [`LARGEST_FILE`], so that a reader can refuse the file as too
/// large.
///
/// # Errors
///
/// Returns the errors of the operating system, and an error if the file is not a regular file: reading a device or pipe may
/// never end.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() {
            "it is a directory"
        } else {
            "it is not a regular file"
        };
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
