//! Grippers: the action `control_msgs/action/GripperCommand`.
use morse_api::service::Status;
use serde_json::{Value as Json, json};

use super::{Action, Request};
use crate::messages::{GripFeedback, GripGoal, GripResult};

/// The action of a gripper.
pub struct Grip;

impl Action for Grip {
    type Goal = GripGoal;
    type Outcome = GripResult;
    type Feedback = GripFeedback;
    const TYPE: (&'static str, &'static str) = ("control_msgs", "GripperCommand");

    fn request(&self, goal: &GripGoal) -> Result<(&'static str, Json), String> {
        match goal.command.position {
            0.0 => Ok(("grab", json!([]))),
            open if open > 0.0 && open.is_finite() => Ok(("release", json!([]))),
            other => Err(format!(
                "the position is {other}; 0 closes the gripper, and a gap in metres opens it"
            )),
        }
    }

    fn outcome(&self, goal: &GripGoal, status: Status, value: &Json) -> GripResult {
        let is_done = status == Status::Success;
        // The fingers stop at an object before they are closed.
        let holds = is_done && goal.command.position == 0.0 && value.is_string();
        GripResult {
            position: goal.command.position,
            effort: if holds { goal.command.max_effort } else { 0.0 },
            stalled: holds,
            reached_goal: is_done && !holds,
        }
    }

    fn feedback_request(&self) -> Option<Request> {
        // Objects are taken and released within a tick.
        None
    }

    fn feedback(&self, _: &GripGoal, _: &Json, _: [u64; 2]) -> Option<GripFeedback> {
        None
    }
}
