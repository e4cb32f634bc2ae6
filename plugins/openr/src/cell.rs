//! One object at work: its services, and what it does with a message. Panics end here.
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{
    context::{Context, Scheduler, Services},
    message::{ConnectionEvent, Message, SystemEvent},
    object::Object,
    service::{Interface, Selector},
    status::Status,
};

/// Object with its interface, its priority, and the cost of its handlers.
pub struct Part {
    /// Services and entries.
    pub interface: Interface,
    /// The object itself.
    pub object: Box<dyn Object>,
    /// Class in the high four bits: a lower one never runs while a higher one can. Share of the processor inside the class
    /// in the low four.
    pub priority: u8,
    /// Time on the processor that each handler takes in lockstep, ns, before what it says that it spends.
    pub handler_cost: u64,
}

/// Priority of objects that do not say another one.
pub const USUAL_PRIORITY: u8 = 128;

impl Part {
    /// An object of the usual priority whose handlers take no time.
    #[must_use]
    pub fn new(interface: Interface, object: impl Object + 'static) -> Self {
        Self {
            interface,
            object: Box::new(object),
            priority: USUAL_PRIORITY,
            handler_cost: 0,
        }
    }

    /// The same with another priority.
    #[must_use]
    pub fn with_priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// The same with handlers that each take so long, ns.
    #[must_use]
    pub fn with_cost(mut self, nanos: u64) -> Self {
        self.handler_cost = nanos;
        self
    }
}

/// Cause of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The handler panicked.
    Panic(String),
    /// The object said that it cannot go on.
    GaveUp(String),
    /// The handler took longer than is allowed, ns.
    Hang {
        /// Time that it took, or has taken so far.
        took: u64,
        /// Time that is allowed.
        bound: u64,
    },
    /// So many messages were handled without any time passing.
    Livelock(u32),
    /// A step of the life cycle did not succeed.
    Status(Status),
}

/// Fault of an object, which ends its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the object.
    pub object: String,
    /// Entry that failed.
    pub entry: String,
    /// Number of the entry.
    pub selector: usize,
    /// Time of the fault, ns.
    pub at: u64,
    /// Cause of the fault.
    pub cause: Cause,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        write!(
            f,
            "`{}`, entry {} ({}), at {:.3} s: ",
            self.object,
            self.selector,
            self.entry,
            seconds(self.at)
        )?;
        match &self.cause {
            Cause::Panic(text) => write!(f, "panicked: {text}"),
            Cause::GaveUp(text) => write!(f, "gave up: {text}"),
            Cause::Hang { took, bound } => write!(
                f,
                "hangs: {:.3} s in one handler, {:.3} s are allowed",
                seconds(*took),
                seconds(*bound)
            ),
            Cause::Livelock(count) => {
                write!(f, "handled {count} messages while no time passed")
            }
            Cause::Status(status) => write!(f, "returned {status}"),
        }
    }
}

/// Objects that end with one that fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultPolicy {
    /// The object itself.
    #[default]
    Itself,
    /// All, as on the robot.
    All,
}

pub(crate) struct Cell {
    pub(crate) interface: Interface,
    pub(crate) services: Services,
    object: Box<dyn Object>,
}

impl Cell {
    pub(crate) fn new(interface: Interface, object: Box<dyn Object>) -> Self {
        let services = Services::new(interface.subjects.len(), interface.observers.len());
        Self {
            interface,
            services,
            object,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.interface.object
    }

    pub(crate) fn fault(&self, selector: Selector, at: u64, cause: Cause) -> Fault {
        Fault {
            object: self.name().to_owned(),
            entry: self.interface.entry_name(selector),
            selector: self.interface.number(selector),
            at,
            cause,
        }
    }

    fn guarded(
        &mut self,
        (id, scheduler): (usize, &mut dyn Scheduler),
        work: impl FnOnce(&mut dyn Object, &mut Context<'_>) -> Status,
    ) -> Result<Status, Cause> {
        let Self {
            services, object, ..
        } = self;
        let mut context = Context {
            services,
            scheduler,
            id,
        };
        let status = catch_unwind(AssertUnwindSafe(|| work(object.as_mut(), &mut context)))
            .map_err(|panic| Cause::Panic(panic_text(panic.as_ref())))?;
        match self.services.failure.take() {
            Some(why) => Err(Cause::GaveUp(why)),
            None => Ok(status),
        }
    }

    /// Handles a message: the library's part, then the object's own.
    pub(crate) fn handle(
        &mut self,
        by: (usize, &mut dyn Scheduler),
        message: Message,
    ) -> Result<(), Cause> {
        match message {
            Message::Start(event) => self.step(by, Selector::Start, event),
            Message::Ready(event) => {
                self.services.flush(by.1, event);
                if !self.interface.subjects[event.subject].hears_events {
                    return Ok(());
                }
                let ready = self.guarded(by, |object, context| {
                    object.ready(context, event);
                    Status::SUCCESS
                });
                ready.map(drop)
            }
            Message::Notify(event) => {
                self.services.begin(&event);
                if self.interface.observers[event.observer].hears_events {
                    self.guarded(by, |object, context| {
                        object.notify(context, &event);
                        Status::SUCCESS
                    })?;
                }
                self.services.end(event);
                Ok(())
            }
            Message::Extra(entry, payload) => {
                let extra = self.guarded(by, |object, context| {
                    object.extra(context, entry, &payload);
                    Status::SUCCESS
                });
                extra.map(drop)
            }
        }
    }

    /// A step of the life cycle; another status than success is a fault.
    pub(crate) fn step(
        &mut self,
        by: (usize, &mut dyn Scheduler),
        selector: Selector,
        event: SystemEvent,
    ) -> Result<(), Cause> {
        let status = self.guarded(by, |object, context| match selector {
            Selector::Init => object.do_init(context, event),
            Selector::Stop => object.do_stop(context, event),
            Selector::Destroy => object.do_destroy(context, event),
            _ => object.do_start(context, event),
        })?;
        if selector == Selector::Init {
            self.services.is_init = false;
        }
        if status.is_success() {
            Ok(())
        } else {
            Err(Cause::Status(status))
        }
    }

    /// Asks the object about a connection, at its subject or its observer.
    pub(crate) fn ask(
        &mut self,
        by: (usize, &mut dyn Scheduler),
        is_subject: bool,
        event: &ConnectionEvent,
    ) -> Result<Status, Cause> {
        let Interface {
            subjects,
            observers,
            ..
        } = &self.interface;
        let services = if is_subject { subjects } else { observers };
        if !services[event.index].hears_connections {
            return Ok(Status::SUCCESS);
        }
        self.guarded(by, |object, context| {
            if is_subject {
                object.control(context, event)
            } else {
                object.connect(context, event)
            }
        })
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a text".to_owned())
}
