//! Event queue of the lockstep scheduler: mailboxes, clock and events of all objects.
use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, VecDeque},
    fmt,
};

use crate::{
    context::{Level, Scheduler},
    message::Message,
    platform::Platform,
    status::Status,
    wiring::SchedulerFactory,
};

/// Capacity of a mailbox, messages.
pub const MAILBOX: usize = 32;
/// Duration of a frame, ns: joints and sensors of the robot have one value per 8 ms.
pub const FRAME: u64 = 8_000_000;
/// Maximum number of stored log lines; the oldest are dropped.
const LOG_LINES: usize = 1000;

/// Line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Time of the line, ns.
    pub at: u64,
    /// Name of the object.
    pub object: String,
    /// Severity of the line.
    pub level: Level,
    /// Text of the line.
    pub text: String,
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.at as f64 / 1e9;
        write!(f, "{seconds:.3} s, `{}`: {}", self.object, self.text)
    }
}

/// Step of a handler, in the order of their times.
pub(super) enum Step {
    /// Uses the processor.
    Work(u64),
    /// Waits without the processor.
    Block(u64),
    /// Sends a message, for which a slot in the mailbox is reserved.
    Deliver(usize, Message),
    /// Schedules a message.
    Later(usize, u64, Message),
}

impl Step {
    /// Returns the duration of the step, ns.
    pub(super) fn time(&self) -> u64 {
        match self {
            Self::Work(nanos) | Self::Block(nanos) => *nanos,
            Self::Deliver(..) | Self::Later(..) => 0,
        }
    }
}

#[derive(Default)]
struct Mailbox {
    /// Messages, each with its sequence number of arrival.
    queue: VecDeque<(u64, Message)>,
    /// Number of slots reserved for messages that are not delivered yet.
    reserved: usize,
    longest: usize,
    overflows: u64,
    is_shut: bool,
}

struct Event {
    time: u64,
    number: u64,
    what: What,
}

