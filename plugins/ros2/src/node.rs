//! Start and end of the node.
use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    command::CommandSender,
    middleware::{
        ErasedContext, Failure, Middleware as _, MiddlewareContext, Reloaded, Report,
        RequestSender, Running, Successor, Worker,
    },
    port::Observer,
    world_view::Pacing,
};
use morse_ros::{frames, links::RobotLinks, names};
use ros2_client::{
    NodeName, NodeOptions,
    dds::rustdds::{DomainParticipantBuilder, RTPSEntity as _, mio1},
};
use serde_json::json;

use crate::{
    Discovery, Ros2, Ros2Input, Ros2Output,
    answers::Answers,
    clock::Clock,
    ends::Ends,
    listening::{Inputs, Listening},
    lockstep::{self, Lockstep},
    network::Network,
    notes::{Counters, Notes},
    opening::{Opening, Shared},
    publishing::{Outputs, Publishing},
    server::Serving,
    serving::Requests,
    static_peers::{StaticPeers, own_addresses},
};

/// Starts the node and its threads.
///
/// # Errors
///
/// The environment or a name is invalid, or a port cannot be opened.
pub(crate) fn start(settings: &Ros2, context: Context) -> Result<Box<dyn Running>, Failure> {
    let own = context.name.clone();
    let failed = |why: String| Failure::Environment(format!("`{own}`: {why}"));
    let network = Network::new(settings, |name| std::env::var(name).ok()).map_err(failed)?;
    let announcements = StaticPeers::new(network.domain, &network.peers).map_err(failed)?;
    let mut opening = open(settings, &network).map_err(failed)?;
    let (notes, counters) = (opening.notes.clone(), opening.counters.clone());
    notes.add_all(&network.warnings);
    let requests = Requests::new(Mutex::new(requests_of(&context)));
    let rate = rate_of(&context);
    let guid = opening.participant.guid().to_bytes();
    let (mut outputs, inputs) = ends(settings, context);
    notes.add_all(&collisions(&outputs, &inputs));
    let next_actuators = Successor::default();
    let actuators = (actuators_of(&inputs), next_actuators.clone());
    let waiting = take_waiting(&mut opening, &mut outputs);
    let shared = Shared::new(opening);
    let (next_outputs, next_inputs) = (Successor::default(), Successor::default());
    let listening = Listening::new(&shared, inputs, next_inputs.clone()).map_err(failed)?;
    let locksteps = locksteps(&shared, waiting, settings).map_err(failed)?;
    let nanos = Arc::new(AtomicU64::new(0));
    let open_clock = || Clock::new(&mut shared.lock(), nanos.clone());
    let clock = settings.clock.then(open_clock).transpose();
    let clock = clock.map_err(failed)?;
    let (readings, ticked) = bounded(1);
    let signals = (ticked, next_outputs.clone());
    let publishing = Publishing::new(&shared, outputs, signals).map_err(failed)?;
    let stopped = listening.stopped.clone();
    let calls = (requests.clone(), nanos.clone());
    let services = Serving::new(&shared, calls, actuators, (stopped, rate)).map_err(failed)?;
    let (stopped, waker) = (listening.stopped.clone(), listening.waker.clone());
    let (ticks, ticked) = bounded(1);
    let mut workers = spawn(&own, publishing, (listening, services))?;
    if let Some(announcements) = announcements {
        workers.push(announce(&own, announcements, guid, stopped.clone())?);
    }
    if let Some(clock) = clock {
        workers.push(spawn_clock(&own, clock, ticked)?);
    }
    Ok(Box::new(Node {
        settings: settings.clone(),
        name: own,
        locksteps,
        lost: None,
        workers,
        ticks,
        readings,
        nanos,
        stopped,
        requests,
        waker,
        next_outputs,
        next_inputs,
        next_actuators,
        notes,
        counters,
        network,
    }))
}

/// Returns the number of ticks per second of a world.
fn rate_of(context: &Context) -> f64 {
    let view = context.world_view.as_ref();
    view.map_or(f64::NAN, |view| view.scenery.rate)
}

/// Removes the sensors whose readings wait for commands, and prepares for the commands.
fn take_waiting(opening: &mut Opening, outputs: &mut Outputs) -> Vec<(Observer, Ros2Output)> {
    let waiting = outputs.take_waiting();
    for (observer, output) in &waiting {
        let path = lockstep::path(output, &observer.info.robot);
        opening.answers.insert(path, Answers::default());
    }
    waiting
}

