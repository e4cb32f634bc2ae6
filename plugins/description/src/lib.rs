//! Readers of robot descriptions in other languages, which produce scenes.
//!
//! Modules in reading order:
//! - [`urdf`]: robot descriptions of ROS; [`xacro`]: macros for them;
//! - [`mjcf`]: models of MuJoCo; [`sdf`]: worlds and models of Gazebo;
//! - [`packages`]: search for mesh files;
//! - [`xml`]: parser of the underlying documents.
mod inertia;
pub mod mjcf;
mod names;
pub mod packages;
mod problems;
pub mod sdf;
mod shapes;
pub mod urdf;
mod values;
pub mod xacro;
pub mod xml;
