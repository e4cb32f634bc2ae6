//! Differences between two plans.
use std::collections::BTreeMap;

use morse_api::kind::Kinds;
use morse_diagnostics::Sources;
use morse_scene::assembly::{Assembly, JointSettings};
use morse_simulation_file::Simulation;

use nalgebra::Isometry3;

use crate::simulation::{
    definitions::{Texts, components},
    load::Plan,
};

/// Name of a value of the command line among the sources of a plan.
const SET: &str = "--set";

/// Returns true if two plans differ in nothing but seed, initial poses of robots, initial positions of joints, and
/// [`Contents`].
pub(super) fn is_in_start_only(one: &Plan, other: &Plan) -> bool {
    have_equal_options(one, other)
        && files(&one.sources).eq(files(&other.sources))
        && have_equal_values(&given(&one.options.set), &given(&other.options.set))
        && have_equal_values(&drawn(&one.simulation), &drawn(&other.simulation))
        && have_equal_bodies(&one.assembly, &other.assembly)
}

fn have_equal_options(one: &Plan, other: &Plan) -> bool {
    one.directory == other.directory
        && one.file == other.file
        && one.threads == other.threads
        && one.renderer == other.renderer
        && one.memory == other.memory
        && one.strict == other.strict
        && one.floor == other.floor
}

/// Contents of a simulation file as text, without the values of the start, and the settings of its components. Equal files do
/// not suffice: a program can change a plan after it has read the files.
#[derive(PartialEq, Eq)]
pub(super) struct Contents(String, Texts);

impl Contents {
    pub(super) fn of(simulation: &Simulation, kinds: &Kinds) -> Self {
        let mut simulation = simulation.clone();
        simulation.environment.seed = 0;
        simulation.drawn.clear();
        for robot in simulation.robots.values_mut() {
            robot.at = Isometry3::identity();
            robot
                .joints
                .values_mut()
                .for_each(|joint| joint.position = Some(0.0));
        }
        simulation
            .joints
            .values_mut()
            .for_each(|joint| joint.position = Some(0.0));
        let components = components(&simulation, kinds);
        Self(format!("{simulation:?}"), components)
    }
}

/// Iterates over names and texts of files.
fn files(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    let files = sources.iter().filter(|source| source.name() != SET);
    files.map(|source| (source.name(), source.text()))
}

/// Returns the values of the command line by path, the later ones of the same path after the earlier ones.
fn given(set: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for argument in set {
        let (path, value) = argument.split_once('=').unwrap_or((argument, ""));
        values.entry(path.trim()).or_default().push(value);
    }
    values
}

/// Returns the values that were drawn, by path.
fn drawn(simulation: &Simulation) -> BTreeMap<&str, Vec<&str>> {
    let drawn = simulation.drawn.iter();
    drawn
        .map(|drawn| (drawn.path.as_str(), vec![drawn.value.as_str()]))
        .collect()
}

/// Returns true if all values but those of the start are equal.
fn have_equal_values(one: &BTreeMap<&str, Vec<&str>>, other: &BTreeMap<&str, Vec<&str>>) -> bool {
    let mut paths = one.keys().chain(other.keys());
    paths.all(|path| one.get(path) == other.get(path) || is_of_start(path))
}

/// Returns true if a path is that of the seed, of the initial pose of a robot or a part of it, or of the initial position of a
/// joint.
fn is_of_start(path: &str) -> bool {
    let steps: Vec<&str> = path.split('.').map(str::trim).collect();
    match steps.as_slice() {
        ["environment", "seed"]
        | ["robots", _, "at"]
        | ["joints", _, "position"]
        | ["robots", _, "joints", _, "position"] => true,
        [
            "robots",
            _,
            "at",
            "translation" | "rpy" | "quaternion",
            rest @ ..,
        ] => rest.len() <= 1,
        _ => false,
    }
}

/// Returns true if two assemblies have the same bodies and joints, with the same settings.
fn have_equal_bodies(one: &Assembly, other: &Assembly) -> bool {
    let settings = |joint: &JointSettings| JointSettings {
        position: 0.0,
        ..*joint
    };
    let joints = |assembly: &Assembly| {
        let joints = assembly.joints.iter();
        joints
            .map(|(name, joint)| (name.clone(), settings(joint)))
            .collect::<BTreeMap<_, _>>()
    };
    let mut expected = one.scene.clone();
    for robot in other.robots.values() {
        let moved = one.scene.frame(&robot.frame).cloned();
        if let Some((mut moved, frame)) = moved.zip(other.scene.frame(&robot.frame)) {
            moved.pose = frame.pose;
            // The frame belongs to this scene: it can be replaced.
            expected.replace_frame(moved).ok();
        }
    }
    one.robots == other.robots
        && one.bodies == other.bodies
        && joints(one) == joints(other)
        && expected == other.scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_start() {
        for path in [
            "environment.seed",
            "robots.rover.at",
            "robots.rover.at.translation",
            "robots.rover.at.translation.0",
            "robots.rover.at.rpy",
            "joints.pole.position",
            "robots.arm.joints.elbow.position",
        ] {
            assert!(is_of_start(path), "{path}");
        }
        for path in [
            "robots.rover.mass",
            "robots.at.mass",
            "robots.a.at.b.mass",
            "robots.rover.sensors.at",
            "joints.pole.target",
            "environment.gravity",
            "bodies.block.linear_velocity",
        ] {
            assert!(!is_of_start(path), "{path}");
        }
    }

    #[test]
    fn values_differ_by_their_last_text() {
        let equal = |one: &[&str], other: &[&str]| {
            let owned = |set: &[&str]| set.iter().map(ToString::to_string).collect::<Vec<_>>();
            let (one, other) = (owned(one), owned(other));
            have_equal_values(&given(&one), &given(&other))
        };
        assert!(equal(
            &["robots.a.at.rpy=(0, 0, 1)"],
            &["robots.a.at.rpy=(0, 0, 2)"]
        ));
        assert!(equal(&["robots.a.mass=2"], &["robots.a.mass=2"]));
        assert!(equal(&[], &["joints.a.position=2"]));
        assert!(!equal(&["robots.a.mass=2"], &["robots.a.mass=3"]));
        assert!(!equal(&["robots.a.mass=2"], &[]));
        assert!(!equal(
            &["robots.a.mass=2"],
            &["robots.a.mass=2", "robots.a.mass=3"]
        ));
    }
}
