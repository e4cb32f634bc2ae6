//! Shared memory with a reference count.
use std::sync::Arc;

use crate::status::Status;

/// Region of memory that objects pass on without copying it.
///
/// A clone is a reference. Only the holder of the sole reference may write.
#[derive(Clone, Debug, Default)]
pub struct Region(Arc<Vec<u8>>);

impl Region {
    /// Returns a region of zeros with a size in bytes.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self(Arc::new(vec![0; size]))
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes as text; empty if they are not valid UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the bytes as JSON, if they are valid: readings of sensors and commands of actuators are.
    #[must_use]
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.0).ok()
    }

    /// Returns the number of references to the region: of the owner, of buffers and messages, and of observers.
    #[must_use]
    pub fn number_of_references(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// Returns the bytes for writing.
    ///
    /// # Errors
    ///
    /// [`Status::BUSY`] if there is another reference, which may be in use.
    pub fn write(&mut self) -> Result<&mut Vec<u8>, Status> {
        Arc::get_mut(&mut self.0).ok_or(Status::BUSY)
    }
}

impl From<&[u8]> for Region {
    fn from(bytes: &[u8]) -> Self {
        Self(Arc::new(bytes.to_vec()))
    }
}

impl From<Vec<u8>> for Region {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl From<serde_json::Value> for Region {
    fn from(json: serde_json::Value) -> Self {
        json.to_string().into_bytes().into()
    }
}

impl From<&str> for Region {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_reference_writes() {
        let mut region = Region::new(4);
        let reader = region.clone();
        assert_eq!(region.number_of_references(), 2);
        assert_eq!(region.write().unwrap_err(), Status::BUSY);
        drop(reader);
        region.write().expect("the only one")[0] = 7;
        assert_eq!(region.bytes(), [7, 0, 0, 0]);
    }
}
