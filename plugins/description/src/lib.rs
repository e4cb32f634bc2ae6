//! Readers of robot descriptions in other languages, which produce scenes, and writers.
//!
//! Modules in reading order:
//! - [`urdf`]: robot descriptions of ROS; [`xacro`]: macros for them;
//! - [`mjcf`]: models of MuJoCo; [`sdf`]: worlds and models of Gazebo;
//! - [`write`](mod@write): writers of all three;
//! - [`codes`]: codes of the diagnostics that all of them share;
//! - [`packages`]: search for mesh files;
//! - [`xml`]: parser of the underlying documents.
pub mod codes;
mod components;
mod inertia;
pub mod mjcf;
mod names;
mod outline;
pub mod packages;
mod problems;
pub mod sdf;
mod shapes;
pub mod urdf;
mod values;
pub mod write;
pub mod xacro;
pub mod xml;
