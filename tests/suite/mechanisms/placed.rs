//! Robots of the same model move alike, to the last bit, wherever they stand and whatever else there is.
use morse_api::{body::BodyState, joint::JointState};
use morse_sim::{
    Simulation,
    actuator::joints::{Joints, JointsCommand},
    simulation::no_extensions,
};
use nalgebra::{Isometry3, Vector3};

/// Arms of the same model at several places: the last one is a hundred kilometres away.
const ARMS: [(&str, &str); 3] = [
    ("one", "(translation: (0, 0, 0))"),
    ("two", "(translation: (2.1, -0.7, 0.3))"),
    ("far", "(translation: (100000.1, 3.7, 12.3))"),
];

/// Arms on inclined bases, far enough from each other.
const INCLINED: [(&str, &str); 7] = [
    ("a", "(translation: (0, 0, 0))"),
    ("b", "(translation: (5, 0, 0), rpy: (0.3, 0, 0))"),
    ("c", "(translation: (10, 0, 0), rpy: (0, -0.4, 0.1))"),
    ("d", "(translation: (0, 5, 0), rpy: (1.2, 0.2, 0))"),
    ("e", "(translation: (5, 5, 0), rpy: (3.1, 0, 0))"),
    ("f", "(translation: (10, 5, 1), rpy: (0, 1.5, 0))"),
    ("g", "(translation: (0, 10, 0), rpy: (0.1, 0.2, 0.3))"),
];

/// Returns a simulation of arms at poses.
fn arms(arms: &[(&str, &str)]) -> Simulation {
    let robot = |(name, at): &(&str, &str)| {
        format!(
            r#""{name}": (model: "arms/kuka_lwr.robray", base: fixed, at: {at},
                actuators: {{ "joints": (kind: "joints") }}),"#
        )
    };
    let robots: String = arms.iter().map(robot).collect();
    let text = format!("Simulation(environment: (rate: 240), robots: {{ {robots} }})");
    Simulation::parse(&text, std::path::Path::new("."), &no_extensions).expect("arms")
}

/// Commands positions on sine waves.
fn command(simulation: &Simulation, arm: &str, phase: f64) {
    let positions = (0..7).map(|joint| 0.5 * libm::sin(phase + f64::from(joint)));
    let command = JointsCommand {
        positions: positions.collect(),
        ..JointsCommand::default()
    };
    let path = format!("{arm}.joints");
    simulation.command::<Joints>(&path, command).expect("arms");
}

/// Returns position, velocity and effort of each joint of an arm.
fn states(simulation: &Simulation, arm: &str) -> Vec<[f64; 3]> {
    let variables = simulation.scene().variables.iter();
    let own = variables.filter(|(variable, _)| variable.starts_with(&format!("{arm}.")));
    let states = own.map(|(_, joint)| *simulation.world().get(*joint).expect("a joint"));
    states
        .map(|state: JointState| [state.position, state.velocity, state.effort])
        .collect()
}

/// Returns pose and velocities of the bodies of an arm.
fn bodies(simulation: &Simulation, arm: &str) -> Vec<(Isometry3<f64>, [Vector3<f64>; 2])> {
    let all = simulation.scene().bodies.iter();
    let own = all.filter(|(body, _)| body.starts_with(&format!("{arm}.")));
    let bodies = own.filter_map(|(_, body)| simulation.world().get::<BodyState>(*body));
    bodies
        .map(|body| (body.pose, [body.linear_velocity, body.angular_velocity]))
        .collect()
}

#[test]
fn arms_of_one_model_move_alike_wherever_they_stand() {
    let mut simulation = arms(&ARMS);
    for tick in 0..480 {
        for (name, _) in ARMS {
            command(&simulation, name, 0.01 * f64::from(tick));
        }
        simulation.step().expect("a tick");
    }
    let [one, two, far] = ARMS.map(|(name, _)| states(&simulation, name));
    assert_eq!(one.len(), 7);
    assert!(one.iter().any(|[_, velocity, _]| velocity.abs() > 0.1));
    assert_eq!(one, two);
    assert_eq!(one, far);
}

#[test]
fn arms_move_among_equal_ones_as_each_does_alone() {
    let mut together = arms(&INCLINED);
    let mut alone = INCLINED.map(|arm| arms(&[arm]));
    for tick in 0..240 {
        for (index, (name, _)) in INCLINED.iter().enumerate() {
            // The fifth arm holds its position, so that it is not always the same four that move together.
            let speed = if index == 4 && tick > 60 { 0.0 } else { 0.02 };
            let phase = speed * f64::from(tick) + index as f64;
            command(&together, name, phase);
            command(&alone[index], name, phase);
        }
        together.step().expect("a tick");
        for (one, (name, _)) in alone.iter_mut().zip(INCLINED) {
            one.step().expect("a tick");
            assert_eq!(states(&together, name), states(one, name), "tick {tick}");
            let links = bodies(one, name);
            assert!(links.len() >= 7);
            assert_eq!(bodies(&together, name), links, "tick {tick}");
        }
    }
}
