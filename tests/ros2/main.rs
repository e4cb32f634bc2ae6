//! End-to-end tests of the middleware `ros2` with nodes of rclpy, ROS's own client library for Python. Run with
//! `cargo test --features ros2 --test ros2`; `.ci/run` installs rclpy from PyPI.
#![cfg(test)]
mod actions;
mod commands;
mod connections;
mod descriptions;
mod hashes;
mod hostile;
mod kilted;
mod limits;
mod load;
mod machines;
mod mappings;
mod nodes;
mod peer;
mod readings;
#[path = "../suite/require.rs"]
mod require;
mod seeing;
mod services;
mod simulation;
mod values;
