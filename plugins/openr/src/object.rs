//! The trait that objects implement.
pub use crate::message::{ConnectionEvent, NotifyEvent, Payload, ReadyEvent, SystemEvent};
use crate::{context::Context, status::Status};

/// Controller: one thread of execution that receives one message at a time.
///
/// Its life cycle is: `do_init` of all objects, connections, `do_start` of all, messages, `do_stop` of all, `do_destroy` of
/// all.
pub trait Object: Send {
    /// Initialises the object; buffer sizes can be set only here.
    fn do_init(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// Starts the object. By default declares all observers ready.
    fn do_start(&mut self, context: &mut Context<'_>, _event: SystemEvent) -> Status {
        context.assert_ready_to_all()
    }

    /// Stops the object.
    fn do_stop(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// Releases the resources of the object.
    fn do_destroy(&mut self, _context: &mut Context<'_>, _event: SystemEvent) -> Status {
        Status::SUCCESS
    }

    /// Called before a connection of a subject changes; any status except success refuses a new one.
    fn control(&mut self, _context: &mut Context<'_>, _event: &ConnectionEvent) -> Status {
        Status::SUCCESS
    }

    /// Called before a connection of an observer changes; any status except success refuses a new one.
    fn connect(&mut self, _context: &mut Context<'_>, _event: &ConnectionEvent) -> Status {
        Status::SUCCESS
    }

    /// Called when an observer has changed its readiness. Data that were queued for it have been sent.
    fn ready(&mut self, _context: &mut Context<'_>, _event: ReadyEvent) {}

    /// Called when data have arrived.
    fn notify(&mut self, _context: &mut Context<'_>, _event: &NotifyEvent) {}

    /// Called when a message for an extra entry has arrived.
    fn extra(&mut self, _context: &mut Context<'_>, _entry: usize, _payload: &Payload) {}
}
