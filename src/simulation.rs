//! One simulated world: build it, step it, read it, command it.
//!
//! - [`kinds`](mod@kinds): names of kinds in simulation files; [`load`]: reads and checks files; `crowd`: memory of robots;
//! - `build`: from files to an app; [`objects`]: objects that components look up by name and property; [`install`]: sensors
//!   and actuators on bodies;
//! - [`state`]: all state that outlives a tick: hash, reset, snapshot, restore; [`Mechanism`]: dynamics of joints;
//! - `restart`: the same world from the start, with another seed or other initial poses;
//! - `reload`: the next world, after files have changed; `definitions`: what of it is unchanged; `change`: robots that
//!   appear and disappear; `population`: what has changed since the files were read;
//! - `drop_statistics`, `run_requests`: lost readings of observers, and requests of clients to the run.
mod access;
mod build;
mod change;
mod crowd;
mod definitions;
mod drop_statistics;
pub mod install;
pub mod kinds;
pub mod load;
mod mechanism;
pub mod objects;
mod population;
mod reload;
mod restart;
mod restore;
mod run_requests;
pub mod state;

use std::{collections::BTreeMap, mem, path::Path, sync::Arc};

use bevy::{
    app::SubApps,
    prelude::*,
    reflect::{PartialReflect, structs::Struct},
};
use morse_api::{
    actuator::Actuator,
    body::BodyState,
    command::{CommandSender, Mailbox},
    fault::{Fault, Faults},
    kind::{Described, Kinds},
    middleware::{Failure, Report as MiddlewareReport, RequestSender},
    port::{LockstepLost, Observer, Policy, port},
    sensor::{LocalData, LostObserver, Modified, Outputs, exported},
    service::{self, Call},
    tick::Clock,
    warning::Warnings,
};
use morse_diagnostics::report::Report;
use morse_physics::lost_body::{LostBodies, LostBody};
use morse_simulation_file::Drawn;
use serde_json::Value as Json;

pub use access::AccessError;
pub(crate) use build::components;
pub use build::{BuildError, Extensions, keep, kinds, most_threads, no_extensions};
use build::{KindsOnDemand, Links, Raised, raise, start};
pub(crate) use definitions::settings_text;
pub use drop_statistics::{DropStatistics, PortDrops};
pub use mechanism::Mechanism;
use population::Population;
pub(crate) use population::request as request_change;
pub use reload::Reload;
use restart::Blank;

use crate::{
    middleware::Middlewares,
    simulation::{
        load::{Options, Plan},
        state::{HashChain, Snapshot},
    },
    spawn::Spawned,
    update::Updater,
};

/// A simulated world. A process may contain any number of worlds, each on any thread, and can move them between threads.
///
/// A world is built and stepped on one thread. It touches nothing global: no logger, no signal, no clock.
pub struct Simulation {
    /// Bevy's app without its runner, which cannot leave its thread.
    apps: SubApps,
    updater: Updater,
    middlewares: Middlewares,
    hashes: Option<HashChain>,
    /// State at the start of the files.
    start: Option<Snapshot>,
    /// State at the start of the present world, if it is another one.
    first: Option<Snapshot>,
    /// State before the start, if the simulation can restart in its world.
    blank: Option<Blank>,
    extensions: Extensions,
    warnings: Report,
    requests: RequestSender,
    /// Lost readings of worlds before a reload.
    dropped: DropStatistics,
}

