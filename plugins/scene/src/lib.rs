//! Scenes as plain data, and the languages they are written in. Nothing here knows the engine.

pub mod assembly;
pub mod diagnostic;
pub mod model;
pub mod robray;
pub mod simulation;
pub mod spawn;
