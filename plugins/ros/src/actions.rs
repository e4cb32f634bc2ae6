//! Actions of actuators: goals that become requests of services, with results and feedback, for all ROS middlewares.
//!
//! - this file: the interface of an action, also with values in JSON, and the action of an actuator;
//! - [`trajectory`], [`waypoint`], [`gripper`]: the types of actions.
pub mod gripper;
pub mod trajectory;
pub mod waypoint;

use morse_api::{command::ActuatorInfo, service::Status};
use serde::{Deserialize as _, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::commands;
pub use gripper::Grip;
pub use trajectory::Follow;
pub use waypoint::Navigate;

/// Component, service and arguments of a request.
pub type Request = (String, &'static str, Json);

/// An action of an actuator.
pub trait Action: Send + 'static {
    /// Goal.
    type Goal: Clone + Default + DeserializeOwned + Serialize + Send + 'static;
    /// Result.
    type Outcome: Clone + Default + DeserializeOwned + Serialize + Send + 'static;
    /// Feedback.
    type Feedback: Clone + DeserializeOwned + Serialize + Send + 'static;
    /// Package and name of the type.
    const TYPE: (&'static str, &'static str);

    /// Returns the service of the actuator that carries out a goal, and its arguments.
    ///
    /// # Errors
    ///
    /// The goal is invalid; the text says why.
    fn request(&self, goal: &Self::Goal) -> Result<(&'static str, Json), String>;

    /// Returns true if the value of a failed request says that the goal was begun, and not refused.
    fn was_begun(&self, _value: &Json) -> bool {
        false
    }

    /// Returns true if a goal that is refused is accepted and aborted, so that its result says why.
    fn aborts_refused(&self) -> bool {
        false
    }

    /// Returns the request that ends what a cancelled request has begun, if that goes on.
    fn stop_request(&self) -> Option<Request> {
        None
    }

    /// Returns the result of a goal.
    fn outcome(&self, goal: &Self::Goal, status: Status, value: &Json) -> Self::Outcome;

    /// Returns the request whose reply becomes feedback; `None` without feedback.
    fn feedback_request(&self) -> Option<Request>;

    /// Returns feedback from the reply to its request, the present time and that since the start, ns.
    fn feedback(&self, goal: &Self::Goal, value: &Json, times: [u64; 2]) -> Option<Self::Feedback>;
}

/// An action whose goals, results and feedback are JSON objects.
pub trait JsonAction: Send {
    /// Returns the type, such as `control_msgs/action/GripperCommand`.
    fn type_name(&self) -> String;

    /// Returns the request that carries out a goal.
    ///
    /// # Errors
    ///
    /// The goal has another form, or is invalid.
    fn request(&self, goal: &Json) -> Result<(&'static str, Json), String>;

    /// Returns true if the value of a failed request says that the goal was begun, and not refused.
    fn was_begun(&self, value: &Json) -> bool;

    /// Returns the result of a goal.
    fn outcome(&self, goal: &Json, status: Status, value: &Json) -> Json;

    /// Returns the request whose reply becomes feedback; `None` without feedback.
    fn feedback_request(&self) -> Option<Request>;

    /// Returns feedback from the reply to its request, the present time and that since the start, ns.
    fn feedback(&self, goal: &Json, value: &Json, times: [u64; 2]) -> Option<Json>;
}

impl<A: Action> JsonAction for A {
    fn type_name(&self) -> String {
        let (package, name) = A::TYPE;
        format!("{package}/action/{name}")
    }

    fn request(&self, goal: &Json) -> Result<(&'static str, Json), String> {
        let goal = commands::parse_strictly::<A::Goal>(goal);
        let goal = goal.map_err(|why| format!("not a goal of {}: {why}", self.type_name()))?;
        Action::request(self, &goal)
    }

    fn was_begun(&self, value: &Json) -> bool {
        Action::was_begun(self, value)
    }

    fn outcome(&self, goal: &Json, status: Status, value: &Json) -> Json {
        let goal = A::Goal::deserialize(goal).unwrap_or_default();
        serde_json::to_value(Action::outcome(self, &goal, status, value)).unwrap_or_default()
    }

    fn feedback_request(&self) -> Option<Request> {
        Action::feedback_request(self)
    }

    fn feedback(&self, goal: &Json, value: &Json, times: [u64; 2]) -> Option<Json> {
        let goal = A::Goal::deserialize(goal).ok()?;
        let feedback = Action::feedback(self, &goal, value, times)?;
        serde_json::to_value(feedback).ok()
    }
}

/// The action of an actuator.
pub enum ActuatorAction {
    /// Joints that follow trajectories.
    Follow(Follow),
    /// A robot that drives to poses.
    Navigate(Navigate),
    /// A gripper.
    Grip(Grip),
}

impl ActuatorAction {
    /// Returns the action of an actuator, if it has one.
    #[must_use]
    pub fn of(info: &ActuatorInfo) -> Option<Self> {
        match info.kind {
            "armature" | "joints" => Some(Self::Follow(Follow::new(&info.path))),
            "waypoint" => Some(Self::Navigate(Navigate::new(&info.robot))),
            "gripper" => Some(Self::Grip(Grip)),
            _ => None,
        }
    }

    /// Returns the last segment of the name of the action, below that of the actuator.
    #[must_use]
    pub fn suffix(&self) -> &'static str {
        match self {
            Self::Follow(_) => "follow_joint_trajectory",
            Self::Navigate(_) => "navigate_to_pose",
            Self::Grip(_) => "gripper_cmd",
        }
    }

    /// Returns the last segment of the name of the topic on which the actuator accepts trajectories, if it does.
    #[must_use]
    pub fn trajectory_topic(&self) -> Option<&'static str> {
        matches!(self, Self::Follow(_)).then_some("joint_trajectory")
    }

    /// Returns the action with values in JSON.
    #[must_use]
    pub fn into_json(self) -> Box<dyn JsonAction> {
        match self {
            Self::Follow(action) => Box::new(action),
            Self::Navigate(action) => Box::new(action),
            Self::Grip(action) => Box::new(action),
        }
    }
}

/// Returns the text of a reply.
#[must_use]
pub fn plain(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
