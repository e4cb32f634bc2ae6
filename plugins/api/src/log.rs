//! Log of what came from outside and acted on the world. A run follows from its files and from this log alone,
//! bit for bit: whoever gives another simulation of the same files the same things in the same ticks gets the
//! same states.
use std::sync::Arc;

use bevy::{prelude::Resource, reflect::PartialReflect};
use serde_json::Value as Json;

/// Commands and requests in the order in which they took effect. Kept only where somebody inserts it.
///
/// Clients, the window and the browser all go this way. What a Rust program does to a world between two ticks
/// is its own, and not in here.
#[derive(Resource, Debug, Default)]
pub struct CommandLog(pub Vec<LogEntry>);

/// Something that acted.
#[derive(Debug)]
pub struct LogEntry {
    /// The tick in which it took effect; for what was served while the run was held, the next one.
    pub tick: u64,
    /// The action itself.
    pub action: LoggedAction,
}

/// Action on a world.
#[derive(Debug)]
pub enum LoggedAction {
    /// An actuator was told something.
    Command {
        /// Its path.
        actuator: Arc<str>,
        /// Its whole command in the client's axes: what came in this tick and what was there before, without
        /// what modifiers make of it.
        value: Box<dyn PartialReflect>,
    },
    /// A service that acts was asked for.
    Request {
        /// Its number, by which it may be cancelled.
        id: u64,
        /// The component's path, or what answers although it is no component, such as `simulation`.
        component: String,
        /// The service's name.
        service: String,
        /// Its arguments.
        arguments: Json,
    },
    /// The request of this number was cancelled.
    Cancel(u64),
}
