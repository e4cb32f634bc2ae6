//! Services: requests with answers, one table for all middlewares.
//!
//! A service is sync (answered at once) or async (answered when the component says so); an async service
//! may be interruptible. Requests that act on the world are served in [`crate::tick::Tick::Inputs`], in
//! arrival order; read-only ones also between ticks.
use bevy::{
    prelude::*,
    reflect::{TypeInfo, Typed},
};
use crossbeam_channel::{Receiver, Sender, bounded};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{
    component::Path,
    state::{AddState as _, InPathOrder, Stateful},
};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// It was done.
    Success,
    /// It was not done; the value says why.
    Failed,
    /// It was interrupted by a newer request or by `cancel`.
    Preempted,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// How it ended.
    pub status: Status,
    /// The result, or the reason; null if there is none.
    pub value: Json,
}

/// What a handler says.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Done, with this result.
    Done(Json),
    /// Under way; the component's [`Task`] will say when it is done.
    Pending,
}

impl Outcome {
    /// Done, without a result.
    pub const NOTHING: Self = Self::Done(Json::Null);
}

/// A handler did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// The async service that a component is busy with. It is state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    running: Option<String>,
    ended: Option<(Status, String)>,
}

impl Stateful for Task {}

impl Task {
    /// Whether a service is under way.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.is_some() && self.ended.is_none()
    }

    /// Ends the service that is under way; the client hears of it at the end of this tick.
    pub fn end(&mut self, status: Status, value: &Json) {
        if self.is_running() {
            self.ended = Some((status, value.to_string()));
        }
    }
}

/// A handler: the component's entity, and the arguments as JSON (an array, or an object of names).
type Handler = Box<dyn Fn(&mut World, Entity, &Json) -> Result<Outcome, Refused> + Send + Sync>;

/// One service of a kind of component.
pub struct Service {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub docs: &'static str,
    /// Its arguments, in order.
    pub arguments: &'static TypeInfo,
    /// Whether it may change the world.
    pub acts: bool,
    /// Whether it is answered later.
    pub is_async: bool,
    interrupt: Option<fn(&mut World, Entity)>,
    cancel: Option<fn(&mut World, Entity)>,
    run: Handler,
}

impl Service {
    /// A sync service that acts. `Arguments` is a struct whose fields are the arguments, in order;
    /// `#[serde(default)]` makes one optional.
    pub fn new<A: DeserializeOwned + Typed>(
        name: &'static str,
        docs: &'static str,
        handler: fn(&mut World, Entity, A) -> Result<Outcome, Refused>,
    ) -> Self {
        let run = move |world: &mut World, entity: Entity, json: &Json| {
            handler(world, entity, arguments(name, json)?)
        };
        Self {
            name,
            docs,
            arguments: A::type_info(),
            acts: true,
            is_async: false,
            interrupt: None,
            cancel: None,
            run: Box::new(run),
        }
    }

    /// It changes nothing, so it is also answered between ticks.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self {
            acts: false,
            ..self
        }
    }

    /// It is answered later. While it runs, another async request of the component is refused.
    #[must_use]
    pub fn asynchronous(self) -> Self {
        Self {
            is_async: true,
            ..self
        }
    }

    /// It is answered later, and a newer async request or `cancel` interrupts it by this function.
    #[must_use]
    pub fn interruptible(self, interrupt: fn(&mut World, Entity)) -> Self {
        Self {
            is_async: true,
            interrupt: Some(interrupt),
            ..self
        }
    }

    /// It is answered later. While it runs, another async request of the component is refused, but `cancel`
    /// interrupts it by this function.
    #[must_use]
    pub fn cancellable(self, cancel: fn(&mut World, Entity)) -> Self {
        Self {
            is_async: true,
            cancel: Some(cancel),
            ..self
        }
    }
}

