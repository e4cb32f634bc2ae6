//! Messages about goals: results, feedback and status.
use serde_json::{Value as Json, json};

use super::{Goal, Owner, State};
use crate::{broker::STATUS_UNKNOWN, outbox::Outbox};

impl State {
    /// Returns the status as in `action_msgs/msg/GoalStatus` of ROS 2.
    fn ros2(self) -> u8 {
        match self {
            Self::Executing => 2,
            Self::Canceling => 3,
            Self::Succeeded => 4,
            Self::Canceled => 5,
            Self::Aborted => 6,
            Self::Rejected => STATUS_UNKNOWN,
        }
    }

    /// Returns the status as in `actionlib_msgs/GoalStatus` of ROS 1.
    fn ros1(self) -> u8 {
        match self {
            Self::Executing => 1,
            Self::Canceled => 2,
            Self::Succeeded => 3,
            Self::Aborted => 4,
            Self::Rejected => 5,
            Self::Canceling => 6,
        }
    }
}

/// Returns a header of ROS 1.
fn header(nanos: u64) -> Json {
    json!({ "stamp": stamp(nanos), "frame_id": "" })
}

fn stamp(nanos: u64) -> Json {
    json!({ "secs": nanos / 1_000_000_000, "nsecs": nanos % 1_000_000_000 })
}

/// Returns the status of a goal on topics.
fn status(goal: &Goal, id: &Json) -> Json {
    json!({
        "goal_id": { "stamp": stamp(goal.start), "id": id },
        "status": goal.state.ros1(),
        "text": goal.text,
    })
}

/// Returns the status of all goals on topics.
pub(super) fn statuses(goals: &[Goal], nanos: u64) -> Json {
    let list = goals.iter().filter_map(|goal| match &goal.owner {
        Owner::Topic(id) => Some(status(goal, id)),
        Owner::Client { .. } => None,
    });
    let list: Vec<Json> = list.collect();
    json!({ "header": header(nanos), "status_list": list })
}

/// Reports that a goal is refused.
pub(super) fn refused(name: &str, goal: &Goal, nanos: u64, outbox: &mut Outbox) {
    match &goal.owner {
        Owner::Client { client, id, .. } => {
            let message = json!({
                "op": "action_result", "id": id, "action": name,
                "values": goal.text, "status": goal.state.ros2(), "result": false,
            });
            outbox.send(*client, message.to_string());
        }
        Owner::Topic(id) => {
            let status = status(goal, id);
            let message = json!({ "header": header(nanos), "status": status, "result": {} });
            outbox.publish(format!("{name}/result"), message);
        }
    }
}

/// Sends the result of a goal.
pub(super) fn result(name: &str, goal: &Goal, outcome: Json, nanos: u64, outbox: &mut Outbox) {
    match &goal.owner {
        Owner::Client { client, id, .. } => {
            let message = json!({
                "op": "action_result", "id": id, "action": name,
                "values": outcome, "status": goal.state.ros2(), "result": true,
            });
            outbox.send(*client, message.to_string());
        }
        Owner::Topic(id) => {
            let status = status(goal, id);
            let message = json!({ "header": header(nanos), "status": status, "result": outcome });
            outbox.publish(format!("{name}/result"), message);
        }
    }
}

/// Sends feedback.
pub(super) fn feedback(name: &str, goal: &Goal, feedback: Json, nanos: u64, outbox: &mut Outbox) {
    match &goal.owner {
        Owner::Client {
            client,
            id,
            with_feedback: true,
        } => {
            let message = json!({
                "op": "action_feedback", "id": id, "action": name, "values": feedback,
            });
            outbox.send(*client, message.to_string());
        }
        Owner::Client { .. } => {}
        Owner::Topic(id) => {
            let status = status(goal, id);
            let message =
                json!({ "header": header(nanos), "status": status, "feedback": feedback });
            outbox.publish(format!("{name}/feedback"), message);
        }
    }
}
