//! Common interface of the two schedulers for the host.
use crate::{
    counters::Report,
    lockstep::{Lockstep, LogLine, Rules},
    object_runner::{Fault, ObjectInstance},
    platform::Platform,
    threaded::Threaded,
    wiring::Connection,
};

/// Running objects, in lockstep or in threads.
pub(crate) enum Engine {
    Lockstep(Box<Lockstep>),
    Threads(Threaded),
}

impl Engine {
    /// Starts the objects.
    ///
    /// # Errors
    ///
    /// The system cannot create a thread.
    pub(crate) fn boot(
        in_threads: bool,
        platform: Platform,
        objects: Vec<ObjectInstance>,
        connections: &[Connection],
        rules: Rules,
    ) -> Result<Self, String> {
        if in_threads {
            let threaded = Threaded::boot_on(platform, objects, connections, rules);
            let threaded = threaded.map_err(|error| format!("no thread for an object: {error}"))?;
            return Ok(Self::Threads(threaded));
        }
        let mut lockstep = Lockstep::boot_on(platform, objects, connections, rules);
        lockstep.advance(0);
        Ok(Self::Lockstep(Box::new(lockstep)))
    }

    /// Begins a tick with its end, ns. Threads run in real time, without ticks.
    pub(crate) fn begin_tick(&mut self, end: u64) {
        if let Self::Lockstep(objects) = self {
            objects.begin_tick(end);
        }
    }

    /// Advances simulated time; threads run in real time.
    pub(crate) fn advance(&mut self, until: u64) {
        match self {
            Self::Lockstep(objects) => objects.advance(until),
            Self::Threads(objects) => objects.watch(),
        }
    }

    /// Calls the first extra entry of an object. If its mailbox is full, the call is dropped, since the object runs anyway
    /// for the queued messages.
    pub(crate) fn call(&mut self, id: usize) {
        match self {
            Self::Lockstep(objects) => objects.post(id, 0, None).ok(),
            Self::Threads(objects) => objects.post(id, 0, None).ok(),
        };
    }

    pub(crate) fn shut_down(&mut self) {
        match self {
            Self::Lockstep(objects) => objects.shut_down(),
            Self::Threads(objects) => objects.shut_down(),
        }
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        match self {
            Self::Lockstep(objects) => objects.take_warnings(),
            Self::Threads(objects) => objects.take_warnings(),
        }
    }

    pub(crate) fn take_faults(&mut self) -> Vec<Fault> {
        match self {
            Self::Lockstep(objects) => objects.take_faults(),
            Self::Threads(objects) => objects.take_faults(),
        }
    }

    pub(crate) fn take_log(&mut self) -> Vec<LogLine> {
        match self {
            Self::Lockstep(objects) => objects.take_log(),
            Self::Threads(objects) => objects.take_log(),
        }
    }

    pub(crate) fn report(&self) -> Report {
        match self {
            Self::Lockstep(objects) => objects.report(),
            Self::Threads(objects) => objects.report(),
        }
    }
}
