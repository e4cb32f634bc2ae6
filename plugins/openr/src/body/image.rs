//! Vectors of images: the planes Y, Cr and Cb in three resolutions, and the colour-detection table.
//!
//! The bands of a layer are interleaved by line. The last line of a band has a tag in its first 16 bytes instead of pixels.
use super::layout::{self, ENTRY, HEAD, get, get_short, put, put_short};
use crate::{region::Region, status::Status};

/// Type code of the vector.
const IMAGES: u32 = 1027;
/// Type codes of layers: three bands; three bands and three of high frequencies; colours detected.
const YCRCB: u32 = 19;
const YCRCB_HIGH: u32 = 24;
const DETECTED: u32 = 20;

/// Type of the data of a camera: a [`Picture`].
pub const PICTURE: &str = "rgba";

/// Number of channels of the colour-detection table.
pub const CHANNELS: usize = 8;
/// Number of segments of brightness of the colour-detection table.
pub const SEGMENTS: usize = 32;

/// Number of pixels that one unit of a count in a tag stands for.
const COUNT_UNIT: usize = 16;

/// Ranges of Cr and Cb of a colour at a brightness: minimum and maximum of Cr, minimum and maximum of Cb.
pub type ColourRange = [u8; 4];

/// Table of colours: ranges of each channel for each segment of brightness, Y / 8. A range whose minimum exceeds its maximum
/// is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourTable(pub [[ColourRange; SEGMENTS]; CHANNELS]);

impl Default for ColourTable {
    fn default() -> Self {
        Self([[[255, 0, 255, 0]; SEGMENTS]; CHANNELS])
    }
}

impl ColourTable {
    /// Returns the channels that contain a colour, a bit each.
    #[must_use]
    pub fn detect(&self, [y, cr, cb]: [u8; 3]) -> u8 {
        let segment = usize::from(y) * SEGMENTS / 256;
        let channels = self.0.iter().enumerate();
        channels.fold(0, |bits, (channel, ranges)| {
            let [cr_min, cr_max, cb_min, cb_max] = ranges[segment];
            let is_in = (cr_min..=cr_max).contains(&cr) && (cb_min..=cb_max).contains(&cb);
            bits | (u8::from(is_in) << channel)
        })
    }
}

/// One plane of an image: a number per pixel, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Plane {
    size: [usize; 2],
    pixels: Vec<f32>,
}

impl Plane {
    fn new(size: [usize; 2], pixels: impl Iterator<Item = f32>) -> Self {
        let pixels = pixels.collect();
        Self { size, pixels }
    }

    /// Returns a plane of half the size, with a weighted mean of each square of four pixels; weights are in the order of the
    /// rows.
    fn halved(&self, weights: [f32; 4]) -> Self {
        let [width, height] = self.size.map(|side| side / 2);
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let first = 2 * row * self.size[0] + 2 * column;
                let four = [
                    first,
                    first + 1,
                    first + self.size[0],
                    first + self.size[0] + 1,
                ];
                let terms = four.iter().zip(weights);
                let sum: f32 = terms
                    .map(|(index, weight)| weight * self.pixels[*index])
                    .sum();
                pixels.push(sum / 4.0);
            }
        }
        let size = [width, height];
        Self { size, pixels }
    }

    /// Returns the pixel at an index as a byte.
    fn byte(&self, index: usize) -> u8 {
        self.pixels[index].round().clamp(0.0, 255.0) as u8
    }
}

const MEAN: [f32; 4] = [1.0; 4];

/// Weights of the bands of high frequencies of a square with the pixels p00, p01, p10 and p11 (row, column), such that p11 =
/// Y + LH + HL + HH, p01 = Y + LH - HL - HH, p10 = Y + HL - LH - HH, and p00 = Y + HH - LH - HL.
const HIGH: [[f32; 4]; 3] = [
    [-1.0, 1.0, -1.0, 1.0],
    [-1.0, -1.0, 1.0, 1.0],
    [1.0, -1.0, -1.0, 1.0],
];

/// Zero of a band of high frequencies.
const HIGH_ZERO: f32 = 128.0;

/// Image of a camera in red, green, blue and opacity, a byte each, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Width and height.
    pub size: [usize; 2],
    /// Bytes.
    pub pixels: &'a [u8],
}

impl<'a> Picture<'a> {
    /// Size of the header of a picture in a region: width and height.
    const HEADER: usize = 8;

