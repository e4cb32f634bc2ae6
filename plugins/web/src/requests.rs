//! Service calls of viewers, and their replies.
use std::{collections::BTreeSet, sync::Arc};

use morse_api::{
    middleware::RequestSender,
    service::{Reply, ServiceError},
};
use morse_server::{
    notifier::Notifier,
    requests::{self, GLOBAL_COMPONENTS, MOST_UNDER_WAY},
};
use serde_json::json;

use crate::viewer::{Call, Viewer};

/// Interface to the simulation for service calls.
pub(crate) struct Requests {
    offered: BTreeSet<String>,
    sent: requests::Requests<(usize, String)>,
}

impl Requests {
    pub(crate) fn new(
        offered: Vec<String>,
        sender: RequestSender,
        notifier: Arc<Notifier>,
    ) -> Self {
        Self {
            offered: offered.into_iter().collect(),
            sent: requests::Requests::new(sender, notifier),
        }
    }

    /// Sets the components whose services are offered.
    pub(crate) fn offer(&mut self, offered: Vec<String>) {
        self.offered = offered.into_iter().collect();
    }

    /// Sends a call to the simulation; false if the viewer has disconnected.
    pub(crate) fn call(&self, token: usize, viewer: &mut Viewer, call: Call) -> bool {
        let Call {
            id,
            component,
            service,
            arguments,
        } = call;
        if !GLOBAL_COMPONENTS.contains(&component.as_str()) && !self.offered.contains(&component) {
            let why = format!(
                "the services of `{component}` are not offered here: name this middleware in its `services`"
            );
            return viewer.send_text(failed(id, &why));
        }
        if viewer.under_way >= MOST_UNDER_WAY {
            return viewer.send_text(failed(id, "too many requests of this viewer are under way"));
        }
        let encode = move |reply: Reply| (token, text(id, &reply));
        match self.sent.send((&component, &service), arguments, encode) {
            Ok(_) => {
                viewer.under_way += 1;
                true
            }
            Err(failure) => viewer.send_text(failed(id, &failure.to_string())),
        }
    }

    /// Returns the replies that have arrived, with the tokens of their viewers.
    pub(crate) fn answers(&self) -> Vec<(usize, String)> {
        self.sent.take_replies()
    }
}

fn failed(id: u64, why: &str) -> String {
    text(id, &Reply::failed(ServiceError::failed(why)))
}

fn text(id: u64, reply: &Reply) -> String {
    json!({ "reply": { "id": id, "status": reply.status, "value": reply.value } }).to_string()
}
