//! Thread of a middleware: a failure or a panic in it ends the run with an error.
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use super::Failure;

/// A thread that does the work of a middleware. [`Worker::failure`] and [`Worker::stop`] implement the methods of
/// [`Running`](super::Running).
pub struct Worker {
    name: String,
    thread: JoinHandle<()>,
    failure: Arc<Mutex<Option<Failure>>>,
}

impl Worker {
    /// Starts the thread, named after the middleware's kind and its name in the simulation file.
    ///
    /// `state` is dropped after the outcome of `work` is available: a peer that detects a closed port can read the reason,
    /// too.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn spawn<S: Send + 'static>(
        kind: &str,
        name: &str,
        mut state: S,
        work: impl FnOnce(&mut S) -> Result<(), Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let failure = Arc::new(Mutex::new(None));
        let (report, own) = (failure.clone(), name.to_owned());
        let thread = std::thread::Builder::new()
            .name(format!("{kind} {name}"))
            .spawn(move || {
                let result = caught(&own, || work(&mut state)).and_then(|result| result);
                *report.lock().unwrap_or_else(PoisonError::into_inner) = result.err();
                drop(state);
            });
        let thread = thread.map_err(|error| {
            Failure::Environment(format!("`{name}`: no thread could be started: {error}"))
        })?;
        Ok(Self {
            name: name.to_owned(),
            thread,
            failure,
        })
    }

    /// Returns the failure of the thread since the last call, if there was one.
    pub fn failure(&mut self) -> Option<Failure> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Waits for the end of the thread.
    ///
    /// # Errors
    ///
    /// The failure of the thread, unless [`Worker::failure`] has returned it.
    pub fn stop(self) -> Result<(), Failure> {
        if let Err(panic) = self.thread.join() {
            // The state panicked while it was dropped.
            return Err(panicked(&self.name, &*panic));
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }
}

/// Calls a function of a middleware and converts a panic into a failure.
///
/// # Errors
///
/// The function panicked.
pub fn caught<T>(name: &str, work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panicked(name, &*panic))
}

fn panicked(name: &str, panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("without a message");
    Failure::Environment(format!("the middleware `{name}` panicked: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_that_is_known_before_the_ports_close() {
        let (sender, port) = crossbeam_channel::bounded::<()>(0);
        let mut worker = Worker::spawn("kind", "name", sender, |_| panic!("broken")).unwrap();
        assert!(port.recv().is_err(), "the thread has dropped its end");
        let expected = Failure::Environment("the middleware `name` panicked: broken".to_owned());
        assert_eq!(worker.failure(), Some(expected));
        assert_eq!((worker.failure(), worker.stop()), (None, Ok(())));
    }

    #[test]
    fn a_failure_is_told_once() {
        let failed = || Failure::PeerLost("gone".to_owned());
        let worker = Worker::spawn("kind", "name", (), move |()| Err(failed())).unwrap();
        assert_eq!(worker.stop(), Err(failed()));
        let worker = Worker::spawn("kind", "name", (), |()| Ok(())).unwrap();
        assert_eq!(worker.stop(), Ok(()));
    }
}
