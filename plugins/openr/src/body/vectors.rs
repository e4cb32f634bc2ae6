//! Vectors of commands and of sensor values, and their memory in regions; the guide's page "The body of an AIBO" has
//! the offsets.
use super::{
    layout::{
        self, Entry, Header, MOST_ENTRIES, MOST_FRAMES, frames_at, get, get_short, put, put_short,
    },
    primitives::{Kind, Sensor},
};
use crate::{region::Region, status::Status};

/// Size of a frame of a command, and of sensor values, bytes.
const COMMAND: usize = 8;
const SENSED: usize = 16;

/// Type codes of vectors.
const COMMANDS: u32 = 1024;
const SENSORS: u32 = 1025;

/// Type of the commands of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Angles of a joint, µrad, 8 ms each.
    #[default]
    Joint2,
    /// States of an ear of the ERS-210, 128 ms each.
    Joint3,
    /// States of an ear of the ERS-7, with a period.
    Joint4,
    /// States of a light, with a period.
    Led2,
    /// Intensities of a light, with a mode and a period.
    Led3,
}

impl Format {
    const ALL: [Self; 5] = [
        Self::Joint2,
        Self::Joint3,
        Self::Joint4,
        Self::Led2,
        Self::Led3,
    ];

    /// Returns the type code.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Joint2 => 259,
            Self::Joint3 => 261,
            Self::Joint4 => 262,
            Self::Led2 => 260,
            Self::Led3 => 263,
        }
    }

    fn of_code(code: u32) -> Result<Self, Status> {
        let known = Self::ALL.into_iter().find(|format| format.code() == code);
        known.ok_or(Status::INVALID_DATA_TYPE)
    }

    /// Returns true if a primitive takes commands of this type.
    #[must_use]
    pub const fn fits(self, kind: Kind) -> bool {
        match kind {
            Kind::Joint { .. } => matches!(self, Self::Joint2),
            Kind::Ear { .. } => matches!(self, Self::Joint3 | Self::Joint4),
            Kind::Light => matches!(self, Self::Led2),
            Kind::Dimmed => matches!(self, Self::Led3),
            _ => false,
        }
    }
}

/// Command of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Angle, µrad; state, 0 or 1; or intensity, 0 to 255.
    pub value: i32,
    /// Mode of a dimmed light: 0 or 1, or 65535 for the present one.
    pub mode: u16,
    /// Number of frames of 8 ms for which the command is valid, of formats with a period.
    pub period: u16,
}

/// Mode of a dimmed light that leaves the present mode.
pub const SAME_MODE: u16 = 0xffff;

/// Vector of commands for some primitives, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandVector {
    /// Sync key, waiting time, and bytes for sensor vectors.
    pub header: Header,
    /// Entries, one per primitive.
    pub entries: Vec<Commands>,
}

/// Commands for one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// Number of the primitive.
    pub primitive: u32,
    /// Type of the commands.
    pub format: Format,
    /// Commands; if there are none, the primitive keeps its value.
    pub frames: Vec<Command>,
}

impl Commands {
    /// Returns commands of angles, µrad, for a joint.
    pub fn joint(primitive: u32, angles: impl IntoIterator<Item = i32>) -> Self {
        let frames = angles.into_iter().map(|value| Command {
            value,
            ..Command::default()
        });
        Self {
            primitive,
            format: Format::Joint2,
            frames: frames.collect(),
        }
    }

    /// Returns the duration of a command, in frames of 8 ms.
    fn duration(&self, command: &Command) -> u32 {
        match self.format {
            Format::Joint2 => 1,
            Format::Joint3 => 16,
            Format::Joint4 | Format::Led2 | Format::Led3 => u32::from(command.period.max(1)),
        }
    }

