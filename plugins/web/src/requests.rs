//! Requests of viewers to the simulation, and its answers.
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use mio::Waker;
use morse_api::{
    middleware::RequestSender,
    service::{Reply, ServiceError},
};
use serde_json::json;

use crate::viewer::{Call, Viewer};

/// The components that every simulation has.
const GLOBAL: [&str; 3] = ["simulation", "communication", "time"];
/// Requests of one viewer that wait for their answers.
const MOST_UNDER_WAY: u32 = 32;

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

/// The way to the simulation, and back.
pub(crate) struct Requests {
    offered: BTreeSet<String>,
    sender: RequestSender,
    /// Filled by the simulation's thread; bounded by the requests that are under way.
    answers: Arc<Mutex<Vec<(usize, String)>>>,
    notifier: Arc<Notifier>,
}

impl Requests {
    pub(crate) fn new(
        offered: Vec<String>,
        sender: RequestSender,
        notifier: Arc<Notifier>,
    ) -> Self {
        Self {
            offered: offered.into_iter().collect(),
            sender,
            answers: Arc::default(),
            notifier,
        }
    }

    /// Passes a request on; false when the viewer has gone.
    pub(crate) fn call(&self, token: usize, viewer: &mut Viewer, call: Call) -> bool {
        let Call {
            id,
            component,
            service,
            arguments,
        } = call;
        if !GLOBAL.contains(&component.as_str()) && !self.offered.contains(&component) {
            let why = format!(
                "the services of `{component}` are not offered here: name this middleware in its `services`"
            );
            return viewer.tell(failed(id, &why));
        }
        if viewer.under_way >= MOST_UNDER_WAY {
            return viewer.tell(failed(id, "too many requests of this viewer are under way"));
        }
        let (answers, notifier) = (self.answers.clone(), self.notifier.clone());
        let take = move |reply: Reply| {
            let text = text(id, &reply);
            answers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((token, text));
            notifier.notify();
        };
        match self.sender.send(&component, &service, arguments, take) {
            Ok(_) => {
                viewer.under_way += 1;
                true
            }
            Err(failure) => viewer.tell(failed(id, &failure.to_string())),
        }
    }

    /// Answers that have come, and who gets them.
    pub(crate) fn answers(&self) -> Vec<(usize, String)> {
        std::mem::take(&mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn failed(id: u64, why: &str) -> String {
    text(id, &Reply::failed(ServiceError::failed(why)))
}

fn text(id: u64, reply: &Reply) -> String {
    json!({ "reply": { "id": id, "status": reply.status, "value": reply.value } }).to_string()
}
