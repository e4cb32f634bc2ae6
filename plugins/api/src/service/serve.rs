//! Serves requests, including nested ones, and ends them.
use std::sync::Arc;

use bevy::prelude::*;
use crossbeam_channel::{Sender, bounded};
use serde_json::Value as Json;

use super::{
    Call, Outcome, Reply, Service, ServiceError, Services, Status, Task, Then, error::name_of,
    find, service_of,
};
use crate::{
    component::ComponentPath,
    state::{InPathOrder, Kept},
    tick::Clock,
};

/// Maximum depth of nested calls. Deeper ones are services that call each other in a cycle.
const MOST_DEPTH: usize = 16;

/// A client that waits for an async service.
pub(super) struct Waiting {
    ticket: u64,
    entity: Entity,
    end: End,
    then: Option<Then>,
    client: Sender<Reply>,
}

/// Event that ends a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The end of the entity's task.
    Task,
    /// The end of a tick.
    Tick(u64),
    /// A call of [`answer`] with this ticket.
    Answer(u64),
}

/// Serves a request. The reply of a sync service is in the call at once; that of an async service arrives at the end of the
/// tick in which it ends. Handlers may call other services by this function.
pub fn call(world: &mut World, component: &str, service: &str, arguments: &Json) -> Call {
    let (client, receiver) = bounded(1);
    let mut services = world.get_resource_or_init::<Services>();
    services.next_ticket += 1;
    let ticket = services.next_ticket;
    if let Some(reply) = serve(world, (component, service), arguments, (ticket, &client)) {
        drop(client.try_send(reply));
    }
    Call { ticket, receiver }
}

/// Forwards a request to another service, which replies at once or later. Handlers of services that are
/// [`Service::passed_on`] return its result.
///
/// # Errors
///
/// The other service refused the request.
pub fn pass_on(
    world: &mut World,
    component: &str,
    service: &str,
    arguments: &Json,
) -> Result<Outcome, ServiceError> {
    let call = call(world, component, service, arguments);
    if let Some(reply) = call.reply() {
        let Reply {
            status,
            value,
            error,
        } = reply;
        return match status {
            Status::Success => Ok(Outcome::Done(value)),
            Status::Failed | Status::Preempted => {
                Err(error.unwrap_or_else(|| ServiceError::Failed(text(value))))
            }
        };
    }
    // The other end was dropped.
    let mut waiting = std::mem::take(&mut world.resource_mut::<Services>().waiting);
    let index = waiting
        .iter()
        .position(|client| client.ticket == call.ticket);
    let client = index.map(|index| waiting.remove(index));
    world.resource_mut::<Services>().waiting = waiting;
    match client {
        Some(Waiting { end, entity, .. }) => Ok(match end {
            End::Task => Outcome::Follows(entity),
            End::Tick(tick) => Outcome::Until(tick),
            End::Answer(ticket) => Outcome::Later(ticket),
        }),
        None => Err(ServiceError::Failed(format!(
            "`{component}` does not answer {service}"
        ))),
    }
}

fn text(value: Json) -> String {
    match value {
        Json::String(text) => text,
        value => value.to_string(),
    }
}

