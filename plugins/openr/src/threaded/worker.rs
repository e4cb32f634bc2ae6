//! Thread of one object, and the state that all threads share.
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, TrySendError, after, never};

use super::{END, lock};
use crate::{
    context::{Level, Scheduler},
    counters::{LinkCounters, ObjectCounters},
    credit::Credit,
    lockstep::LogLine,
    message::{Message, SystemEvent},
    object_runner::{Fault, ObjectRunner},
    platform::Platform,
    service::Selector,
    status::Status,
    wiring::SchedulerFactory,
};

/// Maximum number of stored log lines; further ones are dropped.
const LOG_LINES: usize = 1000;

/// Request for a step of the shutdown, which the object answers.
pub(super) struct Order {
    pub(super) selector: Selector,
    pub(super) done: Sender<()>,
}

/// Progress of one object, visible to other threads.
#[derive(Default)]
pub(super) struct State {
    pub(super) counters: ObjectCounters,
    pub(super) fault: Option<Fault>,
    /// Counters, number of queued data and credit of each link.
    pub(super) links: Vec<(LinkCounters, usize, Credit)>,
    /// Number and name of the running entry, and its start time, ns.
    at_work: Option<(usize, String, u64)>,
}

/// State that all threads share.
pub(super) struct Shared {
    start: Instant,
    names: Vec<String>,
    mailboxes: Vec<Sender<Message>>,
    outs: Vec<AtomicBool>,
    pub(super) states: Vec<Mutex<State>>,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) log: Mutex<Vec<LogLine>>,
    pub(super) has_failed: AtomicBool,
    platform: Mutex<Platform>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "objects in threads live in real time"
)]
fn now() -> Instant {
    Instant::now()
}

impl Shared {
    pub(super) fn new(
        names: Vec<String>,
        mailboxes: Vec<Sender<Message>>,
        platform: Platform,
    ) -> Self {
        Self {
            start: now(),
            outs: names.iter().map(|_| AtomicBool::new(false)).collect(),
            states: names.iter().map(|_| Mutex::default()).collect(),
            names,
            mailboxes,
            faults: Mutex::default(),
            log: Mutex::default(),
            has_failed: AtomicBool::new(false),
            platform: Mutex::new(platform),
        }
    }

    /// Returns the time since the start, ns.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn is_out(&self, id: usize) -> bool {
        self.outs[id].load(Ordering::Acquire)
    }

    pub(super) fn put_out(&self, id: usize) {
        self.outs[id].store(true, Ordering::Release);
    }

    pub(super) fn fail(&self, id: usize, fault: Fault) {
        self.put_out(id);
        self.has_failed.store(true, Ordering::Release);
        lock(&self.states[id]).fault = Some(fault.clone());
        lock(&self.faults).push(fault);
    }

    pub(super) fn at_work(&self, id: usize) -> Option<(usize, String, u64)> {
        lock(&self.states[id]).at_work.clone()
    }

    pub(super) fn queued(&self, id: usize) -> usize {
        self.mailboxes[id].len()
    }

    pub(super) fn put(&self, to: usize, message: Message) -> Result<(), (Status, Message)> {
        let Some(mailbox) = self.mailboxes.get(to) else {
            return Err((Status::INVALID_OID, message));
        };
        if self.is_out(to) {
            return Err((Status::SEND_FAIL, message));
        }
        match mailbox.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(message)) => {
                lock(&self.states[to]).counters.overflows += 1;
                let status = Status::FULL_OF_QUEUE;
                let text = format!("a message was dropped: the mailbox is full: {status}");
                self.write(to, Level::Error, text);
                Err((status, message))
            }
            Err(TrySendError::Disconnected(message)) => Err((Status::SEND_FAIL, message)),
        }
    }

    fn write(&self, id: usize, level: Level, text: String) {
        let line = LogLine {
            at: self.now(),
            object: self.names[id].clone(),
            level,
            text,
        };
        let mut log = lock(&self.log);
        if log.len() < LOG_LINES {
            log.push(line);
        }
    }
}

impl SchedulerFactory for Arc<Shared> {
    fn scheduler(&mut self, id: usize) -> Box<dyn Scheduler + '_> {
        Box::new(Own::new(id, self.clone()))
    }

    fn now(&self) -> u64 {
        Shared::now(self)
    }
}

