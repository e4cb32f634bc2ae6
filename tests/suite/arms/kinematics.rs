//! Kinematic chains of a scene: a thousand poses of an arm of seven joints.
use bevy::prelude::{Entity, With, World};
use morse_api::{frame::RobotName, random::Random};
use morse_sim::{
    Simulation,
    kinematics::{Chain, Goal, METRES_PER_RADIAN, Solver, chain::Choice},
    simulation::no_extensions,
};
use nalgebra::Vector3;

fn kuka() -> Chain {
    let text = r#"Simulation(robots: { "kuka": (model: "arms/kuka_lwr.robray", base: fixed) })"#;
    let mut simulation =
        Simulation::parse(text, ".", &no_extensions).unwrap_or_else(|error| panic!("{error}"));
    let world: &mut World = simulation.world_mut();
    let mut robots = world.query_filtered::<Entity, With<RobotName>>();
    let robot = robots.single(world).expect("an arm");
    let choice = Choice {
        joints: &[],
        root: "",
        tip: "",
    };
    Chain::find(world, robot, choice).expect("an arm")
}

#[test]
fn the_chain_is_that_of_the_arm() {
    let chain = kuka();
    let names: Vec<&str> = chain
        .joints
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "kuka_1", "kuka_2", "kuka_3", "kuka_4", "kuka_5", "kuka_6", "kuka_7"
        ]
    );
    let lengths: Vec<f64> = chain.joints.iter().map(|joint| joint.length).collect();
    for (length, expected) in lengths
        .iter()
        .zip([0.3105, 0.2, 0.2, 0.2, 0.19, 0.078, 0.132])
    {
        assert!((length - expected).abs() < 1e-12, "{lengths:?}");
    }
    assert_eq!(chain.tips[0].name, "kuka_tip");
    let up = chain.tips[0].base_from_tip(&[0.0; 7]);
    assert!((up.translation.vector - Vector3::new(0.0, 0.0, 1.3105)).norm() < 1e-12);
    // The second joint at -90° moves the tip to +x.
    let mut values = [0.0; 7];
    values[1] = -std::f64::consts::FRAC_PI_2;
    let out = chain.tips[0].base_from_tip(&values);
    assert!((out.translation.vector - Vector3::new(1.0, 0.0, 0.3105)).norm() < 1e-12);
}

#[test]
fn a_thousand_poses_of_seven_joints_are_reached_within_the_limits() {
    let chain = kuka();
    let mut solver = Solver::new(&chain);
    let mut random = Random::new(1, "kuka", "postures");
    for pose in 0..1000 {
        let posture: Vec<f64> = chain
            .joints
            .iter()
            .map(|joint| joint.limits[0] + random.uniform() * (joint.limits[1] - joint.limits[0]))
            .collect();
        let wanted = chain.tips[0].base_from_tip(&posture);
        let goal = Goal {
            tip: 0,
            position: wanted.translation.vector,
            rotation: Some(wanted.rotation),
            metres_per_radian: METRES_PER_RADIAN,
        };
        let mut values = [0.0; 7];
        solver.search(&chain, &[goal], &mut values);
        let reached = chain.tips[0].base_from_tip(&values);
        let away = (reached.translation.vector - wanted.translation.vector).norm();
        let turned = reached.rotation.angle_to(&wanted.rotation);
        assert!(
            away < 1e-4 && turned < 1e-3,
            "pose {pose}: {away} m, {turned} rad"
        );
        for (value, joint) in values.iter().zip(&chain.joints) {
            assert!((joint.limits[0]..=joint.limits[1]).contains(value));
        }
    }
}
