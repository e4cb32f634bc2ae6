//! Available topics and services.
use std::collections::{BTreeMap, BTreeSet};

use morse_api::{command::CommandSender, port::Observer};
use morse_ros::{
    actions::ActuatorAction,
    commands::{Taken, taken},
    frames,
    links::RobotLinks,
    messages::{Clock, JointTrajectory, Message as _, TFMessage, Text},
    names,
    topics::{Topic, topics},
};

use crate::encoding::Published;

/// Components that every simulation has.
const GLOBAL: [&str; 3] = ["simulation", "communication", "time"];
pub(crate) const CLOCK: &str = "/clock";
pub(crate) const TF: &str = "/tf";
pub(crate) const TF_STATIC: &str = "/tf_static";

/// A sensor and its topics.
pub(crate) struct Source {
    pub(crate) observer: Observer,
    pub(crate) topics: Vec<Topic>,
    /// True if its readings determine the pose of the base in `/tf`.
    pub(crate) moves_base: bool,
}

/// An actuator, and its message types.
pub(crate) struct Sink {
    pub(crate) sender: CommandSender,
    pub(crate) taken: Vec<Taken>,
}

/// Topics and services by name.
pub(crate) struct Graph {
    pub(crate) sources: Vec<Source>,
    pub(crate) sinks: BTreeMap<String, Sink>,
    /// Paths of the actuators that follow trajectories, by topic.
    pub(crate) trajectories: BTreeMap<String, String>,
    /// Paths of the components whose services are offered, by the prefix of the service names.
    pub(crate) services: BTreeMap<String, String>,
    /// Links of robots, with their descriptions.
    pub(crate) links: RobotLinks,
    types: BTreeMap<String, &'static str>,
}

impl Graph {
    pub(crate) fn new(
        sensors: Vec<Observer>,
        actuators: Vec<CommandSender>,
        services: Vec<String>,
        links: RobotLinks,
    ) -> Self {
        let mut types = BTreeMap::from([
            (CLOCK.to_owned(), Clock::TYPE),
            (TF.to_owned(), TFMessage::TYPE),
            (TF_STATIC.to_owned(), TFMessage::TYPE),
        ]);
        let sources = sensors.into_iter().map(|observer| Source {
            topics: topics(&observer.info),
            moves_base: frames::moves_base(&observer.info),
            observer,
        });
        let sources: Vec<_> = sources.collect();
        for topic in sources.iter().flat_map(|source| &source.topics) {
            types.insert(topic.name.clone(), topic.message);
        }
        for (topic, _) in &links.descriptions {
            types.insert(topic.clone(), Text::TYPE);
        }
        let (mut sinks, mut trajectories) = (BTreeMap::new(), BTreeMap::new());
        for sender in actuators {
            let (name, taken) = (names::topic(&sender.info.path), taken(&sender.info));
            let action = ActuatorAction::of(&sender.info);
            if let Some(suffix) = action.and_then(|action| action.trajectory_topic()) {
                let topic = format!("{name}/{suffix}");
                types.insert(topic.clone(), JointTrajectory::TYPE);
                trajectories.insert(topic, sender.info.path.to_string());
            }
            if let Some(first) = taken.first() {
                types.insert(name.clone(), first.message);
            }
            sinks.insert(name, Sink { sender, taken });
        }
        let offered: BTreeSet<_> = services
            .into_iter()
            .chain(GLOBAL.map(str::to_owned))
            .collect();
        let services = offered.into_iter().map(|path| (names::topic(&path), path));
        Self {
            sources,
            sinks,
            trajectories,
            services: services.collect(),
            links,
            types,
        }
    }

    /// Returns the message that new subscribers of a topic receive at once: poses that do not change, or a description.
    pub(crate) fn latched(&self, topic: &str, nanos: u64) -> Option<Published> {
        if topic == TF_STATIC {
            return Some(Published::new(topic, Box::new(self.fixed_frames()), nanos));
        }
        let mut descriptions = self.links.descriptions.iter();
        let (_, text) = descriptions.find(|(name, _)| name == topic)?;
        Some(Published::new(topic, Box::new(text.clone()), nanos))
    }

    /// Returns the poses of frames that do not change.
    pub(crate) fn fixed_frames(&self) -> TFMessage {
        let sensors = self.sources.iter().map(|source| &*source.observer.info);
        let mut mounts = frames::mounts(sensors);
        mounts.transforms.extend_from_slice(&self.links.fixed);
        mounts
    }

    /// Returns true if the simulation subscribes to a topic.
    pub(crate) fn is_input(&self, topic: &str) -> bool {
        self.sinks.contains_key(topic) || self.trajectories.contains_key(topic)
    }

    /// Returns the topics with their types.
    pub(crate) fn topics(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.types
            .iter()
            .map(|(name, message)| (name.as_str(), *message))
    }

    /// Returns the type of a topic.
    pub(crate) fn type_of(&self, topic: &str) -> Option<&'static str> {
        self.types.get(topic).copied()
    }

    /// Returns the component and the service for a name such as `/rover/motion/stop`.
    pub(crate) fn service<'a>(&self, name: &'a str) -> Option<(&str, &'a str)> {
        let (component, service) = name.rsplit_once('/')?;
        Some((self.services.get(component)?.as_str(), service))
    }
}

/// Returns the absolute name of a topic or a service, also if the client omitted the first slash.
pub(crate) fn with_slash(name: &str) -> String {
    match name.starts_with('/') {
        true => name.to_owned(),
        false => format!("/{name}"),
    }
}

/// Returns true if two type names are equal: ROS 2 writes `sensor_msgs/msg/Imu`, ROS 1 and many clients `sensor_msgs/Imu`.
pub(crate) fn is_same_type(one: &str, other: &str) -> bool {
    let short = |name: &str| name.replace("/msg/", "/").replace("/action/", "/");
    one == other || short(one) == short(other)
}
