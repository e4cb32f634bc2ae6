//! Services of robots themselves: MORSE's services of the PR2 and of people.
#![cfg(test)]
use morse_api::{
    joint::{JointState, JointTarget},
    service::find,
};
use morse_sim::{Simulation, actuator::grasping::Grasped, simulation::no_extensions};
use nalgebra::Vector3;
use serde_json::json;

use super::{answer, refusal};

fn parse(text: &str) -> Simulation {
    Simulation::parse(text, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a PR2 that stands, with its armatures; `joints` are fields of its joints.
fn pr2(joints: &str, overlay: &str) -> String {
    format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            robots: {{
                "pr2": (
                    model: "robots/pr2.robray", base: kinematic, joints: {{ {joints} }},
                    actuators: {{
                        "torso": (kind: "armature", joints: ["torso_lift_joint"]),
                        "head": (kind: "armature", joints: ["head_*"]),
                        "l_arm": (kind: "armature", joints: ["l_*"]),
                        "r_arm": (kind: "armature", joints: ["r_*"]),
                        "motion": (kind: "xy_omega"),
                    }},
                    overlays: {{ "services": ({overlay}) }},
                ),
                "ball": (model: "objects/ball.robray", at: (translation: (1.5, -0.2, 0)),
                         properties: {{ "Graspable": true }}),
            }},
        )"#
    )
}

/// Returns the position of a body's frame, from the pose of the body.
fn body(simulation: &Simulation, name: &str) -> Vector3<f64> {
    let body = simulation.body(name).unwrap_or_else(|| panic!("{name}"));
    body.pose.translation.vector
}

fn height(simulation: &mut Simulation) -> f64 {
    let height = answer(simulation, "pr2", "get_torso", json!([]));
    height.as_f64().expect("a number")
}

const POSED: &str = r#""torso_lift_joint": (mode: kinematic)"#;

