//! Operations of the protocol that clients send.
use std::time::Duration;

use morse_ros::commands;
use morse_server::requests::{MOST_UNDER_WAY, Requests};
use serde_json::{Value as Json, json};

use crate::{
    calls::{Call, response, send},
    client::{Client, One},
    graph::{Graph, is_same_type, with_slash},
    rosapi,
};

/// Maximum number of topics that a client may subscribe to or advertise.
const MOST_TOPICS: usize = 4096;

/// Context of an operation, without its client.
pub(crate) struct Scope<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) calls: &'a Requests<(usize, String)>,
    pub(crate) nanos: u64,
    /// Number of the client.
    pub(crate) number: usize,
}

/// Message of a client for all subscribers of its topic.
pub(crate) type Relayed = Option<(String, Json)>;

/// Executes an operation of a client.
pub(crate) fn carry_out(scope: &Scope<'_>, client: &mut Client, text: &str) -> Relayed {
    let operation: Json = match serde_json::from_str(text) {
        Ok(operation) => operation,
        Err(error) => {
            let words = ["NaN", "Infinity"];
            let hint = match words.into_iter().find(|word| text.contains(word)) {
                Some(word) => format!("{word} is not a valid number in JSON: "),
                None => String::new(),
            };
            status(
                client,
                "error",
                &Json::Null,
                &format!("invalid JSON: {hint}{error}"),
            );
            return None;
        }
    };
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    match outcome(scope, client, &operation) {
        Ok(relayed) => relayed,
        Err(why) => {
            status(client, "error", &id, &why);
            None
        }
    }
}

fn status(client: &mut Client, level: &str, id: &Json, why: &str) {
    client.send(json!({ "op": "status", "level": level, "id": id, "msg": why }).to_string());
}

fn outcome(scope: &Scope<'_>, client: &mut Client, operation: &Json) -> Result<Relayed, String> {
    let text = |name: &str| operation.get(name).and_then(Json::as_str);
    let topic = || {
        let topic = text("topic").ok_or("`topic` is missing");
        topic.map(with_slash).map_err(str::to_owned)
    };
    match text("op") {
        Some("subscribe") => subscribe(scope, client, &topic()?, operation)?,
        Some("unsubscribe") => unsubscribe(client, &topic()?, operation),
        Some("advertise") => advertise(scope, client, topic()?, text("type").unwrap_or_default())?,
        Some("unadvertise") => {
            client.advertised.remove(&topic()?);
        }
        Some("publish") => return publish(scope, client, topic()?, operation),
        Some("call_service") => call(scope, client, operation)?,
        // Only errors are reported, whatever status level is set.
        Some("set_level" | "status") => {}
        Some(other) => return Err(format!("unknown operation `{other}`")),
        None => return Err("missing field `op`, the operation".to_owned()),
    }
    Ok(None)
}

