//! Overlays: the built-in one, and one of a user.
#![cfg(test)]
use bevy::prelude::*;
use morse_api::{
    overlay::{AddOverlay as _, Overlay, pass_on},
    service::{AddService as _, Outcome, Service, ServiceError, Status},
};
use morse_sim::{Simulation, simulation::no_extensions};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{answer, ask, refusal, rover_with};

const COMPONENTS: &str = r#"
    actuators: {
        "motion": (kind: "v_omega"),
        "way": (kind: "waypoint", obstacle_avoidance: false, active: false),
    },
"#;

fn errors(overlays: &str) -> String {
    let text = format!(
        r#"Simulation(robots: {{ "rover": (model: "robots/atrv.robray", {COMPONENTS} overlays: {{ {overlays} }}) }})"#
    );
    match Simulation::parse(&text, "scenes", &no_extensions) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}

fn command(simulation: &Simulation) -> [f64; 2] {
    let entity = morse_api::service::find(simulation.world(), "rover.motion").unwrap();
    let command = simulation
        .world()
        .get::<morse_sim::actuator::v_omega::VOmegaCommand>(entity)
        .unwrap();
    [command.v, command.w]
}

#[test]
fn services_get_other_names_and_arguments() {
    let overlays = r#"overlays: {
        "old": (kind: "rename", of: "motion", names: {
            "go": "set_speed",
            "turn_and_go": (service: "set_speed", arguments: ["w", "v"]),
            "ahead": (service: "set_speed", arguments: ["v"], defaults: { "w": 0.25 }),
        }),
    }"#;
    let mut simulation = rover_with(&format!("{COMPONENTS} {overlays}"), "", &no_extensions);
    let mut after = |service: &str, arguments: Json| {
        answer(&mut simulation, "rover.old", service, arguments);
        command(&simulation)
    };
    assert_eq!(after("go", json!([1.0, 2.0])), [1.0, 2.0]);
    assert_eq!(after("turn_and_go", json!([1.0, 2.0])), [2.0, 1.0]);
    assert_eq!(after("ahead", json!([3.0])), [3.0, 0.25]);
    assert_eq!(after("ahead", json!({ "v": 4.0, "w": 5.0 })), [4.0, 5.0]);
    let wrong = [
        ("go", json!([1.0])),
        ("turn_and_go", json!([1.0])),
        ("ahead", json!([1.0, 2.0])),
        ("ahead", json!([])),
    ];
    for (service, arguments) in wrong {
        let reply = ask(&mut simulation, "rover.old", service, arguments);
        assert_eq!(reply.status, Status::Failed);
        assert!(
            matches!(reply.error, Some(ServiceError::WrongArity { .. })),
            "{reply:?}"
        );
    }
    assert_eq!(command(&simulation), [4.0, 5.0]);
    let why = refusal(&mut simulation, "rover.motion", "go", json!([1.0, 2.0]));
    assert!(why.contains("not been registered"), "{why}");
}

#[test]
fn an_overlay_beside_its_component_answers_under_its_path_and_later() {
    let overlays = r#"overlays: {
        "nav": (kind: "rename", of: "way", beside: true, names: { "move": "goto" }),
        "top": (kind: "rename", of: "nav", names: { "travel": "move" }),
    }"#;
    let components = COMPONENTS
        .replace(", active: false", "")
        .replace("\"motion\": (kind: \"v_omega\"),", "");
    let mut simulation = rover_with(&format!("{components} {overlays}"), "", &no_extensions);
    let beside = simulation.call("rover.way", "move", &json!([1.0, 0.0, 0.0]));
    simulation.run(200).unwrap();
    let reply = beside.reply().unwrap();
    assert_eq!(
        (reply.status, reply.value),
        (Status::Success, json!("Arrived"))
    );
    // Two layers, interrupted at the lowest one.
    let top = simulation.call("rover.top", "travel", &json!([5.0, 0.0, 0.0]));
    simulation.step().unwrap();
    drop(simulation.call("rover.way", "goto", &json!([1.0, 0.0, 0.0])));
    assert_eq!(top.reply().unwrap().status, Status::Preempted);
    let names = |path: &str| {
        let entity = morse_api::service::find(simulation.world(), path).unwrap();
        let all = morse_api::service::services_of(simulation.world(), entity);
        all.iter()
            .map(|service| service.name.to_string())
            .collect::<Vec<_>>()
    };
    assert!(names("rover.way").contains(&"move".to_owned()));
    assert!(!names("rover.nav").contains(&"goto".to_owned()));
}

#[test]
fn what_an_overlay_names_must_be_there() {
    let message = errors(r#""o": (kind: "rename", of: "moton", names: {})"#);
    assert!(
        message.contains("belongs to `moton`") && message.contains("did you mean `motion`"),
        "{message}"
    );
    let message = errors(r#""o": (kind: "rename", of: "motion", names: { "go": "set_sped" })"#);
    assert!(
        message.contains("`rover.motion` has no service `set_sped`")
            && message.contains("set_speed"),
        "{message}"
    );
    let message = errors(
        r#""o": (kind: "rename", of: "motion", names: { "go": (service: "set_speed", arguments: ["x"]) })"#,
    );
    assert!(
        message.contains("no argument `x`; it takes v, w"),
        "{message}"
    );
    let message = errors(r#""o": (kind: "renam", of: "motion")"#);
    assert!(message.contains("unknown overlay `renam`"), "{message}");
    let message = errors(r#""motion": (kind: "rename", of: "way")"#);
    assert!(
        message.contains("`motion` is an overlay, and a sensor or an actuator"),
        "{message}"
    );
    let message = errors(r#""a": (kind: "rename", of: "b"), "b": (kind: "rename", of: "a")"#);
    assert!(message.contains("circle"), "{message}");
    let message = errors(r#""a": (kind: "rename")"#);
    assert!(message.contains("missing its field `of`"), "{message}");
}

/// Drives by one number: the curvature of the path.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Bend {
    /// Speed, m/s.
    speed: f64,
}

impl Overlay for Bend {
    const KIND: &'static str = "bend";
}

/// Arguments of `bend`.
#[derive(Reflect, Deserialize)]
struct Curvature {
    /// Curvature, 1/m.
    curvature: f64,
}

fn bend(
    world: &mut World,
    overlay: Entity,
    Curvature { curvature }: Curvature,
) -> Result<Outcome, ServiceError> {
    let speed = world.get::<Bend>(overlay).map_or(0.0, |bend| bend.speed);
    pass_on(
        world,
        overlay,
        "set_speed",
        &json!([speed, speed * curvature]),
    )
}

#[test]
fn an_overlay_of_ones_own_is_one_file_of_rust() {
    let components =
        format!(r#"{COMPONENTS} overlays: {{ "bend": (kind: "bend", of: "motion", speed: 2) }}"#);
    let mut simulation = rover_with(&components, "", &|app: &mut App| {
        app.add_overlay::<Bend>()
            .add_service::<Bend>(Service::new("bend", "Bends.", bend));
    });
    answer(&mut simulation, "rover.bend", "bend", json!([0.5]));
    assert_eq!(command(&simulation), [2.0, 1.0]);
    answer(
        &mut simulation,
        "rover.bend",
        "set_property",
        json!(["speed", 4]),
    );
    answer(&mut simulation, "rover.bend", "bend", json!([0.5]));
    assert_eq!(command(&simulation), [4.0, 2.0]);
}
