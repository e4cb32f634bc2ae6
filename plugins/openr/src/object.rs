//! An object: what its author writes.
pub use crate::message::{ConnectionEvent, NotifyEvent, Payload, ReadyEvent, SystemEvent};
use crate::{context::Context, status::Status};

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
