//! An AIBO's body as its objects see it: primitives by their locators, vectors of commands and of what was sensed, and the
//! system's object that plays the ones and tells the others.
pub mod comm;
pub mod coupled;
pub mod primitives;
pub mod vectors;
