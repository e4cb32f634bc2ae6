//! Nodes that subscribe and publish: which topics have subscribers, and which nodes cannot be connected, and why.
use ros2_client::dds::rustdds::{
    DomainParticipant, DomainParticipantStatusEvent, EndpointDescription, GUID, QosPolicies,
    StatusEvented as _, policy::Reliability,
};

use crate::{ends::Ends, notes::Notes, opening::Opening};

/// Nodes that subscribe and publish.
pub(crate) struct Peers {
    participant: DomainParticipant,
    ends: Ends,
    notes: Notes,
}

impl Peers {
    pub(crate) fn new(opening: &Opening) -> Self {
        Self {
            participant: opening.participant.clone(),
            ends: opening.ends.clone(),
            notes: opening.notes.clone(),
        }
    }

    /// Processes the events since the last call. Returns true if nodes were connected or disconnected.
    pub(crate) fn update(&self) -> bool {
        let listener = self.participant.status_listener();
        let mut has_changed = false;
        while let Some(event) = listener.try_recv_status() {
            has_changed |= self.process(event);
        }
        has_changed
    }

    fn process(&self, event: DomainParticipantStatusEvent) -> bool {
        use DomainParticipantStatusEvent as Event;
        match event {
            Event::RemoteReaderMatched {
                local_writer,
                remote_reader,
            } => self.ends.connect(local_writer, remote_reader),
            Event::RemoteWriterMatched {
                local_reader,
                remote_writer,
            } => self.ends.connect(local_reader, remote_writer),
            Event::ReaderLost { guid, .. } | Event::WriterLost { guid, .. } => {
                self.ends.disconnect(guid)
            }
            Event::RemoteReaderQosIncompatible {
                local_writer,
                requested_qos,
                offered_qos,
                ..
            } => {
                self.report_quality(local_writer, &requested_qos, &offered_qos);
                false
            }
            Event::RemoteWriterQosIncompatible {
                local_reader,
                requested_qos,
                offered_qos,
                ..
            } => {
                self.report_quality(local_reader, &requested_qos, &offered_qos);
                false
            }
            Event::ReaderDetected { reader } => {
                self.report_type(&reader, false);
                false
            }
            Event::WriterDetected { writer } => {
                self.report_type(&writer, true);
                false
            }
            _ => false,
        }
    }

    /// Reports that a node cannot be connected, since the subscriber requests more than the publisher offers.
    fn report_quality(&self, own: GUID, requested: &QosPolicies, offered: &QosPolicies) {
        let Some(end) = self.ends.get(own) else {
            return;
        };
        let is_reliable =
            |qos: &QosPolicies| matches!(qos.reliability(), Some(Reliability::Reliable { .. }));
        let (cause, remedy) = if is_reliable(requested) && !is_reliable(offered) {
            (
                "reliable messages are requested, and best effort is offered",
                match end.is_input {
                    true => "publish reliably, or set `qos: sensor_data` for the actuator's input",
                    false => {
                        "subscribe with best effort (qos_profile_sensor_data), or set `qos: reliable` for the sensor's output"
                    }
                },
            )
        } else if requested.durability() != offered.durability() {
            (
                "the last message is requested (transient local), and only new ones are offered (volatile)",
                match end.is_input {
                    true => "publish with transient local, or change `qos` of the actuator's input",
                    false => {
                        "subscribe with volatile, or set `qos: latched` for the sensor's output"
                    }
                },
            )
        } else {
            (
                "deadline, liveliness or another quality of service is stricter than what is offered",
                "use the default ones",
            )
        };
        let topic = &end.topic;
        self.notes.add(match end.is_input {
            true => {
                format!("a node publishes on `{topic}` and is not received: {cause}; {remedy}")
            }
            false => {
                format!("a node subscribes to `{topic}` and receives nothing: {cause}; {remedy}")
            }
        });
    }

    /// Reports that a node uses one of our topics with another type.
    fn report_type(&self, peer: &EndpointDescription, publishes: bool) {
        let Some(topic) = peer.topic_name.strip_prefix("rt") else {
            return;
        };
        let theirs = ros_type(&peer.type_name);
        let ours = self.ends.types(topic, publishes);
        if let Some(ours) = ours.first().filter(|_| !ours.contains(&&*theirs)) {
            let verb = if publishes {
                "publishes on"
            } else {
                "subscribes to"
            };
            self.notes.add(format!(
                "a node {verb} `{topic}` with the type `{theirs}`; the type of the topic is `{ours}`; set `type` for the \
                 component to change it"
            ));
        }
    }
}

/// Returns the name of a type in ROS for its name in DDS, such as `sensor_msgs::msg::dds_::Imu_`.
fn ros_type(dds: &str) -> String {
    let name = dds.replace("dds_::", "").replace("::", "/");
    name.strip_suffix('_').unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::ros_type;

    #[test]
    fn types_have_their_names_in_ros() {
        assert_eq!(
            ros_type("sensor_msgs::msg::dds_::Imu_"),
            "sensor_msgs/msg/Imu"
        );
    }
}
