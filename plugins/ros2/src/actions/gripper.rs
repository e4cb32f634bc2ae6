//! Grippers: the action `control_msgs/action/GripperCommand`.
use morse_api::service::Status;
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::Kind;

/// Goal of `GripperCommand`: the position is the gap, m, so that 0 closes the gripper.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GripGoal {
    position: f64,
    max_effort: f64,
}

/// Result and feedback of `GripperCommand`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GripState {
    position: f64,
    effort: f64,
    stalled: bool,
    reached_goal: bool,
}

impl Message for GripGoal {}
impl Message for GripState {}

/// The action of a gripper.
pub(super) struct Grip;

impl Kind for Grip {
    type Goal = GripGoal;
    type Outcome = GripState;
    type Feedback = GripState;
    const TYPE: (&'static str, &'static str) = ("control_msgs", "GripperCommand");

    fn request(&self, goal: &GripGoal) -> Result<(&'static str, Json), String> {
        match goal.position {
            0.0 => Ok(("grab", json!([]))),
            open if open > 0.0 && open.is_finite() => Ok(("release", json!([]))),
            other => Err(format!(
                "the position is {other}; 0 closes the gripper, and a gap in metres opens it"
            )),
        }
    }

    fn outcome(&self, goal: &GripGoal, status: Status, value: &Json) -> GripState {
        let is_done = status == Status::Success;
        // The fingers stop at an object before they are closed.
        let holds = is_done && goal.position == 0.0 && value.is_string();
        GripState {
            position: goal.position,
            effort: if holds { goal.max_effort } else { 0.0 },
            stalled: holds,
            reached_goal: is_done && !holds,
        }
    }

    fn feedback_request(&self) -> Option<(String, &'static str, Json)> {
        // Objects are taken and released within a tick.
        None
    }

    fn feedback(&self, _: &GripGoal, _: &Json, _: [u64; 2]) -> Option<GripState> {
        None
    }
}
