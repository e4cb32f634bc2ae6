//! Vectors of commands and of sensor values, and their memory layout in regions.
//!
//! Numbers are little-endian. A vector begins with a header of 192 bytes: its length at offset 12, its type at 16, the
//! number of entries at 32. Then follow 32 bytes per entry, with its type at offset 0, its primitive at 4, the number of its
//! first frame at 8 and the number of its frames at 12; then the frames of all entries, 16 per entry: 8 bytes per frame of a
//! command, 16 bytes per frame of sensor values.
use crate::{region::Region, status::Status};

/// Size of the header of a vector, and of an entry, bytes.
const HEAD: usize = 192;
const ENTRY: usize = 32;

/// Maximum number of frames per entry.
pub const MOST_FRAMES: usize = 16;

/// Size of a frame of a command, and of sensor values, bytes.
const COMMAND: usize = 8;
const SENSED: usize = 16;

/// Maximum number of entries of a vector: the number of primitives of a robot.
pub const MOST_ENTRIES: usize = 128;

/// Type codes of vectors and entries.
const COMMANDS: u32 = 1024;
const SENSORS: u32 = 1025;
const JOINT_COMMAND: u32 = 259;
const JOINT_VALUE: u32 = 18;

/// Vector of commands for some primitives, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandVector {
    /// Entries, one per primitive.
    pub entries: Vec<Commands>,
}

/// Commands for one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// Number of the primitive.
    pub primitive: u32,
    /// Values of the frames of 8 ms, µrad for joints; if empty, the primitive keeps its value.
    pub frames: Vec<i32>,
}

/// Vector of sensor values in some frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SensorVector {
    /// Entries, one per primitive.
    pub entries: Vec<Sensed>,
}

/// Sensor values of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensed {
    /// Number of the primitive.
    pub primitive: u32,
    /// Number of the first frame since the start.
    pub first: u32,
    /// Values, one per frame.
    pub frames: Vec<Value>,
}

/// Sensor value in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Value: µrad, µm, µm/s², or 0 and 1.
    pub value: i32,
    /// Strength of the raw signal; 0 where nothing was measured.
    pub signal: u16,
    /// Target value of a joint.
    pub reference: i32,
}

impl CommandVector {
    /// Returns the number of frames of the longest entry.
    #[must_use]
    pub fn frames(&self) -> usize {
        let frames = self.entries.iter().map(|entry| entry.frames.len());
        frames.max().unwrap_or(0)
    }

    /// Returns the vector as a region. Frames beyond the first 16 are left out.
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

    /// Parses a vector from a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if the region contains no such vector, or its counts are inconsistent.
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
    /// Returns the vector as a region.
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

    /// Parses a vector from a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if the region contains no such vector, or its counts are inconsistent.
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

    /// Returns the sensor values of a primitive.
    #[must_use]
    pub fn of(&self, primitive: u32) -> Option<&Sensed> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.primitive == primitive)
    }
}

/// Offsets of an entry in the memory of a vector.
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

    /// Returns the number of frames in the header of an entry.
    fn count(&self, bytes: &[u8]) -> Result<usize, Status> {
        let count = get(bytes, self.head + 12) as usize;
        if count > MOST_FRAMES {
            return Err(Status::INVALID_ARG);
        }
        Ok(count)
    }
}

/// Returns an empty vector with a number of entries.
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

/// Returns the number of entries of the vector, if its counts are consistent.
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
