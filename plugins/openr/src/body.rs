//! Body of an AIBO as its objects access it: primitives with locators, vectors of commands and of sensor values, and the
//! system object that executes commands and publishes sensor values.
pub mod comm;
pub mod coupled;
pub mod primitives;
pub mod vectors;
