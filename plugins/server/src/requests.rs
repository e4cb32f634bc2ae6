//! Requests of clients to the simulation, and their replies.
use std::sync::{Arc, Mutex, PoisonError};

use morse_api::{
    middleware::{Failure, RequestSender},
    service::Reply,
};
use serde_json::Value as Json;

use crate::notifier::Notifier;

/// Components that every simulation has. Their services are offered to all clients.
pub const GLOBAL_COMPONENTS: [&str; 3] = ["simulation", "communication", "time"];
/// Maximum number of unanswered requests per client.
pub const MOST_UNDER_WAY: u32 = 32;

/// Sends requests, and collects the replies as `T`, the form in which the server's thread sends them.
pub struct Requests<T> {
    sender: RequestSender,
    /// Replies, written by the simulation's thread; bounded by the number of unanswered requests.
    replies: Arc<Mutex<Vec<T>>>,
    notifier: Arc<Notifier>,
}

impl<T: Send + 'static> Requests<T> {
    /// Returns the request table of a server, whose event loop is notified of replies.
    #[must_use]
    pub fn new(sender: RequestSender, notifier: Arc<Notifier>) -> Self {
        Self {
            sender,
            replies: Arc::default(),
            notifier,
        }
    }

    /// Sends a request and returns its number. `encode` converts the reply, on the simulation's thread.
    ///
    /// # Errors
    ///
    /// Too many requests are unanswered, or the simulation has ended.
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

    /// Cancels a request, given by its number.
    ///
    /// # Errors
    ///
    /// Too many requests are unanswered, or the simulation has ended.
    pub fn cancel(&self, number: u64) -> Result<(), Failure> {
        self.sender.cancel(number)
    }

    /// Removes and returns the replies that have arrived, in their order of arrival.
    #[must_use]
    pub fn take_replies(&self) -> Vec<T> {
        std::mem::take(&mut *self.replies.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
