//! Scheduler in threads: one named thread per object, in real time, with the same rules for mailboxes and links.
//!
//! For controllers with real computation or real waits. Runs are not reproducible.
mod worker;

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    thread::JoinHandle,
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::{
    counters::{LinkReport, ObjectReport, Report},
    lockstep::{LogLine, MAILBOX, Rules},
    message::{Message, Payload, SystemEvent},
    object_runner::{Cause, Fault, FaultPolicy, ObjectInstance, ObjectRunner},
    platform::Platform,
    service::Selector,
    status::Status,
    wiring::{self, Connection, Directory, Refusal},
};
use worker::{Order, Shared, Worker};

/// Timeout of an object for a step of the shutdown.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Handle of the thread of one object.
struct Handle {
    orders: Sender<Order>,
    thread: Option<JoinHandle<()>>,
}

/// Objects in threads.
pub struct Threaded {
    shared: Arc<Shared>,
    handles: Vec<Handle>,
    names: Vec<(String, u8)>,
    links: Vec<LinkReport>,
    warnings: Vec<String>,
    rules: Rules,
    is_down: bool,
}

/// Error of the system when it creates a thread.
type NoThread = std::io::Error;

impl Threaded {
    /// Initialises all objects in order, connects them, and starts each in a thread with its name.
    ///
    /// # Errors
    ///
    /// The system cannot create a thread.
    pub fn boot(
        objects: Vec<ObjectInstance>,
        connections: &[Connection],
        rules: Rules,
    ) -> Result<Self, NoThread> {
        Self::boot_on(Platform::default(), objects, connections, rules)
    }

    /// Does the same on the system of a robot.
    ///
    /// # Errors
    ///
    /// The system cannot create a thread.
    pub fn boot_on(
        platform: Platform,
        objects: Vec<ObjectInstance>,
        connections: &[Connection],
        rules: Rules,
    ) -> Result<Self, NoThread> {
        let name =
            |instance: &ObjectInstance| (instance.interface.object.clone(), instance.priority);
        let names: Vec<(String, u8)> = objects.iter().map(name).collect();
        let cells = objects
            .into_iter()
            .map(|instance| ObjectRunner::new(instance.interface, instance.object));
        let mut cells: Vec<ObjectRunner> = cells.collect();
        let (senders, receivers): (Vec<_>, Vec<_>) =
            cells.iter().map(|_| bounded::<Message>(MAILBOX)).unzip();
        let own = names.iter().map(|(name, _)| name.clone()).collect();
        let shared = Arc::new(Shared::new(own, senders, platform));
        let mut office = shared.clone();
        let mut warnings = Vec::new();
        let directory = Directory::new(&cells, &mut warnings);
        for (id, fault) in wiring::init(&mut cells, &mut office) {
            shared.fail(id, fault);
        }
        for connection in connections {
            match wiring::connect(&mut cells, &mut office, &directory, connection) {
                Ok(()) => {}
                Err(Refusal::Problem(text)) => warnings.push(text),
                Err(Refusal::Fault(id, fault)) => shared.fail(id, fault),
            }
        }
        for (state, object_runner) in shared.states.iter().zip(&cells) {
            let subjects = object_runner.services.subjects.iter();
            let links = subjects.map(|subject| subject.links.len()).sum();
            lock(state).links = vec![Default::default(); links];
        }
        let mut system = Self {
            links: crate::lockstep::link_reports(&cells),
            handles: Vec::new(),
            shared,
            names,
            warnings,
            rules,
            is_down: false,
        };
        for (id, (object_runner, mailbox)) in cells.into_iter().zip(receivers).enumerate() {
            system.spawn(id, object_runner, mailbox)?;
        }
        Ok(system)
    }

    fn spawn(
        &mut self,
        id: usize,
        object_runner: ObjectRunner,
        mailbox: Receiver<Message>,
    ) -> Result<(), NoThread> {
        let (orders, receiver) = bounded(4);
        let is_out = self.shared.is_out(id);
        let worker = Worker::new(id, object_runner, self.shared.clone(), mailbox, receiver);
        let thread = if is_out {
            None
        } else {
            let name = self.names[id].0.clone();
            let thread = std::thread::Builder::new().name(name);
            Some(thread.spawn(move || worker.run())?)
        };
        self.handles.push(Handle { orders, thread });
        Ok(())
    }

