//! Opening of topics.
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ros2_client::{
    MessageTypeName, Name, Node, Publisher, QosProfile,
    dds::rustdds::{
        DomainParticipant, QosPolicies, QosPolicyBuilder, Topic, TopicKind, policy::ResourceLimits,
    },
    qos::{Durability, History, WhenFull},
};

use serde::Serialize;

use crate::{
    Distribution, Quality,
    answers::Answers,
    ends::{End, Ends},
    notes::{Counters, Notes},
};

/// The node in which topics are opened, and what its threads share.
pub(crate) struct Opening {
    /// The node.
    pub(crate) node: Node,
    /// The participant of the node.
    pub(crate) participant: DomainParticipant,
    /// Namespace of the topics.
    pub(crate) namespace: String,
    /// Distribution of the nodes.
    pub(crate) distribution: Distribution,
    /// Publishers and subscriptions.
    pub(crate) ends: Ends,
    /// Commands for which sensors wait, by path of the actuator.
    pub(crate) answers: BTreeMap<String, Answers>,
    /// Warnings.
    pub(crate) notes: Notes,
    /// Counters of messages.
    pub(crate) counters: Arc<Counters>,
}

/// The node, for several threads.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Opening>>);

impl Shared {
    /// Returns a node for several threads.
    pub(crate) fn new(opening: Opening) -> Self {
        Self(Arc::new(Mutex::new(opening)))
    }

    /// Returns the node; other threads wait until the value is dropped.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Opening> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opening {
    /// Returns the name of a topic in the namespace of the node.
    pub(crate) fn full_name(&self, topic: &str) -> String {
        format!("{}{topic}", self.namespace)
    }

    /// Creates the topic of a subscription. Its name is complete; the message type is written such as `sensor_msgs/msg/Imu`.
    ///
    /// # Errors
    ///
    /// The name is invalid, or DDS refuses it.
    pub(crate) fn topic(
        &self,
        name: &str,
        message: &str,
        quality: &QosProfile,
    ) -> Result<Topic, String> {
        let parsed = Name::parse(name).map_err(|why| format!("topic `{name}`: {why:?}"))?;
        let (package, kind) = message.split_once("/msg/").unwrap_or(("", message));
        let kind = MessageTypeName::new(package, kind);
        self.node
            .create_topic(&parsed, kind, quality)
            .map_err(|why| format!("topic `{name}`: {why}"))
    }

    /// Creates a publisher.
    ///
    /// # Errors
    ///
    /// The name is invalid, or DDS refuses it.
    pub(crate) fn publisher<M: Serialize>(
        &mut self,
        name: &str,
        message: &'static str,
        quality: QosProfile,
    ) -> Result<Publisher<M>, String> {
        let failed = |why: &dyn std::fmt::Display| format!("topic `{name}`: {why}");
        Name::parse(name).map_err(|why| failed(&format!("{why:?}")))?;
        // The profiles of the client library have no such limit: the topic has it.
        let (package, kind) = message.split_once("/msg/").unwrap_or(("", message));
        let topic = self.participant.create_topic(
            format!("rt{name}"),
            format!("{package}::msg::dds_::{kind}_"),
            &limited(&quality, message),
            TopicKind::NoKey,
        );
        let topic = topic.map_err(|why| failed(&why))?;
        let publisher = self.node.create_publisher(&topic, Some(quality));
        let publisher = publisher.map_err(|why| failed(&why))?;
        let end = End::new(name, message, false);
        self.ends.add(publisher.guid(), end);
        Ok(publisher)
    }
}

/// Types of large messages.
const LARGE: [&str; 3] = [
    "sensor_msgs/msg/Image",
    "sensor_msgs/msg/CompressedImage",
    "sensor_msgs/msg/PointCloud2",
];
/// Maximum number of large messages, and of others, that reliable nodes have not confirmed. `RustDDS` keeps all of them, for
/// nodes that stand still too.
const MOST_UNCONFIRMED: [i32; 2] = [16, 1000];

/// Returns a profile with a limit of unconfirmed messages.
fn limited(profile: &QosProfile, message: &str) -> QosPolicies {
    let [large, small] = MOST_UNCONFIRMED;
    let most = if LARGE.contains(&message) {
        large
    } else {
        small
    };
    let limits = QosPolicyBuilder::new()
        .resource_limits(ResourceLimits {
            max_samples: most,
            max_instances: 1,
            max_samples_per_instance: most,
        })
        .build();
    QosPolicies::from(profile).modify_by(&limits)
}

/// Returns the profile of a quality of service.
pub(crate) fn profile(quality: Quality) -> QosProfile {
    let reliable = || QosProfile::default().reliability_reliable(WhenFull::Fail);
    match quality {
        Quality::SensorData => keep(QosProfile::default().reliability_best_effort(), 5),
        Quality::Reliable => keep(reliable(), 10),
        Quality::Latched => keep(reliable().durability(Durability::TransientLocal), 1),
    }
}

/// Maximum number of requests or responses of a service that wait. ROS's own servers keep ten, and lose the others.
const SERVICE_DEPTH: usize = 100;

/// Returns the profile of services.
pub(crate) fn service_profile() -> QosProfile {
    keep(profile(Quality::Reliable), SERVICE_DEPTH)
}

/// Returns a profile with a depth.
pub(crate) fn keep(profile: QosProfile, depth: usize) -> QosProfile {
    profile.history(History::KeepLast { depth })
}
