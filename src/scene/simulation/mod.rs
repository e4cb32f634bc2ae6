//! The simulation file (`.ron`): what is simulated on a scene. Text in, plain data out.

pub mod model;
pub mod span;
pub mod vocabulary;

pub use model::Simulation;
pub use span::{Span, Spanned};
pub use vocabulary::{Family, Vocabulary};
