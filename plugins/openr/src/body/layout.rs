//! Common memory layout of vectors: header, entries, and data.
//!
//! Numbers are little-endian. A header has 192 bytes, an entry 32; offsets of data are from the start of the vector.
use crate::status::Status;

/// Size of the header of a vector, and of an entry, bytes.
pub(super) const HEAD: usize = 192;
pub(super) const ENTRY: usize = 32;

/// Maximum number of entries of a vector: the number of primitives of a robot.
pub const MOST_ENTRIES: usize = 128;

/// Maximum number of frames per entry.
pub const MOST_FRAMES: usize = 16;

/// Number of optional bytes of a header.
pub(crate) const OPTIONAL: usize = 128;

/// Offsets in a header.
mod head {
    pub(super) const LENGTH: usize = 12;
    pub(super) const KIND: usize = 16;
    pub(super) const FIRST_ENTRY: usize = 20;
    pub(super) const ENTRY_SIZE: usize = 24;
    pub(super) const MOST: usize = 28;
    pub(super) const COUNT: usize = 32;
    pub(super) const SYNC_KEY: usize = 36;
    pub(super) const WAIT: usize = 40;
    pub(super) const OPTIONAL_OFFSET: usize = 44;
    pub(super) const OPTIONAL_SIZE: usize = 48;
    pub(super) const OPTIONAL: usize = 64;
}

/// Header of a vector, apart from its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sync key by which vectors start together; 0 for none.
    pub sync_key: u32,
    /// Number of frames of 8 ms before the vector starts.
    pub wait: u32,
    /// Bytes of a command vector, which sensor vectors return from the start of its execution on.
    pub optional: [u8; OPTIONAL],
}

impl Default for Header {
    fn default() -> Self {
        Self {
            sync_key: 0,
            wait: 0,
            optional: [0; OPTIONAL],
        }
    }
}

/// Writes a header to the start of a vector, whose length is final.
pub(super) fn write_head(bytes: &mut [u8], kind: u32, entries: usize, header: &Header) {
    for (at, number) in [
        (head::LENGTH, bytes.len() as u32),
        (head::KIND, kind),
        (head::FIRST_ENTRY, HEAD as u32),
        (head::ENTRY_SIZE, ENTRY as u32),
        (head::MOST, entries as u32),
        (head::COUNT, entries as u32),
        (head::SYNC_KEY, header.sync_key),
        (head::WAIT, header.wait),
        (head::OPTIONAL_OFFSET, head::OPTIONAL as u32),
        (head::OPTIONAL_SIZE, OPTIONAL as u32),
    ] {
        put(bytes, at, number);
    }
    bytes[head::OPTIONAL..head::OPTIONAL + OPTIONAL].copy_from_slice(&header.optional);
}

/// Returns the header of a vector of a kind, and its number of entries. Further entries may be reserved.
pub(super) fn read_head(bytes: &[u8], kind: u32) -> Result<(Header, usize), Status> {
    if bytes.len() < HEAD || get(bytes, head::KIND) != kind {
        return Err(Status::INVALID_ARG);
    }
    let entries = get(bytes, head::COUNT) as usize;
    if entries > MOST_ENTRIES || bytes.len() < HEAD + entries * ENTRY {
        return Err(Status::INVALID_ARG);
    }
    let mut optional = [0; OPTIONAL];
    optional.copy_from_slice(&bytes[head::OPTIONAL..head::OPTIONAL + OPTIONAL]);
    let header = Header {
        sync_key: get(bytes, head::SYNC_KEY),
        wait: get(bytes, head::WAIT),
        optional,
    };
    Ok((header, entries))
}

/// Entry of a vector of frames: eight numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// Type of the values.
    pub(super) kind: u32,
    /// Number of the primitive.
    pub(super) primitive: u32,
    /// Number of the first frame.
    pub(super) first: u32,
    /// Number of frames.
    pub(super) count: u32,
    /// Offset of the first frame.
    pub(super) data: usize,
}

impl Entry {
    /// Writes the entry at an index, for frames of a size.
    pub(super) fn write(&self, bytes: &mut [u8], index: usize, frame: usize) {
        let size = (MOST_FRAMES * frame) as u32;
        let numbers = [
            self.kind,
            self.primitive,
            self.first,
            self.count,
            frame as u32,
            self.data as u32,
            size,
        ];
        for (offset, number) in (HEAD + index * ENTRY..).step_by(4).zip(numbers) {
            put(bytes, offset, number);
        }
    }

    /// Reads the entry at an index, for frames of a size.
    ///
    /// # Errors
    ///
    /// It has too many frames, or frames outside the vector.
    pub(super) fn read(bytes: &[u8], index: usize, frame: usize) -> Result<Self, Status> {
        let offset = HEAD + index * ENTRY;
        let entry = Self {
            kind: get(bytes, offset),
            primitive: get(bytes, offset + 4),
            first: get(bytes, offset + 8),
            count: get(bytes, offset + 12),
            data: get(bytes, offset + 20) as usize,
        };
        let end = (entry.count as usize)
            .saturating_mul(frame)
            .saturating_add(entry.data);
        let is_valid =
            entry.count as usize <= MOST_FRAMES && entry.data >= HEAD && end <= bytes.len();
        is_valid.then_some(entry).ok_or(Status::INVALID_ARG)
    }
}

/// Returns the offset of the frames of an entry in a vector without reserved entries.
pub(super) const fn frames_at(index: usize, entries: usize, frame: usize) -> usize {
    HEAD + entries * ENTRY + index * MOST_FRAMES * frame
}

pub(super) fn put(bytes: &mut [u8], offset: usize, number: u32) {
    bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
}

pub(super) fn put_short(bytes: &mut [u8], offset: usize, number: u16) {
    bytes[offset..offset + 2].copy_from_slice(&number.to_le_bytes());
}

pub(super) fn get(bytes: &[u8], offset: usize) -> u32 {
    let number = bytes
        .get(offset..offset + 4)
        .and_then(|slice| slice.try_into().ok());
    number.map_or(0, u32::from_le_bytes)
}

pub(super) fn get_short(bytes: &[u8], offset: usize) -> u16 {
    let number = bytes
        .get(offset..offset + 2)
        .and_then(|slice| slice.try_into().ok());
    number.map_or(0, u16::from_le_bytes)
}
