//! Goals of robots: the action `nav2_msgs/action/NavigateToPose`.
use std::marker::PhantomData;

use morse_api::service::Status;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use super::{Action, Request, plain};
use crate::{
    commands::is_world,
    messages::{
        Duration, Header, NavigateFeedback, NavigateGoal, NavigateResult, NavigateResultOfKilted,
        Point, Pose, PoseStamped, Quaternion, Time,
    },
};

/// Value of `error_code` for an unknown error.
const UNKNOWN: u16 = 9000;

/// Result of the action, which differs between distributions of ROS 2.
pub trait NavigateOutcome: Clone + Default + DeserializeOwned + Serialize + Send + 'static {
    /// Returns the result with a code and the reason of a failure.
    fn new(error_code: u16, error_msg: String) -> Self;
}

impl NavigateOutcome for NavigateResult {
    fn new(error_code: u16, _: String) -> Self {
        Self { error_code }
    }
}

impl NavigateOutcome for NavigateResultOfKilted {
    fn new(error_code: u16, error_msg: String) -> Self {
        Self {
            error_code,
            error_msg,
        }
    }
}

/// The action of a robot; by default with the result of Jazzy.
pub struct Navigate<R = NavigateResult> {
    robot: String,
    result: PhantomData<fn() -> R>,
}

impl<R> Navigate<R> {
    /// Returns the action of a robot, by its name.
    #[must_use]
    pub fn new(robot: &str) -> Self {
        Self {
            robot: robot.to_owned(),
            result: PhantomData,
        }
    }
}

impl Navigate {
    /// Returns the action with the result of Kilted.
    #[must_use]
    pub fn of_kilted(self) -> Navigate<NavigateResultOfKilted> {
        Navigate::new(&self.robot)
    }
}

impl<R: NavigateOutcome> Action for Navigate<R> {
    type Goal = NavigateGoal;
    type Outcome = R;
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

    fn outcome(&self, _: &NavigateGoal, status: Status, value: &Json) -> R {
        match status {
            Status::Success | Status::Preempted => R::default(),
            Status::Failed => R::new(UNKNOWN, plain(value)),
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
