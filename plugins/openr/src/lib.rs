//! Controllers as isolated objects with ready/notify flow control, after OPEN-R, the object model of Sony's AIBO.
//!
//! An object has one thread of execution and a mailbox of 32 messages. Its services are joined to those of others: a subject
//! sends data to observers, each of which gives a credit for the next message. Who is slow loses old data and holds nobody up.
//!
//! In reading order:
//! - [`object`]: what the author of an object writes; [`context`]: what an object may call;
//! - [`message`], [`status`], [`region`], [`service`], [`sync`]: what both speak of;
//! - [`link`]: credit, skipping and buffering; `cell`: one object at work; `wiring`: life cycle and connections;
//! - [`lockstep`]: all objects on one virtual processor; [`threaded`]: each in a thread of its own;
//! - [`files`], [`stick`]: what a memory stick says of objects and their connections;
//! - [`body`]: the robot's primitives, and the object of the system that plays vectors on them;
//! - [`counters`]: who sent, lost and took how much;
//! - [`factory`]: from the name of a file to an object; [`samples`]: objects that are there; [`external`]: objects in
//!   processes of their own;
//! - [`host`]: the middleware; `engine`: the two schedulers, as it sees them; `components`: sensors and actuators as objects.
pub mod body;
pub mod cell;
mod components;
pub mod context;
pub mod counters;
mod engine;
pub mod external;
pub mod factory;
pub mod files;
pub mod host;
pub mod link;
pub mod lockstep;
pub mod message;
pub mod object;
pub mod region;
pub mod samples;
pub mod service;
pub mod status;
pub mod stick;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod threaded;
pub mod wiring;

use bevy::prelude::App;
use morse_api::middleware::AddMiddleware as _;

/// Makes the kind `openr` known, and the objects that are there.
pub fn plugin(app: &mut App) {
    app.add_middleware::<host::OpenR>();
    samples::plugin(app);
}

/// Everything that the file of an object usually names.
pub mod prelude {
    pub use crate::{
        cell::Part,
        context::{Context, Level},
        factory::AddObject as _,
        link::Buffering,
        object::{ConnectionEvent, NotifyEvent, Object, Payload, ReadyEvent, SystemEvent},
        region::Region,
        service::Interface,
        status::Status,
    };
}