enum What {
    Message(usize, Message),
    Unblock(usize),
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

pub(super) struct EventQueue {
    now: u64,
    names: Vec<String>,
    mailboxes: Vec<Mailbox>,
    events: BinaryHeap<Reverse<Event>>,
    next_number: u64,
    log: VecDeque<LogLine>,
    platform: Platform,
    /// Objects that may have become ready.
    pub(super) awake: Vec<usize>,
    /// Steps of the running handler.
    pub(super) steps: VecDeque<Step>,
}

impl EventQueue {
    pub(super) fn new(names: Vec<String>, platform: Platform) -> Self {
        Self {
            now: 0,
            mailboxes: names.iter().map(|_| Mailbox::default()).collect(),
            names,
            events: BinaryHeap::new(),
            next_number: 0,
            log: VecDeque::new(),
            platform,
            awake: Vec::new(),
            steps: VecDeque::new(),
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Begins a tick with its end, ns.
    pub(super) fn begin_tick(&mut self, end: u64) {
        let [_, start] = self.platform.tick;
        self.platform.tick = [start, end];
    }

    pub(super) fn pass_until(&mut self, time: u64) {
        self.now = self.now.max(time);
    }

    pub(super) fn next_event(&self) -> Option<u64> {
        self.events.peek().map(|Reverse(event)| event.time)
    }

    /// Executes all events that are due.
    pub(super) fn fire(&mut self, unblock: &mut dyn FnMut(usize)) {
        while self.next_event().is_some_and(|time| time <= self.now) {
            match self.events.pop() {
                Some(Reverse(Event {
                    what: What::Message(to, message),
                    ..
                })) => drop(self.put(to, message)),
                Some(Reverse(Event {
                    what: What::Unblock(id),
                    ..
                })) => {
                    unblock(id);
                    self.awake.push(id);
                }
                None => {}
            }
        }
    }

    /// Returns the interface for the handlers of an object.
    pub(super) fn clerk(&mut self, id: usize) -> HandlerContext<'_> {
        HandlerContext { events: self, id }
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn schedule(&mut self, after: u64, what: What) {
        let event = Event {
            time: self.now.saturating_add(after),
            number: self.number(),
            what,
        };
        self.events.push(Reverse(event));
    }

    pub(super) fn later(&mut self, to: usize, after: u64, message: Message) {
        self.schedule(after, What::Message(to, message));
    }

    pub(super) fn unblock_after(&mut self, id: usize, nanos: u64) {
        self.schedule(nanos, What::Unblock(id));
    }

    /// Reserves a slot in a mailbox.
    fn reserve(&mut self, to: usize) -> Result<(), Status> {
        let mailbox = &mut self.mailboxes[to];
        if mailbox.is_shut {
            return Err(Status::SEND_FAIL);
        }
        let waiting = mailbox.queue.len() + mailbox.reserved;
        if waiting >= MAILBOX {
            mailbox.overflows += 1;
            return Err(Status::FULL_OF_QUEUE);
        }
        mailbox.reserved += 1;
        mailbox.longest = mailbox.longest.max(waiting + 1);
        Ok(())
    }

    /// Delivers a message into its reserved slot.
    pub(super) fn deliver(&mut self, to: usize, message: Message) {
        let number = self.number();
        let mailbox = &mut self.mailboxes[to];
        mailbox.reserved -= 1;
        if !mailbox.is_shut {
            mailbox.queue.push_back((number, message));
            self.awake.push(to);
        }
    }

    pub(super) fn put(&mut self, to: usize, message: Message) -> Result<(), (Status, Message)> {
        match self.reserve(to) {
            Ok(()) => {
                self.deliver(to, message);
                Ok(())
            }
            Err(status) => {
                self.log_refusal(to, status);
                Err((status, message))
            }
        }
    }

    fn log_refusal(&mut self, to: usize, status: Status) {
        if status == Status::FULL_OF_QUEUE {
            let text = format!("a message found the mailbox full: {status}");
            self.write(to, Level::Error, text);
        }
    }

    fn write(&mut self, id: usize, level: Level, text: String) {
        if self.log.len() >= LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine {
            at: self.now,
            object: self.names[id].clone(),
            level,
            text,
        });
    }

    pub(super) fn take_log(&mut self) -> Vec<LogLine> {
        self.log.drain(..).collect()
    }

    /// Returns the sequence number of the next message of an object.
    pub(super) fn arrival(&self, id: usize) -> Option<u64> {
        self.mailboxes[id].queue.front().map(|(number, _)| *number)
    }

    pub(super) fn take(&mut self, id: usize) -> Option<Message> {
        let (_, message) = self.mailboxes[id].queue.pop_front()?;
        Some(message)
    }

    /// Releases the slots of messages that will not be sent.
    pub(super) fn forget(&mut self, steps: VecDeque<Step>) {
        for step in steps {
            if let Step::Deliver(to, _) = step {
                self.mailboxes[to].reserved -= 1;
            }
        }
    }

    /// Closes the mailbox of an object.
    pub(super) fn shut(&mut self, id: usize) {
        self.mailboxes[id].is_shut = true;
        self.mailboxes[id].queue.clear();
    }

    pub(super) fn queued(&self, id: usize) -> usize {
        self.mailboxes[id].queue.len()
    }

    /// Returns the maximum number of queued messages, and the number of messages refused by the full mailbox.
    pub(super) fn statistics(&self, id: usize) -> (usize, u64) {
        (self.mailboxes[id].longest, self.mailboxes[id].overflows)
    }
}

impl SchedulerFactory for EventQueue {
    fn scheduler(&mut self, id: usize) -> Box<dyn Scheduler + '_> {
        Box::new(self.clerk(id))
    }

    fn now(&self) -> u64 {
        self.now
    }
}

/// Interface of the event queue for the handlers of an object.
pub(super) struct HandlerContext<'a> {
    events: &'a mut EventQueue,
    id: usize,
}

impl Scheduler for HandlerContext<'_> {
    fn now(&self) -> u64 {
        let passed: u64 = self.events.steps.iter().map(Step::time).sum();
        self.events.now + passed
    }

    fn spend(&mut self, nanos: u64) {
        if nanos > 0 {
            self.events.steps.push_back(Step::Work(nanos));
        }
    }

    fn block(&mut self, nanos: u64) {
        if nanos > 0 {
            self.events.steps.push_back(Step::Block(nanos));
        }
    }

    fn send(&mut self, to: usize, message: Message) -> Result<(), (Status, Message)> {
        if self.events.steps.is_empty() {
            return self.events.put(to, message);
        }
        match self.events.reserve(to) {
            Ok(()) => {
                self.events.steps.push_back(Step::Deliver(to, message));
                Ok(())
            }
            Err(status) => {
                self.events.log_refusal(to, status);
                Err((status, message))
            }
        }
    }

    fn send_later(&mut self, to: usize, after: u64, message: Message) {
        if self.events.steps.is_empty() {
            self.events.later(to, after, message);
        } else {
            self.events.steps.push_back(Step::Later(to, after, message));
        }
    }

    fn log(&mut self, level: Level, text: String) {
        self.events.write(self.id, level, text);
    }

    fn platform(&mut self, work: &mut dyn FnMut(&mut Platform)) {
        work(&mut self.events.platform);
    }
}