/// Serves one request; `None` if it is under way.
fn serve(
    world: &mut World,
    (component, name): (&str, &str),
    arguments: &Json,
    (ticket, client): (u64, &Sender<Reply>),
) -> Option<Reply> {
    let Some((entity, service)) = lookup(world, component, name) else {
        return Some(Reply::failed(ServiceError::Unregistered {
            component: component.to_owned(),
            service: name.to_owned(),
        }));
    };
    if world.resource::<Services>().depth >= MOST_DEPTH {
        return Some(Reply::failed(ServiceError::Failed(format!(
            "`{component}` {name}: services call each other in a cycle"
        ))));
    }
    if service.is_async
        && let Err(busy) = make_free(world, entity, false)
    {
        return Some(Reply::failed(busy));
    }
    world.resource_mut::<Services>().depth += 1;
    let outcome = (service.run)(world, entity, arguments);
    world.resource_mut::<Services>().depth -= 1;
    let mut waiting = Waiting {
        ticket,
        entity,
        end: End::Task,
        then: None,
        client: client.clone(),
    };
    match outcome {
        Err(error) => return Some(Reply::failed(seen_from(&service, arguments, error))),
        Ok(Outcome::Done(value)) => return Some(Reply::done(value)),
        Ok(Outcome::Until(tick)) => waiting.end = End::Tick(tick),
        Ok(Outcome::Later(ticket)) => waiting.end = End::Answer(ticket),
        // Its own task runs already, under the name of the other service.
        Ok(Outcome::Follows(other)) if other == entity => waiting.then = service.then,
        Ok(outcome) => {
            if !service.is_async {
                return Some(Reply::failed(ServiceError::Failed(format!(
                    "`{component}` {name} is answered later, and does not say so"
                ))));
            }
            let awaits = match outcome {
                Outcome::Follows(other) => {
                    world.get::<ComponentPath>(other).map(ToString::to_string)
                }
                _ => None,
            };
            world.entity_mut(entity).insert(Task {
                running: Some(name.to_owned()),
                ended: None,
                awaits,
            });
        }
    }
    world.resource_mut::<Services>().waiting.push(waiting);
    None
}

/// Returns the error of a service, marked if a sync service received no arguments at all.
fn seen_from(service: &Service, arguments: &Json, mut error: ServiceError) -> ServiceError {
    let is_empty = arguments.is_null() || arguments.as_array().is_some_and(Vec::is_empty);
    if let ServiceError::WrongArity { is_bare, .. } = &mut error {
        *is_bare |= is_empty && !service.is_async;
    }
    error
}

/// Returns the service of that name of a component, or of a part of the simulation itself.
#[must_use]
pub fn registered(world: &World, component: &str, name: &str) -> Option<Arc<Service>> {
    lookup(world, component, name).map(|(_, service)| service)
}

fn lookup(world: &World, component: &str, name: &str) -> Option<(Entity, Arc<Service>)> {
    let of = |entity: Entity| service_of(world, entity, name);
    let global = || {
        let services = world.get_resource::<Services>()?;
        let alias = services.aliases.get(component);
        alias.or(services.globals.get(component)).copied()
    };
    find(world, component)
        .and_then(of)
        .or_else(|| global().and_then(of))
}

/// Returns the service that an entity is carrying out.
fn running(world: &World, entity: Entity) -> Option<&str> {
    let task = world.get::<Task>(entity).filter(|task| task.is_running())?;
    task.running.as_deref()
}

/// Returns the component whose task determines that of this entity.
fn awaited(world: &World, entity: Entity) -> Option<Entity> {
    let path = world.get::<Task>(entity)?.awaits.as_deref()?;
    find(world, path)
}

/// Returns the function that interrupts the async service of an entity, if one is under way; or the reason why it cannot be
/// interrupted. A request is cancelled, or replaced by another one.
fn interruption(
    world: &World,
    entity: Entity,
    is_cancelled: bool,
) -> Result<Option<fn(&mut World, Entity)>, ServiceError> {
    let Some(name) = running(world, entity) else {
        return Ok(None);
    };
    if let Some(other) = awaited(world, entity) {
        interruption(world, other, is_cancelled)?;
    }
    let service = service_of(world, entity, name).map(|(_, service)| service);
    let of = |pick: fn(&Service) -> Option<fn(&mut World, Entity)>| {
        service.as_ref().and_then(|service| pick(service))
    };
    let cancel = of(|service| service.cancel);
    let on_cancel = cancel.filter(|_| is_cancelled);
    let interrupt = on_cancel.or(of(|service| service.interrupt));
    interrupt.map(Some).ok_or_else(|| ServiceError::Busy {
        component: name_of(world, entity),
        service: name.to_owned(),
    })
}

