//! Services: requests with replies, in one table for all middlewares.
//!
//! A service is sync (answered at once) or async (answered when the component ends its task); an async service may be
//! interruptible. Requests that act on the world are served in [`crate::tick::Tick::Inputs`], in arrival order; read-only
//! requests also between ticks. A handler may call other services by [`call`], and forward a request to another service by
//! [`pass_on`].
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
pub use serve::{
    answer, call, cancel, carry, complete, end_lost, pass_on, registered, release, ticket,
};

use crate::{
    component::{Beside, ComponentPath, Mount},
    state::{AddState as _, InPathOrder, Stateful},
};

/// Status with which a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// The request was carried out.
    Success,
    /// The request was not carried out; the value is the reason.
    Failed,
    /// It was interrupted by a newer request or by `cancel`.
    Preempted,
}

/// Reply to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Status with which the request ended.
    pub status: Status,
    /// The result, or the reason; null if there is none.
    pub value: Json,
    /// Error of a failed request; its text is the value.
    pub error: Option<ServiceError>,
}

impl Reply {
    /// Returns success with this result.
    #[must_use]
    pub fn done(value: Json) -> Self {
        Self {
            status: Status::Success,
            value,
            error: None,
        }
    }

    /// Returns failure for this reason.
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

/// Result of a handler.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Done, with this result.
    Done(Json),
    /// Under way; the component's [`Task`] determines when it ends.
    Pending,
    /// Under way; the task of another component determines when it ends. Made by [`pass_on`].
    Follows(Entity),
    /// Under way until the end of this tick.
    Until(u64),
    /// Under way until [`answer`] is called with this ticket, which [`ticket`] returned.
    Later(u64),
}

/// A tick that is never reached: [`Outcome::Until`] this one is answered by [`release`].
pub const NEVER: u64 = u64::MAX;

impl Outcome {
    /// Done, without a result.
    pub const NOTHING: Self = Self::Done(Json::Null);
}

/// Async service that a component is carrying out. It is state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    running: Option<String>,
    ended: Option<(Status, String)>,
    /// Path of the component whose task determines this one.
    awaits: Option<String>,
}

impl Stateful for Task {}

impl Task {
    /// Returns true if a service is under way.
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

/// Function that changes the reply of a service that forwarded a request.
pub type Then = fn(&World, Entity, Reply) -> Reply;

/// A handler: the component's entity, and the arguments as JSON (an array, or an object of names).
type Handler =
    Box<dyn Fn(&mut World, Entity, &Json) -> Result<Outcome, ServiceError> + Send + Sync>;

/// One service of a kind of component.
///
/// ```
/// use morse_api::{prelude::*, service::Reply};
/// use morse_testing::{TestWorld, moving};
/// # #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
/// # #[serde(default, deny_unknown_fields)]
/// # struct Altimeter {}
/// # #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
/// # struct AltimeterData { height: f64 }
/// # impl Sensor for Altimeter {
/// #     const KIND: &'static str = "altimeter";
/// #     type Data = AltimeterData;
/// # }
/// # fn default_action() {}
///
/// /// Arguments, in order.
/// #[derive(Reflect, Deserialize)]
/// struct Above {
///     /// A height, m.
///     level: f64,
/// }
///
/// fn height_above(world: &mut World, sensor: Entity, Above { level }: Above) -> Result<Outcome, ServiceError> {
///     let height = world.get::<WorldPose>(sensor).map_or(0.0, |pose| pose.0.translation.z);
///     Ok(Outcome::Done((height - level).into()))
/// }
///
/// fn plugin(app: &mut App) {
///     app.add_sensor::<Altimeter, _>(default_action).add_service::<Altimeter>(
///         Service::new("height_above", "Returns the height above a level.", height_above)
///             .returns("Height, m.")
///             .read_only(),
///     );
/// }
///
/// let state = moving([0.0, 0.0, 2.0], 0.0, [0.0; 3], [0.0; 3]);
/// let mut world = TestWorld::new(60.0, plugin, state);
/// world.sensor::<Altimeter>("rover.altimeter", "()", 60.0, Isometry3::identity());
/// let call = world.call("rover.altimeter", "height_above", [0.5].as_slice().into());
/// assert_eq!(call.reply(), Some(Reply::done(1.5.into())));
/// ```
#[doc(alias("rpc", "request"))]
pub struct Service {
    /// Name.
    pub name: Cow<'static, str>,
    /// Documentation.
    pub docs: Cow<'static, str>,
    /// Arguments, in order.
    pub arguments: &'static TypeInfo,
    /// Description of the result, for people; empty for a service without a result.
    pub result: Cow<'static, str>,
    /// True if it may change the world.
    pub acts: bool,
    /// True if it acts, but does not wait for a tick while the run is held.
    pub at_rest: bool,
    /// True if it is answered later.
    pub is_async: bool,
    interrupt: Option<fn(&mut World, Entity)>,
    cancel: Option<fn(&mut World, Entity)>,
    then: Option<Then>,
    run: Handler,
}

impl Service {
    /// Returns a sync service that acts. `Arguments` is a struct whose fields are the arguments, in order;
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

    /// Returns a sync service that acts and reads its arguments itself; `arguments` describes them.
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

    /// Sets the description of the result.
    #[must_use]
    pub fn returns(self, result: impl Into<Cow<'static, str>>) -> Self {
        Self {
            result: result.into(),
            ..self
        }
    }