    /// Returns the duration of all commands, in frames of 8 ms.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.frames
            .iter()
            .map(|command| self.duration(command))
            .sum()
    }

    /// Returns the command that is valid in a frame.
    #[must_use]
    pub fn at(&self, frame: u32) -> Option<Command> {
        let mut end = 0;
        let mut commands = self.frames.iter();
        commands
            .find(|command| {
                end += self.duration(command);
                frame < end
            })
            .copied()
    }
}

impl CommandVector {
    /// Returns a vector that starts at once.
    #[must_use]
    pub fn new(entries: Vec<Commands>) -> Self {
        Self {
            header: Header::default(),
            entries,
        }
    }

    /// Returns the duration of the longest entry, in frames of 8 ms.
    #[must_use]
    pub fn frames(&self) -> u32 {
        let frames = self.entries.iter().map(Commands::frames);
        frames.max().unwrap_or(0)
    }

    /// Returns the vector as a region. Commands beyond the first 16 are left out.
    #[must_use]
    pub fn region(&self) -> Region {
        let entries = self.entries.len();
        let mut bytes = vec![0; frames_at(entries, entries, COMMAND)];
        layout::write_head(&mut bytes, COMMANDS, entries, &self.header);
        for (index, commands) in self.entries.iter().enumerate() {
            let count = commands.frames.len().min(MOST_FRAMES);
            let entry = Entry {
                kind: commands.format.code(),
                primitive: commands.primitive,
                first: 0,
                count: count as u32,
                data: frames_at(index, entries, COMMAND),
            };
            entry.write(&mut bytes, index, COMMAND);
            for (frame, command) in commands.frames[..count].iter().enumerate() {
                let at = entry.data + frame * COMMAND;
                put_command(&mut bytes, at, commands.format, *command);
            }
        }
        bytes.into()
    }

    /// Parses a vector from a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if the region contains no such vector, or its counts are inconsistent;
    /// [`Status::INVALID_DATA_TYPE`] if an entry has an unknown type.
    pub fn read(region: &Region) -> Result<Self, Status> {
        let bytes = region.bytes();
        let (header, entries) = layout::read_head(bytes, COMMANDS)?;
        let commands = |index: usize| {
            let entry = Entry::read(bytes, index, COMMAND)?;
            let format = Format::of_code(entry.kind)?;
            let frames = 0..entry.count as usize;
            Ok(Commands {
                primitive: entry.primitive,
                format,
                frames: frames
                    .map(|frame| get_command(bytes, entry.data + frame * COMMAND, format))
                    .collect(),
            })
        };
        let entries = (0..entries).map(commands).collect::<Result<_, Status>>()?;
        Ok(Self { header, entries })
    }
}

/// Writes a command: the value, then mode and period where the format has them.
fn put_command(bytes: &mut [u8], offset: usize, format: Format, command: Command) {
    match format {
        Format::Joint2 | Format::Joint3 => put(bytes, offset, command.value as u32),
        Format::Joint4 | Format::Led2 => {
            put(bytes, offset, command.value as u32);
            put_short(bytes, offset + 4, command.period);
        }
        Format::Led3 => {
            put_short(bytes, offset, command.value as u16);
            put_short(bytes, offset + 2, command.mode);
            put_short(bytes, offset + 4, command.period);
        }
    }
}

fn get_command(bytes: &[u8], offset: usize, format: Format) -> Command {
    let value = get(bytes, offset) as i32;
    let period = get_short(bytes, offset + 4);
    match format {
        Format::Joint2 | Format::Joint3 => Command {
            value,
            ..Command::default()
        },
        Format::Joint4 | Format::Led2 => Command {
            value,
            mode: 0,
            period,
        },
        Format::Led3 => Command {
            value: i32::from(get_short(bytes, offset)),
            mode: get_short(bytes, offset + 2),
            period,
        },
    }
}

/// Vector of sensor values in some frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SensorVector {
    /// Optional bytes of the last command vector that has been started.
    pub header: Header,
    /// Entries, one per primitive.
    pub entries: Vec<Sensed>,
}

