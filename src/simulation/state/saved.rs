//! One kind of state in a snapshot: bytes, or a copy in memory that is written as bytes.
use std::{fmt, sync::Arc};

use bevy::prelude::*;
use morse_api::state::{StateCopy, StateEntry, StateError};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

/// All values of one kind of state.
#[derive(Clone)]
pub(in crate::simulation) enum Saved {
    /// Binary form.
    Bytes(Vec<u8>),
    /// Copy in memory, which may share with worlds what does not change.
    Copy(Arc<dyn StateCopy>),
}

impl Saved {
    /// Saves one kind of state of a world.
    pub(in crate::simulation) fn of(entry: &StateEntry, world: &World) -> Result<Self, StateError> {
        match entry.copy {
            Some(copy) => copy(world).map(Self::Copy),
            None => (entry.save)(world).map(Self::Bytes),
        }
    }

    /// Restores the values in a world.
    pub(in crate::simulation) fn restore(
        &self,
        entry: &StateEntry,
        world: &mut World,
    ) -> Result<(), StateError> {
        match self {
            Self::Bytes(bytes) => (entry.restore)(world, bytes),
            Self::Copy(copy) => copy.restore(world),
        }
    }
}

impl Serialize for Saved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => bytes.serialize(serializer),
            Self::Copy(copy) => copy
                .bytes()
                .map_err(ser::Error::custom)?
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Saved {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::Bytes)
    }
}

impl fmt::Debug for Saved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Self::Copy(_) => formatter.write_str("copy"),
        }
    }
}
