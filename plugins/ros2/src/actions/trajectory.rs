//! Trajectories of arms: the action `control_msgs/action/FollowJointTrajectory`, and a topic.
use morse_api::service::Status;
use morse_ros::messages::{
    Duration, Header, JointTrajectory, JointTrajectoryPoint, Message as _, MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint, Time,
};
use ros2_client::{Message, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Kind, Opened, plain};
use crate::{
    Quality,
    ends::End,
    opening::{Opening, profile},
    serving::{Calls, Serve},
};

/// Allowed deviation of a joint.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct JointTolerance {
    name: String,
    position: f64,
    velocity: f64,
    acceleration: f64,
}

/// Allowed deviation of a degree of freedom of a joint.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct JointComponentTolerance {
    joint_name: String,
    component: u16,
    position: f64,
    velocity: f64,
    acceleration: f64,
}

/// Goal of `FollowJointTrajectory`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FollowGoal {
    trajectory: JointTrajectory,
    multi_dof_trajectory: MultiDOFJointTrajectory,
    path_tolerance: Vec<JointTolerance>,
    component_path_tolerance: Vec<JointComponentTolerance>,
    goal_tolerance: Vec<JointTolerance>,
    component_goal_tolerance: Vec<JointComponentTolerance>,
    goal_time_tolerance: Duration,
}

/// Result of `FollowJointTrajectory`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FollowResult {
    error_code: i32,
    error_string: String,
}

/// Feedback of `FollowJointTrajectory`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FollowFeedback {
    header: Header,
    joint_names: Vec<String>,
    desired: JointTrajectoryPoint,
    actual: JointTrajectoryPoint,
    error: JointTrajectoryPoint,
    multi_dof_joint_names: Vec<String>,
    multi_dof_desired: MultiDOFJointTrajectoryPoint,
    multi_dof_actual: MultiDOFJointTrajectoryPoint,
    multi_dof_error: MultiDOFJointTrajectoryPoint,
}

impl Message for FollowGoal {}
impl Message for FollowResult {}
impl Message for FollowFeedback {}

/// Value of `error_code` of a goal that was cancelled, or whose request failed.
const INVALID_GOAL: i32 = -1;

/// The action of an arm.
pub(super) struct Follow {
    /// Path of the arm.
    arm: String,
}

impl Follow {
    pub(super) fn new(arm: &str) -> Self {
        let arm = arm.to_owned();
        Self { arm }
    }
}

impl Kind for Follow {
    type Goal = FollowGoal;
    type Outcome = FollowResult;
    type Feedback = FollowFeedback;
    const TYPE: (&'static str, &'static str) = ("control_msgs", "FollowJointTrajectory");

    fn request(&self, goal: &FollowGoal) -> Result<(&'static str, Json), String> {
        if !goal.multi_dof_trajectory.points.is_empty() {
            return Err("joints with several degrees of freedom have no trajectories".to_owned());
        }
        Ok(("trajectory", arguments(&goal.trajectory)?))
    }

    fn outcome(&self, _: &FollowGoal, status: Status, value: &Json) -> FollowResult {
        let (error_code, error_string) = match status {
            Status::Success => (0, String::new()),
            Status::Preempted => (0, "the goal was cancelled".to_owned()),
            Status::Failed => (INVALID_GOAL, plain(value)),
        };
        FollowResult {
            error_code,
            error_string,
        }
    }

    fn feedback_request(&self) -> Option<(String, &'static str, Json)> {
        Some((self.arm.clone(), "get_positions", json!([])))
    }

