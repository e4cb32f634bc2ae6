//! Arms and other joints: positions of their tips, computed by hand.
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, PI};

use morse_sim::{scene::model::Joint, sensor::pose::PoseData};

use super::{measure::extent, model, pose_of, simulation};

fn position(path: &str, frame: &str, variables: &[(&str, f64)]) -> [f64; 3] {
    pose_of(path, frame, variables).translation.vector.into()
}

fn assert_at(path: &str, frame: &str, variables: &[(&str, f64)], expected: [f64; 3]) {
    let coordinates = position(path, frame, variables);
    for axis in 0..3 {
        assert!(
            (coordinates[axis] - expected[axis]).abs() < 1e-9,
            "{frame} of {path} with {variables:?}: {coordinates:?}, expected {expected:?}"
        );
    }
}

fn limits(path: &str, variable: &str) -> Option<[f64; 2]> {
    let scene = model(path);
    let joints = scene.frames().iter().filter_map(|frame| frame.joint.axis());
    let mut matches = joints.filter(|joint| joint.variable == variable);
    matches.next().expect("a joint").limits.position
}

#[test]
fn the_kuka_reaches_where_its_bones_say() {
    let arm = "arms/kuka_lwr.robray";
    let at = |variables: &[(&str, f64)], expected| assert_at(arm, "kuka_tip", variables, expected);
    // 0.3105 + 0.2 + 0.2 + 0.2 + 0.19 + 0.078 + 0.132.
    at(&[], [0.0, 0.0, 1.3105]);
    // All but the first bone along x.
    at(&[("kuka_2", -FRAC_PI_2)], [1.0, 0.0, 0.3105]);
    at(
        &[("kuka_1", FRAC_PI_2), ("kuka_2", -FRAC_PI_2)],
        [0.0, 1.0, 0.3105],
    );
    // The upper arm (0.4) along x, the rest (0.6) up again: the fourth axis is opposite to the second.
    at(
        &[("kuka_2", -FRAC_PI_2), ("kuka_4", -FRAC_PI_2)],
        [0.4, 0.0, 0.3105 + 0.6],
    );
    // The hand (0.078 + 0.132 from the sixth axis) along x, from 1.1005.
    at(&[("kuka_6", -FRAC_PI_2)], [0.21, 0.0, 1.1005]);
    // Half way: 0.2 + 0.2 at 45 degrees, then straight up.
    let slant = 0.4 * FRAC_1_SQRT_2;
    at(
        &[("kuka_2", -FRAC_PI_4), ("kuka_4", -FRAC_PI_4)],
        [slant, 0.0, 0.3105 + slant + 0.6],
    );
    for odd in ["kuka_1", "kuka_3", "kuka_5", "kuka_7"] {
        at(&[(odd, 1.2)], [0.0, 0.0, 1.3105]);
        assert_eq!(limits(arm, odd), Some([-2.967, 2.967]));
    }
    for even in ["kuka_2", "kuka_4", "kuka_6"] {
        assert_eq!(limits(arm, even), Some([-2.094, 2.094]));
    }
    let weight: f64 = model(arm)
        .frames()
        .iter()
        .filter_map(|frame| frame.mass)
        .sum();
    assert!((weight - 16.0).abs() < 1e-9, "{weight}");
}

/// An arm of a built-in model, and the frame that has to be its end.
struct Arm {
    path: &'static str,
    joints: &'static str,
    end: &'static str,
}

