//! The middleware: objects of a memory stick, run within the tick, with the components that list it.
mod body;
mod checks;
mod graph;

use std::{
    collections::{BTreeMap, VecDeque},
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use bevy::prelude::Reflect;
use morse_api::{
    command::CommandSender,
    fields::Unit,
    middleware::{
        Failure, Middleware, MiddlewareContext, Nothing, Obstacle, Prospect, Report, Running,
    },
    port::Policy,
    range::ValueRange,
    world_view::{GraphExchange, GraphLayout},
};
use serde::Deserialize;

use self::{
    body::Body,
    checks::{different, is_external, unknown},
    graph::Counts,
};
use crate::{
    body::{audio, comm, primitives::Robot},
    components::{self, Port},
    context::Level,
    counters::Report as CountersReport,
    engine::Engine,
    external::{External, LOST, Peer},
    factory::Factories,
    files::wireless,
    ip_stack,
    lockstep::{LogLine, Rules},
    network::Network,
    object_runner::{Cause, FaultPolicy, ObjectInstance},
    platform::Platform,
    stick::{Contents, Stick, StickObject, UnreadableStick},
    wiring::Connection,
};

/// Runs the objects of a memory stick, as Sony's AIBO does: controllers with one thread and a mailbox each, connected by
/// links on which observers send a credit for each message.
///
/// Objects run within the tick, in a deterministic order. Sensors that list it in their outputs are subjects, actuators that
/// list it in their inputs are observers: `rover.gps` is `rover.gps.gps.S`. At the end of a run, a table of the activity of
/// each object and link is written.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenR {
    /// Directory of the memory stick, relative to the simulation file; it contains `OPEN-R/MW/CONF/OBJECT.CFG`. If empty,
    /// only system objects exist.
    pub directory: String,
    /// Design of the robot, which selects the sections of the files, and the primitives: `ERS-7` or `ERS-210`.
    pub design: String,
    /// Robot with the body of an AIBO; empty for none. Its first actuator `joints`, which must have all joints, is
    /// controlled by `OVirtualRobotComm.Effector`, and its sensors are published by `OVirtualRobotComm.Sensor`:
    /// `joint_state`, `imu`, and those with the name of a sensor primitive, such as `near_distance`, `lf_paw` or `chin`.
    pub body: String,
    /// True if the coupled limits of the legs are enforced, so that a swinging leg does not touch the trunk.
    pub coupled_limits: bool,
    /// Objects in separate processes: the name of the file, and the loopback port to which the process connects.
    pub external: BTreeMap<String, u16>,
    /// Timeout for a process, at the start and for each answer.
    #[reflect(@Unit("s"), @ValueRange(0.001, 1000.0))]
    pub external_timeout: f64,
    /// Scheduler of the objects.
    pub scheduler: SchedulerKind,
    /// Objects that are stopped when one panics or hangs.
    pub on_fault: OnFault,
    /// Processor time of each handler, in addition to the time that it spends itself.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1.0))]
    pub handler_cost: f64,
    /// Time limit of a handler; a handler that takes longer is a fault.
    #[reflect(@Unit("s"), @ValueRange(0.001, 1000.0))]
    pub handler_bound: f64,
}

impl Default for OpenR {
    fn default() -> Self {
        Self {
            directory: String::new(),
            design: "ERS-7".to_owned(),
            body: String::new(),
            coupled_limits: false,
            external: BTreeMap::new(),
            external_timeout: 10.0,
            scheduler: SchedulerKind::Lockstep,
            on_fault: OnFault::Itself,
            handler_cost: 0.0,
            handler_bound: 10.0,
        }
    }
}

/// Scheduler of the objects.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedulerKind {
    /// Within the tick, on one virtual processor: runs are reproducible.
    #[default]
    Lockstep,
    /// One thread per object, in real time: runs are not reproducible.
    Threads,
}

/// Objects that are stopped when one fails.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The failed object.
    #[default]
    Itself,
    /// All objects, as on the robot.
    All,
}

impl Middleware for OpenR {
    const KIND: &'static str = "openr";
    // All readings of a tick are taken at its end.
    const DEFAULT_POLICY: Policy = Policy::Queue(4);
    const RUNS_OBJECTS: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn check(&self, prospect: &Prospect<'_, Nothing, Nothing>) -> Vec<Obstacle> {
        self.obstacles(prospect)
    }

