//! Scheduler in lockstep: all objects on one virtual processor with a virtual clock, so that delays are reproducible.
//!
//! Of the objects that are ready, one of the highest class runs; within a class the one with the least processor time
//! relative to its share; among equals the one whose message arrived first. A handler takes its declared time: it runs at
//! once, and its messages are sent when its time has passed.
mod event_queue;
mod reports;
mod turn;

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    counters::{ObjectReport, Report},
    message::{Message, Payload, SystemEvent},
    object_runner::{Cause, Fault, FaultPolicy, ObjectInstance, ObjectRunner},
    platform::Platform,
    service::{Interface, Selector},
    status::Status,
    wiring::{self, Connection, Directory, Refusal},
};
use event_queue::{EventQueue, Step};
pub use event_queue::{FRAME, LogLine, MAILBOX};
pub(crate) use reports::link_reports;
use turn::{Job, Rank, Turn};

/// Odd multiplier that mixes each word of messages into their hash.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Time slice within a class, ns.
const QUANTUM: u64 = 1_000_000;

/// Rules for all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Time limit of a handler, ns; longer ones are faults.
    pub handler_bound: u64,
    /// Objects that are stopped when one fails.
    pub policy: FaultPolicy,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            handler_bound: 10_000_000_000,
            policy: FaultPolicy::Itself,
        }
    }
}

/// Entry of a trace: a handler of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Start time of the handler, ns.
    pub at: u64,
    /// Name of the object.
    pub object: String,
    /// Entry that was called.
    pub selector: Selector,
}

/// Objects on one virtual processor.
pub struct Lockstep {
    cells: Vec<ObjectRunner>,
    turns: Vec<Turn>,
    events: EventQueue,
    directory: Directory,
    rules: Rules,
    /// Objects that are ready to run; entries with an outdated rank are skipped when they reach the top.
    ready: BinaryHeap<Reverse<Rank>>,
    /// Processor time of the object that ran last, in each class.
    floor: [u64; 16],
    faults: Vec<Fault>,
    warnings: Vec<String>,
    is_halted: bool,
    is_down: bool,
    hash: u64,
    trace: Option<Vec<Traced>>,
}

impl Lockstep {
    /// Initialises all objects in order, connects them, and starts them as soon as time advances.
    #[must_use]
    pub fn boot(objects: Vec<ObjectInstance>, connections: &[Connection], rules: Rules) -> Self {
        Self::boot_on(Platform::default(), objects, connections, rules)
    }

    /// Does the same on the system of a robot.
    #[must_use]
    pub fn boot_on(
        platform: Platform,
        objects: Vec<ObjectInstance>,
        connections: &[Connection],
        rules: Rules,
    ) -> Self {
        let turns = objects.iter().map(|instance| Turn {
            priority: instance.priority,
            handler_cost: instance.handler_cost,
            ..Turn::default()
        });
        let turns: Vec<Turn> = turns.collect();
        let cells = objects
            .into_iter()
            .map(|instance| ObjectRunner::new(instance.interface, instance.object));
        let cells: Vec<ObjectRunner> = cells.collect();
        let names = cells
            .iter()
            .map(|object_runner| object_runner.name().to_owned());
        let mut warnings = Vec::new();
        let mut system = Self {
            events: EventQueue::new(names.collect(), platform),
            directory: Directory::new(&cells, &mut warnings),
            cells,
            turns,
            rules,
            ready: BinaryHeap::new(),
            floor: [0; 16],
            faults: Vec::new(),
            warnings,
            is_halted: false,
            is_down: false,
            hash: 0xcbf2_9ce4_8422_2325,
            trace: None,
        };
        for (id, fault) in wiring::init(&mut system.cells, &mut system.events) {
            system.fail(id, fault);
        }
        for connection in connections {
            system.connect(connection);
        }
        for id in 0..system.cells.len() {
            // A closed mailbox belongs to an object that has failed.
            drop(system.events.put(id, Message::Start(SystemEvent::Boot)));
        }
        system
    }

