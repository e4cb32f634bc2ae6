//! The language server, driven by a client in memory: the messages of the protocol, without an editor.
mod broken;
mod client;
mod scenes;
mod simulations;
