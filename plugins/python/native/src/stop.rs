//! Signals such as Ctrl-C during a call.
use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use morse_sim::run::clock::Stopwatch;
use pyo3::prelude::*;

/// Interval in which a call looks for signals.
pub(crate) const SIGNALS: Duration = Duration::from_millis(20);

/// Reason why a call has to stop, if there is one.
pub(crate) struct Stop {
    /// True if it has to stop; shared by all threads of the call.
    flag: Arc<AtomicBool>,
    /// Time since it looked for signals.
    looked: Cell<Stopwatch>,
    exception: RefCell<Option<PyErr>>,
}

impl Stop {
    /// Returns the reason for a call without helpers.
    pub(crate) fn new() -> Self {
        Self::with(Arc::default())
    }

    /// Returns the reason for one of the threads that share a flag.
    pub(crate) fn with(flag: Arc<AtomicBool>) -> Self {
        Self {
            flag,
            looked: Cell::new(Stopwatch::start()),
            exception: RefCell::new(None),
        }
    }

    /// Returns true if the call has to stop. Looks for signals from time to time: only Python's main thread gets any. The
    /// caller must not hold the interpreter's lock.
    pub(crate) fn is_set(&self) -> bool {
        if self.looked.get().elapsed() >= SIGNALS {
            self.looked.set(Stopwatch::start());
            if let Some(exception) = Python::attach(|py| py.check_signals().err()) {
                self.flag.store(true, Ordering::Relaxed);
                self.exception.replace(Some(exception));
            }
        }
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns the exception of a signal.
    pub(crate) fn into_exception(self) -> Option<PyErr> {
        self.exception.into_inner()
    }
}
