//! The thread of a simulation. A world is built and stepped on one thread; calls of any thread of Python are sent to it, one
//! after the other, and wait without the interpreter's lock.
use std::{
    any::Any,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvError, RecvTimeoutError, Sender, bounded};
use morse_sim::{
    cli::pictures::Pictures,
    run::Watch as _,
    scene::known::KnownScenes,
    simulation::{
        BuildError, Simulation,
        state::{HashChain, Snapshot},
    },
};
use pyo3::prelude::*;

use crate::{
    failure::Failure,
    kinds::{extensions_and_kinds, has_classes},
    link::Link,
    source::Source,
};

/// Interval in which a call that waits looks for signals such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);
/// Number of times that a thread looks for a message before it sleeps. In between, it leaves its processor to others.
const MAX_YIELDS: u32 = 1500;
/// Number of calls that may wait; the threads of further ones wait to send them.
const CALLS: usize = 64;
/// Stack of the thread, as large as that of a program's main thread.
const STACK: usize = 8 << 20;

/// A simulation, and what belongs to it.
pub(crate) struct Room {
    source: Source,
    /// Scenes of earlier episodes.
    scenes: KnownScenes,
    /// The simulation.
    pub(crate) simulation: Simulation,
    /// Its state at the start, for resets; `None` if the simulation itself keeps it, or if some of it has no binary form.
    pub(crate) start: Option<Snapshot>,
    /// The environment of which it is a part.
    pub(crate) link: Option<Link>,
    /// Films that are being recorded, by their numbers.
    pub(crate) films: BTreeMap<u64, Pictures>,
}

impl Room {
    fn new(source: Source) -> Result<Self, BuildError> {
        let scenes = KnownScenes::kept();
        let simulation = source.build(&scenes)?;
        Ok(Self {
            start: Snapshot::take(simulation.world(), &HashChain::default()).ok(),
            simulation,
            link: None,
            films: BTreeMap::new(),
            source,
            scenes,
        })
    }

    /// Begins again with this seed, and with these values besides the simulation's own ones.
    pub(crate) fn restart(&mut self, seed: u64, set: Vec<String>) -> Result<(), BuildError> {
        let source = self.source.clone().with(seed, set);
        let (extensions, kinds) = extensions_and_kinds();
        let plan = source.plan(&kinds, &self.scenes)?;
        self.link = None;
        for mut film in std::mem::take(&mut self.films).into_values() {
            // The file ends with the episode; a full disk was reported before.
            film.end(&mut self.simulation).ok();
        }
        if has_classes() {
            // Objects of Python's classes are made anew.
            self.simulation = Simulation::build(plan, extensions)?;
        } else {
            self.simulation.restart(plan)?;
        }
        self.start = None;
        Ok(())
    }
}

type Job = Box<dyn FnOnce(&mut Room) -> bool + Send>;

/// Sending end of the thread of a simulation.
#[derive(Debug)]
pub(crate) struct Worker {
    jobs: Sender<Job>,
    /// The process that has the thread; a child after `os.fork()` has none.
    process: u32,
    thread: ThreadId,
}

/// The answer of a call that has been sent.
pub(crate) struct Pending<R> {
    answer: Receiver<Result<R, String>>,
    stop: Arc<AtomicBool>,
}

impl Worker {
    /// Starts a thread that builds a simulation and then serves calls.
    pub(crate) fn start(py: Python<'_>, source: Source) -> PyResult<Self> {
        let (jobs, queue) = bounded::<Job>(CALLS);
        let (answer, built) = bounded(1);
        let serve = move || {
            let mut room = match guarded(|| Room::new(source)) {
                Ok(Ok(room)) => room,
                Ok(Err(error)) => return drop(answer.send(Err(error.into()))),
                Err(panic) => return drop(answer.send(Err(Failure::internal(panic)))),
            };
            answer.send(Ok(())).ok();
            while receive(&queue).is_ok_and(|job| job(&mut room)) {}
        };
        let thread = thread::Builder::new()
            .name("morse-sim".to_owned())
            .stack_size(STACK);
        let thread = thread
            .spawn(serve)
            .map_err(|error| Failure::environment(error).into_error(py))?;
        let built: Result<(), Failure> = py
            .detach(|| built.recv())
            .unwrap_or_else(|_| Err(Failure::internal("the simulation's thread has ended")));
        built.map_err(|failure| failure.into_error(py))?;
        Ok(Self {
            jobs,
            process: std::process::id(),
            thread: thread.thread().id(),
        })
    }

    /// Sends a call. Its second argument becomes true when it has to stop.
    pub(crate) fn send<R: Send + 'static>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Room, &AtomicBool) -> R + Send + 'static,
    ) -> PyResult<Pending<R>> {
        if self.process != std::process::id() {
            let text = "this simulation belongs to the parent process; make one in each process, after `os.fork()`";
            return Err(Failure::closed(text).into_error(py));
        }
        if self.thread == thread::current().id() {
            let text = "a component cannot call its own simulation: use the context that it gets";
            return Err(Failure::state(text).into_error(py));
        }
        let (sender, answer) = bounded(1);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let job: Job = Box::new(move |room| {
            let result = guarded(|| call(room, &flag));
            // A world that was left in the middle of a tick serves no more calls.
            let is_sound = result.is_ok();
            sender.send(result).ok();
            is_sound
        });
        let sent = py.detach(|| self.jobs.send(job));
        sent.map_err(|_closed| ended(py))?;
        Ok(Pending { answer, stop })
    }

    /// Sends a call and waits for its answer.
    pub(crate) fn call<R: Send + 'static>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Room, &AtomicBool) -> R + Send + 'static,
    ) -> PyResult<R> {
        self.send(py, call)?.wait(py)
    }

    /// Sends a call that may fail, and waits for its answer.
    pub(crate) fn attempt<R: Send + 'static>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Room, &AtomicBool) -> Result<R, Failure> + Send + 'static,
    ) -> PyResult<R> {
        self.call(py, call)?
            .map_err(|failure| failure.into_error(py))
    }
}

impl<R: Send> Pending<R> {
    /// Waits for the answer; a panic is an exception.
    pub(crate) fn wait(self, py: Python<'_>) -> PyResult<R> {
        self.outcome(py)?
            .map_err(|panic| Failure::internal(panic).into_error(py))
    }

    /// Waits for the answer, or the message of a panic. An exception by a signal (Ctrl-C) stops the call after the tick that is
    /// under way.
    pub(crate) fn outcome(self, py: Python<'_>) -> PyResult<Result<R, String>> {
        loop {
            match py.detach(|| {
                watch(&self.answer);
                self.answer.recv_timeout(SIGNALS)
            }) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(ended(py)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(exception) = py.check_signals() {
                self.stop.store(true, Ordering::Relaxed);
                py.detach(|| self.answer.recv()).ok();
                return Err(exception);
            }
        }
    }
}

/// Waits for a message.
fn receive<T>(queue: &Receiver<T>) -> Result<T, RecvError> {
    watch(queue);
    queue.recv()
}

/// Returns once there is a message, or after about a tenth of a millisecond. A thread that sleeps takes about as long to wake
/// as a small simulation takes for a step.
fn watch<T>(queue: &Receiver<T>) {
    for _ in 0..MAX_YIELDS {
        if !queue.is_empty() {
            return;
        }
        thread::yield_now();
    }
}

fn ended(py: Python<'_>) -> PyErr {
    let text = "the simulation has ended by an internal error; make a new one";
    Failure::closed(text).into_error(py)
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
