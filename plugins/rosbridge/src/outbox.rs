//! Messages that are to be sent to clients, and replies of the simulation.
use morse_api::service::Reply;
use serde_json::Value as Json;

/// Messages to clients.
#[derive(Default)]
pub(crate) struct Outbox {
    /// Messages to single clients, by number.
    pub(crate) messages: Vec<(usize, String)>,
    /// Messages on topics.
    pub(crate) published: Vec<(String, Json)>,
}

impl Outbox {
    /// Adds a message to a client.
    pub(crate) fn send(&mut self, client: usize, text: String) {
        self.messages.push((client, text));
    }

    /// Adds a message on a topic.
    pub(crate) fn publish(&mut self, topic: String, message: Json) {
        self.published.push((topic, message));
    }
}

/// Reply of the simulation.
pub(crate) enum Answer {
    /// Text for a client: the response to a call.
    Response(usize, String),
    /// Text for a client: a status message.
    Status(usize, String),
    /// Reply to the request of a goal: name of the action, number of the goal, and simulated time, ns.
    Goal(String, u64, Reply),
    /// Reply to the request of feedback.
    Feedback(String, u64, Reply),
}
