//! Body of an AIBO as its objects access it: primitives with locators, vectors of commands and of sensor values, servos, and
//! the system object that executes commands and publishes sensor values.
pub mod audio;
pub mod comm;
pub mod coupled;
mod ers210;
mod ers7;
pub mod image;
mod layout;
pub mod primitives;
pub mod robots;
pub mod servo;
pub mod sound;
pub mod vectors;

pub use layout::{Header, MOST_ENTRIES, MOST_FRAMES};
