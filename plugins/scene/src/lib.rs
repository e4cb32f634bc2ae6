//! Scenes and assemblies as plain data, without an engine: the output of all readers of languages, and the input of worlds.
//!
//! Modules in reading order:
//! - [`model`]: frames, joints and geometry of a scene;
//! - [`assembly`]: a scene with its robots mounted, and its division into bodies;
//! - [`locked`]: axes along or about which bodies do not move;
//! - [`assets`]: models that are embedded in the program, [`shipped`] as files; [`morse_robots`]: physics of the robots of
//!   MORSE's builder;
//! - [`formats`]: formats of scene files;
//! - [`bounds`]: ranges of numbers in input files; [`ranges`]: ranges for bodies, joints and robots.
pub mod assembly;
pub mod assets;
pub mod bounds;
pub mod formats;
pub mod locked;
pub mod model;
pub mod morse_robots;
pub mod ranges;
pub mod shipped;
mod topological_order;
