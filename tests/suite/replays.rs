//! Replays: actions from outside are logged, and a run with the same actions is the same run, bit for bit.
use std::time::Duration;

use bevy::reflect::{PartialReflect, structs::DynamicStruct};
use morse_api::log::{CommandLog, LogEntry, LoggedAction};
use morse_sim::{Simulation, simulation::no_extensions};
use serde_json::{Value as Json, json};

/// A rover whose commands are lost now and then, a noisy sensor, and a ball to push.
const WORLD: &str = r#"Simulation(
    scene: "boxes.robray",
    environment: (rate: 60, seed: 7),
    bodies: { "BlueBox": (kind: dynamic) },
    robots: {
        "rover": (
            model: "robots/atrv.robray", at: (translation: (-2, -3, 0.1)),
            sensors: { "pose": (kind: "pose", modifiers: [(kind: "gaussian")]) },
            actuators: {
                "motion": (kind: "v_omega", modifiers: [(kind: "dropout", probability: 0.4), (kind: "gaussian", sigma: 0.05)]),
                "goal": (kind: "waypoint"),
            },
        ),
    },
)"#;

const END: u64 = 90;

fn world() -> Simulation {
    let mut simulation = Simulation::parse(WORLD, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    simulation.hash_every_tick();
    simulation
}

fn ask(simulation: &Simulation, component: &str, service: &str, arguments: Json) -> u64 {
    let sent = simulation
        .requests()
        .send(component, service, arguments, |_| {});
    sent.expect("a place in the queue")
}

/// Acts like a user of the window: drives, drags, pushes, cancels, and resets.
fn play(simulation: &mut Simulation) {
    let drive = |simulation: &Simulation, field: &str, value: f64| {
        let mut command = DynamicStruct::default();
        command.insert(field, value);
        let reported = simulation.command_any("rover.motion", Box::new(command));
        reported.expect("an actuator");
    };
    let mut goal = 0;
    for step in 0..110 {
        match step {
            3..=30 => drive(simulation, "v", f64::from(step) / 20.0),
            31 => drive(simulation, "w", 0.4),
            40 => {
                ask(
                    simulation,
                    "simulation",
                    "set_object_position",
                    json!(["rover", [-2, -2.5, 0.3]]),
                );
                ask(
                    simulation,
                    "simulation",
                    "push_object",
                    json!(["BlueBox", [3, 2, 9]]),
                );
                // These two requests only read.
                ask(simulation, "simulation", "details", json!([]));
                ask(simulation, "nobody", "nothing", json!([]));
            }
            // A reset while the run is paused.
            50 => {
                ask(simulation, "simulation", "reset", json!([]));
                simulation.rest(Duration::ZERO);
                assert_eq!(simulation.tick(), 0);
            }
            60 => goal = ask(simulation, "rover.goal", "goto", json!([4, 4, 0])),
            80 => simulation
                .requests()
                .cancel(goal)
                .expect("a place in the queue"),
            85 => {
                ask(
                    simulation,
                    "simulation",
                    "set_object_position",
                    json!(["rover", [-1, -3, 0.2]]),
                );
            }
            _ => {}
        }
        simulation.step().expect("a tick");
    }
    while simulation.tick() < END {
        simulation.step().expect("a tick");
    }
}

/// Repeats the logged actions, each in its tick.
fn play_again(simulation: &mut Simulation, log: &CommandLog) {
    let mut numbers = std::collections::BTreeMap::new();
    let mut rest = log.0.iter().peekable();
    loop {
        let next = simulation.tick() + 1;
        while let Some(LogEntry { action, .. }) = rest.next_if(|logged| logged.tick == next) {
            match action {
                LoggedAction::Command { actuator, value } => {
                    let value: Box<dyn PartialReflect> = value.to_dynamic();
                    simulation
                        .command_any(actuator, value)
                        .expect("an actuator");
                }
                LoggedAction::Request {
                    id,
                    component,
                    service,
                    arguments,
                } => {
                    numbers.insert(id, ask(simulation, component, service, arguments.clone()));
                }
                LoggedAction::Reload => panic!("no file changes in these runs"),
                LoggedAction::Cancel(id) => {
                    simulation
                        .requests()
                        .cancel(numbers[id])
                        .expect("a place in the queue");
                }
            }
        }
        if rest.peek().is_none() && simulation.tick() >= END {
            return;
        }
        simulation.step().expect("a tick");
    }
}

#[test]
fn a_run_follows_from_what_was_done_to_it() {
    let mut first = world();
    first.world_mut().insert_resource(CommandLog::default());
    play(&mut first);
    let log = first
        .world_mut()
        .remove_resource::<CommandLog>()
        .expect("the log");
    let requests = log.0.iter().filter_map(|logged| match &logged.action {
        LoggedAction::Request { service, .. } => Some((logged.tick, service.as_str())),
        _ => None,
    });
    let expected = [
        (41, "set_object_position"),
        (41, "push_object"),
        (51, "reset"),
        (11, "goto"),
        (36, "set_object_position"),
    ];
    assert_eq!(requests.collect::<Vec<_>>(), expected);
    let commands = log
        .0
        .iter()
        .filter(|logged| matches!(logged.action, LoggedAction::Command { .. }));
    assert_eq!(commands.count(), 29, "also those that were lost on the way");

    let mut again = world();
    play_again(&mut again, &log);
    assert_eq!(again.tick(), first.tick());
    assert_eq!(again.state_hash(), first.state_hash());

    // Without one action the run differs.
    let mut other = world();
    let shorter = CommandLog(
        log.0
            .into_iter()
            .filter(|logged| logged.tick != 36)
            .collect(),
    );
    play_again(&mut other, &shorter);
    assert_ne!(other.state_hash(), first.state_hash());
}