/// Sensor values of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensed {
    /// Number of the primitive.
    pub primitive: u32,
    /// Type of the values.
    pub kind: SensedKind,
    /// Number of the first frame since the start.
    pub first: u32,
    /// Values, one per frame.
    pub frames: Vec<Value>,
}

/// Type of sensor values, with its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SensedKind(pub u32);

impl SensedKind {
    /// Values of a joint.
    pub const JOINT: Self = Self(18);
    /// Lengths, µm.
    pub const LENGTH: Self = Self(2);
    /// Forces, µN; pressures of a touch.
    pub const FORCE: Self = Self(8);
    /// Accelerations, µm/s².
    pub const ACCELERATION: Self = Self(9);
    /// Switches.
    pub const SWITCH: Self = Self(14);
    /// Values whose code is not documented.
    pub const UNDEFINED: Self = Self(0);

    /// Returns the type of the values of a primitive.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Joint { .. } => Self::JOINT,
            Kind::Sensor(Sensor::Acceleration(_), _) => Self::ACCELERATION,
            Kind::Sensor(Sensor::Distance, _) => Self::LENGTH,
            Kind::Sensor(Sensor::Force | Sensor::Touch, _) => Self::FORCE,
            Kind::Sensor(Sensor::Switch, _) => Self::SWITCH,
            _ => Self::UNDEFINED,
        }
    }
}

/// Sensor value in a frame. The last three numbers are those of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Value: µrad, µm, µm/s², µN, or 0 and 1.
    pub value: i32,
    /// Raw signal; 0 where nothing was measured.
    pub signal: u16,
    /// Duty of the motor, -512 to 512.
    pub duty: i16,
    /// Target value.
    pub reference: i32,
    /// Target value as a raw signal.
    pub reference_signal: u16,
}

impl SensorVector {
    /// Returns the vector as a region.
    #[must_use]
    pub fn region(&self) -> Region {
        let entries = self.entries.len().min(MOST_ENTRIES);
        let mut bytes = vec![0; frames_at(entries, entries, SENSED)];
        layout::write_head(&mut bytes, SENSORS, entries, &self.header);
        for (index, sensed) in self.entries[..entries].iter().enumerate() {
            let count = sensed.frames.len().min(MOST_FRAMES);
            let entry = Entry {
                kind: sensed.kind.0,
                primitive: sensed.primitive,
                first: sensed.first,
                count: count as u32,
                data: frames_at(index, entries, SENSED),
            };
            entry.write(&mut bytes, index, SENSED);
            for (frame, value) in sensed.frames[..count].iter().enumerate() {
                let at = entry.data + frame * SENSED;
                put(&mut bytes, at, value.value as u32);
                put_short(&mut bytes, at + 4, value.signal);
                put_short(&mut bytes, at + 6, value.duty as u16);
                put(&mut bytes, at + 8, value.reference as u32);
                put_short(&mut bytes, at + 12, value.reference_signal);
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
        let (header, entries) = layout::read_head(bytes, SENSORS)?;
        let sensed = |index: usize| {
            let entry = Entry::read(bytes, index, SENSED)?;
            let value = |frame: usize| {
                let at = entry.data + frame * SENSED;
                Value {
                    value: get(bytes, at) as i32,
                    signal: get_short(bytes, at + 4),
                    duty: get_short(bytes, at + 6) as i16,
                    reference: get(bytes, at + 8) as i32,
                    reference_signal: get_short(bytes, at + 12),
                }
            };
            Ok(Sensed {
                primitive: entry.primitive,
                kind: SensedKind(entry.kind),
                first: entry.first,
                frames: (0..entry.count as usize).map(value).collect(),
            })
        };
        let entries = (0..entries).map(sensed).collect::<Result<_, Status>>()?;
        Ok(Self { header, entries })
    }

    /// Returns the sensor values of a primitive.
    #[must_use]
    pub fn of(&self, primitive: u32) -> Option<&Sensed> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.primitive == primitive)
    }
}

#[cfg(test)]
mod tests;
