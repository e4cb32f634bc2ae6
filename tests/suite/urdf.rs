//! Robot descriptions of ROS: the resulting scenes, and error messages.
#![cfg(test)]

mod gazebo;
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

/// Returns the directory of the tests' descriptions.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/urdf")
}

fn read(path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
    load(path, options)
}

/// Returns the scene of a valid description in the tests' data.
fn fine(name: &str) -> Scene {
    let loaded = read(&data().join(name), &LoadOptions::default());
    let loaded = loaded.unwrap_or_else(|failed| panic!("{name}: {failed}"));
    assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    loaded.scene
}
