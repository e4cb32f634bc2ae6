//! Header of a compiled scene: 64 bytes before the directory.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::CompiledError;

/// First bytes of the file.
const MAGIC: [u8; 8] = *b"MORSEMSC";

/// Version of the format. Every change of the scene model or of the layout increases it.
pub const VERSION: u32 = 2;

/// Size of the header, bytes.
pub const SIZE: usize = 64;

/// Offset of the hash in the header; the hash covers all other bytes of the file.
const HASH: std::ops::Range<usize> = 32..48;

/// Returns the hash of the content of a file.
#[must_use]
pub fn hash(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Writes the header into the first bytes of a complete file.
pub(crate) fn write(file: &mut [u8], directory: usize) {
    let mut header = Vec::with_capacity(SIZE);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend([0; 4]);
    header.extend((file.len() as u64).to_le_bytes());
    header.extend((directory as u64).to_le_bytes());
    header.resize(SIZE, 0);
    if let Some(start) = file.get_mut(..SIZE) {
        start.copy_from_slice(&header);
    }
    let digest = digest(file).to_le_bytes();
    if let Some(hash) = file.get_mut(HASH) {
        hash.copy_from_slice(&digest);
    }
}

/// Checks a complete file. Returns the hash and the length of the directory, which follows the header.
pub(crate) fn check(file: &[u8]) -> Result<(u128, usize), CompiledError> {
    let header: &[u8; SIZE] = file.first_chunk().ok_or(match file.starts_with(&MAGIC) {
        true => CompiledError::Damaged("its header is incomplete"),
        false => CompiledError::Foreign,
    })?;
    if !header.starts_with(&MAGIC) {
        return Err(CompiledError::Foreign);
    }
    let version = u32::from_le_bytes(field(header, 8));
    if version != VERSION {
        let known = VERSION;
        return Err(CompiledError::Version { version, known });
    }
    if u64::from_le_bytes(field(header, 16)) != file.len() as u64 {
        return Err(CompiledError::Damaged("its length is wrong"));
    }
    let hash = u128::from_le_bytes(field(header, HASH.start));
    if digest(file) != hash {
        return Err(CompiledError::Damaged("its hash is wrong"));
    }
    let directory = usize::try_from(u64::from_le_bytes(field(header, 24)));
    let fits = |length: &usize| *length <= file.len() - SIZE;
    let directory = directory.ok().filter(fits);
    let directory = directory.ok_or(CompiledError::Damaged("its directory is too long"))?;
    Ok((hash, directory))
}

fn field<const N: usize>(header: &[u8; SIZE], offset: usize) -> [u8; N] {
    let bytes = header.get(offset..offset + N);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .unwrap_or([0; N])
}

/// Returns the hash of all bytes but those of the hash itself.
fn digest(file: &[u8]) -> u128 {
    let mut state = Xxh3::new();
    state.update(file.get(..HASH.start).unwrap_or_default());
    state.update(file.get(HASH.end..).unwrap_or_default());
    state.digest128()
}
