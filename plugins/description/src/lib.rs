//! Robot descriptions that other simulators use, read into scenes.
//!
//! In reading order:
//! - [`urdf`]: robot descriptions of ROS; [`xacro`]: their macros;
//! - [`packages`]: search for their meshes;
//! - [`xml`]: what they are written in.
pub mod packages;
mod problems;
pub mod urdf;
pub mod xacro;
pub mod xml;
