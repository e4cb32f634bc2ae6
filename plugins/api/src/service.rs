//! Services: requests with answers, one table for all middlewares.
//!
//! A service is sync (answered at once) or async (answered when the component says so); an async service
//! may be interruptible. Requests that act on the world are served in [`crate::tick::Tick::Inputs`], in
//! arrival order; read-only ones also between ticks. A handler may call other services by [`call`], and
//! answer with what another service answers by [`pass_on`].
mod error;
mod serve;

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use bevy::{
    prelude::*,
    reflect::{TypeInfo, Typed},
};
use crossbeam_channel::Receiver;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

pub use error::ServiceError;
use error::arguments;
use serve::Waiting;
pub use serve::{call, cancel, complete, pass_on, registered, release};

use crate::{
    component::{Beside, Path},
    state::{AddState as _, InPathOrder, Stateful},
};

/// Status with which a request ended.
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
    /// Status with which it ended.
    pub status: Status,
    /// The result, or the reason; null if there is none.
    pub value: Json,
    /// Error of a request that failed; its text is the value.
    pub error: Option<ServiceError>,
}

impl Reply {
    /// Success, with this result.
    #[must_use]
    pub fn done(value: Json) -> Self {
        Self {
            status: Status::Success,
            value,
            error: None,
        }
    }

    /// Failure for this reason.
    #[must_use]
    pub fn failed(error: ServiceError) -> Self {
        Self {
            status: Status::Failed,
            value: error.to_string().into(),
            error: Some(error),
        }
    }

    /// Interruption by a newer request or by `cancel`.
    pub const PREEMPTED: Self = Self {
        status: Status::Preempted,
        value: Json::Null,
        error: None,
    };
}

/// Answer of a handler.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Done, with this result.
    Done(Json),
    /// Under way; the component's [`Task`] will say when it is done.
    Pending,
    /// Under way; another component's task will say when it is done. Made by [`pass_on`].
    Follows(Entity),
    /// Under way until the end of this tick.
    Until(u64),
}

/// A tick that never comes: [`Outcome::Until`] this one is answered by [`release`].
pub const NEVER: u64 = u64::MAX;

impl Outcome {
    /// Done, without a result.
    pub const NOTHING: Self = Self::Done(Json::Null);
}

/// The async service that a component is busy with. It is state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    running: Option<String>,
    ended: Option<(Status, String)>,
    /// The path of the component whose task decides this one.
    awaits: Option<String>,
}

impl Stateful for Task {}

impl Task {
    /// Tells whether a service is under way.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.is_some() && self.ended.is_none()
    }

    /// Ends the service that is under way; the client gets the answer at the end of this tick. Does nothing, and converts
    /// nothing, while no service is under way.
    pub fn end(&mut self, status: Status, value: impl Into<Json>) {
        if self.is_running() {
            self.ended = Some((status, value.into().to_string()));
        }
    }
}

/// Changes the answer of a service that was passed on.
pub type Then = fn(&World, Entity, Reply) -> Reply;

/// A handler: the component's entity, and the arguments as JSON (an array, or an object of names).
type Handler =
    Box<dyn Fn(&mut World, Entity, &Json) -> Result<Outcome, ServiceError> + Send + Sync>;

/// One service of a kind of component.
pub struct Service {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its documentation.
    pub docs: Cow<'static, str>,
    /// Its arguments, in order.
    pub arguments: &'static TypeInfo,
    /// Description of its result, for people; empty if it is nothing but that it was done.
    pub result: Cow<'static, str>,
    /// True if it may change the world.
    pub acts: bool,
    /// True if it acts, but is not kept waiting for a tick while the run is held.
    pub at_rest: bool,
    /// True if it is answered later.
    pub is_async: bool,
    interrupt: Option<fn(&mut World, Entity)>,
    cancel: Option<fn(&mut World, Entity)>,
    then: Option<Then>,
    run: Handler,
}

impl Service {
    /// A sync service that acts. `Arguments` is a struct whose fields are the arguments, in order;
    /// `#[serde(default)]` makes one optional.
    pub fn new<A: DeserializeOwned + Typed>(
        name: &'static str,
        docs: &'static str,
        handler: fn(&mut World, Entity, A) -> Result<Outcome, ServiceError>,
    ) -> Self {
        let run = move |world: &mut World, entity: Entity, json: &Json| {
            let arguments = arguments((&*world, entity), name, json)?;
            handler(world, entity, arguments)
        };
        Self::untyped(name, docs, A::type_info(), run)
    }

