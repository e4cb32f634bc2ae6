//! Thread that publishes readings.
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use morse_api::{
    middleware::{Successor, Wake},
    port::Observer,
};
use morse_ros::{
    frames,
    messages::{Message as _, TFMessage},
    topics::{AnyMessage, Make, Sample},
};
use ros2_client::{Publisher, WriteError, dds::rustdds::GUID};
use serde::Serialize;

use crate::{
    Quality, Ros2Output,
    notes::{Counters, Notes},
    opening::{Opening, Shared, keep, profile},
    peers::Peers,
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
    /// Name, type and quality of service.
    key: Key,
    publisher: Publisher<AnyMessage>,
    guid: GUID,
    make: Make,
}

type Key = (String, &'static str, Quality);

/// Sensors of a world, and the signal of their readings.
pub(crate) struct Outputs {
    pub(crate) sensors: Vec<(Observer, Ros2Output)>,
    pub(crate) wake: Wake,
}

/// Publishers of all sensors.
pub(crate) struct Publishing {
    shared: Shared,
    sources: Vec<Source>,
    tf: Publisher<TFMessage>,
    tf_static: Publisher<TFMessage>,
    mounts: TFMessage,
    peers: Peers,
    counters: Arc<Counters>,
    notes: Notes,
    wake: Wake,
    next: Successor<Outputs>,
}

impl Publishing {
    /// Opens the topics of sensors.
    ///
    /// # Errors
    ///
    /// A name or a type is invalid, or DDS refuses a topic.
    pub(crate) fn new(
        shared: &Shared,
        outputs: Outputs,
        next: Successor<Outputs>,
    ) -> Result<Self, String> {
        let opening = &mut *shared.lock();
        let tf_quality = keep(profile(Quality::Reliable), TF_DEPTH);
        let latched = profile(Quality::Latched);
        let mut publishing = Self {
            shared: shared.clone(),
            sources: Vec::new(),
            tf: opening.publisher("/tf", TFMessage::TYPE, tf_quality)?,
            tf_static: opening.publisher("/tf_static", TFMessage::TYPE, latched)?,
            mounts: TFMessage::default(),
            peers: Peers::new(opening),
            counters: opening.counters.clone(),
            notes: opening.notes.clone(),
            wake: outputs.wake,
            next,
        };
        publishing.open(opening, outputs.sensors)?;
        Ok(publishing)
    }

    /// Opens the topics of sensors, and closes those of sensors that are gone. Equal ones keep their subscribers.
    fn open(
        &mut self,
        opening: &mut Opening,
        sensors: Vec<(Observer, Ros2Output)>,
    ) -> Result<(), String> {
        self.mounts = frames::mounts(sensors.iter().map(|(observer, _)| &*observer.info));
        let old = self.sources.drain(..).flat_map(|source| source.topics);
        let mut old: BTreeMap<Key, Output> =
            old.map(|output| (output.key.clone(), output)).collect();
        for (observer, output) in sensors {
            let source = Source::new(opening, observer, &output, &mut old)?;
            self.sources.push(source);
        }
        old.values().for_each(|old| opening.ends.remove(old.guid));
        Ok(())
    }

    /// Continues with another world.
    fn change_world(&mut self, outputs: Outputs) {
        self.wake = outputs.wake;
        let shared = self.shared.clone();
        if let Err(why) = self.open(&mut shared.lock(), outputs.sensors) {
            self.notes
                .add(format!("some sensors have no topics: {why}"));
        }
        self.ask();
        publish(&self.counters, &self.tf_static, self.mounts.clone());
    }

    /// Publishes readings until the simulation ends.
    pub(crate) fn run(&mut self) {
        publish(&self.counters, &self.tf_static, self.mounts.clone());
        loop {
            let awake = self.wake.wait(POLL_INTERVAL);
            if self.peers.update() {
                self.ask();
            }
            self.pass_on();
            match self.next.take() {
                Some(outputs) if awake.is_end() => self.change_world(outputs),
                Some(outputs) => self.next.set(outputs),
                None if awake.is_end() => return,
                None => {}
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
    /// Opens the topics of a sensor, or takes them from the old ones.
    fn new(
        opening: &mut Opening,
        observer: Observer,
        output: &Ros2Output,
        old: &mut BTreeMap<Key, Output>,
    ) -> Result<Self, String> {
        let info = observer.info.clone();
        let mut topics = Vec::new();
        for topic in check_output(&info, output)? {
            let quality = output.qos.unwrap_or_else(|| usual_quality(topic.message));
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
}

fn publish<M: Serialize>(counters: &Counters, publisher: &Publisher<M>, message: M) {
    let counter = match publisher.publish(message) {
        Ok(()) => &counters.published,
        Err(WriteError::WouldBlock { .. } | _) => &counters.refused,
    };
    counter.fetch_add(1, Ordering::Relaxed);
}
