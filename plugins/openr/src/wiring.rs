//! Life cycle of all objects, and the connections between them.
use std::collections::BTreeMap;

use crate::{
    context::Scheduler,
    link::ObserverEnd,
    message::{ConnectionEvent, SystemEvent},
    object_runner::{Cause, Fault, ObjectRunner},
    service::{Selector, ServiceName, Side},
    status::Status,
};

/// Subject and observer to be connected.
pub type Connection = (ServiceName, ServiceName);

/// Source of the schedulers of all objects.
pub(crate) trait SchedulerFactory {
    fn scheduler(&mut self, id: usize) -> Box<dyn Scheduler + '_>;
    fn now(&self) -> u64;
}

/// Services of all objects, by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory(BTreeMap<ServiceName, (usize, usize)>);

impl Directory {
    /// Lists all services; of two with the same name the first one is used.
    pub(crate) fn new(cells: &[ObjectRunner], warnings: &mut Vec<String>) -> Self {
        let mut known = BTreeMap::new();
        for (id, object_runner) in cells.iter().enumerate() {
            for list in [
                &object_runner.interface.subjects,
                &object_runner.interface.observers,
            ] {
                for (index, service) in list.iter().enumerate() {
                    if known.contains_key(&service.name) {
                        warnings.push(format!(
                            "`{}` of `{}`: {}: another object has this service",
                            service.name,
                            object_runner.name(),
                            Status::ALREADY_EXIST
                        ));
                    } else {
                        known.insert(service.name.clone(), (id, index));
                    }
                }
            }
        }
        Self(known)
    }

    pub(crate) fn find(&self, name: &ServiceName) -> Option<(usize, usize)> {
        self.0.get(name).copied()
    }

    /// Returns the service of the same side with the most similar name.
    fn nearest(&self, name: &ServiceName) -> Option<&ServiceName> {
        let likeness = |other: &ServiceName| {
            [
                other.object == name.object,
                other.service == name.service,
                other.data == name.data,
            ]
            .iter()
            .filter(|is_equal| **is_equal)
            .count()
        };
        let of_side = self.0.keys().filter(|known| known.side == name.side);
        let nearest = of_side.rev().max_by_key(|known| likeness(known))?;
        (likeness(nearest) >= 2).then_some(nearest)
    }
}

/// Initialises all objects, in order; returns those that fail.
pub(crate) fn init(
    cells: &mut [ObjectRunner],
    office: &mut dyn SchedulerFactory,
) -> Vec<(usize, Fault)> {
    life(cells, office, Selector::Init, SystemEvent::Boot, |_| true)
}

/// Executes a step of the life cycle of all running objects, in order; returns those that fail.
pub(crate) fn life(
    cells: &mut [ObjectRunner],
    office: &mut dyn SchedulerFactory,
    selector: Selector,
    event: SystemEvent,
    works: impl Fn(usize) -> bool,
) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    let now = office.now();
    for (id, object_runner) in cells.iter_mut().enumerate().filter(|(id, _)| works(*id)) {
        let result = object_runner.step((id, office.scheduler(id).as_mut()), selector, event);
        if let Err(cause) = result {
            faults.push((id, object_runner.fault(selector, now, cause)));
        }
    }
    faults
}

/// Connects a subject and an observer, if both exist and accept it.
pub(crate) fn connect(
    cells: &mut [ObjectRunner],
    office: &mut dyn SchedulerFactory,
    directory: &Directory,
    (subject, observer): &Connection,
) -> Result<(), Refusal> {
    let problem = |text: String| Refusal::Problem(text);
    if (subject.side, observer.side) != (Side::Subject, Side::Observer) {
        return Err(problem(format!(
            "`{subject}` to `{observer}`: a subject (`.S`) is connected to an observer (`.O`)"
        )));
    }
    let find = |name: &ServiceName| {
        directory.find(name).ok_or_else(|| {
            let hint = directory
                .nearest(name)
                .map(|near| format!("; did you mean `{near}`?"));
            problem(format!("`{name}` NOT FOUND{}", hint.unwrap_or_default()))
        })
    };
    let (from, index) = find(subject)?;
    let (to, observer_index) = find(observer)?;
    if subject.data != observer.data {
        return Err(problem(format!(
            "`{subject}` to `{observer}`: the types of data differ, `{}` and `{}`",
            subject.data, observer.data
        )));
    }
    let links = &cells[from].services.subjects[index].links;
    let is_same =
        |link: &crate::link::Link| (link.to.object, link.to.observer) == (to, observer_index);
    if links.iter().any(|link| is_same(link) && link.is_open) {
        return Err(problem(format!(
            "`{subject}` to `{observer}`: already connected"
        )));
    }
    report_connection(cells, office, (from, index, true), observer, true)?;
    report_connection(cells, office, (to, observer_index, false), subject, true)?;
    let link = cells[from].services.subjects[index].links.len();
    let peer = cells[to].services.observers[observer_index].peers.len();
    let buffering = cells[to].services.observers[observer_index].buffering;
    let end = ObserverEnd {
        object: to,
        observer: observer_index,
        peer,
    };
    cells[from].services.add_link(index, end, buffering);
    cells[to]
        .services
        .add_peer(observer_index, from, index, link);
    Ok(())
}

/// Removes a connection. It is reported to both ends, which cannot refuse it.
pub(crate) fn disconnect(
    cells: &mut [ObjectRunner],
    office: &mut dyn SchedulerFactory,
    directory: &Directory,
    (subject, observer): &Connection,
) -> Result<(), Refusal> {
    let missing = || Refusal::Problem(format!("`{subject}` to `{observer}`: not connected"));
    let (from, index) = directory.find(subject).ok_or_else(missing)?;
    let (to, observer_index) = directory.find(observer).ok_or_else(missing)?;
    let links = &mut cells[from].services.subjects[index].links;
    let link = links
        .iter_mut()
        .find(|link| link.is_open && (link.to.object, link.to.observer) == (to, observer_index));
    let link = link.ok_or_else(missing)?;
    link.is_open = false;
    link.clear();
    let peer = link.to.peer;
    cells[to].services.observers[observer_index].peers[peer].is_open = false;
    report_connection(cells, office, (from, index, true), observer, false)?;
    report_connection(cells, office, (to, observer_index, false), subject, false)
}

/// Reason why a connection was not made or removed.
pub(crate) enum Refusal {
    Problem(String),
    Fault(usize, Fault),
}

/// Reports a connection that was made or removed to the object at one end, and returns its refusal.
fn report_connection(
    cells: &mut [ObjectRunner],
    office: &mut dyn SchedulerFactory,
    (id, index, is_subject): (usize, usize, bool),
    other: &ServiceName,
    is_new: bool,
) -> Result<(), Refusal> {
    let event = ConnectionEvent {
        index,
        is_new,
        other: other.clone(),
    };
    let now = office.now();
    let object_runner = &mut cells[id];
    let selector = if is_subject {
        Selector::Control(index)
    } else {
        Selector::Connect(index)
    };
    let answer =
        object_runner.request_connection((id, office.scheduler(id).as_mut()), is_subject, &event);
    match answer {
        Ok(status) if status.is_success() || !is_new => Ok(()),
        Ok(status) => Err(Refusal::Problem(format!(
            "`{}` refuses the connection with `{other}`: {status}",
            object_runner.name()
        ))),
        Err(cause) => {
            let cause: Cause = cause;
            Err(Refusal::Fault(
                id,
                object_runner.fault(selector, now, cause),
            ))
        }
    }
}
