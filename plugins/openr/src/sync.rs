//! Sync keys, by which commands of several objects start together.
use crate::status::Status;

/// Maximum number of keys in use.
pub const MOST_KEYS: usize = 8;
/// Maximum number of parts of a key.
pub const MOST_PARTS: u32 = 16;

/// Number of a sync key, unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SyncKey(pub u32);

/// Sync keys in use.
#[derive(Clone, Debug, Default)]
pub struct SyncKeys {
    last: u32,
    /// Keys with the number of missing parts.
    live: Vec<(SyncKey, u32)>,
}

impl SyncKeys {
    /// Allocates a key with one part.
    ///
    /// # Errors
    ///
    /// [`Status::NO_SYNC_KEY`] if all are in use.
    pub fn take(&mut self) -> Result<SyncKey, Status> {
        if self.live.len() >= MOST_KEYS {
            return Err(Status::NO_SYNC_KEY);
        }
        self.last += 1;
        let key = SyncKey(self.last);
        self.live.push((key, 1));
        Ok(key)
    }

    fn place(&self, key: SyncKey) -> Result<usize, Status> {
        let place = self.live.iter().position(|(known, _)| *known == key);
        place.ok_or(Status::INVALID_SYNC_KEY)
    }

    /// Sets the number of parts of a key.
    ///
    /// # Errors
    ///
    /// The key is not in use, or the number of parts is zero or too large.
    pub fn divide(&mut self, key: SyncKey, parts: u32) -> Result<(), Status> {
        let place = self.place(key)?;
        if parts == 0 || parts > MOST_PARTS {
            return Err(Status::INVALID_ARG);
        }
        self.live[place].1 = parts;
        Ok(())
    }

    /// Reports the arrival of one part; true once all have arrived, and the key is free again.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn meet(&mut self, key: SyncKey) -> Result<bool, Status> {
        let place = self.place(key)?;
        self.live[place].1 -= 1;
        let is_whole = self.live[place].1 == 0;
        if is_whole {
            self.live.remove(place);
        }
        Ok(is_whole)
    }

    /// Frees a key.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn cancel(&mut self, key: SyncKey) -> Result<(), Status> {
        let place = self.place(key)?;
        self.live.remove(place);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ninth_key_is_refused_until_one_is_free() {
        let mut keys = SyncKeys::default();
        let taken: Vec<SyncKey> = (0..8).map(|_| keys.take().expect("a key")).collect();
        assert_eq!(keys.take(), Err(Status::NO_SYNC_KEY));
        keys.cancel(taken[3]).expect("a key in use");
        assert_eq!(keys.cancel(taken[3]), Err(Status::INVALID_SYNC_KEY));
        assert!(keys.take().is_ok());
    }

    #[test]
    fn a_key_is_whole_when_its_last_part_is_there() {
        let mut keys = SyncKeys::default();
        let key = keys.take().expect("a key");
        assert_eq!(keys.divide(key, 17), Err(Status::INVALID_ARG));
        keys.divide(key, 3).expect("parts");
        let met: Vec<_> = (0..4).map(|_| keys.meet(key)).collect();
        let whole = [
            Ok(false),
            Ok(false),
            Ok(true),
            Err(Status::INVALID_SYNC_KEY),
        ];
        assert_eq!(met, whole);
    }
}
