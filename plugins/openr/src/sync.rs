//! Sync keys, by which commands of several objects start together.
use crate::status::Status;

/// Maximum number of keys in use.
pub const MOST_KEYS: usize = 8;
/// Maximum number of divisions of a key.
pub const MOST_DIVISIONS: u32 = 16;

/// Number of a sync key, unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SyncKey(pub u32);

/// Sync keys in use.
#[derive(Clone, Debug, Default)]
pub struct SyncKeys {
    last: u32,
    /// Keys that are in use.
    live: Vec<Divisions>,
    /// Keys whose divisions have all arrived, with the number of divisions that have not started.
    whole: Vec<(SyncKey, u32)>,
}

/// Divisions of a key: the commands that start together.
#[derive(Clone, Copy, Debug)]
struct Divisions {
    key: SyncKey,
    all: u32,
    missing: u32,
}

impl SyncKeys {
    /// Allocates a key with one division.
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
        self.live.push(Divisions {
            key,
            all: 1,
            missing: 1,
        });
        Ok(key)
    }

    fn index_of(&self, key: SyncKey) -> Result<usize, Status> {
        let index = self.live.iter().position(|known| known.key == key);
        index.ok_or(Status::INVALID_SYNC_KEY)
    }

    /// Sets the number of divisions of a key.
    ///
    /// # Errors
    ///
    /// The key is not in use, or the number of divisions is zero or too large.
    pub fn divide(&mut self, key: SyncKey, divisions: u32) -> Result<(), Status> {
        let index = self.index_of(key)?;
        if divisions == 0 || divisions > MOST_DIVISIONS {
            return Err(Status::INVALID_ARG);
        }
        (self.live[index].all, self.live[index].missing) = (divisions, divisions);
        Ok(())
    }

    /// Reports the arrival of one division; true once all have arrived, and the key is free again.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn meet(&mut self, key: SyncKey) -> Result<bool, Status> {
        let index = self.index_of(key)?;
        self.live[index].missing -= 1;
        let is_whole = self.live[index].missing == 0;
        if is_whole {
            let divisions = self.live.remove(index);
            self.whole.push((key, divisions.all));
        }
        Ok(is_whole)
    }

    /// Returns true if all divisions of a key have arrived, so that they may start.
    #[must_use]
    pub fn is_whole(&self, key: SyncKey) -> bool {
        self.whole.iter().any(|(known, _)| *known == key)
    }

    /// Reports that one division of a key has started; the key is forgotten after the last one.
    pub fn start(&mut self, key: SyncKey) {
        if let Some((_, left)) = self.whole.iter_mut().find(|(known, _)| *known == key) {
            *left -= 1;
        }
        self.whole.retain(|(_, left)| *left > 0);
    }

    /// Frees a key.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn cancel(&mut self, key: SyncKey) -> Result<(), Status> {
        let index = self.index_of(key)?;
        self.live.remove(index);
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
    fn a_key_is_whole_when_its_last_division_is_there() {
        let mut keys = SyncKeys::default();
        let key = keys.take().expect("a key");
        assert_eq!(keys.divide(key, 17), Err(Status::INVALID_ARG));
        keys.divide(key, 3).expect("parts");
        assert!(!keys.is_whole(key));
        let met: Vec<_> = (0..4).map(|_| keys.meet(key)).collect();
        let whole = [
            Ok(false),
            Ok(false),
            Ok(true),
            Err(Status::INVALID_SYNC_KEY),
        ];
        assert_eq!(met, whole);
        let wholes: Vec<bool> = (0..3)
            .map(|_| {
                keys.start(key);
                keys.is_whole(key)
            })
            .collect();
        assert_eq!(wholes, [true, true, false]);
    }
}
