//! Joints in the order in which the model declares them: in data, in commands without names, and in services.
use morse_sim::{
    actuator::joints::{Joints, JointsCommand},
    sensor::joint_state::JointStateData,
};

use super::*;

/// Joints whose alphabetical order differs from the order of declaration.
const NAMES: [&str; 4] = ["q1", "q2", "q10", "a_last"];

/// A chain of all joints but the last one, which is a sibling of the second.
fn robray() -> String {
    "frame base { mass 1;
       frame l1 { type revolute; axis [0, 0, 1]; variable q1; translation [0, 0, 0.1]; mass 1;
         frame z2 { type revolute; axis [0, 1, 0]; variable q2; translation [0, 0, 0.1]; mass 1;
           frame b3 { type revolute; axis [0, 1, 0]; variable q10; translation [0, 0, 0.1]; mass 1; } }
         frame a4 { type revolute; axis [1, 0, 0]; variable a_last; translation [0, 0.1, 0.1]; mass 1; } } }"
        .to_owned()
}

/// Returns the same chain in URDF, with links in another order than the joints.
fn urdf() -> String {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
               <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/></joint>"#
        )
    };
    let links = ["a4", "b3", "base", "l1", "z2"].map(link).concat();
    let joints = [
        joint("q1", "base", "l1"),
        joint("q2", "l1", "z2"),
        joint("q10", "z2", "b3"),
        joint("a_last", "l1", "a4"),
    ];
    format!(r#"<robot name="arm">{links}{}</robot>"#, joints.concat())
}

fn load(model: &str, folder: &Path) -> Simulation {
    let modes: String = NAMES
        .map(|name| format!(r#""{name}": (mode: kinematic),"#))
        .concat();
    let text = format!(
        r#"Simulation(robots: {{ "arm": (model: "{model}", base: fixed, joints: {{ {modes} }},
            sensors: {{ "state": (kind: "joint_state") }},
            actuators: {{ "motors": (kind: "joints") }}) }})"#
    );
    parse(&text, folder)
}

#[test]
fn positions_without_names_are_in_the_order_of_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    for (model, text) in [("arm.robray", robray()), ("arm.urdf", urdf())] {
        std::fs::write(folder.path().join(model), text).expect("a file");
        let mut simulation = load(model, folder.path());
        let positions = vec![0.1, 0.2, 0.3, 0.4];
        let command = JointsCommand {
            positions: positions.clone(),
            ..JointsCommand::default()
        };
        simulation
            .command::<Joints>("arm.motors", command)
            .expect("a command");
        simulation.run(240).expect("a run");
        let data = simulation
            .read::<JointStateData>("arm.state")
            .expect("data");
        assert_eq!(data.names, NAMES, "{model}");
        for (position, wanted) in data.positions.iter().zip(&positions) {
            assert!((position - wanted).abs() < 1e-9, "{model}: {data:?}");
        }
        // By name, in any order.
        let command = JointsCommand {
            names: vec!["q10".to_owned(), "q1".to_owned()],
            positions: vec![-0.3, -0.1],
            ..JointsCommand::default()
        };
        simulation
            .command::<Joints>("arm.motors", command)
            .expect("a command");
        simulation.run(240).expect("a run");
        let data = simulation
            .read::<JointStateData>("arm.state")
            .expect("data");
        for (position, wanted) in data.positions.iter().zip([-0.1, 0.2, -0.3, 0.4]) {
            assert!((position - wanted).abs() < 1e-9, "{model}: {data:?}");
        }
    }
}

#[test]
fn a_pr2_has_its_joints_in_the_order_of_its_file() {
    let text = include_str!("../../../assets/robots/pr2.robray");
    let mut declared: Vec<&str> = Vec::new();
    for line in text.lines() {
        let name = line.trim().strip_prefix("variable ");
        let name = name.and_then(|name| name.strip_suffix(';'));
        declared.extend(name.filter(|name| !declared.contains(name)));
    }
    assert!(declared.len() > 15 && !declared.is_sorted(), "{declared:?}");
    let text = r#"Simulation(robots: { "pr2": (model: "robots/pr2.robray", base: fixed,
        sensors: { "state": (kind: "joint_state") }) })"#;
    let mut simulation = parse(text, Path::new("scenes"));
    simulation.run(1).expect("a run");
    let data = simulation
        .read::<JointStateData>("pr2.state")
        .expect("data");
    assert_eq!(data.names, declared);
}
