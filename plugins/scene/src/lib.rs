//! Scenes and simulation files as plain data, and the languages they are written in. Nothing here knows an
//! engine.
//!
//! In reading order:
//! - [`model`]: frames, joints and geometry of a scene; [`robray`]: the language of `.robray` files;
//! - [`simulation`]: simulation files (`.ron`): robots, components, middlewares, the environment;
//! - [`assembly`]: a scene with its robots mounted, and the bodies that it falls into;
//! - [`locked`]: axes that bodies do not move on;
//! - [`assets`]: models that the program carries in itself; [`morse_robots`]: what MORSE's builder says of them;
//! - [`load`]: files of all [`formats`]; [`urdf`]: robot descriptions of ROS, [`xacro`]: their macros; [`packages`]: search for their meshes;
//!   [`xml`]: what they are written in;
//! - [`bounds`]: ranges of the numbers of files;
//! - [`diagnostic`]: errors and warnings that point into a text; [`report`]: all those of one load.
pub mod assembly;
pub mod assets;
pub mod bounds;
pub mod diagnostic;
pub mod formats;
pub mod load;
pub mod locked;
pub mod model;
pub mod morse_robots;
pub mod packages;
mod problems;
pub mod report;
pub mod robray;
pub mod simulation;
pub mod urdf;
pub mod xacro;
pub mod xml;
