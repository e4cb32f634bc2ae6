//! Trajectories of joints: the action `control_msgs/action/FollowJointTrajectory`.
use morse_api::service::Status;
use serde_json::{Value as Json, json};

use super::{Action, Request, plain};
use crate::messages::{
    Duration, FollowFeedback, FollowGoal, FollowResult, Header, JointTolerance, JointTrajectory,
    JointTrajectoryPoint, Time,
};

/// Value of `error_code` of a goal whose request failed.
const INVALID_GOAL: i32 = -1;
/// Value of `error_code` of a joint that left its path.
const PATH_TOLERANCE_VIOLATED: i32 = -4;
/// Value of `error_code` of a joint that was not at its goal in time.
const GOAL_TOLERANCE_VIOLATED: i32 = -5;

/// Error in a trajectory.
#[derive(Debug, thiserror::Error)]
pub enum BadTrajectory {
    /// It has no names.
    #[error("the trajectory names no joints")]
    NoJoints,
    /// A number is infinite or not a number.
    #[error("point {0} of the trajectory has a number that is not finite")]
    NotFinite(usize),
}

/// The action of joints.
pub struct Follow {
    /// Path of the actuator.
    actuator: String,
}

impl Follow {
    /// Returns the action of an actuator, by its path.
    #[must_use]
    pub fn new(actuator: &str) -> Self {
        let actuator = actuator.to_owned();
        Self { actuator }
    }
}

impl Action for Follow {
    type Goal = FollowGoal;
    type Outcome = FollowResult;
    type Feedback = FollowFeedback;
    const TYPE: (&'static str, &'static str) = ("control_msgs", "FollowJointTrajectory");

    fn request(&self, goal: &FollowGoal) -> Result<(&'static str, Json), String> {
        if !goal.multi_dof_trajectory.points.is_empty() {
            return Err("joints with several degrees of freedom have no trajectories".to_owned());
        }
        let mut request = request(&goal.trajectory).map_err(|why| why.to_string())?;
        let names = &goal.trajectory.joint_names;
        if !(goal.component_path_tolerance.is_empty() && goal.component_goal_tolerance.is_empty()) {
            return Err("joints with several degrees of freedom have no tolerances".to_owned());
        }
        request["path_tolerances"] = tolerances(names, &goal.path_tolerance)?;
        request["goal_tolerances"] = tolerances(names, &goal.goal_tolerance)?;
        request["goal_time_tolerance"] = goal.goal_time_tolerance.seconds().max(0.0).into();
        Ok(("trajectory", json!([request])))
    }

    fn was_begun(&self, value: &Json) -> bool {
        error_code(&plain(value)) != INVALID_GOAL
    }

    fn outcome(&self, _: &FollowGoal, status: Status, value: &Json) -> FollowResult {
        let (error_code, error_string) = match status {
            Status::Success => (0, String::new()),
            Status::Preempted => (0, "the goal was cancelled".to_owned()),
            Status::Failed => (error_code(&plain(value)), plain(value)),
        };
        FollowResult {
            error_code,
            error_string,
        }
    }