/// Opens the topics of the sensors whose readings wait for commands.
fn locksteps(
    shared: &Shared,
    waiting: Vec<(Observer, Ros2Output)>,
    settings: &Ros2,
) -> Result<Vec<Lockstep>, String> {
    let limit = Duration::from_secs_f64(settings.lockstep_timeout);
    let waiting = waiting.into_iter();
    waiting
        .map(|sensor| Lockstep::new(&mut shared.lock(), sensor, limit))
        .collect()
}

/// Starts the thread of the clock.
fn spawn_clock(own: &str, clock: Clock, ticked: Receiver<()>) -> Result<Worker, Failure> {
    let work = move |clock: &mut Clock| {
        clock.run(&ticked);
        Ok(())
    };
    Worker::spawn(Ros2::KIND, &format!("{own} clock"), clock, work)
}

/// Starts the thread that announces the node to other machines.
fn announce(
    own: &str,
    peers: StaticPeers,
    guid: [u8; 16],
    stopped: Arc<AtomicBool>,
) -> Result<Worker, Failure> {
    let name = own.to_owned();
    let work = move |peers: &mut StaticPeers| {
        let sent = peers.run(guid, &stopped);
        sent.map_err(|why| Failure::Environment(format!("`{name}`: ROS_STATIC_PEERS: {why}")))
    };
    Worker::spawn(Ros2::KIND, &format!("{own} peers"), peers, work)
}

/// Starts the threads of the readings, of the commands and of the services.
fn spawn(
    own: &str,
    publishing: Publishing,
    (listening, services): (Listening, Serving),
) -> Result<Vec<Worker>, Failure> {
    let name = format!("{own} commands");
    let serving = format!("{own} services");
    Ok(vec![
        Worker::spawn(Ros2::KIND, own, publishing, |publishing| {
            publishing.run();
            Ok(())
        })?,
        Worker::spawn(Ros2::KIND, &name, listening, Listening::run)?,
        Worker::spawn(Ros2::KIND, &serving, services, |services| {
            services.run();
            Ok(())
        })?,
    ])
}

fn open(settings: &Ros2, network: &Network) -> Result<Opening, String> {
    let mut participant = DomainParticipantBuilder::new(network.domain);
    if network.discovery == Discovery::Localhost {
        let mut networks = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        networks.append(&mut own_addresses(&network.peers));
        participant = participant.with_only_networks(networks);
    }
    let failed = |why: &dyn std::fmt::Display| {
        format!("DDS cannot be started in domain {}: {why}", network.domain)
    };
    let participant = participant.build().map_err(|why| failed(&why))?;
    let context = ros2_client::Context::from_domain_participant(participant.clone())
        .map_err(|why| failed(&why))?;
    let namespace = match &*network.namespace {
        "" => "/",
        namespace => namespace,
    };
    let name = NodeName::new(namespace, &settings.node)
        .map_err(|why| format!("node `{}`: {why:?}", settings.node))?;
    let options = NodeOptions::new().enable_rosout(false);
    let options = options.start_parameter_services(false);
    let node = context.new_node(name, options);
    let node = node.map_err(|why| format!("node `{}`: {why:?}", settings.node))?;
    let notes = Notes::default();
    Ok(Opening {
        node,
        participant,
        namespace: network.namespace.clone(),
        distribution: network.distribution,
        ends: Ends::default(),
        answers: BTreeMap::new(),
        counters: Arc::new(Counters::new(notes.clone())),
        notes,
    })
}

/// Returns the sensors and the actuators of a world, with their settings, in path order.
fn ends(settings: &Ros2, context: Context) -> (Outputs, Inputs) {
    let mut sensors = BTreeMap::new();
    let mut actuators = BTreeMap::new();
    let (mut links, mut poses) = (RobotLinks::default(), None);
    if let Some(view) = context.world_view.filter(|_| settings.all) {
        links = RobotLinks::new(&view);
        poses = Some(view.poses);
        for observer in view.sensors {
            sensors.insert(
                observer.info.path.clone(),
                (observer, Ros2Output::default()),
            );
        }
        for sender in view.actuators {
            actuators.insert(sender.info.path.clone(), (sender, Ros2Input::default()));
        }
    }
    for (observer, output) in context.outputs {
        sensors.insert(observer.info.path.clone(), (observer, output));
    }
    for (sender, input) in context.inputs {
        actuators.insert(sender.info.path.clone(), (sender, input));
    }
    let infos = sensors.values().map(|(observer, _)| &*observer.info);
    let mut mounts = frames::mounts(infos);
    mounts.transforms.append(&mut links.fixed);
    let outputs = Outputs {
        mounts,
        links,
        poses,
        sensors: sensors.into_values().collect(),
        wake: context.wake,
    };
    (outputs, actuators.into_values().collect())
}

