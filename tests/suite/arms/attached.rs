//! Several arms on one robot, each a part of it.
use super::*;

/// Returns a mast with two KUKAs, to the left and to the right of it, 1 m up.
fn two_arms(more: &str) -> String {
    let arm = |name: &str| {
        format!(r#""{name}": (kind: "armature", root: "{name}.kuka_base", tip: "{name}.kuka_tip")"#)
    };
    let joints: String = (1..=7)
        .flat_map(|n| {
            ["left", "right"].map(|side| format!(r#""{side}.kuka_{n}": (mode: kinematic),"#))
        })
        .collect();
    format!(
        r#""rover": (model: "mast.robray", base: fixed,
            parts: {{
                "left": (model: "arms/kuka_lwr.robray", frame: "mast", at: (translation: (0, 0.5, 1))),
                "right": (model: "arms/kuka_lwr.robray", frame: "mast",
                          at: (translation: (0, -0.5, 1), rpy: (0, 0, 3.141592653589793))),
            }},
            joints: {{ {joints} }},
            sensors: {{
                "left_tip": (kind: "pose", on: "left"), "right_tip": (kind: "pose", on: "right"),
                "left_joints": (kind: "armature_pose", on: "left"),
                "right_joints": (kind: "armature_pose", on: "right"),
            }},
            actuators: {{ {}, {} }}, {more})"#,
        arm("left"),
        arm("right")
    )
}

fn load(robot: &str) -> Result<Simulation, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mast = "frame mast { translation [0, 0, 0.2]; mass 5; }";
    std::fs::write(folder.path().join("mast.robray"), mast).expect("a file");
    let text = format!("Simulation(robots: {{ {robot} }})");
    Simulation::parse(&text, folder.path(), &no_extensions).map_err(|error| error.to_string())
}

#[test]
fn two_arms_of_one_model_on_one_robot_move_each_by_itself() {
    let mut simulation = load(&two_arms("")).expect("a simulation");
    for (arm, angle) in [("rover.left", -1.0), ("rover.right", -0.5)] {
        let reply = finish(
            &mut simulation,
            arm,
            "set_rotation",
            json!(["kuka_2", angle]),
        );
        assert_eq!(reply.status, Status::Success, "{reply:?}");
    }
    simulation.run(2).expect("a run");
    for (sensor, angle) in [("rover.left_joints", -1.0), ("rover.right_joints", -0.5)] {
        let data = simulation.read::<ArmaturePoseData>(sensor).expect("data");
        // Names of the model, whatever the part is called.
        assert_eq!(data.joints.names[..2], ["kuka_1", "kuka_2"]);
        assert!((data.joints.values[1] - angle).abs() < 1e-9, "{data:?}");
    }
    // From the shoulder, 0.3105 m up, the arm of 1 m points to +x of the part; the right one is rotated.
    let reach = |x: f64, y: f64, angle: f64| {
        Vector3::new(x * libm::sin(angle), y, 1.2 + 0.3105 + libm::cos(angle))
    };
    for (tip, expected) in [
        ("rover.left_tip", reach(1.0, 0.5, 1.0)),
        ("rover.right_tip", reach(-1.0, -0.5, 0.5)),
    ] {
        let position = at(&simulation, tip);
        assert!(
            (position - expected).norm() < 1e-6,
            "{tip}: {position:?} {expected:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_an_attached_model_is_said_at_its_position() {
    let robot =
        |attached: &str| format!(r#""rover": (model: "mast.robray", parts: {{ {attached} }})"#);
    for (attached, said) in [
        (r#""a": ()"#, "missing its field `model`"),
        (
            r#""a.b": (model: "mast.robray")"#,
            "the part `a.b` has a dot in its name",
        ),
        (
            r#""a": (model: "mast.robray", frame: "mats")"#,
            "did you mean `mast`?",
        ),
        (r#""a": (model: "nowhere.robray")"#, "nowhere.robray"),
        (
            r#""a": (model: "mast.robray", at: (translation: (1, 2)))"#,
            "translation",
        ),
    ] {
        let error = load(&robot(attached)).err().expect(attached);
        assert!(error.contains(said), "{attached}: {error}");
    }
}
