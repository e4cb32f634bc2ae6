//! morse-sim: a robot simulator.
pub mod actuator;
pub mod frame;
pub mod modifier;
pub mod scene;
pub mod sensor;
pub mod tick;
