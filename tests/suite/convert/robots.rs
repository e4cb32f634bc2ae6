//! Robots that are converted: limits of joints that follow, and bases.
use std::collections::BTreeMap;

use morse_sim::{
    Simulation, cli::convert::Args, scene::model::Scene, sensor::joint_state::JointStateData,
};

use super::{convert, scene};

/// URDF demands limits: a follower that has none of its own gets those that its leader leaves it.
#[test]
fn joints_that_follow_have_the_limits_of_their_leader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fingers.urdf");
    let joint = |name: &str, limits: &str, mimic: &str| {
        format!(
            "<link name='{name}'/><joint name='{name}_joint' type='prismatic'><parent link='palm'/><child link='{name}'/>\
             <axis xyz='0 1 0'/><limit {limits} velocity='1'/>{mimic}</joint>"
        )
    };
    let leader = joint("one", "lower='0' upper='0.5' effort='20'", "");
    let mimic = "<mimic joint='one_joint' multiplier='2' offset='-0.25'/>";
    let follower = joint("two", "lower='-0.25' upper='0.75' effort='10'", mimic);
    let text = format!("<robot name='fingers'><link name='palm'/>{leader}{follower}</robot>");
    std::fs::write(&path, text).unwrap();
    let args = Args {
        file: path,
        output: folder.path().join("out.urdf"),
        ..Args::default()
    };
    convert(&args);
    let text = std::fs::read_to_string(&args.output).unwrap();
    let limits = [
        "\"0\" upper=\"0.5\" effort=\"20\"",
        "\"-0.25\" upper=\"0.75\" effort=\"10\"",
    ];
    for limits in limits {
        assert!(text.contains(&format!("<limit lower={limits}")), "{text}");
    }
    // Of the same kinematics, read again.
    let [one, other] = [&args.file, &args.output].map(|path| scene(path));
    let values = BTreeMap::from([("one_joint".to_owned(), 0.3)]);
    let position = |scene: &Scene| scene.absolute_poses_at(&values)["two"].translation.vector.y;
    assert!((position(&one) - position(&other)).abs() < 1e-12);
    assert!((position(&one) - 0.35).abs() < 1e-12);
}

/// A pendulum that hangs at 1 rad.
const PENDULUM: &str = "<robot name='it'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -0.5'/><mass value='1'/>\
    <inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>\
    <joint name='swing' type='continuous'><parent link='base'/><child link='rod'/><origin rpy='1 0 0'/><axis xyz='1 0 0'/></joint></robot>";

/// The base of the simulation file holds a model of any format: a base that floats would fall with its pendulum.
#[test]
fn converted_robots_swing_from_a_fixed_base() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("it.urdf"), PENDULUM).unwrap();
    let steps = [
        ("it.urdf", "one.robray"),
        ("one.robray", "two.urdf"),
        ("it.urdf", "three.sdf"),
        ("three.sdf", "four.urdf"),
        ("it.urdf", "five.xml"),
        ("five.xml", "six.robray"),
    ];
    for (from, to) in steps {
        convert(&Args {
            file: path(from),
            output: path(to),
            ..Args::default()
        });
    }
    let swing = |model: &str| {
        let text = format!(
            "Simulation(environment: (rate: 240), robots: {{ \"it\": (model: \"{model}\", base: fixed, \
             sensors: {{ \"joints\": (kind: \"joint_state\") }}) }})"
        );
        std::fs::write(path("it.ron"), text).unwrap();
        let mut simulation = Simulation::load(path("it.ron")).unwrap();
        simulation.run(120).unwrap();
        simulation
            .read::<JointStateData>("it.joints")
            .unwrap()
            .positions[0]
    };
    let expected = swing("it.urdf");
    assert!(expected < -0.5, "it swings: {expected}");
    for (_, model) in steps {
        let position = swing(model);
        assert!(
            (position - expected).abs() < 1e-6,
            "{model}: {position}, not {expected}"
        );
    }
    let text = std::fs::read_to_string(path("two.urdf")).unwrap();
    assert!(!text.contains("floating"), "{text}");
}

/// A box, on a floor without a coefficient of friction, which 6 m/s² along the floor and a friction of 0.5 accelerate by 1.095 m/s².
const SCENE: &str = "frame floor { translation [0, 0, -0.05]; geometry { shape box; dimension [9, 9, 0.1]; } }
    frame crate { type floating; translation [0, 0, 0.1]; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; } }";

#[test]
fn converted_scenes_have_the_same_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("it.robray"), SCENE).unwrap();
    for model in ["it.robray", "two.robray", "three.sdf", "four.xml"] {
        if model != "it.robray" {
            convert(&Args {
                file: path("it.robray"),
                output: path(model),
                ..Args::default()
            });
        }
        let text = format!(
            "Simulation(scene: \"{model}\", environment: (rate: 240, gravity: (6, 0, -9.81)))"
        );
        std::fs::write(path("it.ron"), text).unwrap();
        let mut simulation = Simulation::load(path("it.ron")).unwrap();
        simulation.run(240).unwrap();
        let position = simulation.body("crate").unwrap().pose.translation.vector;
        let expected = (6.0 - 0.5 * 9.81) / 2.0;
        assert!((position.x - expected).abs() < 0.01, "{model}: {position}");
        assert!((position.z - 0.1).abs() < 1e-3, "{model}: {position}");
    }
}
