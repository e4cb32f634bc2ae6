//! Messages to an object, and the events that they are to its author.
use std::{any::Any, sync::Arc};

use crate::{
    region::Region,
    service::{Selector, ServiceName},
};

/// Reason for a step of the life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemEvent {
    /// The system starts.
    Boot,
    /// The system ends.
    Shutdown,
}

/// Change of a connection, as both ends hear of it before it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionEvent {
    /// Index of the subject or observer among the object's own.
    pub index: usize,
    /// True for a new connection, false for the end of one.
    pub is_new: bool,
    /// Service at the other end.
    pub other: ServiceName,
}

/// Readiness of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyEvent {
    /// Index of the subject among the object's own.
    pub subject: usize,
    /// Link that the observer is at, counted from 0 among those of the subject.
    pub link: usize,
    /// True if the observer is ready, false if it wants nothing.
    pub is_assert: bool,
}

/// Data for an observer.
#[derive(Clone, Debug)]
pub struct NotifyEvent {
    /// Index of the observer among the object's own.
    pub observer: usize,
    /// Subject that sent them, counted from 0 among those that the observer is connected to.
    pub sender: usize,
    /// Data, the oldest first; at most [`MOST_DATA`](crate::link::MOST_DATA).
    pub data: Vec<Region>,
}

/// Payload of a message for a further entry.
pub type Payload = Option<Arc<dyn Any + Send + Sync>>;

/// Message on its way to an object.
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
