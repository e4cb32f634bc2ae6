//! Goals of robots: the action `nav2_msgs/action/NavigateToPose`.
use morse_api::service::Status;
use serde_json::{Value as Json, json};

use super::{Action, Request};
use crate::{
    commands::is_world,
    messages::{
        Duration, Header, NavigateFeedback, NavigateGoal, NavigateResult, Point, Pose, PoseStamped,
        Quaternion, Time,
    },
};

/// Value of `error_code` for an unknown error.
const UNKNOWN: u16 = 9000;

/// The action of a robot.
pub struct Navigate {
    robot: String,
}

impl Navigate {
    /// Returns the action of a robot, by its name.
    #[must_use]
    pub fn new(robot: &str) -> Self {
        let robot = robot.to_owned();
        Self { robot }
    }
}

impl Action for Navigate {
    type Goal = NavigateGoal;
    type Outcome = NavigateResult;
    type Feedback = NavigateFeedback;
    const TYPE: (&'static str, &'static str) = ("nav2_msgs", "NavigateToPose");

    fn request(&self, goal: &NavigateGoal) -> Result<(&'static str, Json), String> {
        let frame = &goal.pose.header.frame_id;
        if !is_world(frame) {
            return Err(format!(
                "the goal is in `{frame}`; goals are poses in `map` or `world`"
            ));
        }
        let Point { x, y, z } = goal.pose.pose.position;
        if ![x, y, z].iter().all(|number| number.is_finite()) {
            return Err("the position is not finite".to_owned());
        }
        Ok(("goto", json!({ "x": x, "y": y, "z": z })))
    }

    fn outcome(&self, _: &NavigateGoal, status: Status, _: &Json) -> NavigateResult {
        NavigateResult {
            error_code: match status {
                Status::Success | Status::Preempted => 0,
                Status::Failed => UNKNOWN,
            },
        }
    }

    fn feedback_request(&self) -> Option<Request> {
        let asked = json!({ "name": self.robot });
        Some(("simulation".to_owned(), "get_object_state", asked))
    }

    fn feedback(
        &self,
        goal: &NavigateGoal,
        value: &Json,
        [now, since]: [u64; 2],
    ) -> Option<NavigateFeedback> {
        let number = |list: &str, index: usize| value[list][index].as_f64();
        let position = Point {
            x: number("position", 0)?,
            y: number("position", 1)?,
            z: number("position", 2)?,
        };
        let orientation = Quaternion {
            x: number("orientation", 0)?,
            y: number("orientation", 1)?,
            z: number("orientation", 2)?,
            w: number("orientation", 3)?,
        };
        let to = &goal.pose.pose.position;
        let distance = libm::hypot(to.x - position.x, to.y - position.y);
        Some(NavigateFeedback {
            current_pose: PoseStamped {
                header: Header {
                    stamp: Time::of_nanos(now),
                    frame_id: "map".to_owned(),
                },
                pose: Pose {
                    position,
                    orientation,
                },
            },
            navigation_time: Duration::of_nanos(since),
            distance_remaining: distance as f32,
            ..NavigateFeedback::default()
        })
    }
}
