//! Snapshots, their restoration, and resets.
use morse_api::{service, state::StateError};

use super::{
    Simulation, population,
    state::{HashChain, Snapshot},
};

impl Simulation {
    /// Takes the snapshot of the start, to which a reset leads.
    pub(super) fn keep_start(&mut self) {
        if self.start.is_none() && self.tick() == 0 {
            // If this fails, `reset` reports it.
            let start = Snapshot::take(self.apps.main.world(), &self.beginning());
            self.start = start.map(Snapshot::without_commands).ok();
        }
    }

    /// Returns a snapshot of all state, with the commands that the next tick would apply; written to a file, without them.
    ///
    /// # Errors
    ///
    /// Some state has no binary form.
    pub fn snapshot(&self) -> Result<Snapshot, StateError> {
        Snapshot::take(
            self.apps.main.world(),
            &self.hashes.clone().unwrap_or_default(),
        )
    }

    /// Restores a snapshot of this simulation, or of another one of the same files. Commands that no tick has applied yet are
    /// those of the snapshot.
    ///
    /// # Errors
    ///
    /// The snapshot is of another simulation.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), StateError> {
        if snapshot.changes() != population::changes(self.apps.main.world()) {
            self.return_to(snapshot.changes())?;
        }
        let mut chain = HashChain::default();
        snapshot.restore(self.apps.main.world_mut(), &mut chain)?;
        if self.hashes.is_some() {
            self.hashes = Some(chain);
        }
        service::end_lost(self.apps.main.world_mut());
        self.middlewares.restart(self.clock().nanos());
        Ok(())
    }

    /// Resets to the start: the following ticks equal those of a fresh run, bit for bit. Commands that no tick has applied yet
    /// are discarded.
    ///
    /// # Errors
    ///
    /// Some state has no binary form.
    pub fn reset(&mut self) -> Result<(), StateError> {
        self.keep_start();
        match self.start.take() {
            Some(start) => {
                let result = self.restore(&start);
                self.start = Some(start);
                result
            }
            None if self.tick() == 0 => Ok(()),
            None => Err(StateError::Encoding {
                name: "the start",
                cause: "some of it has no binary form".to_owned(),
            }),
        }
    }
}
