//! Opening of topics.
use std::sync::Arc;

use ros2_client::{
    MessageTypeName, Name, Node, QosProfile,
    dds::rustdds::{DomainParticipant, Topic},
    qos::{Durability, History, WhenFull},
};

use crate::{
    Quality,
    notes::{Counters, Notes},
};

/// The node in which topics are opened, and what its threads share.
pub(crate) struct Opening<'a> {
    /// The node.
    pub(crate) node: &'a mut Node,
    /// The participant of the node.
    pub(crate) participant: DomainParticipant,
    /// Namespace of the topics.
    pub(crate) namespace: &'a str,
    /// Warnings.
    pub(crate) notes: Notes,
    /// Counters of messages.
    pub(crate) counters: Arc<Counters>,
}

impl Opening<'_> {
    /// Returns the name of a topic in the namespace of the node.
    pub(crate) fn full_name(&self, topic: &str) -> String {
        format!("{}{topic}", self.namespace)
    }

    /// Creates a topic. Its name is complete; the message type is written such as `sensor_msgs/msg/Imu`.
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

/// Returns a profile with a depth.
pub(crate) fn keep(profile: QosProfile, depth: usize) -> QosProfile {
    profile.history(History::KeepLast { depth })
}
