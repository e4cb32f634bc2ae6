//! Controllers as isolated objects with credit-based flow control (ready/notify), after OPEN-R, the object model of Sony's
//! AIBO.
//!
//! An object has one thread of execution and a mailbox of 32 messages. Its services are connected to those of others: a
//! subject sends data to observers, each of which sends a credit for the next message. A slow observer loses old data and
//! does not delay others.
//!
//! In reading order:
//! - [`object`]: the trait that objects implement; [`context`]: calls that are available to an object;
//! - [`message`], [`status`], [`region`], [`service`], [`sync`]: common types of both;
//! - [`credit`]: readiness of an observer; [`link`]: skipping and buffering; `object_runner`: runner of one object;
//!   `wiring`: life cycle and connections;
//! - [`lockstep`]: all objects on one virtual processor; [`threaded`]: one thread per object;
//! - [`files`], [`stick`]: objects and connections of a memory stick;
//! - [`platform`]: state of the robot's system that all objects share: primitives, servos, data files, sync keys;
//! - [`body`]: the robot's primitives, and the system object that executes vectors on them;
//! - [`power`]: state of the power; [`network`]: endpoints of TCP and UDP, which
//!   `ip_stack` polls;
//! - [`counters`]: counters of links and objects;
//! - [`factory`]: creates objects by file name; [`samples`]: included objects; [`external`]: objects in separate processes;
//! - [`host`]: the middleware; `engine`: its interface to the two schedulers; `components`: sensors and actuators as
//!   objects.
pub mod body;
mod components;
pub mod context;
pub mod counters;
pub mod credit;
mod engine;
pub mod external;
pub mod factory;
pub mod files;
pub mod host;
mod ip_stack;
pub mod link;
pub mod lockstep;
pub mod message;
pub mod network;
pub mod object;
pub mod object_runner;
pub mod platform;
pub mod power;
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

/// Registers the kind `openr`, and the included objects.
pub fn plugin(app: &mut App) {
    app.add_middleware::<host::OpenR>();
    samples::plugin(app);
}

/// Items that the file of an object usually needs.
pub mod prelude {
    pub use crate::{
        context::{Context, Level},
        factory::AddObject as _,
        link::Buffering,
        object::{ConnectionEvent, NotifyEvent, Object, Payload, ReadyEvent, SystemEvent},
        object_runner::ObjectInstance,
        region::Region,
        service::Interface,
        status::Status,
    };
}