#[test]
fn a_pr2_tells_its_armatures_and_lifts_its_torso() {
    let mut simulation = parse(&pr2(POSED, r#"kind: "pr2""#));
    let armatures = answer(&mut simulation, "pr2", "get_armatures", json!([]));
    assert_eq!(
        armatures,
        json!(["pr2.head", "pr2.l_arm", "pr2.r_arm", "pr2.torso"])
    );
    // MORSE: 0 to 0.31 m above 0.790675 m.
    let range = answer(&mut simulation, "pr2", "get_torso_minmax", json!([]));
    assert_eq!(range, json!([0.0, 0.31]));
    let lowest = body(&simulation, "pr2.torso_lift_link").z;
    assert!((lowest - 0.790675).abs() < 1e-6, "{lowest}");
    for wanted in [0.2, 0.0, 0.31] {
        answer(&mut simulation, "pr2", "set_torso", json!([wanted]));
        simulation.run(2).unwrap();
        // The joint jumps, as in MORSE.
        assert!((height(&mut simulation) - wanted).abs() < 1e-9);
        let lifted = body(&simulation, "pr2.torso_lift_link").z - lowest;
        assert!((lifted - wanted).abs() < 1e-6, "{lifted} of {wanted}");
    }
    for wrong in [-0.01, 0.32] {
        let why = refusal(&mut simulation, "pr2", "set_torso", json!([wrong]));
        assert!(why.contains("from 0 m to 0.31 m"), "{why}");
    }
    // Also under its own path.
    answer(&mut simulation, "pr2.services", "set_torso", json!([0.1]));
    simulation.run(2).unwrap();
    assert!((height(&mut simulation) - 0.1).abs() < 1e-9);
}

/// The lift of the published description moves at 13 mm/s, and carries some 110 kg.
#[test]
fn a_torso_with_a_motor_goes_as_fast_as_its_lift() {
    let mut simulation = parse(&pr2("", r#"kind: "pr2""#));
    answer(&mut simulation, "pr2", "set_torso", json!([0.04]));
    simulation.run(60).unwrap();
    let on_its_way = height(&mut simulation);
    assert!((on_its_way - 0.013).abs() < 1e-3, "{on_its_way}");
    simulation.run(180).unwrap();
    let there = height(&mut simulation);
    assert!((there - 0.04).abs() < 5e-4, "{there}");
    let lift = find(simulation.world(), "pr2.torso_lift_joint").unwrap();
    let effort = simulation.world().get::<JointState>(lift).unwrap().effort;
    let weight = 9.81 * weight_above(&simulation);
    assert!((effort / weight - 1.0).abs() < 0.02, "{effort} of {weight}");
}

/// Returns the mass of everything on the torso, kg.
fn weight_above(simulation: &Simulation) -> f64 {
    let spawned = simulation.scene();
    let own = spawned
        .bodies
        .iter()
        .filter(|(name, _)| name.starts_with("pr2."));
    let masses = own.map(|(_, &body)| {
        let state = simulation.world().get::<morse_api::body::BodyState>(body);
        state.map_or(0.0, |state| state.mass)
    });
    masses.sum()
}

#[test]
fn what_the_services_of_a_pr2_need_is_said() {
    let error = |text: &str| match Simulation::parse(text, "scenes", &no_extensions) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    let message = error(&pr2("", r#"kind: "pr2", torso: "head", lift: "lift""#));
    assert!(
        message.contains("the robot has no joint `lift`"),
        "{message}"
    );
    let message = error(&pr2("", r#"kind: "pr2", torso: "motion""#));
    assert!(
        message.contains("`pr2.motion` is no `armature`"),
        "{message}"
    );
    let message = error(&pr2("", r#"kind: "pr2", hand: "paw""#));
    assert!(message.contains("unknown frame `paw`"), "{message}");
    let message = error(&pr2("", r#"kind: "pr2", of: "torso""#));
    assert!(
        message.contains("unknown field `of`") || message.contains("no field `of`"),
        "{message}"
    );
}

#[test]
fn the_grippers_of_a_pr2_open_and_close() {
    let mut simulation = parse(&pr2(POSED, r#"kind: "pr2""#));
    let gap = |simulation: &Simulation| {
        let at = |finger: &str| body(simulation, &format!("pr2.l_gripper_finger_{finger}"));
        // Between the inner faces: the fingers are 12 mm thick.
        (at("left") - at("right")).norm() - 0.012
    };
    let joint = find(simulation.world(), "pr2.l_gripper_joint").unwrap();
    for wanted in [0.09, 0.03, 0.0] {
        answer(
            &mut simulation,
            "pr2.l_arm",
            "set_translation",
            json!(["l_gripper_joint", wanted]),
        );
        simulation.run(90).unwrap();
        let width = gap(&simulation);
        assert!((width - wanted).abs() < 1e-3, "{width} of {wanted}");
    }
    // No wider than its limit, at any effort.
    let mut target = simulation
        .world_mut()
        .get_mut::<JointTarget>(joint)
        .unwrap();
    *target = JointTarget::Effort(50.0);
    let arm = find(simulation.world(), "pr2.l_arm").unwrap();
    let deactivated = answer(&mut simulation, "pr2.l_arm", "deactivate", json!([]));
    assert!(deactivated.is_null() && simulation.world().get_entity(arm).is_ok());
    simulation.run(60).unwrap();
    let width = gap(&simulation);
    assert!((width - 0.09).abs() < 2e-3, "{width}");
}

/// To within one degree of its limit.
#[test]
fn the_elbows_of_a_pr2_bend_as_far_as_published() {
    let mut simulation = parse(&pr2(POSED, r#"kind: "pr2""#));
    for side in ["l", "r"] {
        let elbow = json!([format!("{side}_elbow_flex_joint"), -2.3]);
        let arm = format!("pr2.{side}_arm");
        answer(&mut simulation, &arm, "set_rotation", elbow);
    }
    simulation.run(180).unwrap();
    for side in ["l", "r"] {
        let elbow = find(simulation.world(), &format!("pr2.{side}_elbow_flex_joint")).unwrap();
        let state = simulation.world().get::<JointState>(elbow).unwrap();
        assert!((state.position + 2.3).abs() < 0.01, "{side}: {state:?}");
        assert!(state.effort.abs() < 30.0, "{side}: {state:?}");
    }
}

#[test]
fn a_pr2_takes_what_is_near_its_hand() {
    // As in MORSE: every joint is posed, and nothing swings.
    let file = std::fs::read_to_string("assets/robots/pr2.robray").expect("the model");
    let lines = file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("variable "));
    let names: std::collections::BTreeSet<&str> =
        lines.map(|name| name.trim_end_matches(';')).collect();
    let posed: Vec<String> = names
        .into_iter()
        .map(|name| format!("\"{name}\": (mode: kinematic)"))
        .collect();
    let mut simulation = parse(&pr2(&posed.join(", "), r#"kind: "pr2", distance: 1"#));
    simulation.run(2).unwrap();
    assert_eq!(
        answer(&mut simulation, "pr2", "grasp", json!([true])),
        "ball"
    );
    let grasped = find(simulation.world(), "pr2.services").unwrap();
    let held = simulation.world().get::<Grasped>(grasped).cloned().unwrap();
    assert_eq!(held.0.as_deref(), Some("ball"));
    let before = body(&simulation, "ball");
    answer(&mut simulation, "pr2", "set_torso", json!([0.2]));
    simulation.run(60).unwrap();
    let lifted = body(&simulation, "ball") - before;
    assert!((lifted - Vector3::z() * 0.2).norm() < 0.02, "{lifted}");
    assert_eq!(
        answer(&mut simulation, "pr2", "grasp", json!([false])),
        true
    );
    // It bounces to 0.64 of its height each time.
    simulation.run(300).unwrap();
    let fallen = body(&simulation, "ball") - before;
    assert!(fallen.z.abs() < 0.02, "{fallen}");
}

/// Returns a human among graspable and other objects.
fn human() -> Simulation {
    let scene = std::fs::read_to_string("scenes/robots/human.ron").expect("the scene");
    let start = scene.find("joints: {").expect("the joints");
    let joints = &scene[start..start + scene[start..].find('}').expect("their end")];
    parse(&format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            robots: {{
                "eve": (
                    model: "robots/human.robray", base: kinematic, {joints} }},
                    actuators: {{ "motion": (kind: "v_omega", start: (v: 1, w: 0)) }},
                    overlays: {{ "hands": (kind: "human") }},
                ),
                "near": (model: "objects/crate.robray", at: (translation: (0.5, -0.8, 0)),
                         properties: {{ "Graspable": true }}),
                "far": (model: "objects/bottle.robray", at: (translation: (5.7, 0, 0)),
                        properties: {{ "Graspable": true }}),
                "fast": (model: "objects/crate.robray", base: fixed, at: (translation: (0, -2, 0)),
                         properties: {{ "Graspable": true }}),
                "glued": (model: "objects/crate.robray", at: (translation: (0, 2, 0))),
            }},
        )"#
    ))
}

#[test]
fn a_human_takes_things_by_name() {
    let mut simulation = human();
    let take = |name: &str| json!([true, name]);
    simulation.run(2).unwrap();
    for (name, expected) in [
        ("far", "and the hand reaches 5 m"),
        ("fast", "physics does not move it"),
        ("glued", "`glued` is not graspable"),
        ("cup", "there is no object `cup`"),
    ] {
        let why = refusal(&mut simulation, "eve", "grasp", take(name));
        assert!(why.contains(expected), "{why}");
    }
    assert!(answer(&mut simulation, "eve", "grasp", json!([false])).is_null());
    let seen = |simulation: &Simulation| body(simulation, "near") - body(simulation, "eve");
    let before = seen(&simulation);
    assert_eq!(
        answer(&mut simulation, "eve", "grasp", take("near")),
        "near"
    );
    let why = refusal(&mut simulation, "eve", "grasp", take("far"));
    assert!(why.contains("it holds `near` already"), "{why}");
    simulation.run(120).unwrap();
    let walked = body(&simulation, "eve").x;
    assert!((walked - 122.0 / 60.0).abs() < 0.03, "{walked}");
    let moved = (seen(&simulation) - before).norm();
    assert!(moved < 0.02, "{moved}");
    assert_eq!(
        answer(&mut simulation, "eve", "grasp", json!([false])),
        true
    );
    let there = body(&simulation, "near").x;
    simulation.run(120).unwrap();
    let slid = body(&simulation, "near").x - there;
    assert!((0.02..0.3).contains(&slid), "{slid}: it was let go");
    // The nearest one, once the other is in reach.
    simulation.run(60).unwrap();
    assert_eq!(
        answer(&mut simulation, "eve", "grasp", json!({ "grab": true })),
        "far"
    );
}
