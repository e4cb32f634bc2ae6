//! Shared code of middlewares with servers. The protocols are in the crates of the middlewares.
//!
//! - [`access`]: access policy: addresses, tokens, host names and origins;
//! - [`event_loop`]: one thread that waits for all sockets of a server; [`notifier`]: wakes it from other threads;
//! - [`websocket`]: non-blocking WebSocket;
//! - [`requests`]: requests of clients to the simulation, and their replies;
//! - [`clock`]: clock for timeouts.
pub mod access;
pub mod clock;
pub mod event_loop;
pub mod notifier;
pub mod requests;
pub mod websocket;
