//! Choice of the 256 colours that stand for those of an image.
use std::collections::BTreeMap;

use color_quant::NeuQuant;

use super::RgbaImage;

/// Colours of a GIF.
const MOST: usize = 256;

/// About how many pixels are learnt from, as far as there are, but never fewer than one of so many.
const SAMPLES: usize = 50_000;
const SPARSEST: usize = 10;

/// Bits of each colour that count when the nearest one is remembered.
const BITS: u32 = 6;

/// No nearest colour is known yet.
const UNKNOWN: u16 = u16::MAX;

/// A palette that serves one frame after the other, as long as it suits them.
#[derive(Default)]
pub(super) struct Palette {
    learnt: Option<Learnt>,
}

/// Colours that were learnt from an image.
struct Learnt {
    net: NeuQuant,
    colors: Vec<u8>,
    /// For each colour, of which [`BITS`] count, the nearest one, once somebody asked.
    nearest: Vec<u16>,
    /// The mean square of what is lost.
    loss: f64,
}

impl Palette {
    /// The colours of an area of an image, and for each of its pixels which one it is: exactly, if there are not
    /// more than fit.
    pub(super) fn index(&mut self, image: &RgbaImage, area: [u32; 4]) -> (Vec<u8>, Vec<u8>) {
        if let Some(exact) = exact(image, area) {
            return exact;
        }
        if let Some(learnt) = &mut self.learnt {
            let (places, loss) = learnt.index(image, area);
            if loss <= 2.0 * learnt.loss + 8.0 {
                return (learnt.colors.clone(), places);
            }
        }
        let mut learnt = Learnt::new(image);
        let whole = [0, 0, image.width, image.height];
        let (_, mean) = learnt.index(image, whole);
        let (places, here) = learnt.index(image, area);
        // What cannot be done better here must not be learnt anew for each frame.
        learnt.loss = mean.max(here);
        let colors = learnt.colors.clone();
        self.learnt = Some(learnt);
        (colors, places)
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

    /// The places of the nearest colours, and the mean square of what is lost.
    fn index(&mut self, image: &RgbaImage, area: [u32; 4]) -> (Vec<u8>, f64) {
        let mut places = Vec::new();
        let mut lost = 0_u64;
        for [red, green, blue] in pixels(image, area) {
            let cell = [red, green, blue].into_iter().fold(0, |cell, code| {
                cell << BITS | usize::from(code >> (8 - BITS))
            });
            let known = &mut self.nearest[cell];
            if *known == UNKNOWN {
                // The middle of the cell, so that it does not matter who asked first.
                let middle = [red, green, blue].map(|code| code >> (8 - BITS) << (8 - BITS) | 2);
                let [red, green, blue] = middle;
                *known = self.net.index_of(&[red, green, blue, 255]) as u16;
            }
            let place = *known as u8;
            places.push(place);
            let start = 3 * usize::from(place);
            let color = self.colors.get(start..start + 3).unwrap_or(&[0; 3]);
            for (one, other) in [red, green, blue].iter().zip(color) {
                lost += u64::from(one.abs_diff(*other)).pow(2);
            }
        }
        let mean = lost as f64 / places.len().max(1) as f64;
        (places, mean)
    }
}

/// The colours of an area as they are, if they are not too many.
fn exact(image: &RgbaImage, area: [u32; 4]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut known = BTreeMap::new();
    let (mut colors, mut places) = (Vec::new(), Vec::new());
    // Most pixels have the colour of the one before.
    let mut last = None;
    for pixel in pixels(image, area) {
        let place = match last {
            Some((color, place)) if color == pixel => place,
            _ => {
                let next = known.len();
                let place = *known.entry(pixel).or_insert(next);
                if place == next {
                    colors.extend(pixel);
                }
                u8::try_from(place).ok()?
            }
        };
        last = Some((pixel, place));
        places.push(place);
    }
    Some((colors, places))
}

/// Red, green and blue of the pixels of an area.
fn pixels(
    image: &RgbaImage,
    [left, top, right, bottom]: [u32; 4],
) -> impl Iterator<Item = [u8; 3]> {
    let row = 4 * image.width as usize;
    (top as usize..bottom as usize).flat_map(move |v| {
        let (start, end) = (v * row + 4 * left as usize, v * row + 4 * right as usize);
        let part = image.pixels.get(start..end).unwrap_or_default();
        let pixels = part.as_chunks::<4>().0.iter();
        pixels.map(|&[red, green, blue, _]| [red, green, blue])
    })
}
