//! Goals, results and feedback of actions.
use serde::{Deserialize, Serialize};

use super::{
    Definition, Duration, Header, JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint, PoseStamped,
};

/// Result of a robot that drives, as in Kilted: `nav2_msgs/action/NavigateToPose_Result`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NavigateResultOfKilted {
    /// 0 for success.
    pub error_code: u16,
    /// Reason of a failure.
    pub error_msg: String,
}

structures! {
    /// Allowed deviation of a joint; 0 for any, negative to remove a default.
    "control_msgs/msg/JointTolerance" JointTolerance {
        /// The joint.
        name: String,
        /// Maximum distance, rad or m.
        position: f64,
        /// Maximum difference of velocity, rad/s or m/s.
        velocity: f64,
        /// Maximum difference of acceleration, rad/s² or m/s².
        acceleration: f64,
    }
    /// Allowed deviation of a degree of freedom of a joint.
    "control_msgs/msg/JointComponentTolerance" JointComponentTolerance {
        /// The joint.
        joint_name: String,
        /// Number of the degree of freedom.
        component: u16,
        /// Maximum distance, rad or m.
        position: f64,
        /// Maximum difference of velocity, rad/s or m/s.
        velocity: f64,
        /// Maximum difference of acceleration, rad/s² or m/s².
        acceleration: f64,
    }
    /// Goal of a trajectory.
    "control_msgs/action/FollowJointTrajectory_Goal" FollowGoal {
        /// Positions of joints over time.
        trajectory: JointTrajectory,
        /// Poses of joints with several degrees of freedom; always empty here.
        multi_dof_trajectory: MultiDOFJointTrajectory,
        /// Allowed deviations on the way.
        path_tolerance: Vec<JointTolerance>,
        /// Allowed deviations of joints with several degrees of freedom on the way.
        component_path_tolerance: Vec<JointComponentTolerance>,
        /// Allowed deviations at the end.
        goal_tolerance: Vec<JointTolerance>,
        /// Allowed deviations of joints with several degrees of freedom at the end.
        component_goal_tolerance: Vec<JointComponentTolerance>,
        /// Time after the last point within which the joints have to be there; 0 for any time.
        goal_time_tolerance: Duration,
    }
    /// Result of a trajectory.
    "control_msgs/action/FollowJointTrajectory_Result" FollowResult {
        /// 0 for success.
        error_code: i32,
        /// Reason of a failure.
        error_string: String,
    }
    /// State of joints on their trajectory.
    "control_msgs/action/FollowJointTrajectory_Feedback" FollowFeedback {
        /// Time.
        header: Header,
        /// Joints, in the order of the numbers.
        joint_names: Vec<String>,
        /// Set points.
        desired: JointTrajectoryPoint,
        /// Measured positions.
        actual: JointTrajectoryPoint,
        /// Set points less measured positions.
        error: JointTrajectoryPoint,
        /// Joints with several degrees of freedom; always empty here.
        multi_dof_joint_names: Vec<String>,
        /// Their set points.
        multi_dof_desired: MultiDOFJointTrajectoryPoint,
        /// Their poses.
        multi_dof_actual: MultiDOFJointTrajectoryPoint,
        /// Their errors.
        multi_dof_error: MultiDOFJointTrajectoryPoint,
    }
    /// Goal of a robot that drives.
    "nav2_msgs/action/NavigateToPose_Goal" NavigateGoal {
        /// The goal.
        pose: PoseStamped,
        /// File of a behaviour tree; not used.
        behavior_tree: String,
    }
    /// Result of a robot that drives, as in Jazzy.
    "nav2_msgs/action/NavigateToPose_Result" NavigateResult {
        /// 0 for success.
        error_code: u16,
    }
    /// State of a robot that drives to a goal.
    "nav2_msgs/action/NavigateToPose_Feedback" NavigateFeedback {
        /// Pose of the robot.
        current_pose: PoseStamped,
        /// Time since the start.
        navigation_time: Duration,
        /// Always zero: it is not estimated.
        estimated_time_remaining: Duration,
        /// Always zero.
        number_of_recoveries: i16,
        /// Straight distance to the goal, m.
        distance_remaining: f32,
    }
    /// Gap of a gripper, and its maximum effort.
    "control_msgs/msg/GripperCommand" GripperCommand {
        /// Gap, m: 0 closes the gripper.
        position: f64,
        /// Maximum effort, N or N·m.
        max_effort: f64,
    }
    /// Goal of a gripper.
    "control_msgs/action/GripperCommand_Goal" GripGoal {
        /// The command.
        command: GripperCommand,
    }
    /// Result of a gripper.
    "control_msgs/action/GripperCommand_Result" GripResult {
        /// Gap, m.
        position: f64,
        /// Effort, N or N·m.
        effort: f64,
        /// True if the fingers stopped at an object.
        stalled: bool,
        /// True if the fingers are at their goal.
        reached_goal: bool,
    }
    /// State of a gripper.
    "control_msgs/action/GripperCommand_Feedback" GripFeedback {
        /// Gap, m.
        position: f64,
        /// Effort, N or N·m.
        effort: f64,
        /// True if the fingers stopped at an object.
        stalled: bool,
        /// True if the fingers are at their goal.
        reached_goal: bool,
    }
}
