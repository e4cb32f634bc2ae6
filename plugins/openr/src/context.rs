//! Calls that are available to an object while it handles a message; those to the robot's system are in `system`.
mod system;

use crate::{
    credit::Credit,
    link::{Buffering, LARGEST_RING, Link, ObserverEnd, USUAL_RING},
    message::{Message, NotifyEvent, Payload, ReadyEvent},
    platform::Platform,
    region::Region,
    status::Status,
};

/// Severity of a log line of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A failure.
    Error,
    /// An unusual condition.
    Warning,
    /// Information.
    Info,
}

/// Maximum number of characters in a log line of an object; longer lines are truncated.
pub const LONGEST_LINE: usize = 243;

/// Interface of the scheduler to a running handler.
pub(crate) trait Scheduler {
    /// Returns the time since the start, ns.
    fn now(&self) -> u64;
    /// Uses the processor for a time, ns.
    fn spend(&mut self, nanos: u64);
    /// Waits without the processor for a time, ns.
    fn block(&mut self, nanos: u64);
    /// Puts a message into a mailbox; returns the message if that fails.
    fn send(&mut self, to: usize, message: Message) -> Result<(), (Status, Message)>;
    /// Puts a message into a mailbox after a delay, ns.
    fn send_later(&mut self, to: usize, after: u64, message: Message);
    /// Writes a line to the log.
    fn log(&mut self, level: Level, text: String);
    /// Calls a function with the state that all objects share.
    fn platform(&mut self, work: &mut dyn FnMut(&mut Platform));
}

/// Subject at the other end of an observer's link.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) object: usize,
    pub(crate) subject: usize,
    pub(crate) link: usize,
    pub(crate) is_open: bool,
    /// Data of the last message, held until the observer is ready again.
    held: Vec<Region>,
    /// True if the running handler of a message of this subject has declared the observer ready again.
    is_released: bool,
}

/// A subject of an object, with its links.
#[derive(Debug)]
pub(crate) struct SubjectEnd {
    pub(crate) links: Vec<Link>,
    pub(crate) ring: usize,
    pub(crate) unit: usize,
}

/// An observer of an object, with its links.
#[derive(Debug, Default)]
pub(crate) struct ObserverState {
    pub(crate) peers: Vec<Peer>,
    pub(crate) buffering: Buffering,
}

/// Services of one object at run time.
#[derive(Debug, Default)]
pub(crate) struct Services {
    pub(crate) subjects: Vec<SubjectEnd>,
    pub(crate) observers: Vec<ObserverState>,
    /// True while buffer sizes may still be set.
    pub(crate) is_init: bool,
    /// Reason why the object cannot continue, if it has reported one.
    pub(crate) failure: Option<String>,
}

impl Services {
    pub(crate) fn new(subjects: usize, observers: usize) -> Self {
        let subject = || SubjectEnd {
            links: Vec::new(),
            ring: USUAL_RING,
            unit: 1,
        };
        Self {
            subjects: std::iter::repeat_with(subject).take(subjects).collect(),
            observers: std::iter::repeat_with(ObserverState::default)
                .take(observers)
                .collect(),
            is_init: true,
            failure: None,
        }
    }

    pub(crate) fn add_link(&mut self, subject: usize, to: ObserverEnd, buffering: Buffering) {
        let SubjectEnd { links, ring, unit } = &mut self.subjects[subject];
        links.push(Link::new(to, buffering, *unit, *ring));
    }

    pub(crate) fn add_peer(&mut self, observer: usize, object: usize, subject: usize, link: usize) {
        self.observers[observer].peers.push(Peer {
            object,
            subject,
            link,
            is_open: true,
            held: Vec::new(),
            is_released: false,
        });
    }

    /// Sends queued data to an observer that is ready, before the object's own handler runs.
    pub(crate) fn flush(&mut self, scheduler: &mut dyn Scheduler, event: ReadyEvent) {
        let links = self.subjects.get_mut(event.subject);
        if let Some(link) = links.and_then(|subject| subject.links.get_mut(event.link))
            && let Some(batch) = link.ready(event.is_assert)
        {
            // The scheduler counts and logs refused messages; their data stay queued.
            send(link, batch, scheduler);
        }
    }

    /// Prepares the handler of a notify: its data are held until the observer is ready again.
    pub(crate) fn begin(&mut self, event: &NotifyEvent) {
        if let Some(peer) = self.peer(event.observer, event.sender) {
            peer.is_released = false;
        }
    }

    /// Completes the handler of a notify.
    pub(crate) fn end(&mut self, event: NotifyEvent) {
        if let Some(peer) = self.peer(event.observer, event.sender)
            && !peer.is_released
        {
            peer.held = event.data;
        }
    }

    fn peer(&mut self, observer: usize, peer: usize) -> Option<&mut Peer> {
        self.observers.get_mut(observer)?.peers.get_mut(peer)
    }
}