    /// Records a trace of all handlers from now on.
    pub fn keep_trace(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// Returns the trace so far.
    #[must_use]
    pub fn trace(&self) -> &[Traced] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// Connects a subject and an observer; returns true if both exist and accept it. Otherwise a warning is stored.
    pub fn connect(&mut self, connection: &Connection) -> bool {
        let Self {
            cells,
            events,
            directory,
            ..
        } = self;
        let result = wiring::connect(cells, events, directory, connection);
        self.note(result)
    }

    /// Removes a connection; returns true if there was one.
    pub fn disconnect(&mut self, connection: &Connection) -> bool {
        let Self {
            cells,
            events,
            directory,
            ..
        } = self;
        let result = wiring::disconnect(cells, events, directory, connection);
        self.note(result)
    }

    fn note(&mut self, result: Result<(), Refusal>) -> bool {
        match result {
            Ok(()) => return true,
            Err(Refusal::Problem(text)) => self.warnings.push(text),
            Err(Refusal::Fault(id, fault)) => self.fail(id, fault),
        }
        false
    }

    /// Begins a tick with its end, ns.
    pub(crate) fn begin_tick(&mut self, end: u64) {
        self.events.begin_tick(end);
    }

    /// Returns the index of an object, by its name.
    #[must_use]
    pub fn find(&self, object: &str) -> Option<usize> {
        self.cells
            .iter()
            .position(|object_runner| object_runner.name() == object)
    }

    /// Returns the interface of an object.
    #[must_use]
    pub fn interface(&self, id: usize) -> Option<&Interface> {
        self.cells
            .get(id)
            .map(|object_runner| &object_runner.interface)
    }

    /// Calls an extra entry of an object on behalf of the host.
    ///
    /// # Errors
    ///
    /// There is no such object, it has failed, or its mailbox is full.
    pub fn post(&mut self, id: usize, entry: usize, payload: Payload) -> Result<(), Status> {
        if id >= self.cells.len() {
            return Err(Status::INVALID_OID);
        }
        let sent = self.events.put(id, Message::Extra(entry, payload));
        sent.map_err(|(status, _)| status)
    }

    /// Returns the time since the start, ns.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.events.now()
    }

    /// Advances the time, and executes all events up to and including that instant.
    pub fn advance(&mut self, until: u64) {
        while !self.is_halted {
            self.wake();
            let Some(rank) = self.first() else {
                match self.events.next_event() {
                    Some(time) if time <= until => self.events.pass_until(time),
                    _ => break,
                }
                continue;
            };
            if self.turns[rank.id].job.is_none() {
                self.begin(rank);
            }
            if !self.progress(rank.id, until) {
                return;
            }
        }
        self.events.pass_until(until);
    }

    /// Returns the object to run next.
    fn first(&mut self) -> Option<Rank> {
        while let Some(&Reverse(rank)) = self.ready.peek() {
            if self.turns[rank.id].rank == Some(rank) {
                return Some(rank);
            }
            self.ready.pop();
        }
        None
    }

    /// Inserts the objects that have become ready into the queue.
    fn wake(&mut self) {
        let Self {
            events,
            turns,
            ready,
            ..
        } = self;
        events.fire(&mut |id| {
            turns[id].is_blocked = false;
        });
        while let Some(id) = events.awake.pop() {
            let turn = &mut turns[id];
            if turn.rank.is_some() || turn.is_blocked || turn.fault.is_some() {
                continue;
            }
            let Some(arrival) = (turn.job.is_some().then_some(0)).or_else(|| events.arrival(id))
            else {
                continue;
            };
            turn.used = turn.used.max(self.floor[usize::from(turn.priority >> 4)]);
            let rank = turn.rank_of(id, arrival);
            turn.rank = Some(rank);
            ready.push(Reverse(rank));
        }
    }

    /// Starts the next message of an object.
    fn begin(&mut self, rank: Rank) {
        let id = rank.id;
        let Some(message) = self.events.take(id) else {
            self.leave(id);
            return;
        };
        self.floor[usize::from(15 - rank.below)] = rank.used;
        let selector = message.selector();
        self.record(id, selector, &message);
        let turn = &mut self.turns[id];
        if turn.handler_cost > 0 {
            self.events.steps.push_back(Step::Work(turn.handler_cost));
        }
        let object_runner = &mut self.cells[id];
        let result = object_runner.handle((id, &mut self.events.clerk(id)), message);
        let steps = std::mem::take(&mut self.events.steps);
        let took = steps.iter().map(Step::time).sum();
        turn.counters.handlers.add(took);
        turn.job = Some(Job { steps });
        let bound = self.rules.handler_bound;
        let cause = match result {
            Err(cause) => Some(cause),
            Ok(()) if took > bound => Some(Cause::Hang { took, bound }),
            Ok(()) => turn.livelock(self.events.now()),
        };
        if let Some(cause) = cause {
            let fault = object_runner.fault(selector, self.events.now(), cause);
            self.fail(id, fault);
        }
    }

    /// Continues the handler of an object; false if the time is up.
    fn progress(&mut self, id: usize, until: u64) -> bool {
        let Some(mut job) = self.turns[id].job.take() else {
            return true;
        };
        loop {
            match job.steps.pop_front() {
                None => {
                    self.finish(id);
                    return true;
                }
                Some(Step::Deliver(to, message)) => self.events.deliver(to, message),
                Some(Step::Later(to, after, message)) => self.events.later(to, after, message),
                Some(Step::Block(nanos)) => {
                    self.events.unblock_after(id, nanos);
                    self.leave(id);
                    self.turns[id].is_blocked = true;
                    self.turns[id].job = Some(job);
                    return true;
                }
                Some(Step::Work(left)) => {
                    let now = self.events.now();
                    let next = self.events.next_event().unwrap_or(u64::MAX).min(until);
                    let rest = QUANTUM - self.turns[id].turn_so_far;
                    let slice = left.min(rest).min(next.saturating_sub(now));
                    if left > slice {
                        job.steps.push_front(Step::Work(left - slice));
                    }
                    self.turns[id].job = Some(job);
                    self.work(id, slice, left == slice);
                    let is_due = |time| time <= self.events.now();
                    return slice > 0 || self.events.next_event().is_some_and(is_due);
                }
            }
        }
    }

