//! Vectors of sound: a header, an entry of 64 bytes, and samples.
use super::layout::{self, HEAD, Header, get, get_short, put, put_short};
use crate::{region::Region, status::Status};

/// Type code of the vector, and of its entry.
const SOUNDS: u32 = 1026;

/// Size of an entry, bytes.
const ENTRY: usize = 64;

/// Maximum number of bytes of samples of a vector.
pub const MOST_SOUND: usize = 1 << 16;

/// Format of samples: rate, Hz, bits per sample, and channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundFormat {
    /// Samples per second.
    pub rate: u32,
    /// Bits per sample: 8, without sign and with zero at 128, or 16 with sign.
    pub bits: u16,
    /// Number of channels.
    pub channels: u16,
}

/// Usual format of the loudspeaker.
pub const SIMPLE: SoundFormat = SoundFormat {
    rate: 8000,
    bits: 8,
    channels: 1,
};

/// Better format of the loudspeaker.
pub const FINE: SoundFormat = SoundFormat {
    rate: 16_000,
    bits: 16,
    channels: 1,
};

/// Format of the microphones.
pub const STEREO: SoundFormat = SoundFormat {
    channels: 2,
    ..FINE
};

/// Vector of sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundVector {
    /// Sync key and waiting time.
    pub header: Header,
    /// Number of the primitive.
    pub primitive: u32,
    /// Number of the vector.
    pub number: u32,
    /// Format of the samples.
    pub format: SoundFormat,
    /// Samples with 16 bits; those of 8 bits are multiplied by 256. Channels alternate.
    pub samples: Vec<i16>,
}

impl SoundVector {
    /// Returns the vector as a region.
    #[must_use]
    pub fn region(&self) -> Region {
        let data = HEAD + ENTRY;
        let size = self.samples.len() * usize::from(self.format.bits / 8);
        let mut bytes = vec![0; data];
        bytes.reserve(size);
        for sample in &self.samples {
            match self.format.bits {
                8 => bytes.push(((sample >> 8) as i8 as u8) ^ 0x80),
                _ => bytes.extend(sample.to_le_bytes()),
            }
        }
        layout::write_head(&mut bytes, SOUNDS, 1, &self.header);
        put(&mut bytes, 24, ENTRY as u32);
        let numbers = [
            SOUNDS,
            self.primitive,
            self.number,
            data as u32,
            size as u32,
            self.format.rate,
        ];
        for (at, number) in (HEAD..).step_by(4).zip(numbers) {
            put(&mut bytes, at, number);
        }
        put_short(&mut bytes, HEAD + 24, self.format.bits);
        put_short(&mut bytes, HEAD + 26, self.format.channels);
        bytes.into()
    }

    /// Parses a vector from a region.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if the region contains no such vector; [`Status::INVALID_DATA_TYPE`] if its samples have neither
    /// 8 nor 16 bits.
    pub fn read(region: &Region) -> Result<Self, Status> {
        let bytes = region.bytes();
        let (header, entries) = layout::read_head(bytes, SOUNDS)?;
        let format = SoundFormat {
            rate: get(bytes, HEAD + 20),
            bits: get_short(bytes, HEAD + 24),
            channels: get_short(bytes, HEAD + 26),
        };
        let (data, size) = (
            get(bytes, HEAD + 12) as usize,
            get(bytes, HEAD + 16) as usize,
        );
        let samples = bytes.get(data..).and_then(|rest| rest.get(..size));
        let samples =
            samples.filter(|_| entries == 1 && data >= HEAD + ENTRY && size <= MOST_SOUND);
        let samples = samples.ok_or(Status::INVALID_ARG)?;
        let samples = match format.bits {
            8 => samples
                .iter()
                .map(|byte| i16::from((byte ^ 0x80) as i8) << 8)
                .collect(),
            16 => {
                let pairs = samples.chunks_exact(2);
                pairs
                    .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
                    .collect()
            }
            _ => return Err(Status::INVALID_DATA_TYPE),
        };
        Ok(Self {
            header,
            primitive: get(bytes, HEAD + 4),
            number: get(bytes, HEAD + 8),
            format,
            samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_sound_are_read_as_they_were_written() {
        for (format, size) in [(SIMPLE, 256), (FINE, 512), (STEREO, 512)] {
            let vector = SoundVector {
                header: Header {
                    wait: 3,
                    ..Header::default()
                },
                primitive: 65,
                number: 9,
                format,
                samples: (0..256).map(|at| (at - 128) << 8).collect(),
            };
            let region = vector.region();
            assert_eq!(region.bytes().len(), 192 + 64 + size);
            assert_eq!(SoundVector::read(&region), Ok(vector));
            for (at, number) in [(16, 1024), (HEAD + 12, 100), (HEAD + 16, 1 << 20)] {
                let mut bytes = region.bytes().to_vec();
                put(&mut bytes, at, number);
                assert_eq!(SoundVector::read(&bytes.into()), Err(Status::INVALID_ARG));
            }
            let mut bytes = region.bytes().to_vec();
            put_short(&mut bytes, HEAD + 24, 12);
            let unknown = SoundVector::read(&bytes.into());
            assert_eq!(unknown, Err(Status::INVALID_DATA_TYPE));
        }
    }
}