/// Reads arguments: by position from an array, by name from an object; nothing at all is an empty array.
fn arguments<A: DeserializeOwned + Typed>(name: &str, json: &Json) -> Result<A, Refused> {
    let count = match A::type_info() {
        TypeInfo::Struct(info) => info.field_len(),
        _ => 0,
    };
    let empty = Json::Array(Vec::new());
    let json = if json.is_null() { &empty } else { json };
    if let Json::Array(given) = json
        && given.len() > count
    {
        return Err(Refused(format!(
            "wrong # of parameters for service {name}: {} given, {count} taken",
            given.len()
        )));
    }
    A::deserialize(json).map_err(|error| {
        let given = json.as_array().map_or(0, Vec::len);
        if error.to_string().starts_with("invalid length") {
            Refused(format!(
                "wrong # of parameters for service {name}: {given} given, {error}"
            ))
        } else {
            Refused(format!("wrong parameter type for service {name}: {error}"))
        }
    })
}

/// No arguments.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
pub struct NoArguments {}

/// Services of one kind of component.
struct Offer {
    is_on: fn(&World, Entity) -> bool,
    service: Service,
}

/// All services of the program.
#[derive(Resource, Default)]
pub struct Services {
    offers: Vec<Offer>,
    waiting: Vec<Waiting>,
    next_ticket: u64,
}

impl Services {
    /// All services, whatever offers them.
    pub fn all(&self) -> impl Iterator<Item = &Service> {
        self.offers.iter().map(|offer| &offer.service)
    }
}

/// A client that waits for an async service.
struct Waiting {
    ticket: u64,
    entity: Entity,
    client: Sender<Reply>,
}

/// Registers services.
pub trait AddService {
    /// Offers a service on every entity that has the component `On`.
    fn add_service<On: Component>(&mut self, service: Service) -> &mut Self;
}

impl AddService for App {
    fn add_service<On: Component>(&mut self, service: Service) -> &mut Self {
        if service.is_async {
            self.world_mut()
                .try_register_required_components::<On, Task>()
                .ok();
        }
        self.register_state::<Task>();
        let offer = Offer {
            is_on: |world, entity| world.get::<On>(entity).is_some(),
            service,
        };
        self.world_mut()
            .get_resource_or_init::<Services>()
            .offers
            .push(offer);
        self
    }
}

/// A request under way; the reply comes once.
#[derive(Debug)]
pub struct Call {
    /// Its number, to cancel it.
    pub ticket: u64,
    receiver: Receiver<Reply>,
}

impl Call {
    /// The reply, once it is there.
    #[must_use]
    pub fn reply(&self) -> Option<Reply> {
        self.receiver.try_recv().ok()
    }
}

/// The entity of that path.
#[must_use]
pub fn find(world: &World, path: &str) -> Option<Entity> {
    let order = &world.get_resource::<InPathOrder>()?.0;
    let name = |entity: &Entity| world.get::<Path>(*entity).map_or("", Path::as_str);
    order
        .binary_search_by(|entity| name(entity).cmp(path))
        .ok()
        .and_then(|at| order.get(at))
        .copied()
}

/// The services of an entity, sorted by name.
#[must_use]
pub fn services_of(world: &World, entity: Entity) -> Vec<&Service> {
    let Some(services) = world.get_resource::<Services>() else {
        return Vec::new();
    };
    let mut found: Vec<&Service> = services
        .offers
        .iter()
        .filter(|offer| (offer.is_on)(world, entity))
        .map(|offer| &offer.service)
        .collect();
    found.sort_by_key(|service| service.name);
    found
}

/// Serves a request. The reply of a sync service is in the call at once; that of an async one comes at the
/// end of the tick in which it ends.
pub fn call(world: &mut World, component: &str, service: &str, arguments: &Json) -> Call {
    let (client, receiver) = bounded(1);
    let ticket = world.resource_scope(|world, mut services: Mut<Services>| {
        services.next_ticket += 1;
        let ticket = services.next_ticket;
        if let Some(reply) = serve(
            world,
            &mut services,
            (component, service),
            arguments,
            (ticket, &client),
        ) {
            drop(client.try_send(reply));
        }
        ticket
    });
    Call { ticket, receiver }
}

