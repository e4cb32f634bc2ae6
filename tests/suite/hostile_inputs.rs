//! NaN, infinite and far too large numbers, on every input of every scene.
#![cfg(test)]

use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    command::{ActuatorInfo, Mailbox},
    fields::from_json,
    service::{self, Status},
};
use morse_sim::Simulation;
use serde_json::{Value as Json, json};

use crate::golden_runs::{open, scenes};

/// Returns the scenes with all kinds; scenes of many robots add no kinds.
fn inputs() -> impl Iterator<Item = std::path::PathBuf> {
    let crowds = ["swarm", "fleet"];
    scenes().into_iter().filter(move |scene| {
        let name = scene.file_stem().unwrap().to_string_lossy();
        !crowds.contains(&&*name)
    })
}

fn actuators(simulation: &Simulation) -> Vec<std::sync::Arc<ActuatorInfo>> {
    let paths = simulation.paths();
    let world = simulation.world();
    let entities = paths.iter().filter_map(|path| service::find(world, path));
    entities
        .filter_map(|entity| world.get::<Mailbox>(entity))
        .map(|mailbox| mailbox.sender().info.clone())
        .collect()
}

/// Returns a command with such a number in one of its fields, if that field contains numbers.
fn with(info: &ActuatorInfo, field: usize, number: f64) -> Option<DynamicStruct> {
    let field = &info.fields.0[field];
    let forms = [
        json!(0.5),
        json!([0.5, 0.5]),
        json!([0.5, 0.5, 0.5]),
        json!([0.5, 0.5, 0.5, 0.5]),
    ];
    let mut value = forms.iter().find_map(|form| from_json(field, form))?;
    let mut is_numeric = true;
    if let Some(own) = value.try_downcast_mut::<f64>() {
        *own = number;
    } else if let Some(own) = value.try_downcast_mut::<[f64; 3]>() {
        own[1] = number;
    } else if let Some(own) = value.try_downcast_mut::<[f64; 4]>() {
        own[3] = number;
    } else if let Some(own) = value.try_downcast_mut::<Vec<f64>>() {
        own[0] = number;
    } else {
        is_numeric = false;
    }
    let mut command = DynamicStruct::default();
    command.insert_boxed(field.name, value.into_partial_reflect());
    is_numeric.then_some(command)
}

#[test]
fn what_is_no_number_is_refused_and_changes_nothing() {
    let mut refused = std::collections::BTreeSet::new();
    for scene in inputs() {
        let run = |is_hostile: bool, refused: &mut std::collections::BTreeSet<&'static str>| {
            let mut simulation = open(&scene);
            simulation.hash_every_tick();
            for info in actuators(&simulation) {
                for field in 0..info.fields.0.len() {
                    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                        let Some(command) = with(&info, field, number).filter(|_| is_hostile)
                        else {
                            continue;
                        };
                        let answer = simulation.command_any(&info.path, Box::new(command));
                        let said = answer.expect_err(&info.path).to_string();
                        let name = info.fields.0[field].name;
                        assert!(said.contains(&*info.path) && said.contains(name), "{said}");
                        refused.insert(info.kind);
                    }
                }
            }
            simulation.run(5).expect("no observer to be lost");
            simulation.state_hash()
        };
        assert_eq!(
            run(true, &mut refused),
            run(false, &mut refused),
            "{}",
            scene.display()
        );
    }
    assert!(refused.len() >= 20, "{refused:?}");
}

#[test]
fn far_too_large_numbers_do_no_harm() {
    for scene in inputs() {
        for number in [1e308, -1e300, f64::MIN_POSITIVE] {
            let mut simulation = open(&scene);
            for info in actuators(&simulation) {
                for field in 0..info.fields.0.len() {
                    if let Some(command) = with(&info, field, number) {
                        // Each actuator accepts or refuses it.
                        drop(simulation.command_any(&info.path, Box::new(command)));
                    }
                }
            }
            simulation.run(4).expect("no observer to be lost");
            assert_eq!(simulation.lost_bodies(), [], "{}", scene.display());
        }
    }
}

/// Returns arguments that no service expects.
fn absurd() -> Vec<Json> {
    vec![
        json!(["\u{1b}[31m", null, {}]),
        json!([1e308, 1e308, 1e308, 1e308, 1e308, 1e308]),
        json!([1e308]),
        json!([-1, -1, -1]),
        json!([[1e308, 1e308, 1e308]]),
        json!([[[[[]]]]]),
        json!({ "nothing": 1 }),
        json!("text"),
        json!([true, false, "", 0]),
    ]
}

#[test]
fn services_survive_any_arguments() {
    // These services end or reset the run.
    let left_out = ["quit", "terminate", "reset_objects"];
    let mut asked = 0;
    for scene in inputs() {
        let mut simulation = open(&scene);
        simulation.step().expect("no observer to be lost");
        for path in simulation.paths() {
            let Some(entity) = service::find(simulation.world(), &path) else {
                continue;
            };
            let services = service::services_of(simulation.world(), entity);
            let names: Vec<String> = services
                .iter()
                .map(|known| known.name.to_string())
                .collect();
            for name in names
                .iter()
                .filter(|name| !left_out.contains(&name.as_str()))
            {
                for arguments in absurd() {
                    let call = simulation.call(&path, name, &arguments);
                    if let Some(reply) = call.reply() {
                        let silent = reply.status == Status::Failed && reply.value.is_null();
                        assert!(!silent, "{path} {name} fails without a word");
                    }
                    asked += 1;
                }
            }
        }
        simulation.run(3).expect("no observer to be lost");
        assert_eq!(simulation.lost_bodies(), [], "{}", scene.display());
    }
    assert!(asked > 1000, "{asked}");
}
