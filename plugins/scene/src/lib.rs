//! Scenes as plain data, without an engine: what languages are read into, and what worlds are made of.
//!
//! In reading order:
//! - [`model`]: frames, joints and geometry of a scene;
//! - [`assembly`]: a scene with its robots mounted, and the bodies that it falls into;
//! - [`locked`]: axes that bodies do not move on;
//! - [`assets`]: models that the program carries in itself, [`shipped`] as files; [`morse_robots`]: what MORSE's builder
//!   says of them;
//! - [`formats`]: formats of scene files;
//! - [`bounds`]: ranges of the numbers of files; [`ranges`]: those of bodies, joints and robots.
pub mod assembly;
pub mod assets;
pub mod bounds;
pub mod formats;
pub mod locked;
pub mod model;
pub mod morse_robots;
pub mod ranges;
pub mod shipped;
