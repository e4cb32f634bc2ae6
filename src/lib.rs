//! morse-sim: a headless, deterministic robot simulator, the successor of MORSE.
//!
//! A scene (`.robray`) defines frames, joints and geometry, a simulation file (`.ron`) the robots, sensors and actuators on
//! it, and a [`Simulation`] is one world made of both: it is stepped, read and commanded by a program, a test, or the
//! command line. Equal files, seed and commands give equal bits, for any number of threads and with any viewers attached.
//!
//! ```
//! let mut simulation = morse_sim::Simulation::load("scenes/drop.ron")?;
//! simulation.run(60)?;
//! let pose = simulation.read::<morse_sim::sensor::pose::PoseData>("block_a.pose")?;
//! assert!((pose.z - 0.77).abs() < 0.01, "on the table");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The guide is in [`docs`]; to begin, see [`docs::first_steps`].
//!
//! # One tick
//!
//! A fixed chain, declared in [`tick`], which is the file to read first:
//!
//! 1. `Inputs`: the newest command of each actuator is read, requests are served;
//! 2. `Actuate`: input modifiers, then each actuator's `default_action`; then the drives are applied;
//! 3. `Physics`: the engine advances by one tick;
//! 4. `Action`: components that are due are selected, and their time and pose are stamped;
//! 5. `DefaultAction`: each due sensor measures the world into its local data;
//! 6. `Modifiers`: each sensor's own list, in its own order, on a copy;
//! 7. `Merge`: sensors that combine others merge their modified data;
//! 8. `Outputs`: the modified data of the due sensors becomes readings;
//! 9. `Export`: middlewares receive the readings for which they are ready, services complete.
//!
//! In MORSE's motion 4 to 8 come before 3, and requests are served between the two.
//!
//! # The map
//!
//! Everything in the tick is a plugin: built-in components have the same form as users' own, in crates that depend on the
//! contract and not on the program. In reading order:
//!
//! The contract, on which components and middlewares outside this crate depend:
//! - `morse_api`: the tick, and the traits of sensors, actuators, modifiers, services and middlewares;
//! - [`testing`] (`morse_testing`): a world for the unit tests of a component.
//!
//! Components, one file each and a list in each crate:
//! - [`sensor`] (`morse_sensors`): sensors, and the common parts of scanners and cameras;
//! - [`actuator`] (`morse_actuators`): actuators, with wheels, rotors and grasping, and [`overlay`]s;
//! - [`modifier`] (`morse_modifiers`): noise, faults and changes of frame of data and commands;
//! - [`geodesy`] (`morse_geodesy`): positions on Earth and its magnetic field;
//! - [`kinematics`] (`morse_kinematics`): chains of joints, forward and inverse kinematics.
//!
//! The parts of a world:
//! - [`scene`]: scenes and simulation files, by these crates:
//!   - `morse_scene`: scenes as plain data: frames, joints, geometry, bodies;
//!   - `morse_robray`: the scene language;
//!   - `morse_simulation_file`: simulation files and scenarios;
//!   - `morse_compiled`: compiled scenes, in one file that is mapped into memory;
//!   - `morse_description`: robot descriptions of ROS, MuJoCo and Gazebo;
//!   - `morse_diagnostics`: errors and warnings of all files;
//! - [`geometry`] (`morse_geometry`): meshes from files, and ray casting;
//! - [`mechanisms`] (`morse_mechanisms`): trees of joints in reduced coordinates, their kinematics, dynamics and contacts;
//! - [`physics`] (`morse_physics`): bodies, joints, contacts, and the engine that moves them;
//! - [`render`] (`morse_render`): images and films, by software rendering.
//!
//! The program, from files to a running world:
//! - [`tick`]: the order of a tick; `update`: one update of the app, which makes it;
//! - [`simulation`]: one world: load, build, step, read, command, and its state;
//! - [`spawn`]: the entities of a scene;
//! - [`service`]: services of all components, and of the simulation itself;
//! - [`run`]: paces a simulation by the wall clock;
//! - [`scenario`]: conditions over runs, and their verdicts;
//! - [`cli`]: the command line, one file per command;
//! - [`docs`]: the guide;
//! - [`prelude`]: the names that the file of a component usually needs.
//!
//! The interfaces to the outside:
//! - [`middleware`]: the only module that names the crates of middlewares;
//! - `morse_server`: what those that listen share: access policy, event loop, WebSocket, requests;
//! - `morse_socket`: MORSE's socket protocol;
//! - `morse_text`: readings as text files;
//! - `morse_openr`: controllers as isolated objects with ready/notify flow control;
//! - `morse_ros`: messages of ROS, and the topics of components;
//! - `morse_ros2`: a node of ROS 2, in programs built with the feature `ros2`;
//! - `morse_rosbridge`: topics and services for clients of ROS;
//! - `morse_web`: the simulation in a browser;
//! - `morse_python`: simulations in Python, in the package of `plugins/python`;
//! - `morse_lsp`: a language server for editors;
//! - `morse_viewer`: the simulation in a window, in programs built with the feature `viewer`.
//!
//! Programs that use this library, in `tools/`: `morse-bench` measures its speed, `morse-prove` checks that its runs are
//! bit-identical. `morse-bodies` writes the meshes of the robots.
// Snippets with warnings would teach bad style.
#![doc(test(attr(deny(warnings))))]
pub mod cli;
pub mod docs;
pub mod middleware;
pub mod run;
pub mod scenario;
pub mod scene;
pub mod service;
pub mod simulation;
pub mod spawn;
pub mod tick;
mod update;

pub use morse_actuators::{self as actuator, overlay};
pub use morse_geodesy as geodesy;
pub use morse_geometry as geometry;
pub use morse_kinematics as kinematics;
pub use morse_mechanisms as mechanisms;
pub use morse_modifiers as modifier;
pub use morse_physics as physics;
pub use morse_render as render;
pub use morse_sensors as sensor;
pub use morse_testing as testing;
pub use simulation::Simulation;

/// Everything that the file of a sensor, actuator or modifier usually names.
pub mod prelude {
    pub use morse_api::prelude::*;
}
