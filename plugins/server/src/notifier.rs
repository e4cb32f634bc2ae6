//! Notifier that wakes an event loop from other threads.
use std::sync::atomic::{AtomicBool, Ordering};

use mio::Waker;

/// Wakes an event loop, once for all notifications until the loop clears them.
#[derive(Debug)]
pub struct Notifier {
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

    /// Wakes the event loop, unless a notification is pending.
    pub fn notify(&self) {
        if !self.is_pending.swap(true, Ordering::AcqRel) {
            // An event loop that has ended need not be woken.
            self.waker.wake().ok();
        }
    }

    /// Clears the notification: the next one wakes the loop again.
    pub(crate) fn clear(&self) {
        self.is_pending.store(false, Ordering::Release);
    }
}
