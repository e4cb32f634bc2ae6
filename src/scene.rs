//! Scenes, and the files that people write: the model, the languages that are read into it, and what joins them.
//!
//! In reading order:
//! - [`model`], [`assembly`], [`locked`], [`bounds`]: scenes as plain data (`morse_scene`), with the models that the
//!   program carries ([`assets`], [`shipped`]) and the robots of MORSE's builder ([`morse_robots`]);
//! - [`robray`]: the scene language (`morse_robray`);
//! - [`simulation`]: simulation files (`morse_simulation_file`);
//! - [`urdf`], [`xacro`], [`mjcf`], [`sdf`], [`packages`], [`xml`]: robot descriptions (`morse_description`),
//!   with the codes of diagnostics that all of them share ([`description_codes`]);
//! - [`compiled`]: scenes in one file with their meshes and images (`morse_compiled`);
//! - [`load`]: scene files of all [`formats`]; [`known`]: scenes that are kept after they were read;
//! - [`query`]: kinematics and collisions of a scene without a world;
//! - [`diagnostic`], [`report`]: errors and warnings of all of them (`morse_diagnostics`).
pub mod compiled;
pub(crate) mod inertials;
pub mod known;
pub mod load;
pub mod query;

pub use morse_description::{codes as description_codes, mjcf, packages, sdf, urdf, xacro, xml};
pub use morse_diagnostics::{self as diagnostic, report};
pub use morse_robray as robray;
pub use morse_scene::{assembly, assets, bounds, formats, locked, model, morse_robots, shipped};
pub use morse_simulation_file as simulation;
