//! Access to a simulation by one thread at a time. Calls run on the thread of their caller, without the interpreter's lock: a
//! thread of its own would take a processor for itself, and hand over each call.
use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use pyo3::prelude::*;

use crate::{
    failure::Failure,
    room::Room,
    source::Source,
    stop::{SIGNALS, Stop},
};

/// Stack of the thread that builds a simulation, as large as that of a program's main thread.
const STACK: usize = 8 << 20;

/// A simulation that one thread at a time can use.
pub(crate) struct RoomLock {
    state: Mutex<Use>,
    /// Notified when the simulation is free again.
    returned: Condvar,
    /// The process that has the simulation; a child after `os.fork()` has a copy that some thread may have been using.
    process: u32,
}

/// Use of a simulation.
enum Use {
    /// No thread uses it.
    Free(Box<Room>),
    /// This thread uses it.
    By(ThreadId),
    /// It has panicked.
    Ended,
}

/// Reason why a call has no result.
pub(crate) enum Refusal {
    /// The simulation cannot be used.
    Failed(Failure),
    /// The simulation has panicked, with this message.
    Panicked(String),
    /// The call was stopped while it waited.
    Stopped,
}

impl Refusal {
    /// Returns the error.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Panicked(text) => Failure::internal(text),
            Self::Stopped => Failure::state("the call was stopped"),
        }
    }
}

impl RoomLock {
    /// Builds a simulation.
    pub(crate) fn new(py: Python<'_>, source: Source) -> PyResult<Self> {
        let build = move || guarded(|| Room::new(source).map(Box::new));
        let built = py.detach(|| {
            let thread = thread::Builder::new().stack_size(STACK).spawn(build);
            thread.map(thread::JoinHandle::join)
        });
        let room = match built {
            Ok(Ok(Ok(Ok(room)))) => room,
            Ok(Ok(Ok(Err(error)))) => return Err(Failure::from(error).into_error(py)),
            Ok(Ok(Err(panic))) => return Err(Failure::internal(panic).into_error(py)),
            Ok(Err(_panic)) => return Err(Failure::internal("the build has failed").into_error(py)),
            Err(error) => return Err(Failure::environment(error).into_error(py)),
        };
        Ok(Self {
            state: Mutex::new(Use::Free(room)),
            returned: Condvar::new(),
            process: std::process::id(),
        })
    }

    /// Runs a call. Its second argument becomes true when it has to stop: an exception by a signal (Ctrl-C) stops the call after
    /// the tick that is under way.
    pub(crate) fn call<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Room, &Stop) -> R + Send,
    ) -> PyResult<R> {
        let (result, exception) = py.detach(|| {
            let stop = Stop::new();
            (self.run(&stop, call), stop.into_exception())
        });
        match (exception, result) {
            (Some(exception), _) => Err(exception),
            (None, Ok(result)) => Ok(result),
            (None, Err(refusal)) => Err(refusal.into_failure().into_error(py)),
        }
    }

    /// Runs a call that may fail.
    pub(crate) fn attempt<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Room, &Stop) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        self.call(py, call)?
            .map_err(|failure| failure.into_error(py))
    }

    /// Runs a call on this thread, which must not hold the interpreter's lock.
    ///
    /// # Errors
    ///
    /// The simulation belongs to another process, uses itself, or has failed, now or before.
    pub(crate) fn run<R>(
        &self,
        stop: &Stop,
        call: impl FnOnce(&mut Room, &Stop) -> R,
    ) -> Result<R, Refusal> {
        let mut room = self.take(stop)?;
        let result = guarded(|| call(&mut room, stop));
        let state = if result.is_ok() {
            Use::Free(room)
        } else {
            // A world that was left in the middle of a tick serves no more calls.
            guarded(|| drop(room)).ok();
            Use::Ended
        };
        *self.state() = state;
        self.returned.notify_one();
        result.map_err(Refusal::Panicked)
    }

    /// Waits for the simulation and takes it.
    fn take(&self, stop: &Stop) -> Result<Box<Room>, Refusal> {
        if self.process != std::process::id() {
            let text = "this simulation belongs to the parent process; make one in each process, after `os.fork()`";
            return Err(Refusal::Failed(Failure::closed(text)));
        }
        let me = thread::current().id();
        loop {
            let mut state = self.state();
            match mem::replace(&mut *state, Use::Ended) {
                Use::Free(room) => {
                    *state = Use::By(me);
                    return Ok(room);
                }
                Use::By(user) => {
                    *state = Use::By(user);
                    if user == me {
                        let text = "a component cannot call its own simulation: use the context that it gets";
                        return Err(Refusal::Failed(Failure::state(text)));
                    }
                }
                Use::Ended => {
                    let text = "the simulation has ended by an internal error; make a new one";
                    return Err(Refusal::Failed(Failure::closed(text)));
                }
            }
            drop(self.returned.wait_timeout(state, SIGNALS));
            if stop.is_set() {
                return Err(Refusal::Stopped);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, Use> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RoomLock {
    /// Ends the simulation without the interpreter's lock, since its threads end meanwhile.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Use::Free(room) = mem::replace(state, Use::Ended) else {
            return;
        };
        if self.process != std::process::id() {
            // The threads of a child's copy do not exist.
            mem::forget(room);
            return;
        }
        let mut room = Some(room);
        Python::try_attach(|py| py.detach(|| drop(room.take())));
    }
}

/// Runs a function; a panic becomes an error with its message.
pub(crate) fn guarded<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!(
            "the simulator has failed: {}; please report this",
            text.unwrap_or("for an unknown reason")
        )
    })
}
