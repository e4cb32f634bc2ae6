//! morse-sim: a headless, deterministic robot simulator, the successor of MORSE.
//!
//! A scene (`.robray`) says what there is, a simulation file (`.ron`) what is simulated on it, and a
//! [`Simulation`] is one world made of both: it is stepped, read and commanded by a program, a test, or
//! the command line. Equal files, seed and commands give equal bits, whatever the number of threads and
//! whoever watches.
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
//! 4. `Action`: who is due? Time and pose of those are stamped;
//! 5. `DefaultAction`: each due sensor measures the world into its local data;
//! 6. `Modifiers`: each sensor's own list, in its own order, on a copy;
//! 7. `Merge`: sensors that are made of others put their modified data together;
//! 8. `Outputs`: the modified data of the due sensors becomes readings;
//! 9. `Export`: middlewares take what they are ready for, services complete.
//!
//! In MORSE's motion 4 to 8 come before 3, and requests are served between the two.
//!
//! # The map
//!
//! Everything in the tick is a plugin: built-in parts live as users' own do, in crates that know the contract
//! and not the program. In reading order:
//!
//! The contract, which parts and middlewares outside this crate need alone:
//! - `morse_api`: the tick, and what sensors, actuators, modifiers, services and middlewares are;
//! - [`testing`] (`morse_testing`): a world for the unit tests of a part.
//!
//! Parts, a file each and a list in each crate:
//! - [`sensor`] (`morse_sensors`): sensors, with what scanners and cameras share;
//! - [`actuator`] (`morse_actuators`): actuators, with wheels, rotors and grasping, and [`overlay`]s;
//! - [`modifier`] (`morse_modifiers`): noise, and changes of frame, between the two and the outside;
//! - [`geodesy`] (`morse_geodesy`): places on Earth and its magnetic field, for both;
//! - [`kinematics`] (`morse_kinematics`): chains of joints, and from a pose of their end to the joints.
//!
//! What a world is made of:
//! - [`scene`]: scenes and simulation files, by these crates:
//!   - `morse_scene`: scenes as plain data, with what they fall into;
//!   - `morse_robray`: the scene language;
//!   - `morse_simulation_file`: simulation files and scenarios;
//!   - `morse_description`: robot descriptions of ROS;
//!   - `morse_diagnostics`: errors and warnings of all of them;
//! - [`geometry`] (`morse_geometry`): meshes from files, and what rays meet;
//! - [`mechanisms`] (`morse_mechanisms`): trees of joints in reduced coordinates, their kinematics and dynamics;
//! - [`physics`] (`morse_physics`): bodies, joints, contacts, and the engine that moves them;
//! - [`render`] (`morse_render`): pictures and films, by rays and without a graphics card.
//!
//! The program, from files to a world that runs:
//! - [`tick`]: the order of a tick;
//! - [`simulation`]: one world: load, build, step, read, command, and its state;
//! - [`spawn`]: the entities of a scene;
//! - [`service`]: what every component answers, and what the simulation itself does;
//! - [`run`]: paces a simulation, by the only wall clock;
//! - [`scenario`]: conditions over runs, and their verdicts;
//! - [`cli`]: the command line, one file a command;
//! - [`docs`]: the guide;
//! - [`prelude`]: what the file of a part usually names.
//!
//! Towards the outside:
//! - [`middleware`]: the only place that names the crates of middlewares;
//! - `morse_server`: what those that listen share: access policy, event loop, WebSocket, requests;
//! - `morse_socket`: MORSE's socket protocol;
//! - `morse_text`: readings as text files;
//! - `morse_openr`: controllers as isolated objects with ready/notify flow control;
//! - `morse_ros`: messages of ROS, and the topics of components;
//! - `morse_rosbridge`: topics and services for clients of ROS;
//! - `morse_web`: the simulation in a browser;
//! - `morse_viewer`: the simulation in a window, in programs built with the feature `viewer`.
// Snippets that warn would teach what the compiler warns of.
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