const ARMS: [Arm; 7] = [
    Arm {
        path: "arms/kuka_lwr.robray",
        joints: "",
        end: "kuka_tip",
    },
    Arm {
        path: "arms/pa10.robray",
        joints: "",
        end: "pa10_tip",
    },
    Arm {
        path: "arms/ptu.robray",
        joints: "",
        end: "ptu_head",
    },
    Arm {
        path: "robots/pr2.robray",
        joints: r#""l_shoulder*", "l_upper*", "l_elbow*", "l_forearm*", "l_wrist*""#,
        end: "l_gripper_tool_frame",
    },
    Arm {
        path: "robots/pr2.robray",
        joints: r#""r_shoulder*", "r_upper*", "r_elbow*", "r_forearm*", "r_wrist*""#,
        end: "r_gripper_tool_frame",
    },
    Arm {
        path: "robots/pr2.robray",
        joints: r#""head*""#,
        end: "head_mount",
    },
    // In the middle of the hand.
    Arm {
        path: "robots/human.robray",
        joints: r#""shoulder*left", "elbow_left", "wrist_left""#,
        end: "hand_left",
    },
];

/// An actuator finds the end from the joints alone.
#[test]
fn arms_end_at_their_tips() {
    for Arm { path, joints, end } in ARMS {
        let scene = model(path);
        let variables = scene.variables().into_iter();
        let modes = variables.map(|variable| format!(r#""{variable}": (mode: kinematic), "#));
        let modes: String = modes.collect();
        let mut simulation = simulation(&format!(
            r#"Simulation(robots: {{ "it": (
                model: "{path}", base: fixed, joints: {{ {modes} }},
                sensors: {{ "end": (kind: "pose", on: "motors") }},
                actuators: {{ "motors": (kind: "armature", joints: [{joints}]) }},
            ) }})"#
        ));
        simulation.step().expect("a tick");
        let pose: &PoseData = simulation.read("it.end").expect("a pose");
        let expected = position(path, end, &[]);
        for (actual, expected) in [pose.x, pose.y, pose.z].into_iter().zip(expected) {
            let close = (actual - expected).abs() < 1e-6;
            assert!(close, "{path}: {actual} is not that of {end}, {expected}");
        }
    }
}

/// Arms that are upright at zero: no geometry is above their tips.
#[test]
fn arms_are_as_high_as_their_tips() {
    for (path, tip) in [
        ("arms/kuka_lwr.robray", "kuka_tip"),
        ("arms/pa10.robray", "pa10_tip"),
        ("arms/ptu.robray", "ptu_head"),
    ] {
        let highest = extent(&model(path), |_| true).expect("shapes").high[2];
        let end = position(path, tip, &[])[2];
        // Meshes have single precision.
        assert!((highest - end).abs() < 1e-6, "{path}: {end} of {highest}");
    }
}

#[test]
fn the_pa10_reaches_where_its_data_sheet_says() {
    let arm = "arms/pa10.robray";
    let at = |variables: &[(&str, f64)], expected| assert_at(arm, "pa10_tip", variables, expected);
    at(&[], [0.0, 0.0, 0.317 + 0.45 + 0.48 + 0.07]);
    at(&[("seg1", FRAC_PI_2)], [1.0, 0.0, 0.317]);
    at(
        &[("seg0", FRAC_PI_2), ("seg1", FRAC_PI_2)],
        [0.0, 1.0, 0.317],
    );
    at(&[("seg2", FRAC_PI_2)], [0.55, 0.0, 0.767]);
    at(&[("seg4", FRAC_PI_2)], [0.07, 0.0, 1.247]);
    // seg3 rotates the wrist's axis to -x, so that a positive seg4 bends towards y.
    at(
        &[("seg3", FRAC_PI_2), ("seg4", FRAC_PI_2)],
        [0.0, 0.07, 1.247],
    );
    at(&[("seg5", 1.0)], [0.0, 0.0, 1.317]);
    let scene = model(arm);
    let axes: Vec<[f64; 3]> = (0..6)
        .map(|number| {
            scene
                .frame(&format!("seg{number}"))
                .unwrap()
                .joint
                .axis()
                .unwrap()
                .axis
                .into()
        })
        .collect();
    let (y, z) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(axes, [z, y, y, z, y, z]);
    let weight: f64 = scene.frames().iter().filter_map(|frame| frame.mass).sum();
    assert!((weight - 38.0).abs() < 1e-9, "{weight}");
}