    fn listens(&self, _: &Prospect<'_, Nothing, Nothing>) -> Vec<SocketAddr> {
        let ports = self.external.values();
        ports
            .map(|&port| SocketAddr::from(([127, 0, 0, 1], port)))
            .collect()
    }

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let name = context.name.clone();
        let failed = |why: String| Failure::Environment(format!("`{name}`: {why}"));
        let contents = self.contents(&context.directory);
        let contents = contents.map_err(|why| failed(why.to_string()))?;
        let problems = contents.problems.iter();
        let errors = problems.filter(|problem| problem.is_error());
        let errors: Vec<String> = errors.map(|problem| contents.describe(problem)).collect();
        if !errors.is_empty() {
            return Err(failed(errors.join("\n")));
        }
        let factories = context.offers.get::<Factories>().cloned();
        let factories = factories.unwrap_or_default();
        let missing = unknown(&contents, &factories, &self.external);
        let wrong = missing.or_else(|| different(&contents, &factories, &self.external));
        if let Some(why) = wrong {
            return Err(failed(why));
        }
        let externals = self.externals(&contents).map_err(&failed)?;
        let sensors = context.outputs.iter().map(|(observer, _)| &*observer.info);
        let actuators = context.inputs.iter().map(|(sender, _)| &*sender.info);
        let body = self.body(&contents, sensors, actuators).map_err(&failed)?;
        let outputs = context.outputs.into_iter();
        let inputs = context.inputs.into_iter();
        let plan = Plan {
            body,
            robot: self.robot(),
            name: name.clone(),
            sensors: outputs
                .map(|(observer, _)| Arc::new(Mutex::new(observer)))
                .collect(),
            actuators: inputs.map(|(sender, _)| sender).collect(),
            factories,
            externals,
            contents,
            in_threads: self.scheduler == SchedulerKind::Threads,
            handler_cost: nanos(self.handler_cost),
            rules: Rules {
                handler_bound: nanos(self.handler_bound),
                policy: match self.on_fault {
                    OnFault::Itself => FaultPolicy::Itself,
                    OnFault::All => FaultPolicy::All,
                },
            },
        };
        let objects = plan.boot().map_err(&failed)?;
        let host = Host {
            layout: plan.layout(&objects),
            exchange: context.graph,
            objects,
            plan,
            start: 0,
            warnings: Vec::new(),
            lines: VecDeque::new(),
            failure: None,
        };
        host.publish(0);
        Ok(Box::new(host))
    }
}

impl OpenR {
    /// Reads the stick, whose path is relative to `base`.
    fn contents(&self, base: &Path) -> Result<Contents, UnreadableStick> {
        if self.directory.is_empty() {
            return Ok(Contents::default());
        }
        let stick = Stick::open(&base.join(&self.directory))?;
        Ok(stick.contents(&self.design))
    }
}

impl OpenR {
    /// Waits for the processes of external objects.
    fn externals(&self, contents: &Contents) -> Result<BTreeMap<String, Arc<Mutex<Peer>>>, String> {
        let limit = Duration::from_nanos(nanos(self.external_timeout));
        let mut externals = BTreeMap::new();
        for (bin, &port) in &self.external {
            let bin = bin.to_ascii_uppercase();
            is_external(&bin, contents)?;
            let peer = Peer::wait(port, limit).map_err(|why| format!("`{bin}`: {why}"))?;
            externals.insert(bin, Arc::new(Mutex::new(peer)));
        }
        Ok(externals)
    }
}

/// Maximum number of warnings that are stored until they are reported.
const MOST_WARNINGS: usize = 100;
/// Maximum number of lines of information in a report: the last ones.
const MOST_LINES: usize = 100;

