//! ROS messages, and how sensors and actuators speak them: shared by all middlewares of ROS.
//!
//! - [`messages`]: the messages, with the names and the order of ROS 2;
//! - [`names`]: topics and frames;
//! - [`topics`]: the topics of a sensor, and the message of a reading on each; `data`, `scans`, `pictures`: how they are made;
//! - [`commands`]: messages that an actuator takes;
//! - [`frames`]: `/tf` and `/tf_static`.
pub mod commands;
mod data;
pub mod frames;
pub mod messages;
pub mod names;
mod pictures;
mod scans;
pub mod topics;
