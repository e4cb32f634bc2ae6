//! Operations of the protocol that clients send: `topics`, `services` and `actions`.
mod actions;
mod services;
mod topics;

use std::time::Instant;

use morse_server::{clock::now, requests::Requests};
use serde_json::{Value as Json, json};

use crate::{
    client::Client,
    graph::{Graph, with_slash},
    hub::Hub,
    outbox::Answer,
};

/// Maximum number of topics that a client may subscribe to or advertise.
const MOST_TOPICS: usize = 4096;

/// Context of an operation, without its client.
pub(crate) struct Scope<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) calls: &'a Requests<Answer>,
    pub(crate) hub: &'a mut Hub,
    pub(crate) nanos: u64,
    /// Number of the client.
    pub(crate) number: usize,
}

/// Message of a client for all subscribers of its topic.
pub(crate) type Relayed = Option<(String, Json)>;

/// Executes an operation of a client.
pub(crate) fn carry_out(scope: &mut Scope<'_>, client: &mut Client, text: &str) -> Relayed {
    let operation: Json = match serde_json::from_str(text) {
        Ok(operation) => operation,
        Err(error) => {
            let words = ["NaN", "Infinity"];
            let hint = match words.into_iter().find(|word| text.contains(word)) {
                Some(word) => format!("{word} is not a valid number in JSON: "),
                None => String::new(),
            };
            let why = format!("invalid JSON: {hint}{error}");
            send_status(client, "error", &Json::Null, &why);
            return None;
        }
    };
    let id = operation.get("id").cloned().unwrap_or(Json::Null);
    match outcome(scope, client, &operation) {
        Ok(relayed) => relayed,
        Err(why) => {
            send_status(client, "error", &id, &why);
            None
        }
    }
}

/// Returns a status message.
pub(crate) fn status(level: &str, id: &Json, why: &str) -> String {
    json!({ "op": "status", "level": level, "id": id, "msg": why }).to_string()
}

fn send_status(client: &mut Client, level: &str, id: &Json, why: &str) {
    client.send(status(level, id, why));
}

/// A field of an operation that has to be a text.
fn text<'a>(operation: &'a Json, field: &str) -> Result<&'a str, String> {
    let text = operation.get(field).and_then(Json::as_str);
    text.ok_or_else(|| format!("`{field}` is missing"))
}

/// The name in a field of an operation, with a slash in front.
fn name(operation: &Json, field: &str) -> Result<String, String> {
    text(operation, field).map(with_slash)
}

fn outcome(
    scope: &mut Scope<'_>,
    client: &mut Client,
    operation: &Json,
) -> Result<Relayed, String> {
    let Some(kind) = operation.get("op").and_then(Json::as_str) else {
        return Err("missing field `op`, the operation".to_owned());
    };
    let now: Instant = now();
    match kind {
        "subscribe" => topics::subscribe(scope, client, operation)?,
        "unsubscribe" => topics::unsubscribe(scope, client, operation)?,
        "advertise" => topics::advertise(scope, client, operation)?,
        "unadvertise" => {
            client.advertised.remove(&name(operation, "topic")?);
        }
        "publish" => return topics::publish(scope, client, operation),
        "call_service" => services::call(scope, client, operation, now)?,
        "advertise_service" => services::advertise(scope, operation)?,
        "unadvertise_service" => services::unadvertise(scope, operation)?,
        "send_action_goal" => actions::send_goal(scope, operation, now)?,
        "cancel_action_goal" => actions::cancel_goal(scope, operation)?,
        "advertise_action" => actions::advertise(scope, operation)?,
        "unadvertise_action" => actions::unadvertise(scope, operation)?,
        "service_response" | "action_feedback" | "action_result" => {
            let Hub { broker, outbox, .. } = &mut *scope.hub;
            broker.answer(scope.number, operation, outbox)?;
        }
        // Only errors are reported, whatever status level is set.
        "set_level" | "status" => {}
        "auth" => {
            let why = "`auth` is not used: a server with a token requires it in the address, `ws://…/?token=…`";
            return Err(why.to_owned());
        }
        other => return Err(format!("unknown operation `{other}`")),
    }
    Ok(None)
}
