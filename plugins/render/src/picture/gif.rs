//! Animated GIFs. Of each frame, only the rectangle that changed is written.
use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use super::{RgbaImage, palette::Palette};

/// Duration of a frame, in the format's unit of 1/100 s; shorter frames are too fast for many viewers.
pub(super) const DELAY: u16 = 8;

/// A GIF in progress.
pub struct Gif {
    encoder: gif::Encoder<BufWriter<File>>,
    palette: Palette,
    /// Current image of the film.
    last: Option<RgbaImage>,
    /// Output file; declared after the encoder, so that it is dropped after it.
    unfinished: Unfinished,
}

/// A file that is removed unless it is finished, since an incomplete film is useless. Devices and pipes are not removed.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = self.0.take().filter(|path| path.is_file()) {
            std::fs::remove_file(path).ok();
        }
    }
}

impl Gif {
    pub(super) fn begin(path: &Path, width: u32, height: u32) -> io::Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        let unfinished = Unfinished(Some(path.to_owned()));
        let encoder = gif::Encoder::new(file, short(width)?, short(height)?, &[]);
        let mut encoder = encoder.map_err(io::Error::other)?;
        encoder
            .set_repeat(gif::Repeat::Infinite)
            .map_err(io::Error::other)?;
        Ok(Self {
            encoder,
            palette: Palette::default(),
            last: None,
            unfinished,
        })
    }

    pub(super) fn add(&mut self, image: &RgbaImage) -> io::Result<()> {
        let [left, top, right, bottom] = match &self.last {
            Some(last) => changed(last, image),
            None => [0, 0, image.width, image.height],
        };
        let (palette, buffer) = self.palette.index(image, [left, top, right, bottom]);
        let frame = gif::Frame {
            left: short(left)?,
            top: short(top)?,
            width: short(right - left)?,
            height: short(bottom - top)?,
            delay: DELAY,
            palette: Some(palette),
            buffer: buffer.into(),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(io::Error::other)?;
        match &mut self.last {
            Some(last) => last.clone_from(image),
            None => self.last = Some(image.clone()),
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self {
            encoder,
            mut unfinished,
            ..
        } = self;
        encoder.into_inner().map_err(io::Error::other)?.flush()?;
        unfinished.0 = None;
        Ok(())
    }
}

fn short(size: u32) -> io::Result<u16> {
    u16::try_from(size).map_err(io::Error::other)
}

/// Returns the rectangle in which two images differ: first column and row, column and row after the last. It is a single
/// pixel if they are equal, and the whole image if their sizes differ.
fn changed(one: &RgbaImage, other: &RgbaImage) -> [u32; 4] {
    let whole = [0, 0, other.width, other.height];
    if (one.width, one.height) != (other.width, other.height) || other.width == 0 {
        return whole;
    }
    let length = 4 * other.width as usize;
    let rows = || one.pixels.chunks(length).zip(other.pixels.chunks(length));
    let differs = |(one, other): (&[u8], &[u8])| one != other;
    let Some(top) = rows().position(differs) else {
        return [0, 0, 1, 1];
    };
    let bottom = rows().rposition(differs).unwrap_or(top) + 1;
    let (mut left, mut right) = (other.width as usize, 0);
    for (one, other) in rows().take(bottom).skip(top) {
        let pixels = one.chunks(4).zip(other.chunks(4));
        if let Some(first) = pixels.clone().position(|(one, other)| one != other) {
            left = left.min(first);
        }
        if let Some(last) = pixels.clone().rposition(|(one, other)| one != other) {
            right = right.max(last + 1);
        }
    }
    [left, top, right, bottom].map(|bound| u32::try_from(bound).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, color: [u8; 3]) -> RgbaImage {
        let [red, green, blue] = color;
        RgbaImage {
            width,
            height,
            pixels: [red, green, blue, 255].repeat((width * height) as usize),
        }
    }

    fn set(image: &mut RgbaImage, u: u32, v: u32, color: [u8; 3]) {
        let start = 4 * (v * image.width + u) as usize;
        image.pixels[start..start + 3].copy_from_slice(&color);
    }

    #[test]
    fn only_what_changed_is_written() {
        let one = image(8, 6, [10, 20, 30]);
        let mut other = one.clone();
        assert_eq!(changed(&one, &other), [0, 0, 1, 1]);
        set(&mut other, 2, 3, [1, 1, 1]);
        set(&mut other, 5, 1, [1, 1, 1]);
        assert_eq!(changed(&one, &other), [2, 1, 6, 4]);
        assert_eq!(changed(&one, &image(4, 6, [0; 3])), [0, 0, 4, 6]);
    }

    /// Returns the root mean square of the distances of colours.
    fn lost(pixels: &[u8], expected: &[u8]) -> f64 {
        let pairs = pixels.iter().zip(expected);
        let squares = pairs.map(|(one, other)| f64::from(one.abs_diff(*other)).powi(2));
        (4.0 * squares.sum::<f64>() / expected.len() as f64).sqrt()
    }

    #[test]
    fn a_film_shows_its_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut frames = vec![image(40, 30, [200, 100, 50])];
        for n in 0..12_u32 {
            let mut next = frames[n as usize].clone();
            // One frame without a change, some with a small change, and one with many colours.
            for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
                let color = [u * 9 + n, v * 9, 255 - 20 * n].map(|code| code as u8);
                set(&mut next, u + 2 * n, v + n, color);
            }
            frames.push(next);
        }
        let mut many = image(40, 30, [0; 3]);
        for (u, v) in (0..40).flat_map(|u| (0..30).map(move |v| (u, v))) {
            set(
                &mut many,
                u,
                v,
                [u * 6, v * 8, (u + v) * 3].map(|code| code as u8),
            );
        }
        frames.push(many);
        let mut film = Gif::begin(&path, 40, 30).unwrap();
        for frame in &frames {
            film.add(frame).unwrap();
        }
        film.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
        let mut shown = image(40, 30, [0; 3]);
        for (number, expected) in frames.iter().enumerate() {
            let frame = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!(frame.delay, DELAY);
            for (index, pixel) in frame.buffer.chunks(4).enumerate() {
                let index = u32::try_from(index).unwrap();
                let width = u32::from(frame.width);
                let (u, v) = (
                    u32::from(frame.left) + index % width,
                    u32::from(frame.top) + index / width,
                );
                set(&mut shown, u, v, [pixel[0], pixel[1], pixel[2]]);
            }
            let lost = lost(&shown.pixels, &expected.pixels);
            // Up to 256 colours are exact. The last frame has more; its loss depends on the quality of the quantizer. Our
            // rounding to cells moves a colour by at most 2 in each component, so that the chosen colour is farther away
            // than the nearest one by at most twice that.
            let bearable = if number + 1 == frames.len() {
                let mut pixels = expected.pixels.clone();
                let frame = gif::Frame::from_rgba_speed(40, 30, &mut pixels, 1);
                let palette = frame.palette.unwrap();
                let known = frame.buffer.iter().map(|index| 3 * usize::from(*index));
                let known = known.flat_map(|start| [&palette[start..start + 3], &[255]].concat());
                self::lost(&known.collect::<Vec<u8>>(), &expected.pixels) + 2.0 * 12_f64.sqrt()
            } else {
                0.0
            };
            assert!(lost <= bearable, "frame {number}: {lost}");
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }
}
