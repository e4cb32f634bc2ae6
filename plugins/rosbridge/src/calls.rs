//! Services that clients have called, and their answers.
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use mio::Waker;
use morse_api::{
    middleware::RequestSender,
    service::{Reply, Status},
};
use serde_json::{Value as Json, json};

/// Calls of one client that wait for their answers.
pub(crate) const MOST_UNDER_WAY: u32 = 32;

/// Wakes the poll, once for all that happens until it looks.
pub(crate) struct Notifier {
    waker: Waker,
    is_pending: AtomicBool,
}

impl Notifier {
    pub(crate) fn new(waker: Waker) -> Self {
        Self {
            waker,
            is_pending: AtomicBool::new(false),
        }
    }

    pub(crate) fn notify(&self) {
        if !self.is_pending.swap(true, Ordering::AcqRel) {
            // A poll that is gone needs no waking.
            self.waker.wake().ok();
        }
    }

    /// Whoever notifies from here on is noticed again.
    pub(crate) fn heard(&self) {
        self.is_pending.store(false, Ordering::Release);
    }
}

/// A call of a client.
pub(crate) struct Call {
    /// Number of the client.
    pub(crate) client: usize,
    /// The client's name for the call.
    pub(crate) id: Json,
    /// Name of the service as it was called.
    pub(crate) name: String,
}

/// The way to the simulation, and back.
pub(crate) struct Calls {
    sender: RequestSender,
    /// Filled by the simulation's thread; bounded by the calls that are under way.
    answers: Arc<Mutex<Vec<(usize, String)>>>,
    notifier: Arc<Notifier>,
}

impl Calls {
    pub(crate) fn new(sender: RequestSender, notifier: Arc<Notifier>) -> Self {
        Self {
            sender,
            answers: Arc::default(),
            notifier,
        }
    }

    /// Sends a call on its way; the reason, if it cannot be.
    pub(crate) fn call(
        &self,
        call: Call,
        (component, service): (&str, &str),
        arguments: Json,
    ) -> Result<(), String> {
        let (answers, notifier) = (self.answers.clone(), self.notifier.clone());
        let take = move |reply: Reply| {
            let text = response(
                &call.id,
                &call.name,
                reply.value,
                reply.status == Status::Success,
            );
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.push((call.client, text));
            notifier.notify();
        };
        let sent = self.sender.send(component, service, arguments, take);
        sent.map(drop).map_err(|failure| failure.to_string())
    }

    /// Answers that have come, and who gets them.
    pub(crate) fn answers(&self) -> Vec<(usize, String)> {
        std::mem::take(&mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }
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
