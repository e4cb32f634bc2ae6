//! Operations on actions, and the topics of actions of ROS 1.
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::{Scope, name};
use crate::{
    actions::Owner,
    broker::{STATUS_UNKNOWN, Sort},
    graph::is_same_type,
    hub::Hub,
    republisher::{self, Receiver},
};

/// Value of a status for a goal that was cancelled.
const STATUS_CANCELED: u8 = 5;

pub(super) fn send_goal(
    scope: &mut Scope<'_>,
    operation: &Json,
    now: Instant,
) -> Result<(), String> {
    let action = name(operation, "action")?;
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    let goal = operation.get("args").cloned().unwrap_or(Json::Null);
    let number = scope.number;
    let Hub {
        broker,
        actions,
        republisher,
        outbox,
        ..
    } = &mut *scope.hub;
    if broker.forward(Sort::Action, number, (&action, operation), now, outbox) {
        return Ok(());
    }
    let refuse = |why: String| {
        json!({
            "op": "action_result", "id": id, "action": action,
            "values": why, "status": STATUS_UNKNOWN, "result": false,
        })
        .to_string()
    };
    if action == republisher::ACTION {
        let added = republisher.add(number, Receiver::Goal(id.clone()), &goal, now);
        if let Err(why) = added {
            outbox.send(number, refuse(why));
        }
        return Ok(());
    }
    let own = actions.list().find(|(known, _)| *known == action);
    let Some((_, own)) = own else {
        outbox.send(number, refuse(format!("there is no action `{action}`")));
        return Ok(());
    };
    let asked = operation.get("action_type").and_then(Json::as_str);
    let asked = asked.unwrap_or_default();
    if !asked.is_empty() && !is_same_type(&own, asked) {
        let why = format!("`{action}` is of type {own}, not {asked}");
        outbox.send(number, refuse(why));
        return Ok(());
    }
    let owner = Owner::Client {
        client: number,
        id: id.clone(),
        with_feedback: operation["feedback"] == true,
    };
    actions.begin(scope.calls, (&action, owner), goal, scope.nanos, outbox);
    Ok(())
}

pub(super) fn cancel_goal(scope: &mut Scope<'_>, operation: &Json) -> Result<(), String> {
    let action = name(operation, "action")?;
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    let number = scope.number;
    let Hub {
        broker,
        actions,
        republisher,
        outbox,
        ..
    } = &mut *scope.hub;
    if action == republisher::ACTION && republisher.cancel_goal(number, &id) {
        let result = json!({
            "op": "action_result", "id": id, "action": action,
            "values": {}, "status": STATUS_CANCELED, "result": true,
        });
        outbox.send(number, result.to_string());
        return Ok(());
    }
    let is_known = actions.cancel_goal(scope.calls, &action, (number, &id))
        || broker.cancel(number, &id, outbox);
    match is_known {
        true => Ok(()),
        false => Err(format!("`{action}` carries out no goal with the id {id}")),
    }
}

pub(super) fn advertise(scope: &mut Scope<'_>, operation: &Json) -> Result<(), String> {
    let action = name(operation, "action")?;
    let kind = operation.get("type").and_then(Json::as_str);
    let Hub {
        broker, actions, ..
    } = &mut *scope.hub;
    if actions.contains(&action) || action == republisher::ACTION {
        return Err(format!("`{action}` is an action of the simulation"));
    }
    broker.offer(Sort::Action, scope.number, action, kind.unwrap_or_default())
}

pub(super) fn unadvertise(scope: &mut Scope<'_>, operation: &Json) -> Result<(), String> {
    let action = name(operation, "action")?;
    let Hub { broker, outbox, .. } = &mut *scope.hub;
    broker.withdraw(Sort::Action, scope.number, &action, outbox)
}

/// Takes a message on the topic `goal` or `cancel` of an action of ROS 1. Returns false if there is no such topic.
///
/// # Errors
///
/// A goal is invalid.
pub(super) fn publish(
    scope: &mut Scope<'_>,
    topic: &str,
    message: &Json,
    now: Instant,
) -> Result<bool, String> {
    let Some((action, suffix)) = topic.rsplit_once('/') else {
        return Ok(false);
    };
    let Hub {
        actions,
        republisher,
        outbox,
        ..
    } = &mut *scope.hub;
    let is_republisher = action == republisher::ACTION;
    if !(is_republisher || actions.contains(action)) {
        return Ok(false);
    }
    match suffix {
        "goal" => {
            let id = message["goal_id"]["id"].clone();
            let goal = message["goal"].clone();
            if is_republisher {
                republisher.add(scope.number, Receiver::TopicGoal(id), &goal, now)?;
            } else {
                let to = (action, Owner::Topic(id));
                actions.begin(scope.calls, to, goal, scope.nanos, outbox);
            }
        }
        "cancel" => {
            let id = message.get("id").filter(|id| **id != "");
            if is_republisher {
                republisher.cancel_topic_goals(id);
            } else {
                actions.cancel_topic_goals(scope.calls, action, id);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}
