//! Commands that no tick has applied yet, in snapshots and resets.
use morse_sim::{
    Simulation,
    actuator::{
        joints::{Joints, JointsCommand},
        v_omega::{VOmega, VOmegaCommand},
    },
    simulation::no_extensions,
};

const WORLD: &str = r#"Simulation(robots: {
    "arm": (model: "arms/kuka_lwr.robray", base: fixed, actuators: { "joints": (kind: "joints") }),
    "rover": (model: "robots/atrv.robray", base: kinematic, locomotion: free, at: (translation: (5, 0, 0)),
        actuators: { "motion": (kind: "v_omega") }),
})"#;

fn simulation() -> Simulation {
    Simulation::parse(WORLD, ".", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// Commands the rover by its command, and the arm by two that act one after the other, the second with some of the fields.
fn command(simulation: &Simulation) {
    let motion = VOmegaCommand { v: 1.0, w: 0.2 };
    let sent = simulation.command::<VOmega>("rover.motion", motion);
    sent.expect("a rover");
    let joint = |name: &str, position| JointsCommand {
        names: vec![name.to_owned()],
        positions: vec![position],
        ..JointsCommand::default()
    };
    let sent = simulation.command::<Joints>("arm.joints", joint("kuka_1", 0.5));
    sent.expect("an arm");
    let mut other = bevy::reflect::structs::DynamicStruct::default();
    other.insert("names", vec!["kuka_2".to_owned()]);
    other.insert("positions", vec![0.3]);
    let sent = simulation.command_any("arm.joints", Box::new(other));
    sent.expect("an arm");
}

/// Returns the hash after some ticks.
fn after(simulation: &mut Simulation) -> u128 {
    simulation.run(30).expect("no observer to be lost");
    simulation.state_hash()
}

#[test]
fn a_snapshot_has_the_commands_that_the_next_tick_applies() {
    let mut whole = simulation();
    whole.run(5).expect("no observer to be lost");
    let idle = whole.snapshot().expect("a snapshot");
    command(&whole);
    let snapshot = whole.snapshot().expect("a snapshot");
    let expected = after(&mut whole);
    // In another simulation, as of a fork, and twice in this one.
    let mut fork = simulation();
    fork.restore(&snapshot).expect("the same files");
    assert_eq!(after(&mut fork), expected);
    for _ in 0..2 {
        whole.restore(&snapshot).expect("the same files");
        assert_eq!(after(&mut whole), expected);
    }
    // A snapshot without commands removes them.
    whole.restore(&idle).expect("the same files");
    let still = after(&mut whole);
    assert_ne!(still, expected);
    command(&whole);
    whole.restore(&idle).expect("the same files");
    assert_eq!(after(&mut whole), still);
}

#[test]
fn a_reset_discards_commands_that_no_tick_has_applied() {
    let fresh = after(&mut simulation());
    let mut test = simulation();
    // Before the first tick, and later.
    for ticks in [0, 5] {
        test.run(ticks).expect("no observer to be lost");
        command(&test);
        test.reset().expect("the start");
        assert_eq!(after(&mut test), fresh, "{ticks} ticks");
        test.reset().expect("the start");
    }
    // Commands before the first tick are none of the start.
    let mut test = simulation();
    command(&test);
    assert_ne!(after(&mut test), fresh);
    test.reset().expect("the start");
    assert_eq!(after(&mut test), fresh);
}
