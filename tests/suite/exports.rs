//! Reading a sensor before its first export is an error.
#![cfg(test)]

use morse_api::service::Status;
use morse_sim::{
    Simulation,
    sensor::{collision::CollisionData, compound::CompoundData, pose::PoseData},
    simulation::{AccessError, no_extensions},
};
use serde_json::{Value as Json, json};

/// A sensor without data for a number of ticks; `None`: for ever.
struct Case {
    name: &'static str,
    sensor: &'static str,
    nothing: Option<u64>,
}

const CASES: [Case; 6] = [
    Case {
        name: "measured in the first tick",
        sensor: r#"(kind: "pose")"#,
        nothing: Some(0),
    },
    Case {
        name: "late",
        sensor: r#"(kind: "pose", modifiers: [(kind: "latency", time: 0.35)])"#,
        nothing: Some(4),
    },
    Case {
        name: "lost at first",
        sensor: r#"(kind: "pose", modifiers: [(kind: "dropout", probability: 1, until: 0.55)])"#,
        nothing: Some(5),
    },
    Case {
        name: "always lost",
        sensor: r#"(kind: "pose", modifiers: [(kind: "dropout", probability: 1)])"#,
        nothing: None,
    },
    Case {
        name: "silent",
        sensor: r#"(kind: "collision", modifiers: [(kind: "silence")])"#,
        nothing: None,
    },
    Case {
        name: "deactivated",
        sensor: r#"(kind: "pose", active: false)"#,
        nothing: None,
    },
];

const NOTHING: &str = "`rover.it` has exported nothing yet";

fn rover(sensor: &str) -> Simulation {
    let text = format!(
        r#"Simulation(environment: (rate: 10), robots: {{ "rover": (
            model: "robots/atrv.robray", base: fixed, at: (translation: (2, 3, 0.1)),
            sensors: {{
                "it": {sensor}, "other": (kind: "pose"),
                "all": (kind: "compound", sensors: ["it", "other"]),
            }},
        ) }})"#
    );
    Simulation::parse(&text, ".", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that all interfaces agree whether there are data.
fn check(simulation: &mut Simulation, has_data: bool, what: &str) {
    let typed = match simulation.read::<PoseData>("rover.it") {
        Err(AccessError::OtherKind { .. }) => {
            simulation.read::<CollisionData>("rover.it").map(drop)
        }
        read => read.map(|pose| assert_eq!(pose.x, 2.0, "{what}")),
    };
    let untyped = simulation.read_any("rover.it").map(drop);
    for read in [typed, untyped] {
        assert_eq!(read.is_ok(), has_data, "{what}");
        if let Err(error) = read {
            assert!(error.to_string().starts_with(NOTHING), "{what}: {error}");
        }
    }
    let reply = simulation
        .call("rover.it", "get_local_data", &json!([]))
        .reply();
    let reply = reply.expect("an answer at once");
    let (status, said) = (reply.status, reply.value);
    if has_data {
        assert_eq!(
            (status, &said["x"]),
            (Status::Success, &json!(2.0)),
            "{what}"
        );
    } else {
        let is_told = said.as_str().is_some_and(|said| said.starts_with(NOTHING));
        assert!(status == Status::Failed && is_told, "{what}: {said}");
    }
    if simulation.tick() > 0 {
        let all = simulation
            .read::<CompoundData>("rover.all")
            .expect("it is there");
        let names: Vec<&str> = all.sensors.keys().map(String::as_str).collect();
        let expected: &[&str] = if has_data {
            &["rover.it", "rover.other"]
        } else {
            &["rover.other"]
        };
        assert_eq!(names, expected, "{what}");
    }
}

#[test]
fn a_sensor_that_has_exported_nothing_says_so() {
    for Case {
        name,
        sensor,
        nothing,
    } in CASES
    {
        let mut simulation = rover(sensor);
        check(
            &mut simulation,
            false,
            &format!("{name}, before the first tick"),
        );
        for run in ["first", "after a reset"] {
            for tick in 1..=8 {
                simulation.step().expect("a tick");
                let has_data = nothing.is_some_and(|nothing| tick > nothing);
                check(
                    &mut simulation,
                    has_data,
                    &format!("{name}, {run}, tick {tick}"),
                );
            }
            let snapshot = simulation.snapshot().expect("it can be saved");
            simulation.reset().expect("it goes back");
            check(&mut simulation, false, &format!("{name}, reset"));
            simulation.restore(&snapshot).expect("the same simulation");
            check(
                &mut simulation,
                nothing.is_some(),
                &format!("{name}, restored"),
            );
            simulation.reset().expect("it goes back");
        }
    }
}

/// A sensor that loses its measurements after a while keeps its previous export.
#[test]
fn what_was_exported_last_stays() {
    let mut simulation =
        rover(r#"(kind: "pose", modifiers: [(kind: "dropout", probability: 1, from: 0.25)])"#);
    simulation.run(7).expect("seven ticks");
    check(&mut simulation, true, "it was there");
    let reply = simulation
        .call("rover.it", "get_local_data", &json!([]))
        .reply();
    let time = reply.and_then(|reply| reply.value["timestamp"].as_f64());
    assert_eq!(time, Some(0.2));
    let all = simulation
        .call("rover.all", "get_local_data", &json!([]))
        .reply();
    let all: Json = all.expect("an answer").value;
    assert_eq!(all["rover.it"]["timestamp"], 0.2, "{all}");
}
