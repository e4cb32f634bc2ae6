//! Readers of robot descriptions in other languages, which produce scenes.
//!
//! Modules in reading order:
//! - [`urdf`]: robot descriptions of ROS; [`xacro`]: macros for them;
//! - [`mjcf`]: models of MuJoCo;
//! - [`packages`]: search for mesh files;
//! - [`xml`]: parser of the underlying documents.
pub mod mjcf;
pub mod packages;
mod problems;
pub mod urdf;
pub mod xacro;
pub mod xml;
