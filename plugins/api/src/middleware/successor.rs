//! Continuation of a middleware with another world, after a reload of changed files.
use std::sync::{Arc, Mutex, PoisonError};

use super::{ErasedContext, Failure, Wake};

/// Outcome of [`Running::reload`](super::Running::reload).
pub enum Reloaded {
    /// The middleware continues, and keeps its clients.
    Continues,
    /// The middleware cannot continue: it is stopped, and started again with this context.
    Restart(Box<ErasedContext>),
    /// The middleware cannot work in the new world.
    Failed(Failure),
}

/// Slot for the connections to the next world, between the thread of a middleware and its owner.
///
/// The owner fills the slot before the present world ends. When the thread detects the end of its world, it takes the
/// connections, or ends if there are none.
///
/// ```
/// use morse_api::middleware::{Successor, Wake};
///
/// let (waker, wake) = Wake::new();
/// let next = Successor::default();
/// assert!(next.take_over(&wake).is_none(), "the world has not ended");
/// next.set("the next world");
/// assert!(next.take_over(&wake).is_none());
/// drop(waker);
/// assert_eq!(next.take_over(&wake), Some(Some("the next world")));
/// assert_eq!(next.take_over(&wake), Some(None), "the run has ended");
/// ```
pub struct Successor<T>(Arc<Mutex<Option<T>>>);

impl<T> Default for Successor<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Successor<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Successor<T> {
    /// Sets the connections to the next world.
    pub fn set(&self, next: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
    }

    /// Returns the connections to the next world, if there is one.
    #[must_use]
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns `None` while the present world exists; after its end the connections to the next world, or `Some(None)` at
    /// the end of the run.
    #[must_use]
    pub fn take_over(&self, wake: &Wake) -> Option<Option<T>> {
        wake.is_over().then(|| self.take())
    }
}
