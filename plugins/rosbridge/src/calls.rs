//! Service calls of clients to the simulation, and their responses.
use morse_api::service::{Reply, Status};
use morse_server::requests::Requests;
use serde_json::{Value as Json, json};

use crate::outbox::Answer;

/// Service call of a client.
pub(crate) struct Call {
    /// Number of the client.
    pub(crate) client: usize,
    /// The client's id of the call.
    pub(crate) id: Json,
    /// Name of the service in the call.
    pub(crate) name: String,
}

/// Sends a call to the simulation. `convert` converts the value of a successful reply.
///
/// # Errors
///
/// The reason why it cannot be sent.
pub(crate) fn send(
    calls: &Requests<Answer>,
    call: Call,
    service: (&str, &str),
    arguments: Json,
    convert: impl FnOnce(Json) -> Json + Send + Sync + 'static,
) -> Result<(), String> {
    let encode = move |reply: Reply| {
        let is_success = reply.status == Status::Success;
        let value = match is_success {
            true => convert(reply.value),
            false => reply.value,
        };
        let text = response(&call.id, &call.name, value, is_success);
        Answer::Response(call.client, text)
    };
    let sent = calls.send(service, arguments, encode);
    sent.map(drop).map_err(|failure| failure.to_string())
}

/// Returns the response to a call. The values are an object, as in messages; a failure is reported as text.
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