fn send(link: &mut Link, batch: Vec<Region>, scheduler: &mut dyn Scheduler) -> Status {
    let event = NotifyEvent {
        observer: link.to.observer,
        sender: link.to.peer,
        data: batch,
    };
    match scheduler.send(link.to.object, Message::Notify(event)) {
        Ok(()) => Status::SUCCESS,
        Err((status, Message::Notify(event))) => {
            link.requeue(event.data);
            status
        }
        Err((status, _)) => status,
    }
}

/// Context of a running handler.
///
/// Subjects and observers are identified by their index in the interface; links of a subject and senders of an observer by
/// the order in which they were connected.
pub struct Context<'a> {
    pub(crate) services: &'a mut Services,
    pub(crate) scheduler: &'a mut dyn Scheduler,
    pub(crate) id: usize,
}

impl Context<'_> {
    /// Returns the time since the start, ns: of the virtual clock in lockstep, otherwise of the real clock.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.scheduler.now()
    }

    /// Uses the processor for a time, ns; other objects wait unless their class is higher. Has no effect in threads, where
    /// real time passes.
    pub fn spend(&mut self, nanos: u64) {
        self.scheduler.spend(nanos);
    }

    /// Waits for a time, ns, as blocking calls do: messages of this object wait, other objects run.
    pub fn block(&mut self, nanos: u64) {
        self.scheduler.block(nanos);
    }

    /// Writes a line to the log.
    pub fn log(&mut self, level: Level, text: &str) {
        let text = text.chars().take(LONGEST_LINE).collect();
        self.scheduler.log(level, text);
    }

    /// Stops this object at the end of the handler, since it cannot continue.
    pub fn fail(&mut self, why: &str) {
        self.services.failure.get_or_insert_with(|| why.to_owned());
    }

    /// Calls an extra entry of this object after a delay, ns.
    pub fn wake_after(&mut self, nanos: u64, entry: usize) {
        self.scheduler
            .send_later(self.id, nanos, Message::Extra(entry, None));
    }

    /// Calls an extra entry of this object later, with a payload, as asynchronous calls do on completion.
    ///
    /// # Errors
    ///
    /// The mailbox is full.
    pub fn post(&mut self, entry: usize, payload: Payload) -> Result<(), Status> {
        let sent = self.scheduler.send(self.id, Message::Extra(entry, payload));
        sent.map_err(|(status, _)| status)
    }

    /// Sets the number of entries of each ring buffer of a subject. Only in `do_init`.
    pub fn set_buffer_size(&mut self, subject: usize, entries: usize) -> Status {
        self.sized(subject, entries, |end| end.ring = entries)
    }

    /// Sets the number of data that form one unit of a subject. Only in `do_init`.
    pub fn set_unit_size(&mut self, subject: usize, data: usize) -> Status {
        self.sized(subject, data, |end| end.unit = data)
    }

    fn sized(
        &mut self,
        subject: usize,
        number: usize,
        set: impl FnOnce(&mut SubjectEnd),
    ) -> Status {
        if !self.services.is_init {
            return Status::REFUSED;
        }
        if number == 0 || number > LARGEST_RING {
            return Status::INVALID_ARG;
        }
        match self.services.subjects.get_mut(subject) {
            Some(end) => {
                set(end);
                Status::SUCCESS
            }
            None => Status::NOT_FOUND,
        }
    }

    /// Requests a buffering for all links of an observer. Only in `do_init`.
    pub fn set_buffering(&mut self, observer: usize, buffering: Buffering) -> Status {
        if !self.services.is_init {
            return Status::REFUSED;
        }
        let Buffering { min, max, .. } = buffering;
        if min == 0 || max < min || max as usize > LARGEST_RING {
            return Status::INVALID_ARG;
        }
        match self.services.observers.get_mut(observer) {
            Some(state) => {
                state.buffering = buffering;
                Status::SUCCESS
            }
            None => Status::NOT_FOUND,
        }
    }

    /// Sets data for all observers of a subject; they are copied once.
    pub fn set_data(&mut self, subject: usize, data: impl Into<Region>) -> Status {
        self.set_region(subject, &data.into())
    }

    /// Sets a region for all observers of a subject, without copying it: each of them gets a reference.
    pub fn set_region(&mut self, subject: usize, region: &Region) -> Status {
        let Some(end) = self.services.subjects.get_mut(subject) else {
            return Status::NOT_FOUND;
        };
        let links = end.links.iter_mut().filter(|link| link.is_open);
        links.for_each(|link| link.set(region.clone()));
        Status::SUCCESS
    }

    /// Sets a region for one observer of a subject.
    pub fn set_region_for(&mut self, subject: usize, link: usize, region: &Region) -> Status {
        match self.link_mut(subject, link) {
            Some(link) => {
                link.set(region.clone());
                Status::SUCCESS
            }
            None => Status::NOT_FOUND,
        }
    }

    /// Sends the data that were set to the observers that are ready, and queues them for the others according to their
    /// buffering.
    pub fn notify_observers(&mut self, subject: usize) -> Status {
        let Some(end) = self.services.subjects.get_mut(subject) else {
            return Status::NOT_FOUND;
        };
        let mut result = Status::SUCCESS;
        for link in end.links.iter_mut().filter(|link| link.is_open) {
            if let Some(batch) = link.notify() {
                let status = send(link, batch, self.scheduler);
                result = if status.is_success() { result } else { status };
            }
        }
        result
    }

    /// Sends the data that were set to one observer, or queues them.
    pub fn notify_observer(&mut self, subject: usize, link: usize) -> Status {
        let ends = self.services.subjects.get_mut(subject);
        let link = ends.and_then(|end| end.links.get_mut(link));
        let Some(link) = link.filter(|link| link.is_open) else {
            return Status::NOT_FOUND;
        };
        match link.notify() {
            Some(batch) => send(link, batch, self.scheduler),
            None => Status::SUCCESS,
        }
    }

    fn link_mut(&mut self, subject: usize, link: usize) -> Option<&mut Link> {
        let link = self
            .services
            .subjects
            .get_mut(subject)?
            .links
            .get_mut(link)?;
        link.is_open.then_some(link)
    }

    fn links(&self, subject: usize) -> impl Iterator<Item = &Link> {
        let ends = self.services.subjects.get(subject);
        let links = ends.into_iter().flat_map(|end| &end.links);
        links.filter(|link| link.is_open)
    }

    /// Returns the number of links of a subject.
    #[must_use]
    pub fn link_count(&self, subject: usize) -> usize {
        self.links(subject).count()
    }

    /// Returns the readiness of one observer of a subject.
    #[must_use]
    pub fn credit(&self, subject: usize, link: usize) -> Option<Credit> {
        let links = &self.services.subjects.get(subject)?.links;
        links.get(link).map(|link| link.credit)
    }

    /// Returns true if any observer of a subject is ready.
    #[must_use]
    pub fn is_any_ready(&self, subject: usize) -> bool {
        self.links(subject)
            .any(|link| link.credit == Credit::Asserted)
    }

    /// Returns true if every observer of a subject has reported its readiness, and at least one is ready.
    #[must_use]
    pub fn is_all_ready(&self, subject: usize) -> bool {
        self.is_any_ready(subject)
            && self
                .links(subject)
                .all(|link| link.credit != Credit::Unknown)
    }

    /// Returns the number of entries that all ring buffers of a subject can still store without dropping one.
    #[must_use]
    pub fn room(&self, subject: usize) -> usize {
        self.links(subject).map(Link::room).min().unwrap_or(0)
    }

    /// Clears all ring buffers of a subject.
    pub fn clear(&mut self, subject: usize) -> Status {
        let Some(end) = self.services.subjects.get_mut(subject) else {
            return Status::NOT_FOUND;
        };
        end.links.iter_mut().for_each(Link::clear);
        Status::SUCCESS
    }

    /// Sends a credit to all subjects of an observer, and releases the data of the last messages.
    pub fn assert_ready(&mut self, observer: usize) -> Status {
        self.send_readiness(observer, None, true)
    }

    /// Sends a credit to one subject of an observer, for example the sender of an event.
    pub fn assert_ready_to(&mut self, observer: usize, sender: usize) -> Status {
        self.send_readiness(observer, Some(sender), true)
    }

    /// Sends a credit to all subjects of all observers.
    pub fn assert_ready_to_all(&mut self) -> Status {
        let observers = 0..self.services.observers.len();
        observers.fold(Status::SUCCESS, |result, observer| {
            let status = self.assert_ready(observer);
            if result.is_success() { status } else { result }
        })
    }

    /// Revokes readiness at all subjects of an observer: further data are dropped.
    pub fn deassert_ready(&mut self, observer: usize) -> Status {
        self.send_readiness(observer, None, false)
    }

    /// Sends or revokes credits at the subjects of an observer, or at one of them.
    fn send_readiness(&mut self, observer: usize, only: Option<usize>, is_assert: bool) -> Status {
        let Some(state) = self.services.observers.get_mut(observer) else {
            return Status::NOT_FOUND;
        };
        let mut result = match only {
            Some(sender) if sender >= state.peers.len() => Status::NOT_FOUND,
            _ => Status::SUCCESS,
        };
        for (number, peer) in state.peers.iter_mut().enumerate() {
            if !peer.is_open || only.is_some_and(|only| only != number) {
                continue;
            }
            if is_assert {
                peer.held.clear();
                peer.is_released = true;
            }
            let event = ReadyEvent {
                subject: peer.subject,
                link: peer.link,
                is_assert,
            };
            if let Err((status, _)) = self.scheduler.send(peer.object, Message::Ready(event)) {
                result = status;
            }
        }
        result
    }
}
