//! Source of an image: a file, or an image inside a mesh file, with modifications.
use std::{
    borrow::Cow,
    cmp::Ordering,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use morse_api::{
    lighting::{code, linear},
    paint::Image,
};
use morse_geometry::files::{self, FileError};

/// An image and its modifications. Two sources are equal if file, index in the file and modifications are equal.
#[derive(Clone, Debug)]
pub struct Source {
    /// Image file, or mesh file that contains the image.
    pub file: PathBuf,
    /// Image inside a mesh file; `None` for an image file.
    pub inside: Option<Inside>,
    /// Factors of red, green and blue, 0 to 1, linear.
    pub tint: [f32; 3],
    /// True if the alpha channel is ignored.
    pub is_opaque: bool,
}

/// An image inside another file.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Index among the images of the mesh file.
    pub index: usize,
    /// Content of the image, as in a PNG or JPEG file.
    pub content: Arc<[u8]>,
}

impl From<PathBuf> for Source {
    fn from(file: PathBuf) -> Self {
        Self {
            file,
            inside: None,
            tint: [1.0; 3],
            is_opaque: false,
        }
    }
}

impl From<&Path> for Source {
    fn from(file: &Path) -> Self {
        file.to_owned().into()
    }
}

impl Source {
    fn key(&self) -> (&Path, Option<usize>, [u32; 3], bool) {
        let index = self.inside.as_ref().map(|inside| inside.index);
        let tint = self.tint.map(f32::to_bits);
        (&self.file, index, tint, self.is_opaque)
    }

    /// Returns the encoded content of the image.
    pub(super) fn bytes(&self, largest: u64) -> Result<Cow<'_, [u8]>, FileError> {
        match &self.inside {
            None => files::bytes(&self.file, largest),
            Some(inside) if inside.content.len() as u64 > largest => Err(FileError::TooLarge {
                size: inside.content.len() as u64,
                largest,
            }),
            Some(inside) => Ok(Cow::Borrowed(&inside.content)),
        }
    }

    /// Applies the modifications to an image.
    pub(super) fn painted(&self, mut image: Image) -> Image {
        if self.tint == [1.0; 3] && !self.is_opaque {
            return image;
        }
        let tables = self.tint.map(|tint| {
            let tinted = |value: u8| {
                let [light, ..] = linear([f64::from(value) / 255.0; 3]);
                (code(f64::from(light * tint)) * 255.0 + 0.5) as u8
            };
            let all: Vec<u8> = (0..=u8::MAX).map(tinted).collect();
            all
        });
        let mut pixels = image.pixels.to_vec();
        for [red, green, blue, opacity] in pixels.as_chunks_mut::<4>().0 {
            for (code, table) in [red, green, blue].into_iter().zip(&tables) {
                *code = table.get(usize::from(*code)).copied().unwrap_or(*code);
            }
            if self.is_opaque {
                *opacity = u8::MAX;
            }
        }
        image.pixels = pixels.into();
        image
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Source {}

impl PartialOrd for Source {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Source {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        match &self.inside {
            Some(inside) => write!(formatter, ", image {}", inside.index),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tint_takes_its_share_of_the_light() {
        let image = Image {
            width: 2,
            height: 1,
            pixels: [255, 255, 255, 0, 188, 10, 0, 7].into(),
        };
        let mut source = Source::from(Path::new("a.png"));
        assert_eq!(source.painted(image.clone()), image);
        source.tint = [0.5, 1.0, 0.0];
        // Half of the linear light is code 188 (IEC 61966-2-1), a quarter code 137.
        let tinted = source.painted(image.clone());
        assert_eq!(*tinted.pixels, [188, 255, 0, 0, 137, 10, 0, 7]);
        source.is_opaque = true;
        let tinted = source.painted(image);
        assert_eq!(*tinted.pixels, [188, 255, 0, 255, 137, 10, 0, 255]);
    }

    #[test]
    fn images_inside_are_told_from_each_other() {
        let inside = |index| Source {
            inside: Some(Inside {
                index,
                content: [1, 2].into(),
            }),
            ..Source::from(Path::new("a.glb"))
        };
        assert_eq!(inside(1), inside(1));
        assert_ne!(inside(1), inside(2));
        assert_ne!(inside(1), Path::new("a.glb").into());
        assert_eq!(inside(1).to_string(), "a.glb, image 1");
        assert!(
            inside(1)
                .bytes(1)
                .unwrap_err()
                .to_string()
                .contains("too many")
        );
    }
}
