//! Sensors in fingers, hands and feet.
use morse_sim::actuator::joints::{Joints, JointsCommand};
use serde_json::json;

use super::*;
use crate::mechanisms::gripping::GRIPPER;

fn order(simulation: &Simulation, names: &[&str], positions: &[f64]) {
    let order = JointsCommand {
        names: names.iter().map(ToString::to_string).collect(),
        positions: positions.to_vec(),
        ..JointsCommand::default()
    };
    simulation
        .command::<Joints>("robot.joints", order)
        .expect("joints");
}

/// Two fingers press with 15 N each on a box of 0.5 kg: friction carries half of its weight at each, and the slides feel
/// pressure, friction and their own weight.
#[test]
fn fingers_feel_what_they_hold() {
    let sensors = r#"bodies: { "thing": (kind: dynamic) }, robots: { "robot": (frame: "rail", base: fixed,
        actuators: { "joints": (kind: "joints") },
        sensors: { "left": (kind: "contact", mount: (frame: "left")), "right": (kind: "contact", mount: (frame: "right")),
            "slide": (kind: "force_torque", mount: (frame: "left")) }) }"#;
    let mut simulation = simulation(240, GRIPPER, sensors);
    let names = ["lift", "cross", "left", "right"];
    order(&simulation, &names, &[0.0, 0.0, 0.1, 0.1]);
    run(&mut simulation, 1.0);
    for tick in 1..=480 {
        order(
            &simulation,
            &names,
            &[0.2 * f64::from(tick) / 480.0, 0.0, 0.1, 0.1],
        );
        simulation.step().expect("a tick");
    }
    run(&mut simulation, 1.0);
    let half = 0.25 * G;
    let [left, right] = ["robot.left", "robot.right"].map(|path| contact(&simulation, path));
    // Only the sum of the frictions is unique.
    near(left.force.into(), Vector3::new(0.0, 15.0, -half), 0.2);
    near(right.force.into(), Vector3::new(0.0, -15.0, -half), 0.2);
    let sum = Vector3::from(left.force) + Vector3::from(right.force);
    near(sum, Vector3::new(0.0, 0.0, -0.5 * G), 1e-2);
    assert!(left.objects.iter().all(|name| name == "thing"), "{left:?}");
    let [force, _] = wrench(&simulation, "robot.slide");
    // What it feels, and its own weight.
    near(
        force,
        Vector3::from(left.force) - Vector3::z() * 0.1 * G,
        1e-2,
    );
}

/// A hand that grasps an object bears its weight, at its lever.
#[test]
fn a_hand_bears_what_it_grasps() {
    let scene = "
        frame stand { geometry { shape box; dimension [0.1, 0.1, 0.1]; }
          frame hand { translation [0.5, 0, 1]; mass 0.3; inertia [0.001, 0.001, 0.001, 0, 0, 0]; } }
        frame table { translation [0.8, 0, 0.7]; geometry { shape box; dimension [0.4, 0.4, 0.5]; } }
        frame ball { type floating; translation [0.7, 0, 1.0]; mass 1.5; geometry { shape sphere; radius 0.05; } }";
    let settings = r#"objects: { "ball": (graspable: true) }, robots: { "robot": (frame: "stand", base: fixed,
        actuators: { "hand": (kind: "gripper", mount: (frame: "hand", rpy: (0, 1.5707963267948966, 0))) },
        sensors: { "wrist": (kind: "force_torque", mount: (frame: "hand")) }) }"#;
    let mut simulation = simulation(240, scene, settings);
    run(&mut simulation, 0.1);
    near(
        wrench(&simulation, "robot.wrist")[0],
        Vector3::new(0.0, 0.0, -0.3 * G),
        1e-5,
    );
    let call = simulation.call("robot.hand", "grab", &json!([]));
    run(&mut simulation, 0.1);
    assert_eq!(call.reply().expect("an answer").value, json!("ball"));
    simulation.call(
        "simulation",
        "set_object_position",
        &json!(["table", [5.0, 5.0, 1.0]]),
    );
    run(&mut simulation, 1.0);
    let ball = simulation
        .body("ball")
        .expect("a ball")
        .pose
        .translation
        .vector;
    let lever = ball - Vector3::new(0.5, 0.0, 1.0);
    let [force, torque] = wrench(&simulation, "robot.wrist");
    near(force, Vector3::new(0.0, 0.0, -1.8 * G), 1e-3);
    near(torque, lever.cross(&Vector3::new(0.0, 0.0, -1.5 * G)), 1e-3);
}

/// The shipped AIBO stands: its four paws together bear its weight, by contact sensors and by force–torque sensors.
#[test]
fn the_paws_of_a_dog_bear_its_weight() {
    let legs = ["lf", "lr", "rf", "rr"];
    let sensors: Vec<String> = legs
        .iter()
        .map(|leg| {
            format!(
                r#""{leg}_touch": (kind: "contact", parts: ["{leg}_paw"], mount: (frame: "{leg}_paw")),
                "{leg}_switch": (kind: "foot_switch", threshold: 0.5, mount: (frame: "{leg}_paw")),
                "{leg}_force": (kind: "force_torque", mount: (frame: "{leg}_paw"))"#
            )
        })
        .collect();
    let scene = "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [9, 9, 1]; friction 0.8; } }";
    let settings = format!(
        r#"robots: {{ "robot": (model: "robots/ers7.robray", at: (translation: (0, 0, 0.2)), base: dynamic,
            actuators: {{ "joints": (kind: "joints") }}, sensors: {{ {} }}) }}"#,
        sensors.join(", ")
    );
    let mut simulation = simulation(240, scene, &settings);
    let joints = ["j1", "j2", "j3"];
    let names: Vec<String> = legs
        .iter()
        .flat_map(|leg| joints.map(|joint| format!("{leg}_{joint}")))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    order(&simulation, &names, &[0.0; 12]);
    run(&mut simulation, 3.0);
    let mass = simulation
        .mechanism("robot")
        .expect("joints")
        .center_of_mass()
        .0;
    assert!(mass > 1.0, "{mass} kg");
    let (mut touched, mut borne) = (Vector3::zeros(), Vector3::zeros());
    for leg in legs {
        let path = |sensor: &str| format!("robot.{leg}_{sensor}");
        let paw = simulation.scene().frames[&format!("robot.{leg}_paw")];
        let frame = simulation
            .world()
            .get::<morse_api::frame::Frame>(paw)
            .expect("a frame");
        let body = simulation
            .world()
            .get::<morse_api::body::BodyState>(frame.body)
            .expect("a body");
        let turn = body.pose.rotation * frame.body_from_frame.rotation;
        let own = Vector3::from(contact(&simulation, &path("touch")).force);
        let [force, _] = wrench(&simulation, &path("force"));
        // A paw has no mass: it passes on what it feels.
        near(force, own, 1e-3);
        touched += turn * own;
        borne += turn * force;
        let switch = simulation
            .read::<FootSwitchData>(&path("switch"))
            .expect("a switch");
        assert!(
            switch.contact && (switch.force - own.norm()).abs() < 1e-9,
            "{leg}: {switch:?}"
        );
    }
    near(touched, Vector3::new(0.0, 0.0, mass * G), 0.02 * mass * G);
    near(borne, touched, 1e-2);
}