impl Simulation {
    /// Builds the simulation of a scene (`.robray`) or simulation file (`.ron`).
    ///
    /// # Errors
    ///
    /// All errors of the files in one pass, or a file or port that a middleware cannot open.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BuildError> {
        Self::load_with(path, &Options::default(), &no_extensions)
    }

    /// Builds a simulation with options, and with components of one's own.
    ///
    /// # Errors
    ///
    /// All errors of the files in one pass, or a file or port that a middleware cannot open.
    pub fn load_with(
        path: impl AsRef<Path>,
        options: &Options,
        extensions: Extensions,
    ) -> Result<Self, BuildError> {
        let kinds = KindsOnDemand::new(extensions);
        let plan = load::load(path.as_ref(), options, &kinds)?;
        Self::build(plan, extensions)
    }

    /// Builds the simulation from the text of a simulation file. The files that it names are searched in `directory`, then
    /// in the current directory, then among the embedded assets.
    ///
    /// ```
    /// use morse_sim::simulation::{Simulation, no_extensions};
    ///
    /// let text = r#"Simulation(robots: { "rover": (model: "robots/atrv.robray") })"#;
    /// let simulation = Simulation::parse(text, ".", &no_extensions)?;
    /// assert_eq!(simulation.tick(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// All errors of the text in one pass, or a file or port that a middleware cannot open.
    pub fn parse(
        text: &str,
        directory: impl AsRef<Path>,
        extensions: Extensions,
    ) -> Result<Self, BuildError> {
        let (options, kinds) = (Options::default(), KindsOnDemand::new(extensions));
        let plan = load::parse(text, directory.as_ref(), &options, &kinds)?;
        Self::build(plan, extensions)
    }

    /// Builds the simulation of a plan: of files that were read, or of a scene that was made in Rust.
    ///
    /// # Errors
    ///
    /// Inconsistent input, or a file or port that a middleware cannot open.
    pub fn build(plan: Plan, extensions: Extensions) -> Result<Self, BuildError> {
        Self::build_with(plan, extensions, false)
    }

    /// Builds the simulation of a plan, which can restart in its world if it `restarts`.
    fn build_with(plan: Plan, extensions: Extensions, restarts: bool) -> Result<Self, BuildError> {
        let Raised {
            mut app,
            warnings,
            installed,
            connections,
            wakes,
            requests,
            gate,
        } = raise(&plan, extensions, Links::default())?;
        let plan = Arc::new(plan);
        app.insert_resource(Population::new(plan.clone()));
        // If this fails, a restart builds a new world.
        let blank = restarts.then(|| Blank::of(app.world(), installed));
        start(&mut app);
        let middlewares = Middlewares::new(wakes, gate);
        let (mut app, middlewares) = middlewares.start(app, &plan.simulation, connections)?;
        Ok(Self {
            apps: mem::take(app.sub_apps_mut()),
            updater: Updater::default(),
            middlewares,
            hashes: None,
            start: None,
            first: None,
            blank: blank.and_then(Result::ok),
            extensions,
            warnings,
            requests,
            dropped: DropStatistics::default(),
        })
    }

    /// Checks whether a plan can be built, without starting anything. Returns the warnings.
    ///
    /// # Errors
    ///
    /// The input is inconsistent.
    pub fn try_out(plan: Plan, extensions: Extensions) -> Result<Report, Box<Report>> {
        raise(&plan, extensions, Links::default()).map(|raised| raised.warnings)
    }

    /// Returns warnings about probable mistakes in the files.
    #[must_use]
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }

    /// Returns the values that were drawn from ranges of the simulation file, and of robots that were added since. With `--set`
    /// those of the file make the same simulation again.
    #[must_use]
    pub fn drawn(&self) -> &[Drawn] {
        let population = self.apps.main.world().get_resource::<Population>();
        population.map_or(&[], |population| &population.plan.simulation.drawn)
    }

    /// Advances by one tick.
    ///
    /// # Errors
    ///
    /// The observer of a lockstep port is lost.
    pub fn step(&mut self) -> Result<(), LockstepLost> {
        self.apply_reset_request();
        self.apply_requested_changes();
        self.keep_start();
        self.updater.update(&mut self.apps);
        self.middlewares.tick(self.apps.main.world_mut());
        if let Some(hashes) = &mut self.hashes {
            hashes.add(self.apps.main.world());
        }
        let mut lost = self.apps.main.world_mut().resource_mut::<LostObserver>();
        lost.0.take().map_or(Ok(()), Err)
    }

    /// Advances by a number of ticks.
    ///
    /// # Errors
    ///
    /// The observer of a lockstep port is lost.
    pub fn run(&mut self, ticks: u64) -> Result<(), LockstepLost> {
        (0..ticks).try_for_each(|_| self.step())
    }

    /// Returns the number of ticks so far.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.clock().tick
    }

    /// Returns the simulated time, s.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.clock().seconds()
    }

    /// Returns the simulation's clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        *self.apps.main.world().resource::<Clock>()
    }

    /// Returns the last exported (modified) data of a sensor, with their type.
    ///
    /// # Errors
    ///
    /// The component does not exist, its data have another type, or it has exported nothing yet.
    pub fn read<D: LocalData>(&self, path: &str) -> Result<&D, AccessError> {
        let entity = self.entity(path)?;
        let world = self.apps.main.world();
        if !world.entity(entity).contains::<Modified<D>>() {
            return Err(AccessError::OtherKind {
                path: path.to_owned(),
                asked: std::any::type_name::<D>(),
            });
        }
        exported(world, entity).ok_or_else(|| AccessError::NothingYet {
            path: path.to_owned(),
        })
    }

    /// Returns the last exported data of a sensor, without their type.
    ///
    /// # Errors
    ///
    /// The sensor does not exist, or it has exported nothing yet.
    pub fn read_any(&self, path: &str) -> Result<&dyn Struct, AccessError> {
        let entity = self.entity(path)?;
        let world = self.apps.main.world();
        let kinds = world.resource::<Kinds>();
        let mut sensors = kinds.sensors.values();
        let kind = sensors.find(|kind| (kind.is_on)(world, entity));
        let kind = kind.ok_or_else(|| AccessError::OtherKind {
            path: path.to_owned(),
            asked: "a sensor's data",
        })?;
        (kind.modified)(world, entity).ok_or_else(|| AccessError::NothingYet {
            path: path.to_owned(),
        })
    }

    /// Opens a port on a sensor; it may be read on any thread.
    ///
    /// # Errors
    ///
    /// The sensor does not exist.
    pub fn observe(&mut self, path: &str, policy: Policy) -> Result<Observer, AccessError> {
        let entity = self.entity(path)?;
        let other_kind = || AccessError::OtherKind {
            path: path.to_owned(),
            asked: "a sensor's ports",
        };
        let mut entity = self.apps.main.world_mut().entity_mut(entity);
        let info = entity.get::<Described>().ok_or_else(other_kind)?.0.clone();
        let (mut tick_end, observer) = port(info, policy, None);
        tick_end.outlives_world = true;
        entity
            .get_mut::<Outputs>()
            .ok_or_else(other_kind)?
            .0
            .push(tick_end);
        Ok(observer)
    }

    /// Sends a command to an actuator; it takes effect in the next tick.
    ///
    /// # Errors
    ///
    /// The actuator does not exist, it is of another kind, or a number is out of range or not finite.
    pub fn command<A: Actuator>(&self, path: &str, command: A::Command) -> Result<(), AccessError> {
        self.command_any(path, Box::new(command))
    }

    /// Sends a command as a struct of fields, some of which may be missing (a `DynamicStruct`).
    ///
    /// # Errors
    ///
    /// The actuator does not exist, a field is unknown, or a number is out of range or not finite.
    pub fn command_any(
        &self,
        path: &str,
        command: Box<dyn PartialReflect>,
    ) -> Result<(), AccessError> {
        Ok(self.commander(path)?.send(command)?)
    }

    /// Returns a sender of commands to an actuator, for any thread.
    ///
    /// # Errors
    ///
    /// The actuator does not exist.
    pub fn commander(&self, path: &str) -> Result<CommandSender, AccessError> {
        let entity = self.entity(path)?;
        let mailbox = self.apps.main.world().get::<Mailbox>(entity);
        let other_kind = || AccessError::OtherKind {
            path: path.to_owned(),
            asked: "a mailbox for commands",
        };
        Ok(mailbox.ok_or_else(other_kind)?.sender())
    }

    /// Calls a service now, between two ticks. The reply of a sync service is available at once.
    pub fn call(&mut self, path: &str, service: &str, arguments: &Json) -> Call {
        let call = service::call(self.apps.main.world_mut(), path, service, arguments);
        self.apply_reset_request();
        self.apply_requested_changes();
        call
    }

    /// Cancels a call that is under way.
    pub fn cancel(&mut self, call: &Call) {
        service::cancel(self.apps.main.world_mut(), call.ticket);
    }

    /// Returns notices of middlewares for the user at the start.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.middlewares.notices()
    }

    /// Returns the reports of middlewares, by name; for example counters of controllers.
    #[must_use]
    pub fn reports(&self) -> BTreeMap<String, MiddlewareReport> {
        self.middlewares.reports()
    }

    /// Returns the ports on which middlewares listen: name of the middleware, purpose, number.
    #[must_use]
    pub fn ports(&self) -> Vec<(String, String, u16)> {
        self.middlewares.ports()
    }

    /// Returns the paths of all bodies, joint variables, sensors, actuators and overlays, sorted, each once.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let world = self.apps.main.world();
        let order = &world.resource::<morse_api::state::InPathOrder>().0;
        let path = |&entity| world.get::<morse_api::component::ComponentPath>(entity);
        let paths = order.iter().filter_map(path).map(ToString::to_string);
        let mut paths: Vec<String> = paths.collect();
        paths.dedup();
        paths
    }

    /// Makes the hash a chain over all ticks from now on: two runs that differ temporarily have different hashes. It costs
    /// some time in each tick.
    pub fn hash_every_tick(&mut self) {
        if self.hashes.is_none() {
            self.hashes = Some(self.beginning());
        }
    }

    fn beginning(&self) -> HashChain {
        HashChain::from(self.scene().start)
    }

    /// Returns the hash of the start, the tick, and all state; or of all ticks since
    /// [`hash_every_tick`](Self::hash_every_tick).
    #[must_use]
    pub fn state_hash(&self) -> u128 {
        let of_now = || {
            let mut hash = self.beginning();
            hash.add(self.apps.main.world());
            hash.value()
        };
        self.hashes.as_ref().map_or_else(of_now, HashChain::value)
    }

    /// Returns the warnings of components and middlewares since the last call, for example about a command with an unknown
    /// joint.
    pub fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings = self.apps.main.world_mut().get_resource_mut::<Warnings>();
        let mut said = warnings
            .as_mut()
            .map_or(Vec::new(), |warnings| warnings.take());
        said.extend(self.middlewares.warnings());
        said
    }

    /// Returns the bodies that the physics lost, in order. They stand still, outside the physics, until the simulation is
    /// set to an earlier state. The simulation continues without them.
    #[must_use]
    pub fn lost_bodies(&self) -> &[LostBody] {
        &self.apps.main.world().resource::<LostBodies>().0
    }

    /// Returns the fault of a component since the last call, if there was one: a component that cannot act. The tick is
    /// complete.
    pub fn take_fault(&mut self) -> Option<Fault> {
        let faults = self.apps.main.world().get_resource::<Faults>();
        faults.and_then(Faults::take)
    }

    /// Returns the failure of a middleware since the last call, if there was one.
    pub fn failure(&mut self) -> Option<Failure> {
        self.middlewares.failure()
    }

    /// Returns the world, for access beyond this interface.
    #[must_use]
    pub fn world(&self) -> &World {
        self.apps.main.world()
    }

    /// Returns the world for changes. Changes of data that are not registered as state break snapshots and hashes.
    pub fn world_mut(&mut self) -> &mut World {
        self.apps.main.world_mut()
    }

    /// Returns pose and velocity of a body, by the name of its frame or robot; `None` if no body has that name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<&BodyState> {
        let scene = self.scene();
        let entity = scene.bodies.get(name).or_else(|| scene.robots.get(name));
        self.apps.main.world().get(*entity?)
    }

    /// Returns the joints of a robot, or of the body with that frame, in their present state: mass matrix, inverse dynamics,
    /// Jacobians and more, for controllers. `None` if no body has that name, or no joint.
    #[must_use]
    pub fn mechanism(&self, name: &str) -> Option<Mechanism> {
        let scene = self.scene();
        let entity = scene.robots.get(name).or_else(|| scene.bodies.get(name));
        Mechanism::of(self.apps.main.world(), *entity?)
    }

    /// Returns bodies, frames, variables and robots by name.
    #[must_use]
    pub fn scene(&self) -> &Spawned {
        self.apps.main.world().resource::<Spawned>()
    }

    fn entity(&self, path: &str) -> Result<Entity, AccessError> {
        service::find(self.apps.main.world(), path).ok_or_else(|| {
            let paths = self.paths();
            let near = morse_diagnostics::nearest(path, paths.iter().map(String::as_str));
            AccessError::NoComponent {
                path: path.to_owned(),
                near: near.map(str::to_owned),
            }
        })
    }
}