    /// Calls an extra entry of an object on behalf of the host.
    ///
    /// # Errors
    ///
    /// There is no such object, it has failed, or its mailbox is full.
    pub fn post(&self, id: usize, entry: usize, payload: Payload) -> Result<(), Status> {
        let sent = self.shared.put(id, Message::Extra(entry, payload));
        sent.map_err(|(status, _)| status)
    }

    /// Detects objects that hang: they are excluded from now on, though their threads may continue.
    pub fn watch(&self) {
        let now = self.shared.now();
        for (id, (name, _)) in self.names.iter().enumerate() {
            let Some((selector, entry, since)) = self.shared.at_work(id) else {
                continue;
            };
            let took = now.saturating_sub(since);
            let bound = self.rules.handler_bound;
            if took > bound && !self.shared.is_out(id) {
                let fault = Fault {
                    object: name.clone(),
                    entry,
                    selector,
                    at: now,
                    cause: Cause::Hang { took, bound },
                };
                self.shared.fail(id, fault);
            }
        }
        if self.rules.policy == FaultPolicy::All && self.shared.has_failed.load(Ordering::Acquire) {
            (0..self.names.len()).for_each(|id| self.shared.put_out(id));
        }
    }

    /// Stops and destroys all objects. An object that exceeds the timeout is reported, and its thread abandoned.
    pub fn shut_down(&mut self) {
        if std::mem::replace(&mut self.is_down, true) {
            return;
        }
        self.watch();
        for selector in [Selector::Stop, Selector::Destroy] {
            for id in 0..self.handles.len() {
                self.order(id, selector);
            }
        }
        for (id, handle) in self.handles.iter_mut().enumerate() {
            let is_out = self.shared.is_out(id);
            if let Some(thread) = handle.thread.take().filter(|_| !is_out) {
                // Panics of objects have been caught.
                thread.join().ok();
            }
        }
    }

    fn order(&self, id: usize, selector: Selector) {
        if self.shared.is_out(id) || self.handles[id].thread.is_none() {
            return;
        }
        let (done, answer) = bounded(1);
        let order = Order { selector, done };
        let sent = self.handles[id]
            .orders
            .send_timeout(order, CONNECTION_TIMEOUT);
        if sent.is_err() || answer.recv_timeout(CONNECTION_TIMEOUT).is_err() {
            let took = u64::try_from(CONNECTION_TIMEOUT.as_nanos()).unwrap_or(u64::MAX);
            let fault = Fault {
                object: self.names[id].0.clone(),
                entry: format!("{selector:?}").to_lowercase(),
                selector: if selector == Selector::Stop { 2 } else { 3 },
                at: self.shared.now(),
                cause: Cause::Hang { took, bound: took },
            };
            self.shared.fail(id, fault);
        }
    }

    /// Returns and clears the faults since the last call.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut *lock(&self.shared.faults))
    }

    /// Returns and clears the warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Returns and clears the log lines since the last call.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut *lock(&self.shared.log))
    }

    /// Returns the counters of all objects and links.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut links = self.links.iter().cloned();
        let mut report = Report::default();
        for (id, (name, priority)) in self.names.iter().enumerate() {
            let state = lock(&self.shared.states[id]);
            report.objects.push(ObjectReport {
                queue: self.shared.queued(id),
                fault: state.fault.as_ref().map(ToString::to_string),
                ..ObjectReport::new(name, *priority, &state.counters)
            });
            for &(counters, queued, credit) in &state.links {
                report.links.extend(links.next().map(|link| LinkReport {
                    counters,
                    queued,
                    credit,
                    ..link
                }));
            }
        }
        report
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        self.shut_down();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Event of the shutdown of an object.
const END: SystemEvent = SystemEvent::Shutdown;
