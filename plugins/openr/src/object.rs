//! An object: what its author writes.
use std::{any::Any, sync::Arc};

use crate::{context::Context, region::Region, service::ServiceName, status::Status};

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

/// Controller: one thread of execution that gets one message at a time.
///
/// Its life begins with `do_init` of all objects, then come the connections, `do_start` of all, messages, `do_stop` of all and
/// `do_destroy` of all.
pub trait Object: Send {
    /// Makes what the object needs for its work; here alone buffers are sized.
    fn do_init(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// Begins to work. Usually says that its observers are ready.
    fn do_start(&mut self, context: &mut Context<'_>, _event: SystemEvent) -> Status {
        context.assert_ready_to_all()
    }

    /// Ends its work.
    fn do_stop(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// Frees what it has.
    fn do_destroy(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// A connection at a subject is to change; anything but success refuses a new one.
    fn control(&mut self, _context: &mut Context<'_>, _event: &ConnectionEvent) -> Status {
        Status::SUCCESS
    }

    /// A connection at an observer is to change; anything but success refuses a new one.
    fn connect(&mut self, _context: &mut Context<'_>, _event: &ConnectionEvent) -> Status {
        Status::SUCCESS
    }

    /// An observer said whether it is ready. What was waiting for it is sent already.
    fn ready(&mut self, _context: &mut Context<'_>, _event: ReadyEvent) {}

    /// Data have arrived.
    fn notify(&mut self, _context: &mut Context<'_>, _event: &NotifyEvent) {}

    /// A message for a further entry has arrived.
    fn extra(&mut self, _context: &mut Context<'_>, _entry: usize, _payload: &Payload) {}
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
    pub(crate) fn selector(&self) -> crate::service::Selector {
        use crate::service::Selector;
        match self {
            Self::Start(_) => Selector::Start,
            Self::Ready(event) => Selector::Ready(event.subject),
            Self::Notify(event) => Selector::Notify(event.observer),
            Self::Extra(entry, _) => Selector::Extra(*entry),
        }
    }
}
