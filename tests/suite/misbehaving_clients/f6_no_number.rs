//! F6: values that are no numbers, or of a wrong type, on every input of every kind of actuator.
use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

use morse_api::{
    command::{ActuatorInfo, Mailbox},
    fields::from_json,
    service,
};
use serde_json::json;

use super::{Scene, Server, Weakness, ensure, notices, survives};
use crate::{golden_runs, load::wait_for};

/// The scenes that together have all kinds of actuator.
const SCENES: [&str; 4] = ["ground", "arms", "air_and_water", "things"];

fn actuators(name: &str) -> Vec<Arc<ActuatorInfo>> {
    let simulation = golden_runs::open(&file(name));
    let world = simulation.world();
    let paths = simulation.paths();
    let mailboxes = paths
        .iter()
        .filter_map(|path| world.get::<Mailbox>(service::find(world, path)?));
    mailboxes
        .map(|mailbox| mailbox.sender().info.clone())
        .filter(|info| !info.fields.0.is_empty())
        .collect()
}

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/gallery/{name}.ron"))
}

/// Returns a shipped scene whose actuators have inputs on sockets.
fn scene(name: &str) -> Scene {
    let mut scene = Scene::of(file(name).to_string_lossy());
    scene.set(r#"middlewares={ "socket": (kind: "socket", port: 0, streams: 0) }"#);
    for info in actuators(name) {
        let (robot, own) = info.path.split_once('.').expect("a path");
        scene.set(&format!(
            r#"robots.{robot}.actuators.{own}.inputs={{ "socket": () }}"#
        ));
    }
    scene
}

/// Returns bad values for a field, as text; none for a field of its own type.
fn bad_values(info: &ActuatorInfo, field: usize) -> Vec<String> {
    let field = &info.fields.0[field];
    let takes = |value: serde_json::Value| from_json(field, &value).is_some();
    let none = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"];
    if takes(json!(0.5)) {
        return none
            .iter()
            .map(|value| (*value).to_owned())
            .chain(["[0.5]".to_owned(), "\"a\"".to_owned()])
            .collect();
    }
    for length in [2, 3, 4] {
        if takes(json!(vec![0.5; length])) {
            let with = |value: &&str| format!("[{}{value}]", "0.5, ".repeat(length - 1));
            let mut all: Vec<String> = none.iter().map(with).collect();
            if !takes(json!(vec![0.5; length + 1])) {
                all.push(format!("[{}0.5]", "0.5, ".repeat(length)));
                all.push("[0.5]".to_owned());
            }
            return all;
        }
    }
    if takes(json!(true)) || takes(json!("a")) || takes(json!(["a"])) {
        return vec!["NaN".to_owned(), "[[1]]".to_owned()];
    }
    Vec::new()
}

/// Checks that each is refused with the names of the actuator and of the field.
fn check_all(server: &Server, actuators: &[Arc<ActuatorInfo>]) -> Result<(), String> {
    for info in actuators {
        let mut client = server.connect(&info.path)?;
        for field in 0..info.fields.0.len() {
            let name = info.fields.0[field].name;
            for value in bad_values(info, field) {
                let before = server.program.said().len();
                client.send(format!("{{\"{name}\": {value}}}\n"))?;
                let (path, quoted) = (format!("`{}`", info.path), format!("`{name}`"));
                let is_refused = wait_for(Duration::from_secs(5), || {
                    let said = server.program.said();
                    said[before..]
                        .iter()
                        .any(|line| line.contains(&path) && line.contains(&quoted))
                });
                ensure(is_refused, || {
                    format!("{}: {name} = {value} is not refused", info.path)
                })?;
            }
        }
    }
    Ok(())
}

fn ground(server: &Server) -> Result<(), String> {
    check_all(server, &actuators("ground"))
}

fn arms(server: &Server) -> Result<(), String> {
    check_all(server, &actuators("arms"))
}

fn air_and_water(server: &Server) -> Result<(), String> {
    check_all(server, &actuators("air_and_water"))
}

fn things(server: &Server) -> Result<(), String> {
    check_all(server, &actuators("things"))
}

#[test]
fn f6_what_is_no_number_is_refused_on_the_ground() {
    survives(&scene("ground"), ground);
}

#[test]
fn f6_what_is_no_number_is_refused_by_arms() {
    survives(&scene("arms"), arms);
}

#[test]
fn f6_what_is_no_number_is_refused_in_air_and_water() {
    survives(&scene("air_and_water"), air_and_water);
}

#[test]
fn f6_what_is_no_number_is_refused_by_things() {
    survives(&scene("things"), things);
}

#[test]
fn f6_notices_a_server_that_takes_anything_for_a_number() {
    notices(&scene("things"), Weakness::TakesAnythingForNumbers, things);
}

#[test]
fn f6_looks_at_every_kind_of_actuator() {
    let looked_at = SCENES
        .iter()
        .flat_map(|name| actuators(name))
        .map(|info| info.kind);
    let looked_at: BTreeSet<&str> = looked_at.collect();
    let kinds = morse_sim::simulation::kinds(&morse_sim::simulation::no_extensions);
    let with_fields = kinds.actuators.iter().filter(|(_, kind)| {
        !morse_api::fields::Fields::of(kind.command, None)
            .0
            .is_empty()
    });
    let all: BTreeSet<&str> = with_fields.map(|(word, _)| *word).collect();
    assert_eq!(looked_at, all);
}
