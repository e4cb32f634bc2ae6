//! Sensors with their topics.
use std::{collections::BTreeMap, sync::atomic::Ordering};

use morse_api::{port::Observer, reading::Reading};
use morse_ros::{
    frames,
    messages::TFMessage,
    topics::{AnyMessage, Make, Sample},
};
use ros2_client::{Publisher, WriteError, dds::rustdds::GUID};
use serde::Serialize;

use crate::{
    Quality, Ros2Output,
    ends::Ends,
    notes::Counters,
    opening::{Opening, profile},
    topics::check_output,
};

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
pub(crate) struct Source {
    /// The sensor.
    pub(crate) observer: Observer,
    frame_id: Option<String>,
    /// The topics, the main one first.
    pub(crate) topics: Vec<Output>,
    /// True if its readings determine the pose of the base in `/tf`.
    pub(crate) moves_base: bool,
}

/// A topic of a sensor.
pub(crate) struct Output {
    /// Name, type and quality of service.
    pub(crate) key: Key,
    publisher: Publisher<AnyMessage>,
    /// Identity of the publisher.
    pub(crate) guid: GUID,
    make: Make,
}

/// Name, type and quality of service of a topic.
pub(crate) type Key = (String, &'static str, Quality);

impl Source {
    /// Opens the topics of a sensor, or takes them from the old ones.
    ///
    /// # Errors
    ///
    /// A name or a type is invalid, or DDS refuses a topic.
    pub(crate) fn new(
        opening: &mut Opening,
        observer: Observer,
        output: &Ros2Output,
        old: &mut BTreeMap<Key, Output>,
    ) -> Result<Self, String> {
        let info = observer.info.clone();
        let mut topics = Vec::new();
        for topic in check_output(&info, output)? {
            let quality = output.qos.unwrap_or_else(|| match output.lockstep {
                None => usual_quality(topic.message),
                // A lost message would end the run.
                Some(_) => Quality::Reliable,
            });
            let key = (opening.full_name(&topic.name), topic.message, quality);
            let publisher = match old.remove(&key) {
                Some(old) => old.publisher,
                None => opening.publisher(&key.0, topic.message, profile(quality))?,
            };
            topics.push(Output {
                key,
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

    /// Publishes a reading on the topics with subscribers, and in `/tf` if it determines a pose there.
    pub(crate) fn publish(
        &self,
        reading: &Reading,
        (ends, counters): (&Ends, &Counters),
        tf: Option<&Publisher<TFMessage>>,
    ) {
        let sample = Sample {
            info: &self.observer.info,
            reading,
            frame_id: self.frame_id.as_deref(),
        };
        for topic in &self.topics {
            if ends.is_connected(topic.guid)
                && !publish(counters, &topic.publisher, (topic.make)(&sample))
            {
                counters.report_loss(&topic.key.0);
            }
        }
        if let Some(tf) = tf.filter(|_| frames::moves(sample.info)) {
            publish(counters, tf, frames::moved(&sample));
        }
    }
}

/// Publishes a message, and counts it. Returns false if DDS does not accept it.
pub(crate) fn publish<M: Serialize>(
    counters: &Counters,
    publisher: &Publisher<M>,
    message: M,
) -> bool {
    let (counter, is_accepted) = match publisher.publish(message) {
        Ok(()) => (&counters.published, true),
        Err(WriteError::WouldBlock { .. } | _) => (&counters.refused, false),
    };
    counter.fetch_add(1, Ordering::Relaxed);
    is_accepted
}
