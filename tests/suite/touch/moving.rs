//! Wrenches in robots that move.
use morse_sim::actuator::{
    joints::{Joints, JointsCommand},
    v_omega::{VOmega, VOmegaCommand},
};
use nalgebra::Point3;

use super::*;

/// An arm of one joint with a flange and a tool, whose weight and inertia are known.
const ARM: &str = "
frame stand { translation [0, 0, 1]; geometry { shape box; dimension [0.1, 0.1, 0.1]; density 1000; }
  frame arm { type revolute; axis [0, 0, 1]; variable turn; mass 1; center_of_mass [0.25, 0, 0]; inertia [0.01, 0.02, 0.03, 0, 0, 0];
    frame flange { translation [0.5, 0, 0]; rpy [0, 0.4, 0];
      frame tool { translation [0.1, 0, 0.05]; mass 0.8; center_of_mass [0.02, 0.03, 0.1]; inertia [0.004, 0.005, 0.006, 0.001, 0, 0]; } } } }
";

const ARM_SENSORS: &str = r#"robots: { "robot": (frame: "stand", base: fixed,
    actuators: { "joints": (kind: "joints") },
    sensors: { "base": (kind: "force_torque", mount: (frame: "stand")),
        "shoulder": (kind: "force_torque", mount: (frame: "arm")),
        "wrist": (kind: "force_torque", mount: (frame: "flange")),
        "pushes": (kind: "force_torque", direction: parent_to_child, mount: (frame: "flange")) }) }"#;

fn order(simulation: &Simulation, velocities: &[f64], efforts: &[f64]) {
    let order = JointsCommand {
        names: vec!["turn".to_owned()],
        velocities: velocities.to_vec(),
        efforts: efforts.to_vec(),
        ..JointsCommand::default()
    };
    simulation
        .command::<Joints>("robot.joints", order)
        .expect("a joint");
}

/// Rotation by 0.4 rad about y: from the axes of the arm to those of the flange.
fn flange(vector: Vector3<f64>) -> Vector3<f64> {
    nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), -0.4) * vector
}

/// Centre of mass of the tool in the arm's axes, m.
fn tool_center() -> Vector3<f64> {
    let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), 0.4);
    Vector3::new(0.5, 0.0, 0.0) + turn * Vector3::new(0.12, 0.03, 0.15)
}

#[test]
fn an_arm_at_rest_carries_weights_at_levers() {
    let mut simulation = simulation(240, ARM, ARM_SENSORS);
    run(&mut simulation, 0.1);
    let [force, torque] = wrench(&simulation, "robot.base");
    near(force, Vector3::new(0.0, 0.0, -2.8 * G), 1e-5);
    let center = Vector3::new(0.25, 0.0, 0.0) + tool_center() * 0.8;
    near(torque, center.cross(&Vector3::new(0.0, 0.0, -G)), 1e-5);
    let [force, torque] = wrench(&simulation, "robot.wrist");
    near(force, flange(Vector3::new(0.0, 0.0, -0.8 * G)), 1e-5);
    let lever = Vector3::new(0.12, 0.03, 0.15);
    near(torque, lever.cross(&force), 1e-5);
    let [opposite, twist] = wrench(&simulation, "robot.pushes");
    near(opposite, -force, 1e-12);
    near(twist, -torque, 1e-12);
}

/// The tool moves on a circle: F = m·(g - a), with the centripetal acceleration.
#[test]
fn an_arm_that_turns_feels_its_tool_pull_outwards() {
    for rate in [60, 240, 1000] {
        let mut simulation = simulation(rate, ARM, ARM_SENSORS);
        order(&simulation, &[3.0], &[]);
        run(&mut simulation, 2.0);
        let [force, _] = wrench(&simulation, "robot.wrist");
        let center = tool_center();
        let outwards = Vector3::new(center.x, center.y, 0.0) * 9.0;
        let expected = flange((outwards - Vector3::new(0.0, 0.0, G)) * 0.8);
        near(force, expected, 1e-3);
    }
}