    fn feedback(
        &self,
        goal: &FollowGoal,
        value: &Json,
        [now, since]: [u64; 2],
    ) -> Option<FollowFeedback> {
        let known = value["names"].as_array()?;
        let joint_names = goal.trajectory.joint_names.clone();
        let numbers = |list: &str| -> Option<Vec<f64>> {
            let numbers = joint_names.iter().map(|name| {
                let at = known.iter().position(|known| known == name)?;
                value[list][at].as_f64()
            });
            numbers.collect()
        };
        let (desired, actual) = (numbers("set_points")?, numbers("positions")?);
        let error = desired.iter().zip(&actual).map(|(one, other)| one - other);
        let error = error.collect();
        let point = |positions| JointTrajectoryPoint {
            positions,
            time_from_start: Duration::of_nanos(since),
            ..JointTrajectoryPoint::default()
        };
        Some(FollowFeedback {
            header: Header {
                stamp: Time::of_nanos(now),
                frame_id: String::new(),
            },
            joint_names,
            error: point(error),
            desired: point(desired),
            actual: point(actual),
            ..FollowFeedback::default()
        })
    }
}

/// Returns the arguments of the service that follows a trajectory.
///
/// # Errors
///
/// The trajectory names no joints.
fn arguments(trajectory: &JointTrajectory) -> Result<Json, String> {
    if trajectory.joint_names.is_empty() {
        return Err("the trajectory names no joints".to_owned());
    }
    let points = trajectory.points.iter().map(|point| {
        json!({
            "positions": point.positions,
            "velocities": point.velocities,
            "time_from_start": point.time_from_start.seconds(),
        })
    });
    let points: Vec<Json> = points.collect();
    let mut request = json!({ "joint_names": trajectory.joint_names, "points": points });
    let Time { sec, nanosec } = trajectory.header.stamp;
    if (sec, nanosec) != (0, 0) {
        request["starttime"] = (f64::from(sec) + f64::from(nanosec) * 1e-9).into();
    }
    Ok(json!([request]))
}

/// Topic on which an arm accepts trajectories.
pub(super) struct Topic {
    arm: String,
    subscription: Subscription<JointTrajectory>,
    /// Number of the last request.
    request: Option<u64>,
}

impl Topic {
    pub(super) fn open(opening: &mut Opening, name: &str, arm: &str) -> Opened {
        let quality = profile(Quality::Reliable);
        let topic = opening.topic(name, JointTrajectory::TYPE, &quality)?;
        let subscription = opening.node.create_subscription(&topic, Some(quality));
        let subscription: Subscription<JointTrajectory> =
            subscription.map_err(|why| format!("topic `{name}`: {why}"))?;
        let end = End::new(name, JointTrajectory::TYPE, true);
        opening.ends.add(subscription.guid(), end);
        Ok(Box::new(Self {
            arm: arm.to_owned(),
            subscription,
            request: None,
        }))
    }

    fn follow(&mut self, calls: &Calls, trajectory: &JointTrajectory) {
        let notes = calls.notes.clone();
        let arm = self.arm.clone();
        let refused =
            move |why: &str| notes.add(format!("`{arm}`: a trajectory is refused: {why}"));
        let arguments = match arguments(trajectory) {
            Ok(arguments) => arguments,
            Err(why) => return refused(&why),
        };
        // An arm follows one trajectory at a time: the new one replaces the old one.
        if let Some(running) = self.request.take() {
            calls.cancel(running);
        }
        let later = refused.clone();
        let sent = calls.send((&self.arm, "trajectory"), arguments, move |reply| {
            if reply.status == Status::Failed {
                later(&plain(&reply.value));
            }
        });
        match sent {
            Ok(request) => self.request = Some(request),
            Err(why) => refused(&why),
        }
    }
}

impl Serve for Topic {
    fn update(&mut self, calls: &Calls) {
        // The last one counts.
        let mut last = None;
        loop {
            match self.subscription.take() {
                Ok(Some((trajectory, _))) => last = Some(trajectory),
                Ok(None) => break,
                Err(why) => {
                    let arm = &self.arm;
                    calls
                        .notes
                        .add(format!("`{arm}`: a trajectory is invalid: {why}"));
                }
            }
        }
        if let Some(trajectory) = last {
            self.follow(calls, &trajectory);
        }
    }
}
