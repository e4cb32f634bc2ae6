//! Vectors of commands and of what was sensed, as they lie in regions of memory.
//!
//! Numbers are little endian. A vector begins with 192 bytes about itself: its length at 12, its type at 16, the number of
//! entries at 32. For each entry 32 bytes follow, with its type at 0, its primitive at 4, the number of its first frame at 8 and that of its
//! frames at 12; then the frames of all entries, 16 of each: of a command 8 bytes a frame, of what was sensed 16.
use crate::{region::Region, status::Status};

/// Bytes about a vector, and about each entry.
const HEAD: usize = 192;
const ENTRY: usize = 32;

/// Frames that an entry has room for.
pub const MOST_FRAMES: usize = 16;

/// Bytes of a frame of a command, and of what was sensed.
const COMMAND: usize = 8;
const SENSED: usize = 16;

/// Entries that a vector can have: as many as a robot has primitives.
pub const MOST_ENTRIES: usize = 128;

/// Numbers that tell types of vectors and of entries.
const COMMANDS: u32 = 1024;
const SENSORS: u32 = 1025;
const JOINT_COMMAND: u32 = 259;
const JOINT_VALUE: u32 = 18;

/// Commands for some primitives, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandVector {
    /// A primitive each.
    pub entries: Vec<Commands>,
}

/// Commands for one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// Number of the primitive.
    pub primitive: u32,
    /// Value of each frame of 8 ms, µrad for joints; none leave the primitive as it is.
    pub frames: Vec<i32>,
}

/// Measurements of some frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SensorVector {
    /// A primitive each.
    pub entries: Vec<Sensed>,
}

/// Measurements of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensed {
    /// Number of the primitive.
    pub primitive: u32,
    /// Number of the first frame since the start.
    pub first: u32,
    /// Frame by frame.
    pub frames: Vec<Value>,
}

/// Value of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Value: µrad, µm, µm/s², or 0 and 1.
    pub value: i32,
    /// Strength of the signal that it was made of; 0 where nothing was measured.
    pub signal: u16,
    /// Of joints: the value that it is to have.
    pub reference: i32,
}

impl CommandVector {
    /// Frames that the longest entry has.
    #[must_use]
    pub fn frames(&self) -> usize {
        let frames = self.entries.iter().map(|entry| entry.frames.len());
        frames.max().unwrap_or(0)
    }

    /// The vector as it lies in memory. Of more than 16 frames the first 16 are there.
    #[must_use]
    pub fn region(&self) -> Region {
        let mut bytes = begin(COMMANDS, self.entries.len(), COMMAND);
        for (at, entry) in self.entries.iter().enumerate() {
            let count = entry.frames.len().min(MOST_FRAMES);
            let place = Place::new(at, self.entries.len(), COMMAND);
            place.head(
                &mut bytes,
                [JOINT_COMMAND, entry.primitive, 0, count as u32],
            );
            for (frame, value) in entry.frames.iter().take(count).enumerate() {
                put(&mut bytes, place.frames + frame * COMMAND, *value as u32);
            }
        }
        bytes.into()
    }

    /// The vector that lies in a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if there is none, or its counts do not fit.
    pub fn read(region: &Region) -> Result<Self, Status> {
        let bytes = region.bytes();
        let entries = check(bytes, COMMANDS, COMMAND)?;
        let entry = |at: usize| {
            let place = Place::new(at, entries, COMMAND);
            let count = place.count(bytes)?;
            let value = |frame: usize| get(bytes, place.frames + frame * COMMAND) as i32;
            Ok(Commands {
                primitive: get(bytes, place.head + 4),
                frames: (0..count).map(value).collect(),
            })
        };
        let entries = (0..entries).map(entry).collect::<Result<_, Status>>()?;
        Ok(Self { entries })
    }
}

impl SensorVector {
    /// The vector as it lies in memory.
    #[must_use]
    pub fn region(&self) -> Region {
        let mut bytes = begin(SENSORS, self.entries.len(), SENSED);
        for (at, entry) in self.entries.iter().enumerate() {
            let count = entry.frames.len().min(MOST_FRAMES);
            let place = Place::new(at, self.entries.len(), SENSED);
            let head = [JOINT_VALUE, entry.primitive, entry.first, count as u32];
            place.head(&mut bytes, head);
            for (frame, value) in entry.frames.iter().take(count).enumerate() {
                let at = place.frames + frame * SENSED;
                put(&mut bytes, at, value.value as u32);
                put(&mut bytes, at + 4, value.signal.into());
                put(&mut bytes, at + 8, value.reference as u32);
            }
        }
        bytes.into()
    }

