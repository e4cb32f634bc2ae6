//! Pictures as files: PNG, and films as GIF or, by ffmpeg, as MP4.
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, BufWriter, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
};

/// Red, green, blue and alpha of each pixel, row by row from the top left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// A byte each.
    pub pixels: Vec<u8>,
}

impl Image {
    /// Smaller by a whole factor: each pixel is the mean of what it was made of, so that edges are smooth.
    #[must_use]
    pub fn shrunk(&self, factor: u32) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
        let row = 4 * self.width as usize;
        let count = factor * factor;
        for v in 0..height as usize {
            for u in 0..width as usize {
                let mut sum = [0_u32; 4];
                for inner in 0..factor as usize {
                    let start = (v * factor as usize + inner) * row + u * factor as usize * 4;
                    let part = self.pixels.get(start..start + 4 * factor as usize);
                    for pixel in part.unwrap_or_default().as_chunks::<4>().0 {
                        for (sum, code) in sum.iter_mut().zip(pixel) {
                            *sum += u32::from(*code);
                        }
                    }
                }
                let mean = |sum: u32| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX);
                pixels.extend(sum.map(mean));
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Writes a PNG file.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        Ok(writer.finish()?)
    }
}

/// What a film is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An animated GIF.
    Gif,
    /// MP4 with H.264; needs the program ffmpeg.
    Mp4,
}

impl Format {
    /// By the ending of a file.
    ///
    /// # Errors
    ///
    /// The ending is another one.
    pub fn of(path: &Path) -> Result<Self, String> {
        match path.extension().and_then(OsStr::to_str) {
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err("a film ends in `.gif` or `.mp4`".to_owned()),
        }
    }

    /// Frames in a second of film.
    #[must_use]
    pub fn rate(self) -> f64 {
        match self {
            // A GIF counts in hundredths of a second, and 8 of them is what viewers keep up with.
            Self::Gif => 12.5,
            Self::Mp4 => 30.0,
        }
    }
}

/// A film that is being written.
pub enum Film {
    /// An animated GIF.
    Gif(Box<gif::Encoder<BufWriter<File>>>),
    /// The program that encodes it.
    Mp4(Child),
}

impl Film {
    /// Begins a film of frames of one size.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or ffmpeg is not there.
    pub fn begin(path: &Path, format: Format, width: u32, height: u32) -> io::Result<Self> {
        match format {
            Format::Gif => {
                let size = |size: u32| u16::try_from(size).map_err(io::Error::other);
                let file = BufWriter::new(File::create(path)?);
                let encoder = gif::Encoder::new(file, size(width)?, size(height)?, &[]);
                let mut encoder = encoder.map_err(io::Error::other)?;
                encoder
                    .set_repeat(gif::Repeat::Infinite)
                    .map_err(io::Error::other)?;
                Ok(Self::Gif(Box::new(encoder)))
            }
            Format::Mp4 => {
                let size = format!("{width}x{height}");
                let rate = format.rate().to_string();
                let mut ffmpeg = Command::new("ffmpeg");
                ffmpeg
                    .args([
                        "-y",
                        "-loglevel",
                        "error",
                        "-f",
                        "rawvideo",
                        "-pix_fmt",
                        "rgba",
                    ])
                    .args(["-s", &size, "-r", &rate, "-i", "-"])
                    // H.264 in its usual form has even sides.
                    .args([
                        "-vf",
                        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                        "-pix_fmt",
                        "yuv420p",
                    ])
                    .arg(path)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null());
                let child = ffmpeg.spawn().map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => io::Error::other(
                        "an MP4 film needs the program ffmpeg, which is not installed; write a `.gif`, or install it",
                    ),
                    _ => error,
                })?;
                Ok(Self::Mp4(child))
            }
        }
    }

    /// Adds a frame.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn add(&mut self, image: &mut Image) -> io::Result<()> {
        match self {
            Self::Gif(encoder) => {
                let size = |size: u32| u16::try_from(size).map_err(io::Error::other);
                let (width, height) = (size(image.width)?, size(image.height)?);
                // From 1 (best) to 30 (fastest).
                let mut frame = gif::Frame::from_rgba_speed(width, height, &mut image.pixels, 10);
                frame.delay = 8;
                encoder.write_frame(&frame).map_err(io::Error::other)
            }
            Self::Mp4(child) => match &mut child.stdin {
                Some(input) => input.write_all(&image.pixels),
                None => Ok(()),
            },
        }
    }

    /// Ends the film.
    ///
    /// # Errors
    ///
    /// It could not be written to its end.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Gif(encoder) => encoder.into_inner().map_err(io::Error::other)?.flush(),
            Self::Mp4(mut child) => {
                drop(child.stdin.take());
                let status = child.wait()?;
                if status.success() {
                    return Ok(());
                }
                Err(io::Error::other(format!("ffmpeg ended with {status}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_takes_means() {
        let pixel = |code: u8| [code, 0, 255, 255];
        let image = Image {
            width: 4,
            height: 2,
            pixels: [0, 100, 7, 7, 100, 201, 7, 7].map(pixel).concat(),
        };
        let small = image.shrunk(2);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!(small.pixels, [pixel(100), pixel(7)].concat());
        assert_eq!(image.shrunk(1), image);
    }

    #[test]
    fn a_png_holds_the_pixels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let image = Image {
            width: 3,
            height: 2,
            pixels: (0..24).collect(),
        };
        image.write_png(&path).unwrap();
        let decoder = png::Decoder::new(io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; 24];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, pixels), (3, 2, image.pixels));
    }

    #[test]
    fn endings_tell_formats() {
        assert_eq!(Format::of(Path::new("a/b.gif")), Ok(Format::Gif));
        assert_eq!(Format::of(Path::new("b.mp4")), Ok(Format::Mp4));
        assert!(Format::of(Path::new("b.avi")).is_err());
    }
}
