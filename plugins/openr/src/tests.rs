//! Tests of complete systems of objects, by the rules of OPEN-R's manuals and samples.
mod acceptance;
mod audio;
mod body;
mod faults;
mod flow;
mod life;
mod many;
mod network;
mod robot;
mod story;
mod threads;
mod time;
mod timing;

use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    lockstep::{Lockstep, Rules},
    prelude::*,
    wiring::Connection,
};

/// Nanoseconds per millisecond.
const MS: u64 = 1_000_000;

/// Notes that objects of a test write.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, text: impl Into<String>) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(text.into());
    }

    fn all(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn count(&self, text: &str) -> usize {
        self.all().iter().filter(|note| *note == text).count()
    }
}

fn join(from: &str, to: &str) -> Connection {
    let name = |text: &str| text.parse().expect("a service");
    (name(from), name(to))
}

fn boot(objects: Vec<ObjectInstance>, connections: &[Connection]) -> Lockstep {
    Lockstep::boot(objects, connections, Rules::default())
}

/// Object whose handlers are given as functions.
#[derive(Default)]
struct Scripted {
    init: Option<Box<dyn FnMut(&mut Context<'_>) -> Status + Send>>,
    start: Option<Box<dyn FnMut(&mut Context<'_>) -> Status + Send>>,
    ready: Option<Box<dyn FnMut(&mut Context<'_>, ReadyEvent) + Send>>,
    notify: Option<Box<dyn FnMut(&mut Context<'_>, &NotifyEvent) + Send>>,
    extra: Option<Box<dyn FnMut(&mut Context<'_>, usize) + Send>>,
}

impl Scripted {
    fn init(mut self, work: impl FnMut(&mut Context<'_>) -> Status + Send + 'static) -> Self {
        self.init = Some(Box::new(work));
        self
    }

    fn start(mut self, work: impl FnMut(&mut Context<'_>) -> Status + Send + 'static) -> Self {
        self.start = Some(Box::new(work));
        self
    }

    fn ready(mut self, work: impl FnMut(&mut Context<'_>, ReadyEvent) + Send + 'static) -> Self {
        self.ready = Some(Box::new(work));
        self
    }

    fn notify(mut self, work: impl FnMut(&mut Context<'_>, &NotifyEvent) + Send + 'static) -> Self {
        self.notify = Some(Box::new(work));
        self
    }

    fn extra(mut self, work: impl FnMut(&mut Context<'_>, usize) + Send + 'static) -> Self {
        self.extra = Some(Box::new(work));
        self
    }
}

impl Object for Scripted {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let init = self.init.as_mut();
        init.map_or(Status::SUCCESS, |work| work(context))
    }

    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        match &mut self.start {
            Some(work) => work(context),
            None => context.assert_ready_to_all(),
        }
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        if let Some(work) = &mut self.ready {
            work(context, event);
        }
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        if let Some(work) = &mut self.notify {
            work(context, event);
        }
    }

    fn extra(&mut self, context: &mut Context<'_>, entry: usize, _: &Payload) {
        if let Some(work) = &mut self.extra {
            work(context, entry);
        }
    }
}

/// Returns a source with the subject `Source.Out.d.S` that sends its numbers periodically, in ns, from the first on.
fn source(period: u64, count: u8) -> ObjectInstance {
    let mut next = 0;
    let object = Scripted::default()
        .start(|context| {
            context.wake_after(0, 0);
            Status::SUCCESS
        })
        .extra(move |context, _| {
            next += 1;
            context.set_data(0, vec![next]);
            context.notify_observers(0);
            if next < count {
                context.wake_after(period, 0);
            }
        });
    let interface = Interface::new("Source").subject("Out", "d").extra("Clock");
    ObjectInstance::new(interface, object)
}

/// Returns a sink with the observer `name.In.d.O` that notes received data, and declares itself ready again if `again`.
fn sink(name: &str, notes: &Notes, again: bool) -> ObjectInstance {
    let notes = notes.clone();
    let object = Scripted::default().notify(move |context, event| {
        let data: Vec<String> = event
            .data
            .iter()
            .map(|region| region.bytes()[0].to_string())
            .collect();
        notes.add(data.join(" "));
        if again {
            context.assert_ready(0);
        }
    });
    ObjectInstance::new(Interface::new(name).observer("In", "d"), object)
}