    fn feedback_request(&self) -> Option<Request> {
        Some((self.actuator.clone(), "get_positions", json!([])))
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
                let index = known.iter().position(|known| known == name)?;
                value[list][index].as_f64()
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

/// Returns the code of a failure, given its text.
fn error_code(why: &str) -> i32 {
    let is = |beginning| why.starts_with(beginning);
    match why {
        _ if is("path tolerance violated") => PATH_TOLERANCE_VIOLATED,
        _ if is("goal tolerance violated") => GOAL_TOLERANCE_VIOLATED,
        _ => INVALID_GOAL,
    }
}

/// Returns the tolerances of positions, in the order of the joints; 0 for joints without one.
///
/// # Errors
///
/// A joint is not in the trajectory, or velocities or accelerations have tolerances.
fn tolerances(joints: &[String], list: &[JointTolerance]) -> Result<Json, String> {
    let mut all = vec![0.0; joints.len()];
    for tolerance in list {
        let name = &tolerance.name;
        let index = joints.iter().position(|joint| joint == name);
        let index = index.ok_or_else(|| {
            format!("the joint `{name}` has a tolerance, and is not in the trajectory")
        })?;
        if tolerance.velocity > 0.0 || tolerance.acceleration > 0.0 {
            return Err(format!(
                "`{name}`: tolerances of velocities and accelerations are not checked: set them to 0"
            ));
        }
        all[index] = tolerance.position.max(0.0);
    }
    Ok(all.into())
}

/// Returns the arguments of the service that follows a trajectory.
///
/// # Errors
///
/// The trajectory names no joints, or has a number that is not finite.
pub fn arguments(trajectory: &JointTrajectory) -> Result<Json, BadTrajectory> {
    Ok(json!([request(trajectory)?]))
}

/// Returns a trajectory in the form of the service.
fn request(trajectory: &JointTrajectory) -> Result<Json, BadTrajectory> {
    if trajectory.joint_names.is_empty() {
        return Err(BadTrajectory::NoJoints);
    }
    let is_finite = |point: &JointTrajectoryPoint| {
        let mut numbers = point.positions.iter().chain(&point.velocities);
        numbers.all(|number| number.is_finite())
    };
    if let Some(index) = trajectory.points.iter().position(|point| !is_finite(point)) {
        return Err(BadTrajectory::NotFinite(index));
    }
    let points = trajectory.points.iter().map(|point| {
        json!({
            "positions": point.positions,
            "velocities": point.velocities,
            "time_from_start": point.time_from_start.seconds(),
        })
    });
    let points: Vec<Json> = points.collect();
    let mut request = json!({
        "joint_names": trajectory.joint_names, "points": points, "strict": true,
    });
    let Time { sec, nanosec } = trajectory.header.stamp;
    if (sec, nanosec) != (0, 0) {
        request["starttime"] = (f64::from(sec) + f64::from(nanosec) * 1e-9).into();
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal() -> FollowGoal {
        FollowGoal {
            trajectory: JointTrajectory {
                joint_names: vec!["a".to_owned(), "b".to_owned()],
                ..JointTrajectory::default()
            },
            ..FollowGoal::default()
        }
    }

    fn tolerance(name: &str, position: f64, velocity: f64) -> JointTolerance {
        JointTolerance {
            name: name.to_owned(),
            position,
            velocity,
            ..JointTolerance::default()
        }
    }

    #[test]
    fn tolerances_are_in_the_order_of_the_joints() {
        let follow = Follow::new("arm.armature");
        let mut goal = goal();
        goal.path_tolerance = vec![tolerance("b", 0.25, 0.0), tolerance("a", -1.0, 0.0)];
        goal.goal_time_tolerance = Duration {
            sec: 1,
            nanosec: 500_000_000,
        };
        let (service, arguments) = follow.request(&goal).unwrap();
        assert_eq!(service, "trajectory");
        assert_eq!(arguments[0]["path_tolerances"], json!([0.0, 0.25]));
        assert_eq!(arguments[0]["goal_tolerances"], json!([0.0, 0.0]));
        assert_eq!(arguments[0]["goal_time_tolerance"], 1.5);
        goal.goal_tolerance = vec![tolerance("c", 0.1, 0.0)];
        assert!(follow.request(&goal).unwrap_err().contains("`c`"));
        goal.goal_tolerance = vec![tolerance("a", 0.1, 0.1)];
        assert!(follow.request(&goal).unwrap_err().contains("velocities"));
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        let point = |positions: &[f64]| JointTrajectoryPoint {
            positions: positions.to_vec(),
            ..JointTrajectoryPoint::default()
        };
        let mut goal = goal();
        goal.trajectory.points = vec![point(&[0.0, 0.0]), point(&[0.0, f64::NAN])];
        let why = Follow::new("arm.armature").request(&goal).unwrap_err();
        assert_eq!(
            why,
            "point 1 of the trajectory has a number that is not finite"
        );
    }

    #[test]
    fn failures_have_their_codes() {
        let follow = Follow::new("arm.armature");
        let code = |why: &str| {
            let outcome = follow.outcome(&goal(), Status::Failed, &why.into());
            assert_eq!(outcome.error_string, why);
            (outcome.error_code, follow.was_begun(&why.into()))
        };
        assert_eq!(code("path tolerance violated: joint"), (-4, true));
        assert_eq!(code("goal tolerance violated: joint"), (-5, true));
        assert_eq!(code("there is no joint `x`"), (-1, false));
    }
}
