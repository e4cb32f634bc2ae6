//! Robots of the same model move alike, to the last bit, wherever they stand.
use morse_api::joint::JointState;
use morse_sim::{
    Simulation,
    actuator::joints::{Joints, JointsCommand},
    simulation::no_extensions,
};

/// Arms of the same model at several places: the last one is a hundred kilometres away.
const ARMS: [(&str, &str); 3] = [
    ("one", "(0, 0, 0)"),
    ("two", "(2.1, -0.7, 0.3)"),
    ("far", "(100000.1, 3.7, 12.3)"),
];

#[test]
fn arms_of_one_model_move_alike_wherever_they_stand() {
    let robot = |(name, at): (&str, &str)| {
        format!(
            r#""{name}": (model: "arms/kuka_lwr.robray", base: fixed, at: (translation: {at}),
                actuators: {{ "joints": (kind: "joints") }}),"#
        )
    };
    let robots: String = ARMS.map(robot).concat();
    let text = format!("Simulation(environment: (rate: 240), robots: {{ {robots} }})");
    let mut simulation =
        Simulation::parse(&text, std::path::Path::new("."), &no_extensions).expect("arms");
    for tick in 0..480 {
        for (name, _) in ARMS {
            let positions =
                (0..7).map(|joint| 0.5 * libm::sin(0.01 * f64::from(tick) + f64::from(joint)));
            let command = JointsCommand {
                positions: positions.collect(),
                ..JointsCommand::default()
            };
            let path = format!("{name}.joints");
            simulation.command::<Joints>(&path, command).expect("arms");
        }
        simulation.step().expect("a tick");
    }
    let states = |name: &str| {
        let variables = simulation.scene().variables.iter();
        let own = variables.filter(|(variable, _)| variable.starts_with(&format!("{name}.")));
        let states = own.map(|(_, joint)| *simulation.world().get(*joint).expect("a joint"));
        states
            .map(|state: JointState| [state.position, state.velocity, state.effort])
            .collect::<Vec<_>>()
    };
    let [one, two, far] = ARMS.map(|(name, _)| states(name));
    assert_eq!(one.len(), 7);
    assert!(one.iter().any(|[_, velocity, _]| velocity.abs() > 0.1));
    assert_eq!(one, two);
    assert_eq!(one, far);
}
