//! Requests of clients to the simulation, and the replies on their way back.
use std::sync::{Arc, Mutex, PoisonError};

use morse_api::{
    middleware::{Failure, RequestSender},
    service::Reply,
};
use serde_json::Value as Json;

use crate::notifier::Notifier;

/// The components that every simulation has. Their services are offered to all clients.
pub const GLOBAL_COMPONENTS: [&str; 3] = ["simulation", "communication", "time"];
/// Largest number of requests of one client that wait for their replies.
pub const MOST_UNDER_WAY: u32 = 32;

/// Sends requests, and collects the replies in the form `T`, in which the thread of the server passes them on.
pub struct Requests<T> {
    sender: RequestSender,
    /// Filled by the simulation's thread; bounded by the requests that are under way.
    replies: Arc<Mutex<Vec<T>>>,
    notifier: Arc<Notifier>,
}

impl<T: Send + 'static> Requests<T> {
    /// Makes the bookkeeping of one server, whose event loop is notified of replies.
    #[must_use]
    pub fn new(sender: RequestSender, notifier: Arc<Notifier>) -> Self {
        Self {
            sender,
            replies: Arc::default(),
            notifier,
        }
    }

    /// Sends a request and returns its number. `encode` turns the reply into its form, on the simulation's thread.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub fn send(
        &self,
        (component, service): (&str, &str),
        arguments: Json,
        encode: impl FnOnce(Reply) -> T + Send + Sync + 'static,
    ) -> Result<u64, Failure> {
        let (replies, notifier) = (self.replies.clone(), self.notifier.clone());
        let take = move |reply: Reply| {
            let encoded = encode(reply);
            let mut replies = replies.lock().unwrap_or_else(PoisonError::into_inner);
            replies.push(encoded);
            drop(replies);
            notifier.notify();
        };
        self.sender.send(component, service, arguments, take)
    }

    /// Cancels the request of a number.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub fn cancel(&self, number: u64) -> Result<(), Failure> {
        self.sender.cancel(number)
    }

    /// Takes the replies that have come, in the order in which they came.
    #[must_use]
    pub fn take_replies(&self) -> Vec<T> {
        std::mem::take(&mut *self.replies.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