fn subscribe(
    scope: &Scope<'_>,
    client: &mut Client,
    topic: &str,
    operation: &Json,
) -> Result<(), String> {
    let asked = operation
        .get("type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    if let Some(own) = scope.graph.type_of(topic)
        && !asked.is_empty()
        && !is_same_type(own, asked)
        && !scope.graph.sinks.contains_key(topic)
    {
        return Err(format!("`{topic}` is of type {own}, not {asked}"));
    }
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    match operation.get("compression").and_then(Json::as_str) {
        None | Some("none") => {}
        Some(known @ ("png" | "cbor" | "cbor-raw")) => {
            let why = format!("messages are sent as they are, without the compression `{known}`");
            status(client, "warning", &id, &why);
        }
        Some(other) => {
            return Err(format!("unsupported compression `{other}`; omit it"));
        }
    }
    if client.subscriptions.len() >= MOST_TOPICS && !client.subscriptions.contains_key(topic) {
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
    let subscription = client.subscriptions.entry(topic.to_owned()).or_default();
    let each = &mut subscription.each;
    each.retain(|own| own.id != id || own.is_bare != is_bare);
    if each.len() < MOST_TOPICS {
        each.push(One {
            id,
            interval,
            is_bare,
        });
    }
    if let Some(mut latched) = scope.graph.latched(topic) {
        client.send(latched.text(is_bare));
    }
    Ok(())
}

/// Returns true if a client writes its topic without the first slash.
fn is_bare(operation: &Json) -> bool {
    let topic = operation.get("topic").and_then(Json::as_str);
    topic.is_some_and(|topic| !topic.starts_with('/'))
}

fn unsubscribe(client: &mut Client, topic: &str, operation: &Json) {
    let Some(subscription) = client.subscriptions.get_mut(topic) else {
        return;
    };
    let (id, is_bare) = (operation.get("id"), is_bare(operation));
    let is_meant = |own: &One| own.is_bare == is_bare && id.is_none_or(|id| own.id == *id);
    subscription.each.retain(|own| !is_meant(own));
    if subscription.each.is_empty() {
        client.subscriptions.remove(topic);
        client.has_news = true;
    }
}

fn advertise(
    scope: &Scope<'_>,
    client: &mut Client,
    topic: String,
    message: &str,
) -> Result<(), String> {
    if let Some(sink) = scope.graph.sinks.get(&topic) {
        if !sink
            .taken
            .iter()
            .any(|taken| is_same_type(taken.message, message))
        {
            let known: Vec<_> = sink.taken.iter().map(|taken| taken.message).collect();
            return Err(format!(
                "`{topic}` takes {}, not `{message}`",
                known.join(", ")
            ));
        }
    } else if scope.graph.type_of(&topic).is_some() {
        return Err(format!("`{topic}` is published by the simulation only"));
    }
    if client.advertised.len() >= MOST_TOPICS && !client.advertised.contains_key(&topic) {
        return Err(format!("at most {MOST_TOPICS} topics are advertised"));
    }
    client.advertised.insert(topic, message.to_owned());
    Ok(())
}

fn publish(
    scope: &Scope<'_>,
    client: &Client,
    topic: String,
    operation: &Json,
) -> Result<Relayed, String> {
    let message = operation.get("msg").unwrap_or(&Json::Null);
    let advertised = client.advertised.get(&topic);
    if let Some(sink) = scope.graph.sinks.get(&topic) {
        let fits = |taken: &&commands::Taken| {
            advertised.is_none_or(|advertised| is_same_type(taken.message, advertised))
        };
        let taken: Vec<_> = sink.taken.iter().filter(fits).copied().collect();
        let sent = commands::send(&sink.sender, &taken, message);
        sent.map_err(|why| why.to_string())?;
    } else if scope.graph.type_of(&topic).is_some() {
        return Err(format!("`{topic}` is published by the simulation only"));
    } else if advertised.is_none() {
        return Err(format!(
            "`{topic}` is no actuator's topic, and was not advertised"
        ));
    }
    Ok(Some((topic, message.clone())))
}

fn call(scope: &Scope<'_>, client: &mut Client, operation: &Json) -> Result<(), String> {
    let name = operation
        .get("service")
        .and_then(Json::as_str)
        .ok_or("`service` is missing")?;
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    let arguments = operation.get("args").cloned().unwrap_or(Json::Null);
    let from_root = with_slash(name);
    if let Some(answer) = rosapi::answer(scope.graph, &from_root, &arguments, scope.nanos) {
        client.send(response(&id, name, answer, true));
        return Ok(());
    }
    let refused = |why: String| response(&id, name, why.into(), false);
    let Some(place) = scope.graph.service(&from_root) else {
        client.send(refused(format!(
            "there is no service `{name}`: a component offers its services to this middleware if it names it in its `services`"
        )));
        return Ok(());
    };
    if client.under_way >= MOST_UNDER_WAY {
        client.send(refused(
            "too many unanswered calls of this client".to_owned(),
        ));
        return Ok(());
    }
    // Clients without argument names send an empty object.
    let arguments = match arguments {
        Json::Object(fields) if fields.is_empty() => Json::Null,
        other => other,
    };
    let call = Call {
        client: scope.number,
        id: id.clone(),
        name: name.to_owned(),
    };
    match send(scope.calls, call, place, arguments) {
        Ok(()) => client.under_way += 1,
        Err(why) => client.send(refused(why)),
    }
    Ok(())
}
