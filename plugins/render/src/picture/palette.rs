//! Colour quantization: choice of the 256 colours that represent those of an image (`NeuQuant`).
use std::collections::BTreeMap;

use color_quant::NeuQuant;

use super::RgbaImage;

/// Maximum number of colours of a GIF.
const MOST: usize = 256;

/// Approximate number of pixels from which colours are learned; at least a minimum fraction of the pixels is used.
const SAMPLES: usize = 50_000;
const SPARSEST: usize = 10;

/// Number of bits of each component in the key of the cache of nearest colours.
const BITS: u32 = 6;

/// Entry of the cache that is not computed yet.
const UNKNOWN: u16 = u16::MAX;

/// A palette that is reused for successive frames as long as its error is acceptable.
#[derive(Default)]
pub(super) struct Palette {
    learnt: Option<Learnt>,
}

/// Colours that were learned from an image.
struct Learnt {
    net: NeuQuant,
    colors: Vec<u8>,
    /// Index of the nearest colour, by the upper [`BITS`] of each component; computed on demand.
    nearest: Vec<u16>,
    /// Mean square error of the colours.
    loss: f64,
}

impl Palette {
    /// Returns the colours for an area of an image, and the index of the colour of each pixel. The colours are exact if
    /// there are not too many.
    pub(super) fn index(&mut self, image: &RgbaImage, area: [u32; 4]) -> (Vec<u8>, Vec<u8>) {
        if let Some(exact) = exact(image, area) {
            return exact;
        }
        if let Some(learnt) = &mut self.learnt {
            let (indices, loss) = learnt.index(image, area);
            if loss <= 2.0 * learnt.loss + 8.0 {
                return (learnt.colors.clone(), indices);
            }
        }
        let mut learnt = Learnt::new(image);
        let whole = [0, 0, image.width, image.height];
        let (_, mean) = learnt.index(image, whole);
        let (indices, here) = learnt.index(image, area);
        // An error that new colours cannot reduce must not cause a new palette for each frame.
        learnt.loss = mean.max(here);
        let colors = learnt.colors.clone();
        self.learnt = Some(learnt);
        (colors, indices)
    }
}

impl Learnt {
    fn new(image: &RgbaImage) -> Self {
        let count = image.pixels.len() / 4;
        let step = (count / SAMPLES).clamp(1, SPARSEST);
        let net = NeuQuant::new(step as i32, MOST, &image.pixels);
        Self {
            colors: net.color_map_rgb(),
            net,
            nearest: vec![UNKNOWN; 1 << (3 * BITS)],
            loss: 0.0,
        }
    }

    /// Returns the indices of the nearest colours, and the mean square error.
    fn index(&mut self, image: &RgbaImage, area: [u32; 4]) -> (Vec<u8>, f64) {
        let mut indices = Vec::new();
        let mut lost = 0_u64;
        for [red, green, blue] in pixels(image, area) {
            let cell = [red, green, blue].into_iter().fold(0, |cell, code| {
                cell << BITS | usize::from(code >> (8 - BITS))
            });
            let known = &mut self.nearest[cell];
            if *known == UNKNOWN {
                // The centre of the cell is used, so that the result does not depend on the order of the queries.
                let middle = [red, green, blue].map(|code| code >> (8 - BITS) << (8 - BITS) | 2);
                let [red, green, blue] = middle;
                *known = self.net.index_of(&[red, green, blue, 255]) as u16;
            }
            let index = *known as u8;
            indices.push(index);
            let start = 3 * usize::from(index);
            let color = self.colors.get(start..start + 3).unwrap_or(&[0; 3]);
            for (one, other) in [red, green, blue].iter().zip(color) {
                lost += u64::from(one.abs_diff(*other)).pow(2);
            }
        }
        let mean = lost as f64 / indices.len().max(1) as f64;
        (indices, mean)
    }
}

/// Returns the exact colours of an area, if there are not too many.
fn exact(image: &RgbaImage, area: [u32; 4]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut known = BTreeMap::new();
    let (mut colors, mut indices) = (Vec::new(), Vec::new());
    // Most pixels have the colour of the previous pixel.
    let mut last = None;
    for pixel in pixels(image, area) {
        let index = match last {
            Some((color, index)) if color == pixel => index,
            _ => {
                let next = known.len();
                let index = *known.entry(pixel).or_insert(next);
                if index == next {
                    colors.extend(pixel);
                }
                u8::try_from(index).ok()?
            }
        };
        last = Some((pixel, index));
        indices.push(index);
    }
    Some((colors, indices))
}

/// Returns red, green and blue of the pixels of an area.
fn pixels(
    image: &RgbaImage,
    [left, top, right, bottom]: [u32; 4],
) -> impl Iterator<Item = [u8; 3]> {
    let row = 4 * image.width as usize;
    (top as usize..bottom as usize).flat_map(move |v| {
        let (start, end) = (v * row + 4 * left as usize, v * row + 4 * right as usize);
        let codes = image.pixels.get(start..end).unwrap_or_default();
        let pixels = codes.as_chunks::<4>().0.iter();
        pixels.map(|&[red, green, blue, _]| [red, green, blue])
    })
}
