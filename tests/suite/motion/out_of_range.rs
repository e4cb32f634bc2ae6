//! Numbers from clients that are too large for the physics: refused with component, field and range, without side effects.
use bevy::reflect::{PartialReflect, structs::DynamicStruct};
use morse_api::{
    command::BadCommand,
    fields::{Fields, Value, view},
    kind::Kinds,
    service::Status,
};
use morse_sim::{
    Simulation,
    simulation::{AccessError, no_extensions},
};
use serde_json::json;

/// Returns commands with one absurd number, for each numeric field of a kind.
fn absurd(simulation: &Simulation, kind: &str, number: f64) -> Vec<(&'static str, DynamicStruct)> {
    let command = simulation.world().resource::<Kinds>().actuators[kind].command;
    let fields = Fields::of(command, None);
    let with = |field: &'static str, value: Box<dyn PartialReflect>| {
        let mut command = DynamicStruct::default();
        command.insert_boxed(field, value);
        (field, command)
    };
    let of = |field: &morse_api::fields::Field| {
        let values: [Box<dyn PartialReflect>; 3] = [
            Box::new(number),
            Box::new([0.0, number, 0.0]),
            Box::new(vec![number]),
        ];
        let mut values = values.into_iter();
        let value = values.find(|value| {
            let info = value.get_represented_type_info();
            info.is_some_and(|info| info.type_id() == field.type_id)
        });
        value.map(|value| with(field.name, value))
    };
    fields.0.iter().filter_map(of).collect()
}

#[test]
fn no_number_of_any_command_ends_a_run() {
    let mut tried = 0;
    for scene in std::fs::read_dir("scenes/gallery").expect("a folder") {
        let path = scene.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        let load = || Simulation::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let (mut simulation, mut untouched) = (load(), load());
        simulation.hash_every_tick();
        untouched.hash_every_tick();
        let paths = simulation.paths();
        let actuators = paths
            .iter()
            .filter_map(|path| simulation.commander(path).ok());
        for sender in actuators.collect::<Vec<_>>() {
            for number in [1e308, -1e300, 1e30, -1e12, f64::INFINITY, f64::NAN] {
                for (field, command) in absurd(&simulation, sender.info.kind, number) {
                    let refused = sender.send(Box::new(command)).expect_err(field);
                    let text = refused.to_string();
                    assert!(
                        text.contains(&*sender.info.path) && text.contains(field),
                        "{text}"
                    );
                    let is_typed = matches!(
                        refused,
                        BadCommand::OutOfRange { .. } | BadCommand::NotFinite { .. }
                    );
                    assert!(is_typed, "{refused:?}");
                    tried += 1;
                }
            }
        }
        simulation.run(12).expect("no lockstep");
        untouched.run(12).expect("no lockstep");
        assert_eq!(simulation.lost_bodies(), [], "{}", path.display());
        assert_eq!(
            simulation.state_hash(),
            untouched.state_hash(),
            "{}",
            path.display()
        );
    }
    assert!(tried > 200, "{tried}");
}

const TEXT: &str = r#"Simulation(
    scene: "boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
        actuators: {
            "motion": (kind: "v_omega"), "jump": (kind: "teleport"), "way": (kind: "waypoint"),
        },
    ) },
)"#;

#[test]
fn services_refuse_what_commands_may_not_be() {
    let parse =
        || Simulation::parse(TEXT, "scenes", &no_extensions).unwrap_or_else(|e| panic!("{e}"));
    let (mut simulation, mut untouched) = (parse(), parse());
    simulation.hash_every_tick();
    untouched.hash_every_tick();
    for (component, service, arguments, field) in [
        ("rover.motion", "set_speed", json!([1e308, 0]), "`v`"),
        ("rover.motion", "set_speed", json!([0.5, -1e30]), "`w`"),
        ("rover.jump", "translate", json!([1e12, 0, 0]), "`x`"),
        ("rover.way", "goto", json!([1e300, 0, 0, 0.1, 1]), "`x`"),
        (
            "simulation",
            "set_object_position",
            json!(["rover", [0, 1e12, 0]]),
            "`position`",
        ),
        (
            "simulation",
            "push_object",
            json!(["rover", [0, 0, 1e30]]),
            "`impulse`",
        ),
    ] {
        let reply = simulation.call(component, service, &arguments).reply();
        let reply = reply.expect("an answer at once");
        let text = reply.value.to_string();
        assert_eq!(
            reply.status,
            Status::Failed,
            "{component} {service}: {text}"
        );
        assert!(
            text.contains(field) && text.contains("out of range"),
            "{text}"
        );
    }
    simulation.run(12).expect("no lockstep");
    untouched.run(12).expect("no lockstep");
    assert_eq!(simulation.state_hash(), untouched.state_hash());
}

#[test]
fn a_start_out_of_range_is_an_error_in_the_file() {
    let text = TEXT.replace(
        "(kind: \"v_omega\")",
        "(kind: \"v_omega\", start: (v: 1e308))",
    );
    let error = Simulation::parse(&text, "scenes", &no_extensions).err();
    let error = error.expect("an error").to_string();
    assert!(
        error.contains("rover.motion") && error.contains("-100 to 100 m/s"),
        "{error}"
    );
}

#[test]
fn every_number_of_a_command_has_a_range_and_a_default_within() {
    let simulation = Simulation::parse("Simulation()", ".", &no_extensions).expect("a world");
    for (word, kind) in &simulation.world().resource::<Kinds>().actuators {
        let mut nothing = json!({});
        let mut source = <dyn erased_serde::Deserializer<'_>>::erase(&mut nothing as &_);
        let Ok(command) = (kind.command_about.read)(&mut source) else {
            continue;
        };
        let command = (kind.command_about.view)(&command).expect("its own type");
        let bevy::reflect::ReflectRef::Struct(command) = command.reflect_ref() else {
            panic!("{word}: no struct")
        };
        for field in Fields::of(kind.command, None).0 {
            let value = command.field_at(field.index).expect("a field");
            assert_eq!(field.range.violation(value), None, "{word}, {}", field.name);
            if matches!(view(value), Value::Number(_) | Value::Numbers(_)) {
                assert!(
                    field.range.0.is_finite() && field.range.1.is_finite(),
                    "{word}"
                );
            }
        }
    }
}

#[test]
fn refusals_keep_their_type() {
    let simulation = Simulation::parse(TEXT, "scenes", &no_extensions).expect("a world");
    let mut command = DynamicStruct::default();
    command.insert("v", 2e4);
    let refused = simulation.command_any("rover.motion", Box::new(command));
    let AccessError::Command(refused) = refused.expect_err("too fast") else {
        panic!("another error")
    };
    assert_eq!(
        refused.to_string(),
        "`rover.motion`: 20000 in `v` is out of range: -100 to 100 m/s"
    );
}
