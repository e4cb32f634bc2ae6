//! Dynamics for users' controllers, compared with the simulated world.
mod balance;
mod clearance;
mod gaps;
pub(crate) mod gripping;
mod inside;
mod jammed_chains;
mod motors;
mod near;
mod near_ground;
mod piles;
mod placed;
mod speeds;
mod torque;
mod touching;
mod turning;

use std::path::Path;

use morse_api::{body::BodyState, joint::JointState};
use morse_sim::{
    Simulation,
    simulation::{Mechanism, no_extensions},
};
use nalgebra::{DVector, Point3};

/// Two links that swing freely about different axes, on a given base.
const SCENE: &str = "
class link { mass 1.5; center_of_mass [0, 0, -0.2]; inertia [0.02, 0.02, 0.003, 0, 0, 0]; }
frame stand {
  mass 3; inertia [0.1, 0.1, 0.1, 0, 0, 0]; center_of_mass [0.05, 0, 0];
  frame upper {
    isa link; type revolute; axis [0, 1, 0]; variable first; translation [0.1, 0.2, 0];
    frame lower { isa link; type revolute; axis [1, 0, 0]; variable second; translation [0, 0, -0.4]; }
  }
}
";

fn swinging(base: &str) -> Simulation {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), SCENE).expect("a file");
    let text = format!(
        r#"Simulation(
            scene: "scene.robray",
            environment: (rate: 1000, substeps: 4),
            robots: {{ "robot": (frame: "stand", base: {base}, at: (translation: (3, -2, 5), rpy: (0.3, -0.2, 1)),
                joints: {{ "first": (position: 0.7), "second": (position: -0.4) }}) }},
        )"#
    );
    Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn mechanism(simulation: &Simulation) -> Mechanism {
    simulation.mechanism("robot").expect("it has joints")
}

#[test]
fn joints_swing_as_their_dynamics_say() {
    let mut simulation = swinging("fixed");
    simulation.step().expect("a tick");
    let mut expected = mechanism(&simulation);
    let (mut positions, mut speeds) = (expected.positions(), expected.velocities().to_vec());
    for _ in 0..500 {
        let accelerations = expected.forward_dynamics(&[0.0; 2]);
        for joint in 0..2 {
            speeds[joint] += accelerations[joint] * 0.001;
            positions[joint] += speeds[joint] * 0.001;
        }
        expected.set(&positions, &speeds);
    }
    simulation.run(500).expect("ticks");
    for (position, expected) in mechanism(&simulation).positions().iter().zip(&positions) {
        assert!(
            (position - expected).abs() < 2e-3,
            "{position}, not {expected}"
        );
    }
    assert!((positions[0] - 0.7).abs() > 0.5, "it swings: {positions:?}");
}

#[test]
fn poses_masses_and_jacobians_are_those_of_the_world() {
    for (base, links, mass) in [
        ("fixed", 2, 3.0),
        ("dynamic", 3, 6.0),
        ("kinematic", 2, 3.0),
    ] {
        let mut simulation = swinging(base);
        simulation.run(200).expect("ticks");
        let mechanism = mechanism(&simulation);
        assert_eq!(mechanism.links().len(), links);
        assert_eq!(mechanism.floats(), base == "dynamic");
        let lower = simulation.body("lower").expect("a body");
        let pose = mechanism.pose("lower").expect("a link");
        let way = pose.translation.vector - lower.pose.translation.vector;
        assert!(way.norm() < 2e-3, "{base}: {way}");
        assert!(pose.rotation.angle_to(&lower.pose.rotation) < 5e-3);
        let bodies = mechanism
            .links()
            .iter()
            .filter_map(|name| simulation.body(name));
        let moment = bodies.fold(nalgebra::Vector3::zeros(), |sum, body: &BodyState| {
            sum + body.center_of_mass.coords * body.mass
        });
        let (total, center) = mechanism.center_of_mass();
        assert!((total - mass).abs() < 1e-9);
        assert!((center.coords - moment / mass).norm() < 2e-3, "{base}");
        let tip = Point3::new(0.1, 0.0, -0.4);
        let jacobian = mechanism.jacobian("lower", &tip).expect("a link");
        let twist = jacobian * DVector::from_column_slice(mechanism.velocities());
        let seen = lower.velocity_at(&(lower.pose * tip));
        assert!(
            (twist.fixed_rows::<3>(0) - seen).norm() < 0.02 * seen.norm(),
            "{base}: {twist} {seen}"
        );
        let turning = twist.fixed_rows::<3>(3) - lower.angular_velocity;
        assert!(turning.norm() < 0.02 * lower.angular_velocity.norm());
    }
}

#[test]
fn inverse_and_forward_dynamics_and_the_mass_matrix_agree() {
    let mut simulation = swinging("dynamic");
    simulation.run(50).expect("ticks");
    let mut mechanism = mechanism(&simulation);
    let wanted: Vec<f64> = (0..8).map(|at| f64::from(at) - 3.5).collect();
    let efforts = mechanism.inverse_dynamics(&wanted);
    for (acceleration, wanted) in mechanism.forward_dynamics(&efforts).iter().zip(&wanted) {
        assert!(
            (acceleration - wanted).abs() < 1e-9,
            "{acceleration}, not {wanted}"
        );
    }
    let product = mechanism.mass_matrix() * DVector::from_column_slice(&wanted)
        + DVector::from_column_slice(&mechanism.bias());
    assert!((product - DVector::from_column_slice(&efforts)).norm() < 1e-9);
}

#[test]
fn gravity_is_what_the_motors_of_an_arm_hold() {
    let text = r#"Simulation(environment: (rate: 240), robots: {
        "arm": (model: "arms/kuka_lwr.robray", base: fixed, actuators: {
            "joints": (kind: "joints", start: (positions: [0, -0.8, 0, 1.1, 0, 0, 0])) }) })"#;
    let mut simulation = Simulation::parse(text, Path::new("."), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    simulation.run(720).expect("ticks");
    let mut mechanism = simulation.mechanism("arm").expect("an arm");
    let held = mechanism.gravity();
    let names = mechanism.coordinates().to_vec();
    for (name, held) in names.iter().zip(held) {
        let entity = simulation.scene().variables[name];
        let joint = simulation
            .world()
            .get::<JointState>(entity)
            .expect("a joint");
        let off = (joint.effort - held).abs();
        assert!(
            off < 0.01 * held.abs() + 0.05,
            "{name}: {} N·m, not {held}",
            joint.effort
        );
    }
    assert!(simulation.mechanism("nobody").is_none());
}
