//! morse-sim: a robot simulator.
pub mod actuator;
pub mod assets;
pub mod cli;
pub mod frame;
pub mod geodesy;
pub mod install;
pub mod kinds;
pub mod load;
pub mod middleware;
pub mod modifier;
pub mod physics;
pub mod rays;
pub mod report;
pub mod run;
pub mod scene;
pub mod sensor;
pub mod service;
pub mod simulation;
pub mod state;
#[cfg(test)]
mod testbed;
pub mod tick;

pub use simulation::Simulation;

/// Everything that the file of a sensor, actuator or modifier usually names.
pub mod prelude {
    pub use morse_api::{prelude::*, rays::Rays};
}