    /// Returns a picture as a region.
    #[must_use]
    pub fn region(&self) -> Region {
        let mut bytes = Vec::with_capacity(Self::HEADER + self.pixels.len());
        bytes.extend(
            self.size
                .iter()
                .flat_map(|side| (*side as u32).to_le_bytes()),
        );
        bytes.extend_from_slice(self.pixels);
        bytes.into()
    }

    /// Returns the picture in a region, if there is one.
    #[must_use]
    pub fn read(region: &'a Region) -> Option<Self> {
        let bytes = region.bytes();
        let size = [get(bytes, 0) as usize, get(bytes, 4) as usize];
        let pixels = bytes.get(Self::HEADER..)?;
        let is_whole = size[0].checked_mul(size[1])?.checked_mul(4)? == pixels.len();
        (is_whole && !pixels.is_empty()).then_some(Self { size, pixels })
    }

    /// Returns the planes Y, Cr and Cb (ITU-R BT.601, full range).
    fn planes(&self) -> [Plane; 3] {
        let colours = || self.pixels.chunks_exact(4);
        let plane = |of: fn([f32; 3]) -> f32| {
            let pixels =
                colours().map(|colour| of([colour[0], colour[1], colour[2]].map(f32::from)));
            Plane::new(self.size, pixels)
        };
        [
            plane(brightness),
            plane(|colour| 128.0 + (colour[0] - brightness(colour)) * 0.713),
            plane(|colour| 128.0 + (colour[2] - brightness(colour)) * 0.564),
        ]
    }
}

fn brightness([red, green, blue]: [f32; 3]) -> f32 {
    0.299 * red + 0.587 * green + 0.114 * blue
}

/// A layer: its type, and its bands.
struct Layer {
    kind: u32,
    bands: Vec<Plane>,
}

/// Returns the vector of a picture, which has the size of the highest resolution or twice that size; `None` for other sizes.
#[must_use]
pub fn vector(
    picture: &Picture<'_>,
    highest: [u32; 2],
    (primitive, frame): (u32, u32),
    table: &ColourTable,
) -> Option<Region> {
    let highest = highest.map(|side| side as usize);
    let layers = layers(picture, highest, table)?;
    let entries = layers.len();
    let data = layers.iter().map(|layer| layer.bands.len() * area(layer));
    let start = HEAD + entries * ENTRY;
    let mut bytes = vec![0; start + data.sum::<usize>()];
    layout::write_head(&mut bytes, IMAGES, entries, &layout::Header::default());
    let mut offset = start;
    for (index, layer) in layers.iter().enumerate() {
        write_info(&mut bytes, index, layer, (primitive, frame), offset);
        offset += write_bands(&mut bytes[offset..], layer, frame);
    }
    Some(bytes.into())
}

fn area(layer: &Layer) -> usize {
    layer.bands[0].pixels.len()
}

fn layers(picture: &Picture<'_>, highest: [usize; 2], table: &ColourTable) -> Option<Vec<Layer>> {
    let planes = picture.planes();
    let is_full = picture.size == highest.map(|side| 2 * side);
    let (mut high, detail) = if is_full {
        let detail = HIGH.map(|weights| {
            let mut band = planes[0].halved(weights);
            band.pixels.iter_mut().for_each(|pixel| *pixel += HIGH_ZERO);
            band
        });
        let high = planes.each_ref().map(|plane| plane.halved(MEAN));
        (high.to_vec(), detail.to_vec())
    } else if picture.size == highest {
        let none = || {
            Plane::new(
                highest,
                std::iter::repeat_n(HIGH_ZERO, highest[0] * highest[1]),
            )
        };
        (planes.to_vec(), vec![none(), none(), none()])
    } else {
        return None;
    };
    let half = |planes: &[Plane]| planes.iter().map(|plane| plane.halved(MEAN)).collect();
    let middle: Vec<Plane> = half(&high);
    let low = half(&middle);
    let colour = |index: usize| [0, 1, 2].map(|band: usize| middle[band].byte(index));
    let detected = (0..middle[0].pixels.len()).map(|at| f32::from(table.detect(colour(at))));
    let detected = Plane::new(middle[0].size, detected);
    high.extend(detail);
    let layer = |kind, bands| Layer { kind, bands };
    Some(vec![
        layer(YCRCB_HIGH, high),
        layer(YCRCB, middle),
        layer(YCRCB, low),
        layer(DETECTED, vec![detected]),
    ])
}