#[test]
fn a_pan_tilt_unit_looks_left_and_down() {
    let look = |pan, tilt| {
        let pose = pose_of(
            "arms/ptu.robray",
            "ptu_head",
            &[("pan", pan), ("tilt", tilt)],
        );
        pose.rotation * nalgebra::Vector3::x()
    };
    assert!((look(FRAC_PI_2, 0.0) - nalgebra::Vector3::y()).norm() < 1e-12);
    assert!((look(0.0, FRAC_PI_2) + nalgebra::Vector3::z()).norm() < 1e-12);
    assert_at("arms/ptu.robray", "ptu_head", &[], [0.0, 0.0, 0.13]);
}

#[test]
fn a_gripper_opens_to_both_sides() {
    let gap = |opening| {
        let at = |finger| position("arms/gripper.robray", finger, &[("gripper", opening)])[1];
        // Between the inner faces: the fingers are 12 mm thick.
        at("gripper_finger_left") - at("gripper_finger_right") - 0.012
    };
    assert!(gap(0.0).abs() < 1e-12, "{}", gap(0.0));
    assert!((gap(0.04) - 0.08).abs() < 1e-12);
    let scene = model("arms/gripper.robray");
    assert_eq!(
        scene.variables().into_iter().collect::<Vec<_>>(),
        ["gripper"]
    );
}

#[test]
fn the_pr2_reaches_as_published() {
    let robot = "robots/pr2.robray";
    // -0.05 + 0.1 + 0.4 + 0.321 + 0.18 in front, at the height of the shoulders.
    for (side, y) in [("l", 0.188), ("r", -0.188)] {
        let tool = format!("{side}_gripper_tool_frame");
        assert_at(robot, &tool, &[], [0.951, y, 0.790675]);
        assert_at(
            robot,
            &tool,
            &[("torso_lift_joint", 0.31)],
            [0.951, y, 1.100675],
        );
        let down = format!("{side}_shoulder_lift_joint");
        assert_at(
            robot,
            &tool,
            &[(&down, FRAC_PI_2)],
            [0.05, y, 0.790675 - 0.901],
        );
        let bent = format!("{side}_elbow_flex_joint");
        assert_at(
            robot,
            &tool,
            &[(&bent, -FRAC_PI_2)],
            [0.45, y, 0.790675 + 0.501],
        );
    }
    // Torso 0.790675, pan 0.38145 above it and 0.01707 behind, tilt 0.068 in front.
    assert_at(
        robot,
        "head_tilt_link",
        &[],
        [-0.05 - 0.01707 + 0.068, 0.0, 1.172125],
    );
    assert_eq!(limits(robot, "torso_lift_joint"), Some([0.0, 0.31]));
    assert_eq!(limits(robot, "r_elbow_flex_joint"), Some([-2.3213, 0.0]));
    assert_eq!(
        limits(robot, "l_wrist_roll_joint"),
        None,
        "it turns without end"
    );
    // The gap between the inner faces of two fingers, each 12 mm thick: closed, and 9 cm as published.
    for side in ["l", "r"] {
        let gripper = format!("{side}_gripper_joint");
        assert_eq!(limits(robot, &gripper), Some([0.0, 0.09]));
        for gap in [0.0, 0.05, 0.09] {
            let at = |finger: &str| {
                let finger = format!("{side}_gripper_finger_{finger}");
                position(robot, &finger, &[(&gripper, gap)])[1]
            };
            let width = at("left") - at("right") - 0.012;
            assert!((width - gap).abs() < 1e-12, "{side}: {width} of {gap}");
        }
    }
    // Limits of the left arm and of the right arm are mirrored.
    for joint in ["shoulder_pan", "upper_arm_roll"] {
        let [low, high] = limits(robot, &format!("l_{joint}_joint")).unwrap();
        assert_eq!(
            limits(robot, &format!("r_{joint}_joint")),
            Some([-high, -low])
        );
    }
}

