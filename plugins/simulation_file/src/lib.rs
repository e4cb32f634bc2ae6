//! The simulation file (`.ron`), which describes the simulation on a scene: reader from text to plain data, and checks.
//!
//! - [`load()`] converts bytes, and the values of `--set path=value`, to a [`Simulation`];
//!   values that are ranges are drawn ([`Drawn`]);
//! - [`check()`] reports undefined names, and values that contradict each other;
//! - [`Files`] finds the scenes and models that the file names;
//! - [`Simulation::expand`] creates the copies of repeated robots;
//! - for editors, [`analyse`](analyse()) returns the positions of fields and words, [`outline`](outline()) the named values,
//!   and [`slot`](slot::slot) the syntax that can be written at a position;
//! - [`read_scenario`] reads scenario files: the conditions that a run must meet ([`Condition`], [`Expression`]);
//!   [`read_batch`] batch files: many runs, with a grid or sample of values.
//!
//! The caller supplies the kinds of sensors, actuators, modifiers and middlewares as a [`Vocabulary`].
//!
//! RON's own deserializer stops at the first error and discards source positions. Therefore the text is parsed to a tree of
//! our own (`lexer`, `parser`, `tree`), in which `ron` reads each literal; `--set` changes the tree (`set`). The fields that
//! every file shares are read from the tree by hand (`read`, `component`, `object`, `part`, `repeat`, with the tools of
//! `reader` and `fields`), and the settings of a kind by serde (`settings`). Every accepted file is a valid RON file, which
//! a test checks.

mod analyse;
mod batch;
mod check;
mod closure;
mod component;
mod condition;
mod conflict;
mod drawn;
mod environment;
mod expression;
mod fields;
mod files;
mod format;
pub mod index;
mod lexer;
mod light;
mod literal;
mod load;
mod merge;
pub mod model;
mod object;
mod on;
mod outline;
mod parser;
mod part;
mod population;
mod problem;
pub mod ranges;
mod read;
mod reader;
mod repeat;
mod scenario;
mod scenes;
mod set;
mod settings;
pub mod slot;
pub mod span;
mod tree;
mod view;
pub mod vocabulary;

pub use analyse::{Analysis, analyse};
pub use batch::{Batch, Distribution, Sample, read_batch};
pub use check::{check, check_alone, check_environment};
pub use condition::{Condition, Demand};
pub use drawn::Drawn;
pub use expression::{Expression, ExpressionError, Logic, Operator, Position, Term};
pub use files::{Assets, FileLocation, Files};
pub use format::format;
pub use load::{Loaded, load, load_seeded};
pub use merge::assemble;
pub use model::Simulation;
pub use outline::{Outline, outline, root_name};
pub use population::load_robot;
pub use repeat::Instance;
pub use scenario::{Scenario, TimedCommand, read_scenario};
pub use span::Spanned;
pub use vocabulary::{Family, Vocabulary};

impl Simulation {
    /// Removes all middlewares, and all outputs and inputs that are connected to them.
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
