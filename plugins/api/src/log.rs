//! Log of the inputs that acted on the world. The files and this log determine a run: another simulation of the same files
//! that gets the same inputs in the same ticks has the same states, bit for bit.
use std::sync::Arc;

use bevy::{prelude::Resource, reflect::PartialReflect};
use serde_json::Value as Json;

/// Commands and requests in the order in which they took effect. Recorded only if the resource is inserted.
///
/// Inputs of clients, the window and the browser are recorded. Changes that a Rust program makes to a world between two
/// ticks are not.
#[derive(Resource, Debug, Default)]
pub struct CommandLog(pub Vec<LogEntry>);

/// An input that acted.
#[derive(Debug)]
pub struct LogEntry {
    /// Tick in which it took effect; the next tick for requests that were served while the run was held.
    pub tick: u64,
    /// The action.
    pub action: LoggedAction,
}

/// Action of an input.
#[derive(Debug)]
pub enum LoggedAction {
    /// An actuator received a command.
    Command {
        /// Path of the actuator.
        actuator: Arc<str>,
        /// The whole command in the client's axes: the fields that arrived in this tick and the previous values of the
        /// others, before modifiers.
        value: Box<dyn PartialReflect>,
    },
    /// A service that acts was requested.
    Request {
        /// Number by which the request can be cancelled.
        id: u64,
        /// Path of the component, or name of a part of the simulation, such as `simulation`.
        component: String,
        /// Name of the service.
        service: String,
        /// Arguments.
        arguments: Json,
    },
    /// The request of this number was cancelled.
    Cancel(u64),
    /// The files were read again after a change, and the run continued with the new world. A log with such an entry replays
    /// only with the files of both times.
    Reload,
}
