//! Hasher of states.
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// Feeds raw bits into the state hash.
#[derive(Clone, Default)]
pub struct StateHasher {
    hasher: Xxh3,
    buffer: Vec<u8>,
}

impl StateHasher {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Adds the raw bits of a number: -0.0 and 0.0 differ.
    pub fn f64(&mut self, value: f64) {
        self.bytes(&value.to_bits().to_le_bytes());
    }

    /// Adds the raw bits of numbers, in the machine's byte order.
    pub fn f64s(&mut self, values: &[f64]) {
        self.bytes(bytemuck::cast_slice(values));
    }

    /// Adds the raw bits of a number.
    pub fn f32(&mut self, value: f32) {
        self.bytes(&value.to_bits().to_le_bytes());
    }

    /// Adds an integer.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a value in a canonical binary form.
    pub fn value<T: Serialize>(&mut self, value: &T) {
        self.buffer.clear();
        match postcard::to_io(value, &mut self.buffer) {
            Ok(_) => self.hasher.update(&self.buffer),
            // A value without a binary form still changes the hash.
            Err(_) => self.hasher.update(b"unserializable"),
        }
    }

    /// Returns the hash of everything that was added, and resets the hasher.
    pub fn finish(&mut self) -> u128 {
        let hash = self.hasher.digest128();
        self.hasher.reset();
        hash
    }
}
