//! Order in the tick: systems that have run at the beginning of each phase.
use bevy::{prelude::*, reflect::structs::DynamicStruct};
use morse_api::{service::find, tick::Inputs};
use morse_sim::{Simulation, actuator::v_omega::VOmegaCommand, simulation::keep};

/// Command of the robot when requests are served.
#[derive(Resource, Default)]
struct Seen(Option<VOmegaCommand>);

#[test]
fn input_modifiers_run_before_requests_are_served() {
    let see = |world: &mut World| {
        let motion = find(world, "rover.motion");
        let command = motion.and_then(|motion| world.get::<VOmegaCommand>(motion).copied());
        world.resource_mut::<Seen>().0 = command;
    };
    let extensions = move |app: &mut App| {
        app.init_resource::<Seen>()
            .add_systems(FixedUpdate, see.in_set(Inputs::Requests));
    };
    let text = r#"Simulation(
        scene: "boxes.robray",
        robots: { "rover": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
            actuators: { "motion": (kind: "v_omega", modifiers: [(kind: "bias", fields: ["v"], value: 1, sigma: 0)]) },
        ) },
    )"#;
    let mut simulation = Simulation::parse(text, "scenes", keep(extensions))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut command = DynamicStruct::default();
    command.insert("v", 0.5);
    simulation
        .command_any("rover.motion", Box::new(command))
        .expect("a command");
    simulation.step().expect("no lockstep");
    let seen = simulation.world().resource::<Seen>().0;
    assert_eq!(seen, Some(VOmegaCommand { v: 1.5, w: 0.0 }));
}
