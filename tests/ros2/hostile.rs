//! Hostile nodes, and changes of the world under the goals of nodes: each gets an error or its result.
#![cfg(test)]
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::{actions::steps_of, peer::python};

const WORLD: &str = r#"Simulation(
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic,
            sensors: { "odometry": (kind: "odometry") },
            actuators: { "motion": (kind: "v_omega") },
        ),
        "driver": (
            model: "robots/atrv.robray", base: kinematic, at: (translation: (0, -8, 0)),
            actuators: { "goal": (kind: "waypoint") },
        ),
        "jumper": (
            model: "robots/atrv.robray", base: kinematic, at: (translation: (0, 12, 0)),
            sensors: { "pose": (kind: "pose") },
            actuators: { "motion": (kind: "teleport") },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state") },
            actuators: { "armature": (kind: "armature") },
        ),
    },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Runs a section of `hostile.py` beside a world, and returns its reports, by step, and the warnings of the run.
fn report(section: &str) -> Option<(BTreeMap<String, Json>, String)> {
    Some(steps_of(&python()?, ["hostile.py", section], WORLD))
}

#[track_caller]
fn warns(warnings: &str, texts: &[&str]) {
    for text in texts {
        assert!(warnings.contains(text), "{text} is not in {warnings}");
    }
}

#[test]
fn wrong_commands_change_nothing_and_are_named() {
    let Some((steps, warnings)) = report("commands") else {
        return;
    };
    assert_eq!(steps["twist"]["speed"], 0.25, "the last valid command");
    assert_eq!(steps["pose"]["x"], 1.0, "the last valid command");
    let state = &steps["state"];
    assert_eq!(
        (&state["code"], &state["why"]),
        (&json!(4), &json!("the twist is not finite"))
    );
    warns(
        &warnings,
        &[
            "`rover.motion`: not a geometry_msgs/msg/Twist: the number in `linear.x` is not finite",
            "`rover.motion`: 1e300 in `v` is out of range",
            "`jumper.motion`: not a geometry_msgs/msg/PoseStamped: the number in `pose.position.x` is not finite",
            "`jumper.motion`: the pose is in `jumper/base_link`; poses are in `map` or `world`",
        ],
    );
}

#[test]
fn impossible_goals_are_rejected_and_robots_that_come_disturb_none() {
    let Some((steps, warnings)) = report("goals") else {
        return;
    };
    let refused = &steps["refused"];
    for name in ["past", "later", "numbers", "outside"] {
        assert_eq!(refused[name], false, "{name}: {warnings}");
    }
    warns(
        &warnings,
        &[
            "invalid trajectory: it ends at 2.000 s, and the simulated time is",
            "stamps are simulated time (`use_sim_time` in ROS)",
            "point 0 of the trajectory has a number that is not finite",
            "the position 99 of `kuka_2` is outside its limits: it ends at 2.094",
        ],
    );
    let added = &steps["added"];
    // STATUS_SUCCEEDED.
    assert_eq!(
        (&added["result"], &added["status"], &added["arrived"]),
        (&json!(1), &json!(4), &json!(4)),
        "{added}; {warnings}"
    );
    let position = added["position"].as_f64().unwrap();
    assert!((position - 0.4).abs() < 0.01, "{added}");
}

#[test]
fn goals_end_when_the_simulation_is_reset_or_stands_still() {
    let Some((steps, warnings)) = report("resets") else {
        return;
    };
    let reset = &steps["reset"];
    // STATUS_ABORTED, and success of the next goal.
    assert_eq!(
        (&reset["code"], &reset["status"], &reset["again"]),
        (&json!(1), &json!(6), &json!(4)),
        "{reset}; {warnings}"
    );
    assert_eq!(
        reset["why"],
        "the simulation was set back to an earlier state"
    );
    let stopped = &steps["stopped"];
    // OK, the state STOPPED, and ALREADY_IN_TARGET_STATE.
    assert_eq!(stopped["stopped"], json!([1, 0, 101]));
    assert_eq!(stopped["stepped"], json!([1, 2]), "steps end the stop");
    assert_eq!(stopped["played"], json!([1, 1]));
    let paused = &steps["paused"];
    assert_eq!(
        (&paused["code"], &paused["held"], &paused["status"]),
        (&json!(0), &json!(true), &json!(5)),
        "{paused}"
    );
}