    /// A sync service that acts and reads its arguments itself; `arguments` describes them.
    pub fn untyped(
        name: impl Into<Cow<'static, str>>,
        docs: impl Into<Cow<'static, str>>,
        arguments: &'static TypeInfo,
        handler: impl Fn(&mut World, Entity, &Json) -> Result<Outcome, ServiceError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            docs: docs.into(),
            arguments,
            result: Cow::Borrowed(""),
            acts: true,
            at_rest: false,
            is_async: false,
            interrupt: None,
            cancel: None,
            then: None,
            run: Box::new(handler),
        }
    }

    /// Says what it answers.
    #[must_use]
    pub fn returns(self, result: impl Into<Cow<'static, str>>) -> Self {
        Self {
            result: result.into(),
            ..self
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

    /// It acts on the run as a whole: while the run is held and no tick is to come, it is served at once,
    /// after all that arrived before it.
    #[must_use]
    pub fn at_rest(self) -> Self {
        Self {
            at_rest: true,
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

    /// It answers what another service answers ([`pass_on`]), at once or later; what interrupts or cancels
    /// it does so with the other one. `then` may change the answer, if it comes later.
    #[must_use]
    pub fn passed_on(self, then: Option<Then>) -> Self {
        Self {
            is_async: true,
            interrupt: Some(serve::interrupt_below),
            cancel: Some(serve::cancel_below),
            then,
            ..self
        }
    }
}

/// A value of any type, for arguments and settings that take any.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Deserialize)]
#[reflect(opaque)]
#[serde(transparent)]
pub struct AnyValue(pub Json);

/// No arguments.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
pub struct NoArguments {}

/// Services of one kind of component.
struct Offer {
    is_on: fn(&World, Entity) -> bool,
    service: Arc<Service>,
}

/// Services of one component alone, beside those of its kind.
#[derive(Component, Default, Clone)]
pub struct OwnServices(pub Vec<Arc<Service>>);

/// All services of the program.
#[derive(Resource, Default)]
pub struct Services {
    offers: Vec<Offer>,
    /// Parts of the simulation itself that answer under a name, such as `time`.
    globals: BTreeMap<&'static str, Entity>,
    /// Other names of components, such as those of robots that are frames of the scene.
    aliases: BTreeMap<String, Entity>,
    waiting: Vec<Waiting>,
    next_ticket: u64,
    /// Calls that are being served now, one inside the other.
    depth: usize,
}

impl Services {
    /// All services of kinds, whatever offers them.
    pub fn all(&self) -> impl Iterator<Item = &Service> {
        self.offers.iter().map(|offer| &*offer.service)
    }

    /// Lets a component answer under one more name.
    pub fn add_alias(&mut self, name: &str, entity: Entity) {
        self.aliases.insert(name.to_owned(), entity);
    }

    /// The names of what answers although it is no component, and its entities; sorted.
    pub fn globals(&self) -> impl Iterator<Item = (&'static str, Entity)> {
        self.globals.iter().map(|(name, entity)| (*name, *entity))
    }
}

/// Registers services.
pub trait AddService {
    /// Offers a service on every entity that has the component `On`.
    fn add_service<On: Component>(&mut self, service: Service) -> &mut Self;

    /// Makes a part of the simulation itself that answers under a name; its services are those of `On`.
    /// A service that a component of this name has, too, is the component's.
    fn add_global<On: Component>(&mut self, name: &'static str, on: On) -> &mut Self;
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
            service: Arc::new(service),
        };
        self.world_mut()
            .get_resource_or_init::<Services>()
            .offers
            .push(offer);
        self
    }

    fn add_global<On: Component>(&mut self, name: &'static str, on: On) -> &mut Self {
        let world = self.world_mut();
        let entity = world.spawn(on).id();
        let mut services = world.get_resource_or_init::<Services>();
        services.globals.insert(name, entity);
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
pub fn services_of(world: &World, entity: Entity) -> Vec<Arc<Service>> {
    let mut found: Vec<Arc<Service>> = own(world, entity).cloned().collect();
    found.extend(offered(world, entity).cloned());
    if let Some(Beside(overlays)) = world.get(entity) {
        found.extend(
            overlays
                .iter()
                .flat_map(|overlay| own(world, *overlay).chain(offered(world, *overlay)))
                .cloned(),
        );
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    // Of two services of a name the first one serves.
    found.dedup_by(|one, other| one.name == other.name);
    found
}

fn own(world: &World, entity: Entity) -> impl Iterator<Item = &Arc<Service>> {
    let own = world.get::<OwnServices>(entity);
    own.into_iter().flat_map(|own| &own.0)
}

fn offered(world: &World, entity: Entity) -> impl Iterator<Item = &Arc<Service>> {
    let services = world.get_resource::<Services>();
    let offers = services.into_iter().flat_map(|services| &services.offers);
    offers
        .filter(move |offer| (offer.is_on)(world, entity))
        .map(|offer| &offer.service)
}

/// The service of that name on an entity, and the entity that serves it: the same, or an overlay.
#[must_use]
pub fn service_of(world: &World, entity: Entity, name: &str) -> Option<(Entity, Arc<Service>)> {
    let direct = |entity: Entity| {
        let mut all = own(world, entity).chain(offered(world, entity));
        let found = all.find(|service| service.name == name)?;
        Some((entity, found.clone()))
    };
    let beside = || {
        let Beside(overlays) = world.get(entity)?;
        overlays.iter().find_map(|overlay| direct(*overlay))
    };
    direct(entity).or_else(beside)
}
