//! Thread that publishes readings.
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use morse_api::{middleware::Wake, port::Observer};
use morse_ros::{
    frames,
    messages::{Message as _, TFMessage},
    topics::{AnyMessage, Make, Sample},
};
use ros2_client::{Node, Publisher, QosProfile, WriteError, dds::rustdds::GUID};
use serde::Serialize;

use crate::{
    Quality, Ros2Output,
    listening::Listening,
    notes::Counters,
    opening::{Opening, keep, profile},
    peers::{End, Peers},
    topics::check_output,
};

/// Interval at which nodes that come and go are noticed when there are no readings.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Depth of `/tf`, as of ROS's broadcasters.
const TF_DEPTH: usize = 100;

/// Prefix of the types that are sensor data: large or frequent, and of no value when they are late.
const SENSOR_DATA: &str = "sensor_msgs/msg/";
/// Types of that package that state estimators and controllers depend on.
const STATES: [&str; 2] = ["sensor_msgs/msg/JointState", "sensor_msgs/msg/BatteryState"];

/// Returns the usual quality of service of a type.
fn usual_quality(message: &str) -> Quality {
    if message.starts_with(SENSOR_DATA) && !STATES.contains(&message) {
        Quality::SensorData
    } else {
        Quality::Reliable
    }
}

/// A sensor and the topics of its readings.
struct Source {
    observer: Observer,
    frame_id: Option<String>,
    topics: Vec<Output>,
    /// True if its readings determine the pose of the base in `/tf`.
    moves_base: bool,
}

/// A topic of a sensor.
struct Output {
    publisher: Publisher<AnyMessage>,
    guid: GUID,
    make: Make,
}

/// Publishers of all sensors.
pub(crate) struct Publishing {
    sources: Vec<Source>,
    tf: Publisher<TFMessage>,
    tf_static: Publisher<TFMessage>,
    mounts: TFMessage,
    peers: Peers,
    counters: Arc<Counters>,
    /// The node, which exists as long as its publishers, and the signal of readings.
    kept: Option<(Node, Wake)>,
}

impl Publishing {
    /// Opens the topics of sensors.
    ///
    /// # Errors
    ///
    /// A name or a type is invalid, or DDS refuses a topic.
    pub(crate) fn new(
        opening: &mut Opening<'_>,
        outputs: Vec<(Observer, Ros2Output)>,
        listening: &Listening,
    ) -> Result<Self, String> {
        let mounts = frames::mounts(outputs.iter().map(|(observer, _)| &*observer.info));
        let mut ends = listening.ends();
        let mut sources = Vec::new();
        for (observer, output) in outputs {
            sources.push(Source::new(opening, observer, &output, &mut ends)?);
        }
        let tf_quality = keep(profile(Quality::Reliable), TF_DEPTH);
        let tf = publisher(opening, "/tf", TFMessage::TYPE, tf_quality, &mut ends)?;
        let latched = profile(Quality::Latched);
        let tf_static = publisher(opening, "/tf_static", TFMessage::TYPE, latched, &mut ends)?;
        Ok(Self {
            sources,
            tf,
            tf_static,
            mounts,
            peers: Peers::new(&opening.participant, ends, opening.notes.clone()),
            counters: opening.counters.clone(),
            kept: None,
        })
    }

    /// Keeps the node, and the signal of readings.
    pub(crate) fn keep(&mut self, node: Node, wake: Wake) {
        self.kept = Some((node, wake));
    }

    /// Publishes readings until the simulation ends.
    pub(crate) fn run(&mut self) {
        publish(&self.counters, &self.tf_static, self.mounts.clone());
        let Some((_node, wake)) = self.kept.take() else {
            return;
        };
        loop {
            let awake = wake.wait(POLL_INTERVAL);
            if self.peers.update() {
                self.ask();
            }
            self.pass_on();
            if awake.is_end() {
                return;
            }
        }
    }

    /// Requests the readings of sensors with subscribers only.
    fn ask(&self) {
        let hears_tf = self.peers.has_reader(self.tf.guid());
        for source in &self.sources {
            let mut topics = source.topics.iter();
            let is_heard = topics.any(|topic| self.peers.has_reader(topic.guid))
                || (source.moves_base && hears_tf);
            if is_heard {
                source.observer.stay_ready();
            } else {
                source.observer.deassert_ready();
            }
        }
    }

    fn pass_on(&self) {
        let hears_tf = self.peers.has_reader(self.tf.guid());
        for source in &self.sources {
            while let Some(reading) = source.observer.try_recv() {
                let sample = Sample {
                    info: &source.observer.info,
                    reading: &reading,
                    frame_id: source.frame_id.as_deref(),
                };
                for topic in &source.topics {
                    if self.peers.has_reader(topic.guid) {
                        publish(&self.counters, &topic.publisher, (topic.make)(&sample));
                    }
                }
                if source.moves_base && hears_tf {
                    publish(&self.counters, &self.tf, frames::base(&sample));
                }
            }
        }
    }
}

impl Source {
    fn new(
        opening: &mut Opening<'_>,
        observer: Observer,
        output: &Ros2Output,
        ends: &mut Vec<(GUID, End)>,
    ) -> Result<Self, String> {
        let info = observer.info.clone();
        let mut topics = Vec::new();
        for topic in check_output(&info, output)? {
            let quality = output.qos.unwrap_or_else(|| usual_quality(topic.message));
            let name = opening.full_name(&topic.name);
            let publisher = publisher(opening, &name, topic.message, profile(quality), ends)?;
            topics.push(Output {
                guid: publisher.guid(),
                publisher,
                make: topic.make,
            });
        }
        Ok(Self {
            frame_id: output.frame_id.clone(),
            moves_base: frames::moves_base(&info),
            observer,
            topics,
        })
    }
}

fn publisher<M: Serialize>(
    opening: &mut Opening<'_>,
    name: &str,
    message: &'static str,
    quality: QosProfile,
    ends: &mut Vec<(GUID, End)>,
) -> Result<Publisher<M>, String> {
    let topic = opening.topic(name, message, &quality)?;
    let publisher = opening.node.create_publisher(&topic, Some(quality));
    let publisher = publisher.map_err(|why| format!("topic `{name}`: {why}"))?;
    let end = End::new(name, message, false);
    ends.push((publisher.guid(), end));
    Ok(publisher)
}

fn publish<M: Serialize>(counters: &Counters, publisher: &Publisher<M>, message: M) {
    let counter = match publisher.publish(message) {
        Ok(()) => &counters.published,
        Err(WriteError::WouldBlock { .. } | _) => &counters.refused,
    };
    counter.fetch_add(1, Ordering::Relaxed);
}
