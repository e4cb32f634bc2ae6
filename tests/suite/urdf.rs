//! Robot descriptions of ROS: what they become, and what users read where they are wrong.
#![cfg(test)]

mod kinematics;
mod macros;
mod messages;
mod programs;
mod scenes;

use std::path::{Path, PathBuf};

use morse_sim::scene::{
    diagnostic::Failed,
    load::{LoadOptions, Loaded, load},
    model::Scene,
};

/// Descriptions of the tests.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/urdf")
}

fn read(path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
    load(path, options)
}

/// The scene of a description in the tests' data, which nothing is wrong with.
fn fine(name: &str) -> Scene {
    let loaded = read(&data().join(name), &LoadOptions::default());
    let loaded = loaded.unwrap_or_else(|failed| panic!("{name}: {failed}"));
    assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    loaded.scene
}