/// Interrupts the async service of an entity, or returns the reason why it cannot be interrupted.
fn make_free(world: &mut World, entity: Entity, is_cancelled: bool) -> Result<(), ServiceError> {
    if let Some(interrupt) = interruption(world, entity, is_cancelled)? {
        interrupt(world, entity);
        finish(world, entity, Reply::PREEMPTED);
    }
    Ok(())
}

/// Interrupts the task of another component on behalf of this one.
pub(super) fn interrupt_below(world: &mut World, entity: Entity) {
    if let Some(other) = awaited(world, entity) {
        // `interruption` has checked that it can be interrupted.
        make_free(world, other, false).ok();
    }
}

/// Cancels the task of another component on behalf of this one.
pub(super) fn cancel_below(world: &mut World, entity: Entity) {
    if let Some(other) = awaited(world, entity) {
        // `interruption` has checked that it can be cancelled.
        make_free(world, other, true).ok();
    }
}

/// Cancels a request that is under way; its client receives `PREEMPTED`. Other requests are unaffected.
pub fn cancel(world: &mut World, ticket: u64) {
    let mut services = world.get_resource_or_init::<Services>();
    let waiting = &mut services.waiting;
    let Some(index) = waiting.iter().position(|client| client.ticket == ticket) else {
        return;
    };
    let Some(client) = waiting.get(index) else {
        return;
    };
    if client.end == End::Task {
        let entity = client.entity;
        // A service without an interrupt policy runs to its end, as it would without the request.
        drop(make_free(world, entity, true));
        return;
    }
    let client = waiting.remove(index);
    // A client that disconnected misses its reply.
    drop(client.client.try_send(Reply::PREEMPTED));
}

/// Answers all clients that wait for a tick, because time was set back or their reason to wait is over.
pub fn release(world: &mut World) {
    let Some(mut services) = world.get_resource_mut::<Services>() else {
        return;
    };
    services.waiting.retain(|client| {
        let is_over = matches!(client.end, End::Tick(_));
        if is_over {
            // A client that disconnected misses its reply.
            drop(client.client.try_send(Reply::done(Json::Null)));
        }
        !is_over
    });
}

/// Returns a ticket for [`Outcome::Later`], different from all others of the simulation.
pub fn ticket(world: &mut World) -> u64 {
    let mut services = world.get_resource_or_init::<Services>();
    services.next_ticket += 1;
    services.next_ticket
}

/// Answers the request that waits for this ticket, if there is one.
pub fn answer(world: &mut World, ticket: u64, reply: &Reply) {
    let mut services = world.get_resource_or_init::<Services>();
    services.waiting.retain(|client| {
        let is_meant = client.end == End::Answer(ticket);
        if is_meant {
            // A client that disconnected misses its reply.
            drop(client.client.try_send(reply.clone()));
        }
        !is_meant
    });
}

/// Ends the requests whose services are not under way any more, after the state was set back: they fail.
pub fn end_lost(world: &mut World) {
    let Some(mut services) = world.get_resource_mut::<Services>() else {
        return;
    };
    let mut waiting = std::mem::take(&mut services.waiting);
    let is_lost = |client: &Waiting| {
        let task = world.get::<Task>(client.entity);
        client.end == End::Task && !task.is_some_and(Task::is_running)
    };
    waiting.retain(|client| {
        let is_lost = is_lost(client);
        if is_lost {
            let why = ServiceError::failed("the simulation was set back to an earlier state");
            // A client that disconnected misses its reply.
            drop(client.client.try_send(Reply::failed(why)));
        }
        !is_lost
    });
    world.resource_mut::<Services>().waiting = waiting;
}