/// Writes the entry of a layer.
fn write_info(
    bytes: &mut [u8],
    index: usize,
    layer: &Layer,
    (primitive, frame): (u32, u32),
    data: usize,
) {
    let offset = HEAD + index * ENTRY;
    let [width, height] = layer.bands[0].size;
    let size = layer.bands.len() * area(layer);
    let numbers = [layer.kind, primitive, frame, data as u32, size as u32];
    for (offset, number) in (offset..).step_by(4).zip(numbers) {
        put(bytes, offset, number);
    }
    let skip = (layer.bands.len() - 1) * width;
    let shorts = [width, height, layer.bands.len(), skip];
    for (offset, number) in (offset + 20..).step_by(2).zip(shorts) {
        put_short(bytes, offset, number as u16);
    }
}

/// Writes the bands of a layer line by line, then the tags; returns their size.
fn write_bands(bytes: &mut [u8], layer: &Layer, frame: u32) -> usize {
    let [width, height] = layer.bands[0].size;
    let count = layer.bands.len();
    for (band, plane) in layer.bands.iter().enumerate() {
        for row in 0..height {
            let offset = (row * count + band) * width;
            for (column, byte) in bytes[offset..offset + width].iter_mut().enumerate() {
                *byte = plane.byte(row * width + column);
            }
        }
        let tag = ((height - 1) * count + band) * width;
        bytes[tag..tag + width].fill(0);
        put(bytes, tag, frame);
        if layer.kind == DETECTED {
            let counts = &mut bytes[tag + 4..tag + 4 + CHANNELS];
            for (channel, byte) in counts.iter_mut().enumerate() {
                *byte = detected_pixels(plane, channel);
            }
        }
    }
    count * width * height
}

/// Returns the number of pixels of a channel in units of 16, up to 255. The last line has none.
fn detected_pixels(plane: &Plane, channel: usize) -> u8 {
    let pixels = &plane.pixels[..plane.pixels.len() - plane.size[0]];
    let is_in = |pixel: &&f32| **pixel as u8 >> channel & 1 == 1;
    let count = pixels.iter().filter(is_in).count() / COUNT_UNIT;
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// Layer of a vector of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Highest resolution, with bands of high frequencies.
    High,
    /// Half the width and height.
    Middle,
    /// A quarter of the width and height.
    Low,
    /// Colours detected in the middle resolution: a byte per pixel, a bit per channel.
    Detected,
}

