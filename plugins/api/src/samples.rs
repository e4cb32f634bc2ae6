//! Large arrays of numbers, such as the pixels of an image or the points of a cloud. Copies share memory.
//!
//! An image is passed from a sensor's local data to its modified data and to each reading, all of which point to the same
//! memory. A new image is written into memory that has no other owner, so that no frame allocates after the first few.
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use bevy::reflect::{Reflect, TypePath};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use xxhash_rust::xxh3::xxh3_128;

/// Number of buffers that are kept for later frames.
const MOST_SPARES: usize = 4;

/// A number type of [`Samples`].
pub trait Sample: bytemuck::Pod + PartialEq + TypePath + Send + Sync {
    /// Name of the type: `u8`, `u16`, `f32`.
    const NAME: &'static str;
    /// Converts samples to their type-erased form.
    const BLOCK: fn(Samples<Self>) -> Block;
}

impl Sample for u8 {
    const NAME: &'static str = "u8";
    const BLOCK: fn(Samples<Self>) -> Block = Block::U8;
}

impl Sample for u16 {
    const NAME: &'static str = "u16";
    const BLOCK: fn(Samples<Self>) -> Block = Block::U16;
}

impl Sample for f32 {
    const NAME: &'static str = "f32";
    const BLOCK: fn(Samples<Self>) -> Block = Block::F32;
}

/// An array of numbers that copies share.
#[derive(Reflect)]
#[reflect(opaque)]
pub struct Samples<T: Sample> {
    shared: Arc<SharedValues<T>>,
    spares: Vec<Arc<SharedValues<T>>>,
}

struct SharedValues<T> {
    values: Vec<T>,
    /// Computed at the first request, once for all copies.
    digest: OnceLock<u128>,
}

impl<T> Default for SharedValues<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            digest: OnceLock::new(),
        }
    }
}

/// Samples without their type, for encoders.
pub trait AnySamples {
    /// Returns the raw bits, in the machine's byte order.
    fn bytes(&self) -> &[u8];
    /// Returns the number of samples.
    fn count(&self) -> usize;
    /// Returns the name of their type: `u8`, `u16`, `f32`.
    fn number(&self) -> &'static str;
    /// Returns a hash of the raw bits.
    fn digest(&self) -> u128;
    /// Returns true if every number is finite.
    fn is_finite(&self) -> bool;
    /// Returns the samples in type-erased form.
    fn block(&self) -> Block;
}

/// Samples of a type that is determined at run time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// Bytes.
    U8(Samples<u8>),
    /// Integers.
    U16(Samples<u16>),
    /// Floating-point numbers.
    F32(Samples<f32>),
}

impl Block {
    /// Returns the samples.
    #[must_use]
    pub fn any(&self) -> &dyn AnySamples {
        match self {
            Self::U8(samples) => samples,
            Self::U16(samples) => samples,
            Self::F32(samples) => samples,
        }
    }
}

impl<T: Sample> AnySamples for Samples<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.shared.values)
    }

    fn count(&self) -> usize {
        self.shared.values.len()
    }

    fn number(&self) -> &'static str {
        T::NAME
    }

    fn digest(&self) -> u128 {
        let digest = || xxh3_128(self.bytes());
        *self.shared.digest.get_or_init(digest)
    }

    fn is_finite(&self) -> bool {
        match bytemuck::try_cast_slice::<u8, f32>(self.bytes()) {
            Ok(numbers) if T::NAME == f32::NAME => numbers.iter().all(|number| number.is_finite()),
            _ => true,
        }
    }

    fn block(&self) -> Block {
        T::BLOCK(self.clone())
    }
}

impl fmt::Debug for dyn AnySamples + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {:032x}",
            self.count(),
            self.number(),
            self.digest()
        )
    }
}

impl<T: Sample> Samples<T> {
    /// Returns the numbers.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.shared.values
    }

    /// Rewrites the numbers. `write` receives memory with undefined contents of any length.
    pub fn rewrite(&mut self, write: impl FnOnce(&mut Vec<T>)) {
        let mut shared = self.fresh();
        if let Some(shared) = Arc::get_mut(&mut shared) {
            shared.digest = OnceLock::new();
            write(&mut shared.values);
        }
        self.replace(shared);
    }

    /// Changes the numbers, in a copy if the memory has other owners.
    pub fn edit(&mut self, change: impl FnOnce(&mut [T])) {
        if Arc::get_mut(&mut self.shared).is_none() {
            let mut own = self.fresh();
            if let Some(own) = Arc::get_mut(&mut own) {
                own.values.clone_from(&self.shared.values);
            }
            // The other owners keep the old memory: among the spares it would take the place of memory that becomes free.
            self.shared = own;
        }
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.digest = OnceLock::new();
            change(&mut shared.values);
        }
    }

    /// Returns a buffer without other owners.
    fn fresh(&mut self) -> Arc<SharedValues<T>> {
        if Arc::get_mut(&mut self.shared).is_some() {
            return std::mem::take(&mut self.shared);
        }
        let free = self
            .spares
            .iter_mut()
            .position(|spare| Arc::get_mut(spare).is_some());
        free.map_or_else(Arc::default, |free| self.spares.swap_remove(free))
    }

    fn replace(&mut self, shared: Arc<SharedValues<T>>) {
        let old = std::mem::replace(&mut self.shared, shared);
        if old.values.capacity() > 0 && self.spares.len() < MOST_SPARES {
            self.spares.push(old);
        }
    }
}