/// Moves the requests under way to the next world after a reload. Requests to components that do not continue there fail.
pub fn carry(from: &mut World, to: &mut World, kept: &Kept) {
    let Some(mut old) = from.get_resource_mut::<Services>() else {
        return;
    };
    let waiting = std::mem::take(&mut old.waiting);
    let (next_ticket, globals) = (old.next_ticket, old.globals.clone());
    let mut new = to.get_resource_or_init::<Services>();
    new.next_ticket = new.next_ticket.max(next_ticket);
    let named = |entity: Entity| {
        let mut names = globals.iter();
        let (name, _) = names.find(|(_, global)| **global == entity)?;
        new.globals.get(name).copied()
    };
    let mut continued = Vec::new();
    for client in waiting {
        let next = kept.0.get(&client.entity).copied();
        match next.or_else(|| named(client.entity)) {
            Some(entity) => continued.push(Waiting { entity, ..client }),
            None => {
                let why =
                    "the component was removed from the simulation, or its definition has changed";
                // A client that disconnected misses its reply.
                drop(
                    client
                        .client
                        .try_send(Reply::failed(ServiceError::failed(why))),
                );
            }
        }
    }
    new.waiting.append(&mut continued);
}

/// Answers the clients whose services ended in this tick. Runs in `Tick::Export`.
pub fn complete(world: &mut World, tasks: &mut QueryState<&Task>) {
    if tasks.iter(world).any(|task| task.ended.is_some()) {
        let order = world
            .get_resource::<InPathOrder>()
            .map(|order| order.0.clone());
        for entity in order.unwrap_or_default() {
            let ended = world
                .get_mut::<Task>(entity)
                .and_then(|mut task| task.ended.take());
            if let Some((status, value)) = ended {
                let value = serde_json::from_str(&value).unwrap_or(Json::Null);
                finish(world, entity, ended_with(status, value));
            }
        }
    }
    let now = world.resource::<Clock>().tick;
    let mut services = world.resource_mut::<Services>();
    if services.waiting.is_empty() {
        return;
    }
    services.waiting.retain(|client| {
        let is_over = matches!(client.end, End::Tick(tick) if tick <= now);
        if is_over {
            // A client that disconnected misses its reply.
            drop(client.client.try_send(Reply::done(Json::Null)));
        }
        !is_over
    });
}

/// Ends the task of an entity: answers its clients, and ends the tasks that depend on it.
fn finish(world: &mut World, entity: Entity, reply: Reply) {
    if let Some(mut task) = world.get_mut::<Task>(entity) {
        *task = Task::default();
    }
    let mut waiting = std::mem::take(&mut world.resource_mut::<Services>().waiting);
    waiting.retain(|client| {
        let is_meant = client.entity == entity && client.end == End::Task;
        if is_meant {
            let reply = match client.then {
                Some(then) => then(world, entity, reply.clone()),
                None => reply.clone(),
            };
            // A client that disconnected misses its reply.
            drop(client.client.try_send(reply));
        }
        !is_meant
    });
    world.resource_mut::<Services>().waiting = waiting;
    for (follower, then) in followers(world, entity) {
        let reply = match then {
            Some(then) => then(world, follower, reply.clone()),
            None => reply.clone(),
        };
        finish(world, follower, reply);
    }
}

/// Returns the components that wait for the task of an entity, in path order, with the functions that change their replies.
fn followers(world: &World, entity: Entity) -> Vec<(Entity, Option<Then>)> {
    let (Some(path), Some(order)) = (
        world.get::<ComponentPath>(entity),
        world.get_resource::<InPathOrder>(),
    ) else {
        return Vec::new();
    };
    let waits = |follower: &Entity| {
        let task = world.get::<Task>(*follower);
        task.is_some_and(|task| task.awaits.as_deref() == Some(path.as_str()))
    };
    let with_then = |follower: Entity| {
        let name = world.get::<Task>(follower)?.running.as_deref()?;
        let then = service_of(world, follower, name).and_then(|(_, service)| service.then);
        Some((follower, then))
    };
    let followers = order.0.iter().copied().filter(waits);
    followers.filter_map(with_then).collect()
}

/// Returns the reply of a task that ended.
fn ended_with(status: Status, value: Json) -> Reply {
    let is_failed = status == Status::Failed;
    let error = is_failed.then(|| ServiceError::Failed(text(value.clone())));
    Reply {
        status,
        value,
        error,
    }
}