fn nanos(seconds: f64) -> u64 {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Initial state of the objects, used at each start.
struct Plan {
    name: String,
    sensors: Vec<Port>,
    actuators: Vec<CommandSender>,
    factories: Factories,
    externals: BTreeMap<String, Arc<Mutex<Peer>>>,
    contents: Contents,
    body: Option<Body>,
    robot: &'static Robot,
    in_threads: bool,
    handler_cost: u64,
    rules: Rules,
}

impl Plan {
    /// Starts the objects: components of the simulation first, so that sensors have the first indices.
    fn boot(&self) -> Result<Engine, String> {
        let sensors = self.sensors.iter().map(components::sensor);
        let actuators = self.actuators.iter().map(components::actuator);
        let system = self.factories.system.iter().map(|make| make());
        let body = self.body.iter().map(|body| comm::object(&body.settings));
        let audio = self.body.iter().filter(|body| body.has_audio);
        let audio = audio.map(|_| audio::object(self.robot));
        let objects = self.contents.objects.iter();
        let objects = objects.filter_map(|object| self.object(object));
        let instances: Vec<ObjectInstance> = sensors
            .chain(actuators)
            .chain(body)
            .chain(audio)
            .chain(system)
            .chain([ip_stack::object()])
            .chain(objects)
            .collect();
        let own = self.body.iter().flat_map(|body| &body.connections);
        let connections = own.chain(&self.contents.connections);
        let connections: Vec<Connection> = connections.cloned().collect();
        let mut platform = Platform::new(self.robot, self.contents.design.clone());
        platform.wireless = self.contents.wireless.clone();
        platform.network = Network::new(wireless::address(&platform.wireless));
        Engine::boot(
            self.in_threads,
            platform,
            instances,
            &connections,
            self.rules,
        )
    }

    /// Returns the objects and links for viewers.
    fn layout(&self, objects: &Engine) -> Arc<GraphLayout> {
        let report = objects.report();
        let [sensors, actuators] = [self.sensors.len(), self.actuators.len()];
        let own = self.contents.objects.len();
        let system = report
            .objects
            .len()
            .saturating_sub(sensors + actuators + own);
        graph::layout(
            &report,
            Counts {
                sensors,
                actuators,
                system,
            },
        )
    }

    fn object(&self, object: &StickObject) -> Option<ObjectInstance> {
        let mut instance = match (self.externals.get(&object.bin), &object.interface) {
            (Some(peer), Some(interface)) => {
                let external = External::new(interface.clone(), peer.clone());
                ObjectInstance::new(interface.clone(), external)
            }
            _ => self.factories.objects.get(&object.bin)?(),
        };
        instance.handler_cost += self.handler_cost;
        if let Some(interface) = &object.interface {
            instance.interface = interface.clone();
        }
        if let Some(attributes) = &object.attributes {
            instance.priority = attributes.priority;
        }
        Some(instance)
    }
}

/// Running objects.
struct Host {
    plan: Plan,
    objects: Engine,
    /// Objects and links, for viewers.
    layout: Arc<GraphLayout>,
    exchange: GraphExchange,
    /// Simulated time of their start, ns.
    start: u64,
    warnings: Vec<String>,
    /// Last lines of information.
    lines: VecDeque<LogLine>,
    failure: Option<Failure>,
}

impl Host {
    /// Publishes the state of objects and links for viewers, at a simulated time in ns.
    fn publish(&self, nanos: u64) {
        let report = self.objects.report();
        let graph = graph::graph(&report, &self.layout, nanos);
        self.exchange.publish(graph);
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(warning);
        }
    }

    /// Collects faults, warnings and log lines of the objects.
    fn listen(&mut self) {
        for warning in self.objects.take_warnings() {
            self.warn(warning);
        }
        for fault in self.objects.take_faults() {
            let name = &self.plan.name;
            if matches!(&fault.cause, Cause::GaveUp(why) if why.starts_with(LOST)) {
                let lost = Failure::PeerLost(format!("`{name}`: {fault}"));
                self.failure.get_or_insert(lost);
            }
            self.warn(fault.to_string());
        }
        for line in self.objects.take_log() {
            if line.level == Level::Info {
                self.lines.push_back(line);
            } else {
                self.warn(format!("`{}`: {}", line.object, line.text));
            }
        }
        let excess = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..excess);
    }
}

impl Running for Host {
    fn failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    fn warnings(&mut self) -> Vec<String> {
        self.listen();
        let name = &self.plan.name;
        let warnings = self.warnings.drain(..);
        warnings
            .map(|warning| format!("`{name}`: {warning}"))
            .collect()
    }

    fn notices(&self) -> Vec<String> {
        let address = wireless::address(&self.plan.contents.wireless);
        if address == Ipv4Addr::LOCALHOST {
            return Vec::new();
        }
        let own = &self.plan.contents.wireless["ETHER_IP"];
        let name = &self.plan.name;
        vec![format!(
            "`{name}`: endpoints of objects are at {address}, which stands for the robot's address {own}"
        )]
    }

    fn tick(&mut self, nanos: u64) {
        let now = nanos.saturating_sub(self.start);
        self.objects.begin_tick(now);
        // Order: earlier events, the measurements of this tick, then their immediate effects.
        self.objects.advance(now);
        for id in 0..self.plan.sensors.len() {
            self.objects.call(id);
        }
        self.objects.advance(now);
        self.listen();
        if self.exchange.take_request() {
            self.publish(nanos);
        }
    }

    fn restart(&mut self, nanos: u64) {
        self.objects.shut_down();
        self.listen();
        self.start = nanos;
        match self.plan.boot() {
            Ok(objects) => {
                self.objects = objects;
                self.layout = self.plan.layout(&self.objects);
                self.publish(nanos);
            }
            Err(why) => self.failure = Some(Failure::Environment(why)),
        }
    }

    fn report(&self) -> Option<Report> {
        let log = self.lines.iter().map(ToString::to_string).collect();
        let report = CountersReport {
            log,
            ..self.objects.report()
        };
        Some(Report {
            json: serde_json::to_value(&report).unwrap_or_default(),
            text: report.to_string(),
        })
    }

    fn stop(mut self: Box<Self>) -> Result<(), Failure> {
        self.objects.shut_down();
        Ok(())
    }
}
