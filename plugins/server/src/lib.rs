//! Shared parts of middlewares that listen for clients. The protocols are in the crates of the middlewares.
//!
//! - [`access`]: the access policy: addresses, tokens, host names and origins;
//! - [`event_loop`]: one thread that waits for all sockets of a server; [`notifier`]: wakes it from other threads;
//! - [`websocket`]: a WebSocket that does not block;
//! - [`requests`]: requests of clients to the simulation, and the replies;
//! - [`clock`]: the clock of time limits.
pub mod access;
pub mod clock;
pub mod event_loop;
pub mod notifier;
pub mod requests;
pub mod websocket;
