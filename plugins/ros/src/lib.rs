//! ROS messages, and the conversion of readings and commands: shared by all ROS middlewares.
//!
//! - [`messages`]: the messages, with the names and the order of ROS 2; [`definitions`]: their definitions as text;
//! - [`names`]: topics and frames;
//! - [`topics`]: the topics of a sensor, and the message of a reading on each; `data`, `noise`, `scans`, `pictures`, `detections`: the conversion
//!   of readings;
//! - [`commands`]: messages that an actuator accepts; [`actions`]: goals that it carries out;
//! - [`frames`]: `/tf` and `/tf_static`; [`links`]: links of robots in these, and their descriptions; [`frame_tree`]: poses
//!   of frames relative to others.
pub mod actions;
pub mod commands;
mod contacts;
mod data;
pub mod definitions;
mod detections;
pub mod frame_tree;
pub mod frames;
pub mod links;
pub mod messages;
pub mod names;
mod noise;
mod pictures;
mod scans;
pub mod topics;