/// Interface of the scheduler for the handlers of one thread.
struct Own {
    id: usize,
    shared: Arc<Shared>,
    /// Scheduled messages, by time and sequence number.
    later: BTreeMap<Reverse<(u64, u64)>, Message>,
    next: u64,
}

impl Own {
    fn new(id: usize, shared: Arc<Shared>) -> Self {
        Self {
            id,
            shared,
            later: BTreeMap::new(),
            next: 0,
        }
    }
}

impl Scheduler for Own {
    fn now(&self) -> u64 {
        self.shared.now()
    }

    fn spend(&mut self, _: u64) {}

    fn block(&mut self, nanos: u64) {
        std::thread::sleep(Duration::from_nanos(nanos));
    }

    fn send(&mut self, to: usize, message: Message) -> Result<(), (Status, Message)> {
        self.shared.put(to, message)
    }

    fn send_later(&mut self, _: usize, nanos: u64, message: Message) {
        self.next += 1;
        let time = self.shared.now().saturating_add(nanos);
        self.later.insert(Reverse((time, self.next)), message);
    }

    fn log(&mut self, level: Level, text: String) {
        self.shared.write(self.id, level, text);
    }

    fn platform(&mut self, work: &mut dyn FnMut(&mut Platform)) {
        work(&mut lock(&self.shared.platform));
    }
}

/// Thread of one object.
pub(super) struct Worker {
    object_runner: ObjectRunner,
    own: Own,
    mailbox: Receiver<Message>,
    orders: Receiver<Order>,
}

impl Worker {
    pub(super) fn new(
        id: usize,
        object_runner: ObjectRunner,
        shared: Arc<Shared>,
        mailbox: Receiver<Message>,
        orders: Receiver<Order>,
    ) -> Self {
        Self {
            object_runner,
            own: Own::new(id, shared),
            mailbox,
            orders,
        }
    }

    /// Handles messages until the object ends or fails.
    pub(super) fn run(mut self) {
        let mut goes_on = self.handle(Message::Start(SystemEvent::Boot));
        while goes_on && !self.own.shared.is_out(self.own.id) {
            let next = self.own.later.last_key_value();
            let timer = next.map_or_else(never, |(&Reverse((time, _)), _)| {
                after(Duration::from_nanos(time.saturating_sub(self.own.now())))
            });
            goes_on = crossbeam_channel::select! {
                recv(self.orders) -> order => match order {
                    Ok(order) => self.end(&order),
                    Err(_) => false,
                },
                recv(self.mailbox) -> message => message.is_ok_and(|message| self.handle(message)),
                recv(timer) -> _ => {
                    let due = self.own.later.pop_last();
                    due.is_none_or(|(_, message)| self.handle(message))
                }
            };
        }
    }

    /// Handles a message; false if the object has failed.
    fn handle(&mut self, message: Message) -> bool {
        let selector = message.selector();
        let id = self.own.id;
        let began = self.own.now();
        {
            let mut state = lock(&self.own.shared.states[id]);
            let waiting = self.mailbox.len() + 1;
            state.counters.longest_queue = state.counters.longest_queue.max(waiting);
            let interface = &self.object_runner.interface;
            let number = interface.number(selector);
            state.at_work = Some((number, interface.entry_name(selector), began));
        }
        let result = self.object_runner.handle((id, &mut self.own), message);
        let links = self.object_runner.services.subjects.iter();
        let links = links.flat_map(|subject| &subject.links);
        {
            let mut state = lock(&self.own.shared.states[id]);
            state.at_work = None;
            state
                .counters
                .handlers
                .add(self.own.now().saturating_sub(began));
            state.links.clear();
            state
                .links
                .extend(links.map(|link| (link.counters, link.queued(), link.credit)));
        }
        if let Err(cause) = result {
            let fault = self.object_runner.fault(selector, self.own.now(), cause);
            self.own.shared.fail(id, fault);
            return false;
        }
        true
    }

    /// Executes a step of the shutdown; false after the last one.
    fn end(&mut self, order: &Order) -> bool {
        let id = self.own.id;
        let result = self
            .object_runner
            .step((id, &mut self.own), order.selector, END);
        if let Err(cause) = result {
            let fault = self
                .object_runner
                .fault(order.selector, self.own.now(), cause);
            self.own.shared.fail(id, fault);
        }
        order.done.try_send(()).ok();
        order.selector == Selector::Stop
    }
}
