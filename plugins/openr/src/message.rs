//! Messages to an object, and the events that its handlers receive.
use std::{any::Any, sync::Arc};

use crate::{
    region::Region,
    service::{Selector, ServiceName},
};

/// Cause of a step of the life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemEvent {
    /// The system starts.
    Boot,
    /// The system ends.
    Shutdown,
}

/// Change of a connection, reported to both ends before it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionEvent {
    /// Index of the subject or observer within the object.
    pub index: usize,
    /// True for a new connection, false for the removal of one.
    pub is_new: bool,
    /// Service at the other end.
    pub other: ServiceName,
}

/// Change of the readiness of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyEvent {
    /// Index of the subject within the object.
    pub subject: usize,
    /// Index of the observer's link, among those of the subject.
    pub link: usize,
    /// True if the observer is ready, false if it requests no data.
    pub is_assert: bool,
}

/// Data for an observer.
#[derive(Clone, Debug)]
pub struct NotifyEvent {
    /// Index of the observer within the object.
    pub observer: usize,
    /// Index of the sending subject, among those that the observer is connected to.
    pub sender: usize,
    /// Data, the oldest first; at most [`MOST_DATA`](crate::link::MOST_DATA).
    pub data: Vec<Region>,
}

/// Payload of a message for an extra entry.
pub type Payload = Option<Arc<dyn Any + Send + Sync>>;

/// Message to an object.
#[derive(Clone)]
pub(crate) enum Message {
    Start(SystemEvent),
    Ready(ReadyEvent),
    Notify(NotifyEvent),
    Extra(usize, Payload),
}

impl Message {
    pub(crate) fn selector(&self) -> Selector {
        match self {
            Self::Start(_) => Selector::Start,
            Self::Ready(event) => Selector::Ready(event.subject),
            Self::Notify(event) => Selector::Notify(event.observer),
            Self::Extra(entry, _) => Selector::Extra(*entry),
        }
    }
}
