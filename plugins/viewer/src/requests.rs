//! Requests to the simulation, such as pausing, resuming, and moving objects.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;
use morse_api::service::Status;
use serde_json::{Value as Json, json};

use crate::replica::Replica;

/// Sender of requests, and the last error.
#[derive(Resource, Clone, Default)]
pub(crate) struct Requests {
    refusals: Arc<Mutex<Vec<String>>>,
}

/// Temporary text in the toolbar, for example the latest error.
#[derive(Resource, Default)]
pub(crate) struct Notice {
    pub(crate) text: String,
    pub(crate) until: f64,
}

/// Duration for which a text is shown, s.
const SHOWN: f64 = 6.0;

impl Notice {
    /// Returns a text that is shown from now on.
    pub(crate) fn new(text: String, now: f64) -> Self {
        Self {
            text,
            until: now + SHOWN,
        }
    }
}

impl Requests {
    /// Sends a request to a service; an error is shown in the toolbar.
    pub(crate) fn send(&self, replica: &Replica, component: &str, service: &str, arguments: Json) {
        let refusals = self.refusals.clone();
        let keep = move |text: String| {
            refusals
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text);
        };
        let refused = keep.clone();
        let sent = replica
            .requests()
            .send(component, service, arguments, move |reply| {
                if reply.status == Status::Failed {
                    let text = reply
                        .value
                        .as_str()
                        .map_or_else(|| reply.value.to_string(), str::to_owned);
                    refused(text);
                }
            });
        if let Err(failure) = sent {
            keep(failure.to_string());
        }
    }

    pub(crate) fn pause_or_go_on(&self, replica: &Replica) {
        let service = if replica.pace.is_held {
            "resume"
        } else {
            "pause"
        };
        self.send(replica, "simulation", service, json!([]));
    }

    pub(crate) fn step(&self, replica: &Replica) {
        self.send(replica, "simulation", "step", json!([1]));
    }

    pub(crate) fn reset(&self, replica: &Replica) {
        self.send(replica, "simulation", "reset", json!([]));
    }

    pub(crate) fn reset_objects(&self, replica: &Replica) {
        self.send(replica, "simulation", "reset_objects", json!([]));
    }

    /// Sets the factor of simulated time to real time.
    pub(crate) fn speed(&self, replica: &Replica, factor: f64) {
        if factor.is_finite() {
            self.send(replica, "time", "set_time_scale", json!([factor]));
        } else {
            self.send(replica, "time", "run_freely", json!([]));
        }
    }

    pub(crate) fn quit(&self, replica: &Replica) {
        if !replica.is_over {
            self.send(replica, "simulation", "quit", json!([]));
        }
    }
}

/// Shows the latest error.
pub(crate) fn show_errors(
    requests: Res<Requests>,
    mut notice: ResMut<Notice>,
    time: Res<Time<Real>>,
) {
    let now = time.elapsed_secs_f64();
    let refused = requests
        .refusals
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop();
    if let Some(text) = refused {
        *notice = Notice::new(text, now);
    } else if now > notice.until && !notice.text.is_empty() {
        notice.text.clear();
    }
}