    /// Marks the service as one that changes nothing, so that it is also answered between ticks.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self {
            acts: false,
            ..self
        }
    }

    /// Marks the service as one that acts on the run as a whole: while the run is held, it is served at once, after all
    /// requests that arrived before.
    #[must_use]
    pub fn at_rest(self) -> Self {
        Self {
            at_rest: true,
            ..self
        }
    }

    /// Marks the service as async. While it runs, another async request of the component is refused.
    #[must_use]
    pub fn asynchronous(self) -> Self {
        Self {
            is_async: true,
            ..self
        }
    }

    /// Marks the service as async; a newer async request or `cancel` interrupts it by this function.
    #[must_use]
    pub fn interruptible(self, interrupt: fn(&mut World, Entity)) -> Self {
        Self {
            is_async: true,
            interrupt: Some(interrupt),
            ..self
        }
    }

    /// Marks the service as async. While it runs, another async request of the component is refused; `cancel` interrupts it
    /// by this function.
    #[must_use]
    pub fn cancellable(self, cancel: fn(&mut World, Entity)) -> Self {
        Self {
            is_async: true,
            cancel: Some(cancel),
            ..self
        }
    }

    /// Marks the service as one that forwards its requests ([`pass_on`]). Interruption and cancellation are forwarded, too.
    /// `then` may change the reply, if it comes later.
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

/// Services of one component only, besides those of its kind.
#[derive(Component, Default, Clone)]
pub struct OwnServices(pub Vec<Arc<Service>>);

/// All services of the program.
#[derive(Resource, Default)]
pub struct Services {
    offers: Vec<Offer>,
    /// Parts of the simulation itself that have a name, such as `time`.
    globals: BTreeMap<&'static str, Entity>,
    /// Further names of components, such as those of robots that are frames of the scene.
    aliases: BTreeMap<String, Entity>,
    waiting: Vec<Waiting>,
    next_ticket: u64,
    /// Depth of nested calls at present.
    depth: usize,
}

impl Services {
    /// Returns all services of kinds.
    pub fn all(&self) -> impl Iterator<Item = &Service> {
        self.offers.iter().map(|offer| &*offer.service)
    }

    /// Adds a name of a component.
    pub fn add_alias(&mut self, name: &str, entity: Entity) {
        self.aliases.insert(name.to_owned(), entity);
    }

    /// Returns the names and entities of the parts of the simulation that are no components; sorted.
    pub fn globals(&self) -> impl Iterator<Item = (&'static str, Entity)> {
        self.globals.iter().map(|(name, entity)| (*name, *entity))
    }
}

/// Registers services.
pub trait AddService {
    /// Offers a service on every entity that has the component `On`.
    fn add_service<On: Component>(&mut self, service: Service) -> &mut Self;

    /// Adds a part of the simulation itself under a name; its services are those of `On`. Services of a component of this
    /// name take precedence.
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

/// A request under way; the reply arrives once.
#[derive(Debug)]
pub struct Call {
    /// Number for cancelling it.
    pub ticket: u64,
    receiver: Receiver<Reply>,
}

impl Call {
    /// Returns the reply, once it is available.
    #[must_use]
    pub fn reply(&self) -> Option<Reply> {
        self.receiver.try_recv().ok()
    }
}

/// Returns the entity of that path: of a component and a frame with the same path, the component.
#[must_use]
pub fn find(world: &World, path: &str) -> Option<Entity> {
    let entities = find_all(world, path);
    let is_component = |entity: &&Entity| world.get::<Mount>(**entity).is_some();
    entities
        .iter()
        .find(is_component)
        .or(entities.first())
        .copied()
}

/// Returns all entities of that path: components and frames may have the same path.
pub(crate) fn find_all<'w>(world: &'w World, path: &str) -> &'w [Entity] {
    let Some(InPathOrder(order)) = world.get_resource() else {
        return &[];
    };
    let name = |entity: &Entity| {
        world
            .get::<ComponentPath>(*entity)
            .map_or("", ComponentPath::as_str)
    };
    let first = order.partition_point(|entity| name(entity) < path);
    let count = order[first..].partition_point(|entity| name(entity) == path);
    &order[first..first + count]
}

/// Returns the services of an entity, sorted by name.
#[must_use]
pub fn services_of(world: &World, entity: Entity) -> Vec<Arc<Service>> {
    let mut services: Vec<Arc<Service>> = own(world, entity).cloned().collect();
    services.extend(offered(world, entity).cloned());
    if let Some(Beside(overlays)) = world.get(entity) {
        services.extend(
            overlays
                .iter()
                .flat_map(|overlay| own(world, *overlay).chain(offered(world, *overlay)))
                .cloned(),
        );
    }
    services.sort_by(|one, other| one.name.cmp(&other.name));
    // Of two services of the same name the first one is used.
    services.dedup_by(|one, other| one.name == other.name);
    services
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

/// Returns the service of that name on an entity, and the entity that serves it: the same one, or an overlay.
#[must_use]
pub fn service_of(world: &World, entity: Entity, name: &str) -> Option<(Entity, Arc<Service>)> {
    let direct = |entity: Entity| {
        let mut all = own(world, entity).chain(offered(world, entity));
        let service = all.find(|service| service.name == name)?;
        Some((entity, service.clone()))
    };
    let beside = || {
        let Beside(overlays) = world.get(entity)?;
        overlays.iter().find_map(|overlay| direct(*overlay))
    };
    direct(entity).or_else(beside)
}
