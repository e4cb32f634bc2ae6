//! The simulation file (`.ron`): what is simulated on a scene. Text in, plain data out.

mod check;
mod component;
mod fields;
mod files;
mod lexer;
mod literal;
mod load;
pub mod model;
mod parser;
mod problem;
mod read;
mod reader;
mod repeat;
mod set;
mod settings;
pub mod span;
mod tree;
pub mod vocabulary;

pub use check::{check, check_alone};
pub use files::{Assets, Files, Found};
pub use load::{Loaded, load};
pub use model::Simulation;
pub use repeat::Instance;
pub use span::Spanned;
pub use vocabulary::{Family, Vocabulary};