    /// Runs the object for a time slice. The end of a slice does not depend on the time to which the clock is advanced.
    fn work(&mut self, id: usize, slice: u64, is_done: bool) {
        self.events.pass_until(self.events.now() + slice);
        let turn = &mut self.turns[id];
        turn.turn_so_far += slice;
        if turn.turn_so_far < QUANTUM && !is_done {
            return;
        }
        let share = u64::from((turn.priority & 15).max(1));
        turn.used += std::mem::take(&mut turn.turn_so_far) * 16 / share;
        let arrival = turn.rank.map_or(0, |rank| rank.arrival);
        self.leave(id);
        let rank = self.turns[id].rank_of(id, arrival);
        self.turns[id].rank = Some(rank);
        self.ready.push(Reverse(rank));
    }

    /// Completes the handler.
    fn finish(&mut self, id: usize) {
        self.leave(id);
        self.events.awake.push(id);
    }

    fn leave(&mut self, id: usize) {
        self.turns[id].rank = None;
    }

    fn fail(&mut self, id: usize, fault: Fault) {
        if let Some(job) = self.turns[id].job.take() {
            self.events.forget(job.steps);
        }
        self.leave(id);
        self.events.shut(id);
        self.turns[id].fault = Some(fault.clone());
        self.faults.push(fault);
        if self.rules.policy == FaultPolicy::All {
            self.is_halted = true;
            (0..self.cells.len()).for_each(|id| self.events.shut(id));
            self.ready.clear();
        }
    }

    /// Adds a message to the hash of all, and to the trace.
    fn record(&mut self, id: usize, selector: Selector, message: &Message) {
        let now = self.events.now();
        let interface = &self.cells[id].interface;
        let mut add = |bytes: &[u8]| {
            for chunk in bytes.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                let mixed = (self.hash ^ u64::from_le_bytes(word)).wrapping_mul(HASH_FACTOR);
                self.hash = mixed ^ (mixed >> 32);
            }
        };
        let number = interface.number(selector);
        for word in [now, id as u64, number as u64] {
            add(&word.to_le_bytes());
        }
        if let Message::Notify(event) = message {
            event.data.iter().for_each(|region| {
                add(&region.bytes().len().to_le_bytes());
                add(region.bytes());
            });
        }
        if let Some(trace) = &mut self.trace {
            trace.push(Traced {
                at: now,
                object: interface.object.clone(),
                selector,
            });
        }
    }

    /// Stops and destroys all objects. Messages that they send in the process are not delivered.
    pub fn shut_down(&mut self) {
        if std::mem::replace(&mut self.is_down, true) || self.is_halted {
            return;
        }
        let Self {
            cells,
            turns,
            events,
            ..
        } = self;
        let works = |id: usize| turns[id].fault.is_none();
        let mut faults = Vec::new();
        for selector in [Selector::Stop, Selector::Destroy] {
            faults.extend(wiring::life(
                cells,
                events,
                selector,
                SystemEvent::Shutdown,
                works,
            ));
        }
        let faults = faults.into_iter().map(|(_, fault)| fault);
        self.faults.extend(faults);
        self.is_halted = true;
    }

    /// Returns and clears the faults since the last call.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// Returns and clears the warnings since the last call: missing services, refused connections.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Returns and clears the log lines since the last call.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.events.take_log()
    }

    /// Returns the hash of all messages so far: their times, objects, entries and data.
    #[must_use]
    pub fn message_hash(&self) -> u64 {
        self.hash
    }

    /// Returns the counters of all objects and links.
    #[must_use]
    pub fn report(&self) -> Report {
        let objects = self.cells.iter().enumerate().map(|(id, object_runner)| {
            let turn = &self.turns[id];
            let mut counters = turn.counters.clone();
            (counters.longest_queue, counters.overflows) = self.events.statistics(id);
            ObjectReport {
                queue: self.events.queued(id),
                fault: turn.fault.as_ref().map(ToString::to_string),
                ..ObjectReport::new(object_runner.name(), turn.priority, &counters)
            }
        });
        Report {
            objects: objects.collect(),
            links: link_reports(&self.cells),
            message_hash: format!("{:016x}", self.hash),
            log: Vec::new(),
        }
    }
}
