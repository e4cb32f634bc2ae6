//! Built-in assets: models of robots, arms, environments and objects.
#![cfg(test)]

mod arms;
mod embedded;
mod environments;
mod joined;
mod measure;
mod objects;
mod robots;
mod seen;
mod terrain;

use morse_sim::{
    Simulation,
    scene::{
        load::{LoadOptions, load},
        shipped::Shipped,
    },
    simulation::no_extensions,
};
use nalgebra::Isometry3;

/// Returns a simulation without files of its own.
fn simulation(text: &str) -> Simulation {
    Simulation::parse(text, "nowhere", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a built-in model, read from the program alone.
fn model(path: &str) -> morse_sim::scene::model::Scene {
    let options = LoadOptions {
        strict: true,
        shipped: morse_sim::scene::assets::SHIPPED,
        ..LoadOptions::default()
    };
    let loaded = load(&Shipped::path(path), &options).unwrap_or_else(|failed| panic!("{failed}"));
    loaded.scene
}

/// Returns the pose of a frame in a model, with some variables set.
fn pose_of(path: &str, frame: &str, variables: &[(&str, f64)]) -> Isometry3<f64> {
    let scene = model(path);
    let value = |name: &str| {
        let set = variables.iter().find(|(known, _)| *known == name);
        set.map_or(0.0, |(_, value)| *value)
    };
    let poses = scene.absolute_poses(value);
    poses[scene.frame_index(frame).expect("a frame of the model")]
}
