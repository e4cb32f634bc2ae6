//! Runner of one object: its services, and the handling of messages. Panics of the object are caught here.
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
pub struct ObjectInstance {
    /// Services and entries.
    pub interface: Interface,
    /// The object.
    pub object: Box<dyn Object>,
    /// Priority class in the upper four bits: objects of a lower class never run while one of a higher class is ready. Share
    /// of the processor within the class in the lower four bits.
    pub priority: u8,
    /// Processor time of each handler in lockstep, ns, in addition to the time that it spends with `Context::spend`.
    pub handler_cost: u64,
}

/// Default priority of objects.
pub const USUAL_PRIORITY: u8 = 128;

impl ObjectInstance {
    /// Returns an object with the default priority whose handlers take no time.
    #[must_use]
    pub fn new(interface: Interface, object: impl Object + 'static) -> Self {
        Self {
            interface,
            object: Box::new(object),
            priority: USUAL_PRIORITY,
            handler_cost: 0,
        }
    }

    /// Sets the priority.
    #[must_use]
    pub fn with_priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the processor time of each handler, ns.
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
    /// The object reported that it cannot continue.
    GaveUp(String),
    /// The handler exceeded the time limit, ns.
    Hang {
        /// Time that it took, or has taken so far, ns.
        took: u64,
        /// Time limit, ns.
        bound: u64,
    },
    /// This number of messages was handled without any time passing.
    Livelock(u32),
    /// A step of the life cycle failed.
    Status(Status),
}

/// Fault of an object, after which it no longer runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the object.
    pub object: String,
    /// Name of the entry that failed.
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

/// Objects that are stopped when one fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultPolicy {
    /// The failed object.
    #[default]
    Itself,
    /// All objects, as on the robot.
    All,
}

pub(crate) struct ObjectRunner {
    pub(crate) interface: Interface,
    pub(crate) services: Services,
    object: Box<dyn Object>,
}

impl ObjectRunner {
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

    /// Handles a message: updates the state of the links, then calls the object's handler.
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

    /// Executes a step of the life cycle; any status except success is a fault.
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

    /// Requests that the object accepts a connection, at its subject or its observer.
    pub(crate) fn request_connection(
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
