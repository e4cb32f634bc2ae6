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
//! # The map
//!
//! The contract, which parts and middlewares outside this crate need alone:
//! - `morse_api`: the tick, and what sensors, actuators, modifiers, services and middlewares are.
//!
//! What a world is made of:
//! - [`tick`]: the order of a tick;
//! - [`frame`]: poses and angles in double precision;
//! - [`geodesy`], [`coordinates`]: from the scene to places on Earth, and modifiers that give those;
//! - [`faults`]: what noise and fault models have in common;
//! - [`geomagnetism`]: the Earth's magnetic field there;
//! - [`hands`]: what takes things and lets them go;
//! - [`kinematics`]: chains of joints, and from a pose of their end to the joints;
//! - [`motion`]: velocities and accelerations of a sensor, live or from its poses;
//! - [`physics`]: bodies, joints, contacts, and the engine that moves them;
//! - [`rays`]: what rays meet, for scanners;
//! - [`files`]: files that other files name, which have to lie beside them;
//! - [`paint`]: images and materials of meshes, from files;
//! - [`render`]: what eyes see, for cameras and stills;
//! - [`laser`]: what all laser scanners share;
//! - [`camera`]: what all cameras share;
//! - [`rotorcraft`]: how rotors hold an attitude, for the actuators that fly;
//! - [`wheels`]: the wheels of a robot, found and measured for actuators;
//! - [`state`]: everything that outlives a tick: hash, reset, snapshot, restore.
//!
//! Parts, a file each and a list in each folder:
//! - [`sensor`]: what measures;
//! - [`actuator`]: what moves;
//! - [`modifier`]: noise, and changes of frame, between the two and the outside;
//! - [`overlay`]: other services over those of a component;
//! - [`service`]: what every component answers, and what the simulation itself does.
//!
//! From files to a world:
//! - [`scene`]: scenes and simulation files as plain data, and their languages;
//! - [`assets`]: models that the program carries in itself;
//! - [`kinds`]: the words that a simulation file may use;
//! - [`load`]: reads and checks files;
//! - [`report`]: what is wrong with them;
//! - [`objects`]: the things that components know by name and property;
//! - [`install`]: puts sensors and actuators on bodies;
//! - [`simulation`]: one world: build, step, read, command.
//!
//! Towards the outside:
//! - [`middleware`]: the only place that names the crates under `plugins/`;
//! - `morse_socket`: MORSE's socket protocol;
//! - `morse_text`: readings as text files;
//! - `morse_web`: the simulation in a browser;
//! - `morse_viewer`: the simulation in a window, in programs built with the feature `viewer`;
//! - [`run`]: paces a simulation, by the only wall clock;
//! - [`picture`]: pictures and films as files;
//! - [`cli`]: the command line, one file a command;
//! - [`docs`]: the guide;
//! - [`prelude`]: what the file of a part usually names.
pub mod actuator;
pub mod assets;
pub mod camera;
pub mod cli;
pub mod coordinates;
pub mod docs;
pub mod faults;
pub mod files;
pub mod frame;
pub mod geodesy;
pub mod geomagnetism;
pub mod hands;
pub mod install;
pub mod kinds;
pub mod kinematics;
pub mod laser;
pub mod load;
pub mod middleware;
pub mod modifier;
pub mod motion;
pub mod objects;
pub mod overlay;
pub mod paint;
pub mod physics;
pub mod picture;
pub mod rays;
pub mod render;
pub mod report;
pub mod rotorcraft;
pub mod run;
pub mod scene;
pub mod sensor;
pub mod service;
pub mod simulation;
pub mod state;
#[cfg(test)]
mod testbed;
pub mod tick;
pub mod wheels;

pub use simulation::Simulation;

/// Everything that the file of a sensor, actuator or modifier usually names.
pub mod prelude {
    pub use morse_api::{prelude::*, rays::Rays, state::Stateful};
}
