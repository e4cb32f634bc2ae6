//! Hash and snapshots of all state.
mod commands;
pub(super) mod saved;

use bevy::prelude::*;
use morse_api::{
    sensor::LostObserver,
    state::{StateError, StateHasher, StateRegister},
    tick::Clock,
};
use serde::{Deserialize, Serialize};

use self::{commands::WaitingCommands, saved::Saved};
use super::{load::robots::Change, population};

/// Chained hash of the start and of all ticks so far: 128 bits over the raw bits of the start poses, and for each tick of
/// its number and of all registered state, in path order.
///
/// Equal simulations with equal seeds and commands have equal hashes, for any number of threads and with any viewers.
#[derive(Clone, Default)]
pub struct HashChain {
    chain: u128,
    hasher: StateHasher,
}

impl HashChain {
    /// Returns a chain that begins with the hash of a start.
    #[must_use]
    pub fn from(start: u128) -> Self {
        Self {
            chain: start,
            hasher: StateHasher::default(),
        }
    }

    /// Adds the world after a tick.
    pub fn add(&mut self, world: &World) {
        self.hasher.bytes(&self.chain.to_le_bytes());
        self.hasher.u64(world.resource::<Clock>().tick);
        if let Some(register) = world.get_resource::<StateRegister>() {
            for entry in &register.0 {
                (entry.hash)(world, &mut self.hasher);
            }
        }
        self.chain = self.hasher.finish();
    }

    /// Continues the chain with a world of other files, by the hash of its start.
    pub(super) fn continue_with(&mut self, start: u128) {
        self.hasher.bytes(&self.chain.to_le_bytes());
        self.hasher.bytes(&start.to_le_bytes());
        self.chain = self.hasher.finish();
    }

    /// Returns the hash of the start and of all ticks so far.
    #[must_use]
    pub fn value(&self) -> u128 {
        self.chain
    }
}

/// All state of a world at one tick.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    tick: u64,
    chain: u128,
    /// Changes of the robots since the files were read.
    changes: Vec<Change>,
    entries: Vec<(String, Saved)>,
    /// Commands that no tick has applied yet. They are not written into files.
    #[serde(skip)]
    commands: WaitingCommands,
}

impl Snapshot {
    /// Takes a snapshot of all registered state.
    ///
    /// # Errors
    ///
    /// Some state has no binary form.
    pub fn take(world: &World, hashes: &HashChain) -> Result<Self, StateError> {
        let register = world
            .get_resource::<StateRegister>()
            .cloned()
            .unwrap_or_default();
        let entries = register
            .0
            .iter()
            .map(|entry| Ok((entry.name.to_owned(), Saved::of(entry, world)?)));
        Ok(Self {
            tick: world.resource::<Clock>().tick,
            chain: hashes.chain,
            changes: population::changes(world).to_vec(),
            entries: entries.collect::<Result<_, StateError>>()?,
            commands: WaitingCommands::of(world),
        })
    }

    /// Returns the snapshot without commands that no tick has applied yet.
    #[must_use]
    pub fn without_commands(mut self) -> Self {
        self.commands = WaitingCommands::default();
        self
    }

    /// Restores the snapshot in the same world, or in another one that was built from the same files.
    ///
    /// # Errors
    ///
    /// The snapshot is of another simulation, or of another version of the program.
    pub fn restore(&self, world: &mut World, hashes: &mut HashChain) -> Result<(), StateError> {
        let register = world
            .get_resource::<StateRegister>()
            .cloned()
            .unwrap_or_default();
        if register.0.len() != self.entries.len() {
            return Err(StateError::OtherWorld {
                name: "the register of state",
                saved: self.entries.len(),
                here: register.0.len(),
            });
        }
        for (entry, (_, saved)) in register.0.iter().zip(&self.entries) {
            saved.restore(entry, world)?;
        }
        self.commands.restore(world);
        world.resource_mut::<Clock>().tick = self.tick;
        hashes.chain = self.chain;
        if let Some(mut lost) = world.get_resource_mut::<LostObserver>() {
            lost.0 = None;
        }
        Ok(())
    }

    /// Restores one kind of state only, by the name of its entry.
    ///
    /// # Errors
    ///
    /// The snapshot is of another simulation, or has no such entry.
    pub fn restore_only(&self, world: &mut World, name: &'static str) -> Result<(), StateError> {
        let register = world.get_resource::<StateRegister>();
        let entry = register.and_then(|register| {
            let mut all = register.0.iter().zip(&self.entries);
            all.find(|(entry, _)| entry.name == name)
        });
        let Some((entry, (_, saved))) = entry.map(|(entry, saved)| (*entry, saved)) else {
            return Err(StateError::OtherWorld {
                name,
                saved: 0,
                here: 1,
            });
        };
        saved.restore(&entry, world)
    }

    /// Returns the changes of the robots since the files were read.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the tick after which it was taken.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }
}