    /// The vector that lies in a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if there is none, or its counts do not fit.
    pub fn read(region: &Region) -> Result<Self, Status> {
        let bytes = region.bytes();
        let entries = check(bytes, SENSORS, SENSED)?;
        let entry = |at: usize| {
            let place = Place::new(at, entries, SENSED);
            let count = place.count(bytes)?;
            let value = |frame: usize| {
                let at = place.frames + frame * SENSED;
                Value {
                    value: get(bytes, at) as i32,
                    signal: get(bytes, at + 4) as u16,
                    reference: get(bytes, at + 8) as i32,
                }
            };
            Ok(Sensed {
                primitive: get(bytes, place.head + 4),
                first: get(bytes, place.head + 8),
                frames: (0..count).map(value).collect(),
            })
        };
        let entries = (0..entries).map(entry).collect::<Result<_, Status>>()?;
        Ok(Self { entries })
    }

    /// Measurements of a primitive.
    #[must_use]
    pub fn of(&self, primitive: u32) -> Option<&Sensed> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.primitive == primitive)
    }
}

/// Places of an entry in the memory of a vector.
struct Place {
    head: usize,
    frames: usize,
}

impl Place {
    const fn new(at: usize, entries: usize, frame: usize) -> Self {
        Self {
            head: HEAD + at * ENTRY,
            frames: HEAD + entries * ENTRY + at * MOST_FRAMES * frame,
        }
    }

    fn head(&self, bytes: &mut [u8], numbers: [u32; 4]) {
        for (at, number) in (self.head..).step_by(4).zip(numbers) {
            put(bytes, at, number);
        }
    }

    /// Number of frames that an entry says it has.
    fn count(&self, bytes: &[u8]) -> Result<usize, Status> {
        let count = get(bytes, self.head + 12) as usize;
        if count > MOST_FRAMES {
            return Err(Status::INVALID_ARG);
        }
        Ok(count)
    }
}

/// A vector of so many entries, with nothing in them.
fn begin(kind: u32, entries: usize, frame: usize) -> Vec<u8> {
    let length = length(entries, frame);
    let mut bytes = vec![0; length];
    for (at, number) in [(12, length as u32), (16, kind), (32, entries as u32)] {
        put(&mut bytes, at, number);
    }
    bytes
}

const fn length(entries: usize, frame: usize) -> usize {
    HEAD + entries * (ENTRY + MOST_FRAMES * frame)
}

/// Number of entries of the vector that lies there, if its counts are right.
fn check(bytes: &[u8], kind: u32, frame: usize) -> Result<usize, Status> {
    if bytes.len() < HEAD || get(bytes, 16) != kind {
        return Err(Status::INVALID_ARG);
    }
    let entries = get(bytes, 32) as usize;
    if entries > MOST_ENTRIES || bytes.len() != length(entries, frame) {
        return Err(Status::INVALID_ARG);
    }
    Ok(entries)
}

fn put(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

fn get(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..at + 4).and_then(|part| part.try_into().ok());
    number.map_or(0, u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_the_sizes_of_the_robots() {
        let commands = CommandVector {
            entries: vec![Commands::default(); 3],
        };
        assert_eq!(commands.region().bytes().len(), 192 + 3 * (32 + 128));
        let sensors = SensorVector {
            entries: vec![Sensed::default(); 34],
        };
        assert_eq!(sensors.region().bytes().len(), 9984);
    }

    #[test]
    fn vectors_are_read_as_they_were_written() {
        let commands = CommandVector {
            entries: vec![
                Commands {
                    primitive: 7,
                    frames: vec![-1_570_796, 0, i32::MAX],
                },
                Commands {
                    primitive: 8,
                    frames: Vec::new(),
                },
            ],
        };
        assert_eq!(CommandVector::read(&commands.region()), Ok(commands));
        let value = Value {
            value: -5,
            signal: 9,
            reference: 7,
        };
        let sensed = SensorVector {
            entries: vec![Sensed {
                primitive: 3,
                first: 40,
                frames: vec![value; 4],
            }],
        };
        assert_eq!(SensorVector::read(&sensed.region()), Ok(sensed));
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let vector = CommandVector {
                entries: vec![Commands::default(); 2],
            };
            let mut bytes = vector.region().bytes().to_vec();
            change(&mut bytes);
            CommandVector::read(&bytes.into()) == Err(Status::INVALID_ARG)
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|bytes| bytes.clear()));
        assert!(refused(&|bytes| bytes.truncate(200)));
        assert!(refused(&|bytes| put(bytes, 16, SENSORS)));
        assert!(refused(&|bytes| put(bytes, 32, u32::MAX)));
        assert!(refused(&|bytes| put(bytes, HEAD + 12, 17)));
    }
}