/// Returns warnings about components without a topic of their own whose names become one in ROS.
fn collisions(outputs: &Outputs, inputs: &Inputs) -> Vec<String> {
    let sensors = outputs.sensors.iter();
    let sensors = sensors.filter(|(_, output)| output.topic.is_none());
    let actuators = inputs.iter().filter(|(_, input)| input.topic.is_none());
    let paths = sensors.map(|(observer, _)| &*observer.info.path);
    names::collisions(paths.chain(actuators.map(|(sender, _)| &*sender.info.path)))
}

/// Returns the sender of requests to a world, and its pace.
fn requests_of(context: &Context) -> (RequestSender, Option<Arc<Pacing>>) {
    let view = context.world_view.as_ref();
    let pacing = view.map(|view| view.pacing.clone());
    (context.requests.clone(), pacing)
}

/// Returns the actuators of a world.
fn actuators_of(inputs: &Inputs) -> Vec<CommandSender> {
    inputs.iter().map(|(sender, _)| sender.clone()).collect()
}

type Context = MiddlewareContext<Ros2Output, Ros2Input>;

/// The running threads.
struct Node {
    settings: Ros2,
    name: String,
    locksteps: Vec<Lockstep>,
    /// Failure of a lockstep.
    lost: Option<Failure>,
    workers: Vec<Worker>,
    ticks: Sender<()>,
    /// Signal of the end of a tick for the thread of the readings.
    readings: Sender<()>,
    requests: Requests,
    nanos: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
    waker: Arc<mio1::Waker>,
    next_outputs: Successor<Outputs>,
    next_inputs: Successor<Inputs>,
    next_actuators: Successor<Vec<CommandSender>>,
    notes: Notes,
    counters: Arc<Counters>,
    network: Network,
}

impl Running for Node {
    fn failure(&mut self) -> Option<Failure> {
        let workers = &mut self.workers;
        let lost = self.lost.take();
        lost.or_else(|| workers.iter_mut().find_map(Worker::failure))
    }

    fn warnings(&mut self) -> Vec<String> {
        self.notes.take()
    }

    fn notices(&self) -> Vec<String> {
        let range = match self.network.discovery {
            Discovery::Localhost => "this machine",
            Discovery::Subnet => "all networks of this machine",
        };
        let domain = self.network.domain;
        let peers = self.network.peers.iter().map(ToString::to_string);
        let peers = match &*peers.collect::<Vec<_>>().join(", ") {
            "" => String::new(),
            peers => format!(" and {peers}"),
        };
        vec![format!(
            "a node of ROS 2 serves domain {domain} on {range}{peers}"
        )]
    }

    fn tick(&mut self, nanos: u64) {
        self.restart(nanos);
        // A full channel means that the thread is going to read anyway.
        self.readings.try_send(()).ok();
        for lockstep in &mut self.locksteps {
            if let Err(why) = lockstep.tick() {
                let why = format!("`{}`: {why}", self.name);
                self.lost.get_or_insert(Failure::PeerLost(why));
            }
        }
    }

    fn restart(&mut self, nanos: u64) {
        self.nanos.store(nanos, Ordering::Relaxed);
        // A full channel means that the clock is going to be published anyway.
        self.ticks.try_send(()).ok();
    }

    fn reload(&mut self, context: ErasedContext) -> Reloaded {
        if !self.locksteps.is_empty() {
            // Nodes in lockstep begin with the new world.
            return Reloaded::Restart(Box::new(context));
        }
        let context = match context.typed() {
            Ok(context) => context,
            Err(failure) => return Reloaded::Failed(failure),
        };
        let requests = requests_of(&context);
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner) = requests;
        let (outputs, inputs) = ends(&self.settings, context);
        self.notes.add_all(&collisions(&outputs, &inputs));
        self.next_actuators.set(actuators_of(&inputs));
        self.next_outputs.set(outputs);
        self.next_inputs.set(inputs);
        // Without it the thread notices the next world at its next poll interval.
        self.waker.wake().ok();
        Reloaded::Continues
    }

    fn report(&self) -> Option<Report> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let published = read(&self.counters.published);
        let refused = read(&self.counters.refused);
        let commands = read(&self.counters.commands);
        Some(Report {
            json: json!({ "published": published, "refused": refused, "commands": commands }),
            text: format!(
                "{published} messages published, {refused} not accepted by DDS, {commands} commands received"
            ),
        })
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        let Self {
            workers,
            ticks,
            stopped,
            waker,
            ..
        } = *self;
        drop(ticks);
        stopped.store(true, Ordering::Release);
        // Without it the thread notices the end at its next poll interval.
        waker.wake().ok();
        workers
            .into_iter()
            .map(Worker::stop)
            .fold(Ok(()), Result::and)
    }
}
