//! Operations on topics.
use std::time::Duration;

use morse_api::service::{Reply, Status};
use morse_ros::{
    actions::{plain, trajectory::arguments},
    commands::{self, Taken},
    messages::JointTrajectory,
};
use morse_server::clock::now;
use serde_json::Value as Json;

use super::{MOST_TOPICS, Relayed, Scope, name, send_status, status};
use crate::{
    client::{Client, One},
    encoding::Encoding,
    graph::is_same_type,
    hub::Hub,
    operations::actions,
    outbox::Answer,
};

pub(super) fn subscribe(
    scope: &mut Scope<'_>,
    client: &mut Client,
    operation: &Json,
) -> Result<(), String> {
    let topic = name(operation, "topic")?;
    let asked = operation
        .get("type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let own = scope.graph.type_of(&topic);
    if let Some(own) = own
        && !asked.is_empty()
        && !is_same_type(own, asked)
        && !scope.graph.is_input(&topic)
    {
        return Err(format!("`{topic}` is of type {own}, not {asked}"));
    }
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    let compression = operation.get("compression").and_then(Json::as_str);
    let encoding = Encoding::named(compression.unwrap_or("none")).ok_or_else(|| {
        let other = compression.unwrap_or_default();
        format!("unsupported compression `{other}`; there are none, png, cbor and cbor-raw")
    })?;
    if encoding == Encoding::CborRaw && (own.is_none() || scope.graph.is_input(&topic)) {
        return Err(format!(
            "`{topic}`: the compression `cbor-raw` is for topics that the simulation publishes; use `cbor`"
        ));
    }
    if client.subscriptions.len() >= MOST_TOPICS && !client.subscriptions.contains_key(&topic) {
        return Err(format!(
            "too many subscriptions: at most {MOST_TOPICS} topics"
        ));
    }
    let throttle = operation
        .get("throttle_rate")
        .and_then(Json::as_u64)
        .unwrap_or(0);
    let interval = Duration::from_millis(throttle.min(86_400_000));
    let is_bare = is_bare(operation);
    client.has_news = true;
    let subscription = client.subscriptions.entry(topic.clone()).or_default();
    let each = &mut subscription.each;
    each.retain(|own| own.id != id || own.is_bare != is_bare);
    if each.len() < MOST_TOPICS {
        each.push(One {
            id,
            interval,
            is_bare,
            encoding,
        });
    }
    if let Some(mut latched) = scope.graph.latched(&topic, scope.nanos)
        && let Some(message) = latched.encoded(is_bare, encoding)
    {
        client.send_message(message);
    }
    scope.hub.actions.report_status();
    Ok(())
}

/// Returns true if a client writes its topic without the first slash.
fn is_bare(operation: &Json) -> bool {
    let topic = operation.get("topic").and_then(Json::as_str);
    topic.is_some_and(|topic| !topic.starts_with('/'))
}

pub(super) fn unsubscribe(
    scope: &mut Scope<'_>,
    client: &mut Client,
    operation: &Json,
) -> Result<(), String> {
    let topic = name(operation, "topic")?;
    let Some(subscription) = client.subscriptions.get_mut(&topic) else {
        return Ok(());
    };
    let (id, is_bare) = (operation.get("id"), is_bare(operation));
    let is_meant = |own: &One| own.is_bare == is_bare && id.is_none_or(|id| own.id == *id);
    subscription.each.retain(|own| !is_meant(own));
    if subscription.each.is_empty() {
        client.subscriptions.remove(&topic);
        client.has_news = true;
        scope.hub.republisher.unsubscribe(scope.number, &topic);
    }
    Ok(())
}

pub(super) fn advertise(
    scope: &Scope<'_>,
    client: &mut Client,
    operation: &Json,
) -> Result<(), String> {
    let topic = name(operation, "topic")?;
    let message = operation.get("type").and_then(Json::as_str);
    let message = message.unwrap_or_default();
    let known: Vec<&str> = match scope.graph.sinks.get(&topic) {
        Some(sink) => sink.taken.iter().map(|taken| taken.message).collect(),
        None if scope.graph.is_input(&topic) => scope.graph.type_of(&topic).into_iter().collect(),
        None if scope.graph.type_of(&topic).is_some() => {
            return Err(format!("`{topic}` is published by the simulation only"));
        }
        None => Vec::new(),
    };
    if !known.is_empty() && !known.iter().any(|known| is_same_type(known, message)) {
        let known = known.join(", ");
        return Err(format!("`{topic}` takes {known}, not `{message}`"));
    }
    if client.advertised.len() >= MOST_TOPICS && !client.advertised.contains_key(&topic) {
        return Err(format!("at most {MOST_TOPICS} topics are advertised"));
    }
    client.advertised.insert(topic, message.to_owned());
    Ok(())
}

pub(super) fn publish(
    scope: &mut Scope<'_>,
    client: &mut Client,
    operation: &Json,
) -> Result<Relayed, String> {
    let topic = name(operation, "topic")?;
    let message = operation.get("msg").unwrap_or(&Json::Null);
    let advertised = client.advertised.get(&topic);
    if let Some(sink) = scope.graph.sinks.get(&topic) {
        let fits = |taken: &&Taken| {
            advertised.is_none_or(|advertised| is_same_type(taken.message, advertised))
        };
        let taken: Vec<_> = sink.taken.iter().filter(fits).copied().collect();
        let sent = commands::send(&sink.sender, &taken, message);
        sent.map_err(|why| why.to_string())?;
    } else if let Some(actuator) = scope.graph.trajectories.get(&topic) {
        follow(scope, client, actuator, message)?;
    } else if scope.graph.type_of(&topic).is_some() {
        return Err(format!("`{topic}` is published by the simulation only"));
    } else if actions::publish(scope, &topic, message, now())? {
        // A goal of an action on topics, or its cancellation.
    } else if advertised.is_none() {
        return Err(format!(
            "`{topic}` is no actuator's topic, and was not advertised"
        ));
    }
    Ok(Some((topic, message.clone())))
}

/// Lets an actuator follow a trajectory, which replaces an earlier one. A refusal is reported to the client.
fn follow(
    scope: &mut Scope<'_>,
    client: &mut Client,
    actuator: &str,
    message: &Json,
) -> Result<(), String> {
    let wrong = |why: String| format!("`{actuator}`: {why}");
    let trajectory: JointTrajectory = commands::parse_strictly(message)
        .map_err(|why| wrong(format!("not a trajectory_msgs/msg/JointTrajectory: {why}")))?;
    let arguments = arguments(&trajectory).map_err(|why| wrong(why.to_string()))?;
    let Hub { trajectories, .. } = &mut *scope.hub;
    if let Some(running) = trajectories.remove(actuator) {
        // Without a simulation there is nothing to cancel.
        scope.calls.cancel(running).ok();
    }
    let (number, path) = (scope.number, actuator.to_owned());
    let encode = move |reply: Reply| {
        let text = match reply.status {
            Status::Failed => {
                let why = format!("`{path}`: a trajectory is refused: {}", plain(&reply.value));
                status("error", &Json::Null, &why)
            }
            Status::Success | Status::Preempted => String::new(),
        };
        Answer::Status(number, text)
    };
    match scope
        .calls
        .send((actuator, "trajectory"), arguments, encode)
    {
        Ok(request) => {
            trajectories.insert(actuator.to_owned(), request);
        }
        Err(why) => send_status(client, "error", &Json::Null, &wrong(why.to_string())),
    }
    Ok(())
}