/// Serves one request; `None` if it is under way.
fn serve(
    world: &mut World,
    services: &mut Services,
    (component, name): (&str, &str),
    arguments: &Json,
    (ticket, client): (u64, &Sender<Reply>),
) -> Option<Reply> {
    let Services {
        offers, waiting, ..
    } = services;
    let found = find(world, component).and_then(|entity| {
        Some((
            entity,
            offers
                .iter()
                .find(|offer| offer.service.name == name && (offer.is_on)(world, entity))?,
        ))
    });
    let Some((entity, offer)) = found else {
        return Some(failed(format!(
            "The request {name} has not been registered for `{component}`"
        )));
    };
    if offer.service.is_async
        && let Err(busy) = make_free(world, offers, waiting, entity, false)
    {
        return Some(failed(busy));
    }
    match (offer.service.run)(world, entity, arguments) {
        Err(refused) => Some(failed(refused.0)),
        Ok(Outcome::Done(value)) => Some(Reply {
            status: Status::Success,
            value,
        }),
        Ok(Outcome::Pending) => {
            world.entity_mut(entity).insert(Task {
                running: Some(name.to_owned()),
                ended: None,
            });
            waiting.push(Waiting {
                ticket,
                entity,
                client: client.clone(),
            });
            None
        }
    }
}

/// Interrupts the async service that an entity is busy with, or says why not.
fn make_free(
    world: &mut World,
    offers: &[Offer],
    waiting: &mut Vec<Waiting>,
    entity: Entity,
    is_cancelled: bool,
) -> Result<(), String> {
    let Some(running) = world
        .get::<Task>(entity)
        .filter(|task| task.is_running())
        .and_then(|task| task.running.clone())
    else {
        return Ok(());
    };
    let service = offers
        .iter()
        .find(|offer| offer.service.name == running && (offer.is_on)(world, entity))
        .map(|offer| &offer.service);
    let cancel = service.and_then(|service| service.cancel);
    let on_cancel = cancel.filter(|_| is_cancelled);
    let Some(interrupt) = on_cancel.or(service.and_then(|service| service.interrupt)) else {
        return Err(if cancel.is_some() {
            format!("A service ({running}) is already running. I do not know what to do.")
        } else {
            format!("A non-interruptible service ({running}) is already running")
        });
    };
    interrupt(world, entity);
    world.entity_mut(entity).insert(Task::default());
    answer(
        waiting,
        |client| client.entity == entity,
        &Reply {
            status: Status::Preempted,
            value: Json::Null,
        },
    );
    Ok(())
}

/// Cancels a request that is under way; its client gets `PREEMPTED`. Others are left alone.
pub fn cancel(world: &mut World, ticket: u64) {
    world.resource_scope(|world, mut services: Mut<Services>| {
        let Services {
            offers, waiting, ..
        } = &mut *services;
        if let Some(entity) = waiting
            .iter()
            .find(|client| client.ticket == ticket)
            .map(|client| client.entity)
        {
            // A service without an interrupt policy runs to its end, as it would without the request.
            drop(make_free(world, offers, waiting, entity, true));
        }
    });
}

/// Answers the clients whose services ended in this tick. Runs in `Tick::Export`.
pub fn complete(mut services: ResMut<Services>, mut tasks: Query<(Entity, &mut Task)>) {
    for (entity, mut task) in &mut tasks {
        let Some((status, value)) = task.ended.clone() else {
            continue;
        };
        *task = Task::default();
        let value = serde_json::from_str(&value).unwrap_or(Json::Null);
        answer(
            &mut services.waiting,
            |client| client.entity == entity,
            &Reply { status, value },
        );
    }
}

fn answer(waiting: &mut Vec<Waiting>, is_meant: impl Fn(&Waiting) -> bool, reply: &Reply) {
    waiting.retain(|client| {
        let meant = is_meant(client);
        if meant {
            // A client that has gone misses its reply.
            drop(client.client.try_send(reply.clone()));
        }
        !meant
    });
}

fn failed(reason: String) -> Reply {
    Reply {
        status: Status::Failed,
        value: Json::String(reason),
    }
}
