//! Readings that were not delivered.
use std::sync::atomic::Ordering;

use bevy::prelude::*;
use morse_api::{middleware::Failure, sensor::Outputs, state::InPathOrder, world_view::Viewers};

use super::{Simulation, install::world_view};
use crate::middleware::Wakes;

/// Readings that did not reach an observer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropStatistics {
    /// Readings that were replaced by newer ones before the observer took them, at all ports.
    pub dropped: u64,
    /// Readings without a ready observer, at all ports.
    pub unready: u64,
    /// Counts per port, by the sensor's path; a sensor may have several ports.
    pub ports: Vec<PortDrops>,
}

/// Readings of one sensor that did not reach one of its observers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortDrops {
    /// The sensor's path.
    pub sensor: String,
    /// Readings that were replaced by newer ones before the observer took them.
    pub dropped: u64,
    /// Readings for which the observer was not ready.
    pub unready: u64,
}

impl DropStatistics {
    /// Adds the lost readings of another world.
    pub(super) fn add(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.unready += other.unready;
        self.ports.extend(other.ports);
    }
}

impl Simulation {
    /// Ends the simulation: closes all ports, and waits until all data are delivered.
    ///
    /// # Errors
    ///
    /// Some data could not be delivered.
    pub fn finish(mut self) -> (DropStatistics, Result<(), Failure>) {
        self.dropped.add(close_ports(self.apps.main.world_mut()));
        let stopped = self.middlewares.stop();
        (self.dropped, stopped)
    }
}

/// Closes the tick's ends of all ports. Returns the lost readings of each port, in path order.
pub(super) fn close_ports(world: &mut World) -> DropStatistics {
    world_view::show_last(world);
    world.remove_resource::<Viewers>();
    world.remove_resource::<Wakes>();
    let mut drops = DropStatistics::default();
    for entity in world.resource::<InPathOrder>().0.clone() {
        let Some(mut outputs) = world.get_mut::<Outputs>(entity) else {
            continue;
        };
        for port in outputs.0.drain(..) {
            let lost = PortDrops {
                sensor: port.info.path.to_string(),
                dropped: port.drops.dropped.load(Ordering::Relaxed),
                unready: port.drops.unready.load(Ordering::Relaxed),
            };
            drops.dropped += lost.dropped;
            drops.unready += lost.unready;
            drops.ports.push(lost);
        }
    }
    drops
}
