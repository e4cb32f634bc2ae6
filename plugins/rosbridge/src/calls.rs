//! Services that clients have called, and their answers.
use morse_api::service::{Reply, Status};
use morse_server::requests::Requests;
use serde_json::{Value as Json, json};

/// A call of a client.
pub(crate) struct Call {
    /// Number of the client.
    pub(crate) client: usize,
    /// The client's name for the call.
    pub(crate) id: Json,
    /// Name of the service as it was called.
    pub(crate) name: String,
}

/// Sends a call on its way.
///
/// # Errors
///
/// The reason, if it cannot be sent.
pub(crate) fn send(
    calls: &Requests<(usize, String)>,
    call: Call,
    place: (&str, &str),
    arguments: Json,
) -> Result<(), String> {
    let encode = move |reply: Reply| {
        let is_success = reply.status == Status::Success;
        let text = response(&call.id, &call.name, reply.value, is_success);
        (call.client, text)
    };
    let sent = calls.send(place, arguments, encode);
    sent.map(drop).map_err(|failure| failure.to_string())
}

/// The answer to a call. Values are an object, as messages are; a failure is told as text.
pub(crate) fn response(id: &Json, name: &str, value: Json, is_success: bool) -> String {
    let values = match value {
        Json::Null if is_success => json!({}),
        Json::Object(_) => value,
        text if !is_success => text,
        other => json!({ "value": other }),
    };
    let mut answer = json!({ "op": "service_response", "service": name, "values": values, "result": is_success });
    if let (Json::Object(answer), false) = (&mut answer, id.is_null()) {
        answer.insert("id".to_owned(), id.clone());
    }
    answer.to_string()
}