#[test]
fn the_human_has_the_measures_of_winters_table() {
    let human = "robots/human.robray";
    let stature = 1.75;
    // Fractions of stature above the ground; half of the shoulder width to the side.
    assert_at(
        human,
        "shoulder_pitch_left",
        &[],
        [0.0, 0.129 * stature, 0.818 * stature],
    );
    assert_at(
        human,
        "elbow_right",
        &[],
        [0.0, -0.129 * stature, (0.818 - 0.186) * stature],
    );
    assert!((position(human, "knee_left", &[])[2] - 0.285 * stature).abs() < 1e-9);
    assert!((position(human, "ankle_right", &[])[2] - 0.039 * stature).abs() < 1e-9);
    let scene = model(human);
    let all = extent(&scene, |geometry| geometry.collision).unwrap();
    assert!(
        (all.size()[2] - stature).abs() < 1e-9 && all.low[2].abs() < 1e-9,
        "{all:?}"
    );
    let weight: f64 = scene.frames().iter().filter_map(|frame| frame.mass).sum();
    assert!((weight - 75.0).abs() < 1e-9, "{weight}");
}

#[test]
fn the_humans_joints_bend_as_described() {
    let human = "robots/human.robray";
    let zero = |frame: &str| position(human, frame, &[]);
    for side in ["left", "right"] {
        let outward = if side == "left" { 1.0 } else { -1.0 };
        let moved = |joint: &str, frame: &str| {
            let frame = format!("{frame}_{side}");
            let joint = format!("{joint}_{side}");
            let after = position(human, &frame, &[(joint.as_str(), 0.5)]);
            [0, 1, 2].map(|axis| after[axis] - zero(&frame)[axis])
        };
        for (joint, frame) in [
            ("shoulder_pitch", "hand"),
            ("elbow", "hand"),
            ("wrist", "hand"),
            ("hip_pitch", "foot"),
        ] {
            assert!(
                moved(joint, frame)[0] > 0.03,
                "{joint} {side} bends forward"
            );
        }
        assert!(moved("knee", "foot")[0] < -0.1, "the knee bends backward");
        assert!(moved("ankle", "foot")[2] > 0.02, "the toes go up");
        for (joint, frame) in [("shoulder_roll", "hand"), ("hip_roll", "foot")] {
            assert!(
                moved(joint, frame)[1] * outward > 0.1,
                "{joint} {side} goes outward"
            );
        }
        let toes = moved("hip_yaw", "foot");
        assert!(
            toes[1] * outward > 0.02,
            "the toes of the {side} foot turn outward"
        );
    }
    let eyes = |joint| pose_of(human, "eyes", &[(joint, 0.5)]).rotation * nalgebra::Vector3::x();
    assert!(eyes("neck_yaw").y > 0.4 && eyes("spine_yaw").y > 0.4);
    assert!(eyes("neck_pitch").z < -0.4 && eyes("spine_pitch").z < -0.4);
}

/// Limits contain zero and are at most one and a half turns in both directions.
#[test]
fn joints_can_be_at_zero() {
    for path in [
        "arms/kuka_lwr.robray",
        "arms/pa10.robray",
        "robots/human.robray",
        "robots/pr2.robray",
    ] {
        for frame in model(path).frames() {
            let limits = match &frame.joint {
                Joint::Revolute(joint) | Joint::Prismatic(joint) => joint.limits,
                Joint::Fixed | Joint::Floating => continue,
            };
            if let Some([low, high]) = limits.position {
                assert!(
                    low <= 0.0 && high >= 0.0 && high - low <= 4.0 * PI,
                    "{path}: {}",
                    frame.name
                );
            }
            assert!(
                limits.velocity.is_some() && limits.effort.is_some(),
                "{path}: {}",
                frame.name
            );
        }
    }
}