impl<T: Sample> Default for Samples<T> {
    fn default() -> Self {
        Self {
            shared: Arc::default(),
            spares: Vec::new(),
        }
    }
}

impl<T: Sample> Clone for Samples<T> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            spares: Vec::new(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        if Arc::ptr_eq(&self.shared, &source.shared) {
            return;
        }
        // The sensor keeps the frame for later; a second owner would keep it from being reused.
        if Arc::get_mut(&mut self.shared).is_some() {
            self.replace(source.shared.clone());
        } else {
            self.shared = source.shared.clone();
        }
    }
}

impl<T: Sample> From<Vec<T>> for Samples<T> {
    fn from(values: Vec<T>) -> Self {
        let mut samples = Self::default();
        samples.rewrite(|own| *own = values);
        samples
    }
}

impl<T: Sample> PartialEq for Samples<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.values() == other.values()
    }
}

impl<T: Sample> fmt::Debug for Samples<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self as &dyn AnySamples).fmt(f)
    }
}

impl<T: Sample> Serialize for Samples<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.bytes())
    }
}

impl<'de, T: Sample> Deserialize<'de> for Samples<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of numbers")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        let bytes = deserializer.deserialize_bytes(Bytes)?;
        if bytes.len() % size_of::<T>() != 0 {
            return Err(de::Error::custom("half a number at the end"));
        }
        let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>()];
        bytemuck::cast_slice_mut(&mut values).copy_from_slice(&bytes);
        Ok(values.into())
    }
}

/// Appends bytes as base64 (RFC 4648), with padding.
pub fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| LETTERS[(bits & 63) as usize];
    out.reserve(bytes.len().div_ceil(3) * 4);
    let (triples, rest) = bytes.as_chunks::<3>();
    for &[a, b, c] in triples {
        let bits = u32::from_be_bytes([0, a, b, c]);
        out.extend([18, 12, 6, 0].map(|shift| letter(bits >> shift)));
    }
    match *rest {
        [a] => {
            let bits = u32::from_be_bytes([0, a, 0, 0]);
            out.extend([letter(bits >> 18), letter(bits >> 12), b'=', b'=']);
        }
        [a, b] => {
            let bits = u32::from_be_bytes([0, a, b, 0]);
            out.extend([18, 12, 6].map(|shift| letter(bits >> shift)));
            out.push(b'=');
        }
        _ => {}
    }
}

/// Returns the raw bits of samples as base64.
#[must_use]
pub(crate) fn base64_text(samples: &dyn AnySamples) -> String {
    let mut text = Vec::new();
    base64(&mut text, samples.bytes());
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_and_no_frame_allocates_for_long() {
        let mut local = Samples::<u8>::default();
        let mut modified = Samples::default();
        let mut seen = std::collections::BTreeSet::new();
        for value in 0..20 {
            local.rewrite(|values| {
                values.clear();
                values.resize(64, value);
            });
            modified.clone_from(&local);
            assert_eq!(modified.values().as_ptr(), local.values().as_ptr());
            assert_eq!(modified.values(), [value; 64]);
            seen.insert(local.values().as_ptr());
        }
        assert!(seen.len() <= 3, "{} frames of memory", seen.len());
    }

    #[test]
    fn an_edit_leaves_the_others_alone() {
        let local = Samples::from(vec![1.0_f32, 2.0]);
        let digest = local.digest();
        let (mut draft, mut seen) = (Samples::default(), std::collections::BTreeSet::new());
        for _ in 0..100 {
            draft.clone_from(&local);
            draft.edit(|values| values[0] = 5.0);
            seen.insert(draft.values().as_ptr());
            assert_eq!(draft.values(), [5.0, 2.0]);
        }
        assert_eq!((local.values(), local.digest()), (&[1.0, 2.0][..], digest));
        assert_ne!(draft.digest(), digest);
        assert!(seen.len() <= 2, "{} frames of memory", seen.len());
        assert_eq!(Samples::from(vec![1.0_f32, 2.0]).digest(), digest);
    }

    #[test]
    fn they_outlive_a_snapshot() {
        let before = Samples::from(vec![0.5_f32, -2.0, f32::INFINITY]);
        let bytes = postcard::to_stdvec(&before).unwrap();
        assert_eq!(
            postcard::from_bytes::<Samples<f32>>(&bytes).unwrap(),
            before
        );
        assert!(!before.is_finite() && Samples::from(vec![0xff_u8; 4]).is_finite());
        let odd = postcard::to_stdvec(&Samples::from(vec![1_u8, 2, 3])).unwrap();
        assert!(postcard::from_bytes::<Samples<u16>>(&odd).is_err());
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        // The examples of RFC 4648, section 10.
        for (text, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            base64(&mut out, text.as_bytes());
            assert_eq!(out, expected.as_bytes());
        }
    }
}
