//! The simulation file (`.ron`): what is simulated on a scene. Text in, plain data out.
//!
//! - [`load()`] turns bytes, and the values of `--set path=value`, into a [`Simulation`];
//! - [`check()`] finds names that nobody has, and numbers that do not fit together;
//! - [`Files`] finds the scenes and models that the file names;
//! - [`Simulation::expand`] makes the copies of repeated robots;
//! - [`read_scenario`] reads scenario files: what a simulation's run must meet ([`Condition`], [`Expression`]).
//!
//! The kinds of sensors, actuators, modifiers and middlewares come from outside, as a [`Vocabulary`].
//!
//! RON's own deserializer stops at the first mistake and forgets where values stood. Therefore the
//! text becomes a tree of our own (`lexer`, `parser`, `tree`), in which `ron` reads each literal;
//! `--set` changes the tree (`set`); what every file has in common is read from it by hand (`read`,
//! `component`, `object`, `part`, `repeat`, with the tools of `reader` and `fields`), and what belongs to a kind by
//! serde (`settings`). Every accepted file is a RON file: a test compares.

mod check;
mod component;
mod condition;
mod conflict;
mod environment;
mod expression;
mod fields;
mod files;
mod lexer;
mod light;
mod literal;
mod load;
mod merge;
pub mod model;
mod object;
mod on;
mod parser;
mod part;
mod problem;
pub mod ranges;
mod read;
mod reader;
mod repeat;
mod scenario;
mod set;
mod settings;
pub mod span;
mod tree;
mod view;
pub mod vocabulary;

pub use check::{check, check_alone, check_environment};
pub use condition::{Condition, Demand};
pub use expression::{Expression, ExpressionError, Logic, Operator, Place, Term};
pub use files::{Assets, Files, Found};
pub use load::{Loaded, load};
pub use merge::assemble;
pub use model::Simulation;
pub use repeat::Instance;
pub use scenario::{Scenario, TimedCommand, read_scenario};
pub use span::Spanned;
pub use vocabulary::{Family, Vocabulary};

impl Simulation {
    /// Takes all middlewares out, and whatever is connected to them.
    pub fn disconnect(&mut self) {
        self.middlewares.clear();
        for robot in self.robots.values_mut() {
            robot.services.clear();
            for sensor in robot.sensors.values_mut() {
                sensor.outputs.clear();
                sensor.component.services.clear();
            }
            for actuator in robot.actuators.values_mut() {
                actuator.inputs.clear();
                actuator.component.services.clear();
            }
            for overlay in robot.overlays.values_mut() {
                overlay.services.clear();
            }
        }
    }
}
