//! Output of films as files.
use std::{
    ffi::OsStr,
    io::{self, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{
    RgbaImage,
    gif::{self, Gif},
};

/// File format of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An animated GIF.
    Gif,
    /// MP4 with H.264; requires the program ffmpeg.
    Mp4,
}

/// The extension belongs to no film format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a film ends in `.gif` or `.mp4`")]
pub struct EndingError;

impl Format {
    /// Returns the format for the extension of a file.
    ///
    /// # Errors
    ///
    /// Returns an error for any other extension.
    pub fn of(path: &Path) -> Result<Self, EndingError> {
        match path.extension().and_then(OsStr::to_str) {
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(EndingError),
        }
    }

    /// Returns the frame rate, Hz.
    #[must_use]
    pub fn rate(self) -> f64 {
        match self {
            Self::Gif => 100.0 / f64::from(gif::DELAY),
            Self::Mp4 => 30.0,
        }
    }
}

/// A film in progress.
pub enum Film {
    /// An animated GIF.
    Gif(Box<Gif>),
    /// Process of the encoder ffmpeg.
    Mp4(Child),
}

impl Film {
    /// Begins a film; all frames have the same size.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or if ffmpeg is not installed.
    pub fn begin(path: &Path, format: Format, width: u32, height: u32) -> io::Result<Self> {
        match format {
            Format::Gif => Ok(Self::Gif(Box::new(Gif::begin(path, width, height)?))),
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
                    // The usual pixel format of H.264 requires even sizes.
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
    /// Returns an error if the frame cannot be written.
    pub fn add(&mut self, image: &RgbaImage) -> io::Result<()> {
        match self {
            Self::Gif(gif) => gif.add(image),
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
    /// Returns an error if the end of the film cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Gif(gif) => gif.finish(),
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
    fn endings_tell_formats() {
        assert_eq!(Format::of(Path::new("a/b.gif")), Ok(Format::Gif));
        assert_eq!(Format::of(Path::new("b.mp4")), Ok(Format::Mp4));
        assert!(Format::of(Path::new("b.avi")).is_err());
    }
}
