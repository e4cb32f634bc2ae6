//! Start and end of the node.
use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crossbeam_channel::{Sender, bounded};
use morse_api::{
    command::CommandSender,
    middleware::{Failure, Middleware as _, MiddlewareContext, Report, Running, Worker},
    port::Observer,
};
use ros2_client::{
    Context, Node, NodeName, NodeOptions,
    dds::rustdds::{DomainParticipant, DomainParticipantBuilder, mio1},
};
use serde_json::json;

use crate::{
    Discovery, Ros2, Ros2Input, Ros2Output,
    clock::Clock,
    listening::Listening,
    network::Network,
    notes::{Counters, Notes},
    opening::Opening,
    publishing::Publishing,
};

/// Starts the node and its threads.
///
/// # Errors
///
/// The environment or a name is invalid, or a port cannot be opened.
pub(crate) fn start(
    settings: &Ros2,
    context: MiddlewareContext<Ros2Output, Ros2Input>,
) -> Result<Box<dyn Running>, Failure> {
    let own = context.name.clone();
    let failed = |why: String| Failure::Environment(format!("`{own}`: {why}"));
    let network = Network::new(settings, |name| std::env::var(name).ok()).map_err(failed)?;
    let (mut node, participant) = open(settings, &network).map_err(failed)?;
    let mut opening = Opening {
        node: &mut node,
        participant,
        namespace: &network.namespace,
        notes: Notes::default(),
        counters: Arc::default(),
    };
    network
        .warnings
        .iter()
        .for_each(|text| opening.notes.add(text.clone()));
    let ends = Ends::new(settings, context);
    let listening = Listening::new(&mut opening, ends.inputs).map_err(failed)?;
    let nanos = Arc::new(AtomicU64::new(0));
    let clock = Clock::new(&mut opening, nanos.clone()).map_err(failed)?;
    let mut publishing = Publishing::new(&mut opening, ends.outputs, &listening).map_err(failed)?;
    let (notes, counters) = (opening.notes, opening.counters);
    let (stopped, waker) = (listening.stopped.clone(), listening.waker.clone());
    let (ticks, ticked) = bounded(1);
    publishing.keep(node, ends.wake);
    let spawn_clock = || {
        Worker::spawn(Ros2::KIND, &format!("{own} clock"), clock, move |clock| {
            clock.run(&ticked);
            Ok(())
        })
    };
    let clock = settings.clock.then(spawn_clock).transpose()?;
    let listener = format!("{own} commands");
    let listening = Worker::spawn(Ros2::KIND, &listener, listening, Listening::run)?;
    let publishing = Worker::spawn(Ros2::KIND, &own, publishing, |publishing| {
        publishing.run();
        Ok(())
    })?;
    Ok(Box::new(Serving {
        workers: [Some(publishing), Some(listening), clock]
            .into_iter()
            .flatten()
            .collect(),
        ticks,
        nanos,
        stopped,
        waker,
        notes,
        counters,
        network,
    }))
}

fn open(settings: &Ros2, network: &Network) -> Result<(Node, DomainParticipant), String> {
    let mut participant = DomainParticipantBuilder::new(network.domain);
    if network.discovery == Discovery::Localhost {
        participant = participant.with_only_networks([IpAddr::V4(Ipv4Addr::LOCALHOST)]);
    }
    let failed = |why: &dyn std::fmt::Display| {
        format!("DDS cannot be started in domain {}: {why}", network.domain)
    };
    let participant = participant.build().map_err(|why| failed(&why))?;
    let context =
        Context::from_domain_participant(participant.clone()).map_err(|why| failed(&why))?;
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
    Ok((node, participant))
}

/// Sensors and actuators of a world, with their settings, in path order.
struct Ends {
    outputs: Vec<(Observer, Ros2Output)>,
    inputs: Vec<(CommandSender, Ros2Input)>,
    wake: morse_api::middleware::Wake,
}

impl Ends {
    fn new(settings: &Ros2, context: MiddlewareContext<Ros2Output, Ros2Input>) -> Self {
        let mut outputs = BTreeMap::new();
        let mut inputs = BTreeMap::new();
        if let Some(view) = context.world_view.filter(|_| settings.all) {
            for observer in view.sensors {
                outputs.insert(
                    observer.info.path.clone(),
                    (observer, Ros2Output::default()),
                );
            }
            for sender in view.actuators {
                inputs.insert(sender.info.path.clone(), (sender, Ros2Input::default()));
            }
        }
        for (observer, output) in context.outputs {
            outputs.insert(observer.info.path.clone(), (observer, output));
        }
        for (sender, input) in context.inputs {
            inputs.insert(sender.info.path.clone(), (sender, input));
        }
        Self {
            outputs: outputs.into_values().collect(),
            inputs: inputs.into_values().collect(),
            wake: context.wake,
        }
    }
}

/// The running threads.
struct Serving {
    workers: Vec<Worker>,
    ticks: Sender<()>,
    nanos: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
    waker: Arc<mio1::Waker>,
    notes: Notes,
    counters: Arc<Counters>,
    network: Network,
}

impl Running for Serving {
    fn failure(&mut self) -> Option<Failure> {
        self.workers.iter_mut().find_map(Worker::failure)
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
        vec![format!("a node of ROS 2 serves domain {domain} on {range}")]
    }

    fn tick(&mut self, nanos: u64) {
        self.nanos.store(nanos, Ordering::Relaxed);
        // A full channel means that the clock is going to be published anyway.
        self.ticks.try_send(()).ok();
    }

    fn restart(&mut self, nanos: u64) {
        self.tick(nanos);
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