/// Bands of a vector of images, read from a region.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// Reads a vector of images.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_ARG`] if the region contains no such vector.
    pub fn read(region: &'a Region) -> Result<Self, Status> {
        let bytes = region.bytes();
        let (_, entries) = layout::read_head(bytes, IMAGES)?;
        let image = Self { bytes };
        let is_whole = (0..entries).all(|index| {
            let offset = HEAD + index * ENTRY;
            let [width, height, bands, _] = image.shape(offset);
            let size = width * height * bands;
            size > 0 && get(bytes, offset + 12) as usize + size <= bytes.len()
        });
        (entries == 4 && is_whole)
            .then_some(image)
            .ok_or(Status::INVALID_ARG)
    }

    fn shape(&self, entry: usize) -> [usize; 4] {
        [20, 22, 24, 26].map(|at| usize::from(get_short(self.bytes, entry + at)))
    }

    /// Returns the size of a layer, pixels.
    #[must_use]
    pub fn size(&self, layer: Resolution) -> [usize; 2] {
        let [width, height, ..] = self.shape(HEAD + layer as usize * ENTRY);
        [width, height]
    }

    /// Returns a pixel of a band of a layer: 0 to 2 are Y, Cr and Cb; `None` outside the image.
    #[must_use]
    pub fn pixel(&self, layer: Resolution, band: usize, [column, row]: [usize; 2]) -> Option<u8> {
        let entry = HEAD + layer as usize * ENTRY;
        let [width, height, bands, _] = self.shape(entry);
        let is_in = band < bands && column < width && row < height;
        let offset = get(self.bytes, entry + 12) as usize + (row * bands + band) * width + column;
        is_in.then(|| self.bytes.get(offset).copied()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [u32; 2] = [32, 16];

    /// Returns the pixels of a picture whose colours depend on column and row.
    fn pixels(size: [usize; 2], colour: impl Fn(usize, usize) -> [u8; 3]) -> Vec<u8> {
        let rows = (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| (column, row)));
        rows.flat_map(|(column, row)| {
            let [red, green, blue] = colour(column, row);
            [red, green, blue, 255]
        })
        .collect()
    }

    fn image(
        size: [usize; 2],
        colour: impl Fn(usize, usize) -> [u8; 3],
        table: &ColourTable,
    ) -> Region {
        let pixels = pixels(size, colour);
        let picture = Picture {
            size,
            pixels: &pixels,
        };
        vector(&picture, SIZE, (63, 70_000), table).expect("a vector")
    }

    #[test]
    fn colours_have_their_brightness_and_differences() {
        // Red, green, blue and white, by ITU-R BT.601.
        for (colour, expected) in [
            ([255, 0, 0], [76, 255, 85]),
            ([0, 255, 0], [150, 21, 44]),
            ([0, 0, 255], [29, 107, 255]),
            ([255, 255, 255], [255, 128, 128]),
        ] {
            let region = image([32, 16], |_, _| colour, &ColourTable::default());
            let image = Image::read(&region).expect("an image");
            for (layer, size) in [
                (Resolution::High, [32, 16]),
                (Resolution::Middle, [16, 8]),
                (Resolution::Low, [8, 4]),
            ] {
                assert_eq!(image.size(layer), size);
                let bands =
                    [0, 1, 2].map(|band| image.pixel(layer, band, [1, 0]).expect("a pixel"));
                assert_eq!(bands, expected, "{colour:?}");
            }
            assert_eq!(image.pixel(Resolution::Low, 0, [8, 0]), None);
        }
    }

    #[test]
    fn the_full_image_is_rebuilt_from_the_bands() {
        let grey =
            |column: usize, row: usize| [((37 * column + 11 * row * row) % 128) as u8 + 40; 3];
        let region = image([64, 32], grey, &ColourTable::default());
        let image = Image::read(&region).expect("an image");
        // The last line of the bands is their tag.
        for row in 0..15 {
            for column in 0..32 {
                let band = |band: usize| {
                    let byte = image.pixel(Resolution::High, band, [column, row]);
                    i32::from(byte.expect("a pixel"))
                };
                let [y, lh, hl, hh] = [band(0), band(3) - 128, band(4) - 128, band(5) - 128];
                let rebuilt = [
                    y + hh - lh - hl,
                    y + lh - hl - hh,
                    y + hl - lh - hh,
                    y + lh + hl + hh,
                ];
                for (index, rebuilt) in rebuilt.into_iter().enumerate() {
                    let original = grey(2 * column + index % 2, 2 * row + index / 2)[0];
                    assert!(
                        (rebuilt - i32::from(original)).abs() <= 2,
                        "{rebuilt}, {original}"
                    );
                }
            }
        }
    }

    #[test]
    fn colours_of_the_table_are_detected_and_counted() {
        let mut table = ColourTable::default();
        table.0[2] = [[200, 255, 0, 255]; SEGMENTS];
        // Red in the left half, white in the right one.
        let half = |column: usize, _| if column < 16 { [255, 0, 0] } else { [255; 3] };
        let region = image([32, 16], half, &table);
        let image = Image::read(&region).expect("an image");
        let bits = [1, 9].map(|column| image.pixel(Resolution::Detected, 0, [column, 1]));
        assert_eq!(bits, [Some(4), Some(0)]);
        // In the tag: the number of the frame, then the counts: seven lines of eight pixels are three units of 16.
        let tag = |at| {
            image
                .pixel(Resolution::Detected, 0, [at, 7])
                .expect("a byte")
        };
        assert_eq!([0, 1, 2, 5, 6, 7].map(tag), [0x70, 0x11, 1, 0, 3, 0]);
    }

    #[test]
    fn other_sizes_and_other_data_are_refused() {
        let pixels = pixels([12, 8], |_, _| [0; 3]);
        let picture = Picture {
            size: [12, 8],
            pixels: &pixels,
        };
        let none = vector(&picture, SIZE, (1, 0), &ColourTable::default());
        assert!(none.is_none());
        let region = picture.region();
        assert_eq!(Picture::read(&region).map(|read| read.size), Some([12, 8]));
        assert!(Picture::read(&region.bytes()[..40].into()).is_none());
        let region = image([32, 16], |_, _| [9; 3], &ColourTable::default());
        for (at, number) in [
            (16, 1024),
            (32, 3),
            (HEAD + 12, 1 << 30),
            (HEAD + 20, u32::MAX),
        ] {
            let mut bytes = region.bytes().to_vec();
            put(&mut bytes, at, number);
            assert!(Image::read(&bytes.into()).is_err(), "{at}");
        }
    }
}