/// At the shoulder, the torque about the joint's axis is the effort of the motor, and accelerates arm and tool.
#[test]
fn about_its_axis_a_joint_transmits_its_motors_effort() {
    for rate in [60, 240, 1000] {
        let mut simulation = simulation(rate, ARM, ARM_SENSORS);
        order(&simulation, &[], &[0.7]);
        run(&mut simulation, 0.5);
        let [_, torque] = wrench(&simulation, "robot.shoulder");
        assert!((torque.z + 0.7).abs() < 1e-4, "{rate} Hz: {torque:?}");
        let center = tool_center();
        let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), 0.4);
        let own = nalgebra::Matrix3::new(0.004, 0.001, 0.0, 0.001, 0.005, 0.0, 0.0, 0.0, 0.006);
        let own = (turn.matrix() * own * turn.matrix().transpose())[(2, 2)];
        let inertia = 0.03 + 0.0625 + own + 0.8 * (center.x * center.x + center.y * center.y);
        let joint = *simulation
            .world()
            .get::<morse_api::joint::JointState>(simulation.scene().variables["turn"])
            .expect("a joint");
        let speed = 0.7 / inertia * 0.5;
        assert!(
            (joint.velocity - speed).abs() < 1e-3 * speed,
            "{rate} Hz: {} {speed}",
            joint.velocity
        );
    }
}

/// A mast on a shipped rover, which accelerates by its wheels, is left behind: F = m·(g - a).
#[test]
fn a_mast_on_a_rover_is_left_behind_as_it_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "rover.robray",
        "include \"robots/atrv.robray\"
         frame mast { parent base; translation [0, 0, 0.6]; mass 2; center_of_mass [0, 0, 0.5]; inertia [0.1, 0.1, 0.01, 0, 0, 0]; }",
    );
    write(
        "scene.robray",
        "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [90, 90, 1]; friction 0.8; } }",
    );
    let text = r#"Simulation(scene: "scene.robray", environment: (rate: 240), robots: { "rover": (
        model: "rover.robray", at: (translation: (0, 0, 0.1)), base: dynamic,
        actuators: { "motion": (kind: "v_omega") },
        sensors: { "mast": (kind: "force_torque", mount: (frame: "mast")) }) })"#;
    let mut simulation = Simulation::parse(text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    run(&mut simulation, 0.5);
    near(
        wrench(&simulation, "rover.mast")[0],
        Vector3::new(0.0, 0.0, -2.0 * G),
        1e-2,
    );
    let command = VOmegaCommand { v: 1.0, w: 0.5 };
    simulation
        .command::<VOmega>("rover.motion", command)
        .expect("a command");
    let mut fastest: f64 = 0.0;
    for _ in 0..120 {
        // Velocity of the mast's centre of mass, in the rover's axes.
        let moving = |simulation: &Simulation| {
            let body = simulation.body("rover").expect("a rover");
            (
                body.pose.rotation,
                body.velocity_at(&(body.pose * Point3::new(0.0, 0.0, 1.1))),
            )
        };
        let (before, slow) = moving(&simulation);
        simulation.step().expect("a tick");
        let (after, fast) = moving(&simulation);
        let acceleration = (fast - slow) * 240.0;
        let middle = before.slerp(&after, 0.5).inverse();
        let expected = middle * (Vector3::new(0.0, 0.0, -G) - acceleration) * 2.0;
        let [force, _] = wrench(&simulation, "rover.mast");
        near(force, expected, 0.02 * expected.norm());
        fastest = fastest.max(-force.x);
    }
    assert!(fastest > 1.0, "{fastest} N");
}

/// The shipped ATRV stands on a slope: its contacts bear weight and friction, where the part above them has no mass.
#[test]
fn a_rover_on_a_slope_stands_on_its_friction() {
    let scene = "frame floor { rpy [0, 0.2, 0]; geometry { shape box; dimension [90, 90, 1]; friction 0.8; } }";
    let settings = r#"robots: { "rover": (model: "robots/atrv.robray", base: dynamic,
        at: (translation: (0, 0, 0.62), rpy: (0, 0.2, 0)), actuators: { "motion": (kind: "v_omega") },
        sensors: { "touch": (kind: "contact"), "below": (kind: "force_torque", mount: (frame: "contact")) }) }"#;
    let mut simulation = simulation(240, scene, settings);
    run(&mut simulation, 2.0);
    let weight = 20.0 * G;
    let expected = Vector3::new(-libm::sin(0.2), 0.0, libm::cos(0.2)) * weight;
    near(
        contact(&simulation, "rover.touch").force.into(),
        expected,
        1e-3 * weight,
    );
    let [force, _] = wrench(&simulation, "rover.below");
    near(force, Vector3::zeros(), 1e-3 * weight);
}
