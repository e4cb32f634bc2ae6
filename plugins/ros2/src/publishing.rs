//! Thread that publishes readings.
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use crossbeam_channel::{Receiver, select};
use morse_api::{
    middleware::{Successor, Wake},
    port::Observer,
    world_view::PoseObserver,
};
use morse_ros::{
    links::RobotLinks,
    messages::{Message as _, TFMessage, Text},
};
use ros2_client::Publisher;

use crate::{
    Quality, Ros2Output,
    ends::Ends,
    notes::{Counters, Notes},
    opening::{Opening, Shared, keep, profile},
    peers::Peers,
    source::{Key, Output, Source, publish},
};

/// Interval at which nodes that come and go are noticed when there are no readings.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Number of messages after which the thread pauses: a hundred at once fill the receive buffer of a node, 208 KiB by default, in
/// which each takes at least 2.3 kB.
const BURST: u64 = 32;
/// Pause, in which nodes read.
const PAUSE: Duration = Duration::from_micros(500);
/// Depth of `/tf`, as of ROS's broadcasters.
const TF_DEPTH: usize = 100;

/// Sensors of a world, and the signal of their readings.
pub(crate) struct Outputs {
    pub(crate) sensors: Vec<(Observer, Ros2Output)>,
    pub(crate) wake: Wake,
    /// Poses of all sensors on their robots, and of links that do not move.
    pub(crate) mounts: TFMessage,
    /// Links of robots, with their descriptions.
    pub(crate) links: RobotLinks,
    /// Poses of the bodies.
    pub(crate) poses: Option<PoseObserver>,
}

impl Outputs {
    /// Removes the sensors whose readings wait for commands, and returns them.
    pub(crate) fn take_waiting(&mut self) -> Vec<(Observer, Ros2Output)> {
        let sensors = std::mem::take(&mut self.sensors);
        let waits = |(_, output): &(Observer, Ros2Output)| output.lockstep.is_some();
        let (waiting, others) = sensors.into_iter().partition(waits);
        self.sensors = others;
        waiting
    }
}

/// Publishers of all sensors.
pub(crate) struct Publishing {
    shared: Shared,
    sources: Vec<Source>,
    tf: Publisher<TFMessage>,
    tf_static: Publisher<TFMessage>,
    mounts: TFMessage,
    links: RobotLinks,
    poses: Option<PoseObserver>,
    /// Publishers of descriptions, by topic.
    descriptions: BTreeMap<String, Publisher<Text>>,
    peers: Peers,
    ends: Ends,
    counters: Arc<Counters>,
    notes: Notes,
    wake: Wake,
    /// Signal of the end of a tick.
    ticked: Receiver<()>,
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
        (ticked, next): (Receiver<()>, Successor<Outputs>),
    ) -> Result<Self, String> {
        let opening = &mut *shared.lock();
        let tf_quality = keep(profile(Quality::Reliable), TF_DEPTH);
        let latched = profile(Quality::Latched);
        let mut publishing = Self {
            shared: shared.clone(),
            sources: Vec::new(),
            tf: opening.publisher("/tf", TFMessage::TYPE, tf_quality)?,
            tf_static: opening.publisher("/tf_static", TFMessage::TYPE, latched)?,
            mounts: outputs.mounts,
            links: outputs.links,
            poses: outputs.poses,
            descriptions: BTreeMap::new(),
            peers: Peers::new(opening),
            ends: opening.ends.clone(),
            counters: opening.counters.clone(),
            notes: opening.notes.clone(),
            wake: outputs.wake,
            ticked,
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
        let old = self.sources.drain(..).flat_map(|source| source.topics);
        let mut old: BTreeMap<Key, Output> =
            old.map(|output| (output.key.clone(), output)).collect();
        for (observer, output) in sensors {
            let source = Source::new(opening, observer, &output, &mut old)?;
            self.sources.push(source);
        }
        old.values().for_each(|old| opening.ends.remove(old.guid));
        self.open_descriptions(opening)
    }

    /// Opens the topics of descriptions, and closes those of robots that are gone.
    fn open_descriptions(&mut self, opening: &mut Opening) -> Result<(), String> {
        let mut old = std::mem::take(&mut self.descriptions);
        for (topic, _) in &self.links.descriptions {
            let name = opening.full_name(topic);
            let publisher = match old.remove(topic) {
                Some(publisher) => publisher,
                None => opening.publisher(&name, Text::TYPE, profile(Quality::Latched))?,
            };
            self.descriptions.insert(topic.clone(), publisher);
        }
        old.values().for_each(|old| opening.ends.remove(old.guid()));
        Ok(())
    }

    /// Publishes what nodes that subscribe later receive as well: poses that do not change, and descriptions.
    fn publish_latched(&self) {
        publish(&self.counters, &self.tf_static, self.mounts.clone());
        for (topic, text) in &self.links.descriptions {
            if let Some(publisher) = self.descriptions.get(topic) {
                publish(&self.counters, publisher, text.clone());
            }
        }
    }

    /// Continues with another world.
    fn change_world(&mut self, outputs: Outputs) {
        self.wake = outputs.wake;
        self.mounts = outputs.mounts;
        self.links = outputs.links;
        self.poses = outputs.poses;
        let shared = self.shared.clone();
        if let Err(why) = self.open(&mut shared.lock(), outputs.sensors) {
            self.notes
                .add(format!("some sensors have no topics: {why}"));
        }
        self.request_readings();
        self.publish_latched();
    }

    /// Publishes readings until the simulation ends.
    pub(crate) fn run(&mut self) {
        self.publish_latched();
        loop {
            let is_end = self.wait();
            if self.peers.update() {
                self.request_readings();
            }
            self.publish_pending();
            match self.next.take() {
                Some(outputs) if is_end => self.change_world(outputs),
                Some(outputs) => self.next.set(outputs),
                None if is_end => return,
                None => {}
            }
        }
    }

    /// Waits for readings. Returns true if the world has ended.
    ///
    /// The ports of sensors that do not list the middleware wake no thread; the end of a tick does.
    fn wait(&self) -> bool {
        let channel = self.wake.channel();
        select! {
            recv(channel) -> token => token.is_err(),
            recv(self.ticked) -> tick => {
                let rest = if tick.is_ok() { Duration::ZERO } else { POLL_INTERVAL };
                self.wake.wait(rest).is_end()
            }
            default(POLL_INTERVAL) => false,
        }
    }

    /// Requests the readings of sensors with subscribers only.
    fn request_readings(&self) {
        let is_tf_subscribed = self.ends.is_connected(self.tf.guid());
        for source in &self.sources {
            let mut topics = source.topics.iter();
            let is_subscribed = topics.any(|topic| self.ends.is_connected(topic.guid))
                || (source.moves_base && is_tf_subscribed);
            if is_subscribed {
                source.observer.stay_ready();
            } else {
                source.observer.deassert_ready();
            }
        }
    }

    fn publish_pending(&mut self) {
        let is_tf_subscribed = self.ends.is_connected(self.tf.guid());
        let tf = is_tf_subscribed.then_some(&self.tf);
        let mut paused_at = self.counters.published.load(Ordering::Relaxed);
        for source in &self.sources {
            while let Some(reading) = source.observer.try_recv() {
                source.publish(&reading, (&self.ends, &self.counters), tf);
                let published = self.counters.published.load(Ordering::Relaxed);
                if published >= paused_at + BURST {
                    paused_at = published;
                    std::thread::sleep(PAUSE);
                }
            }
        }
        let poses = self.poses.as_ref().filter(|_| self.links.is_moving());
        if let (Some(tf), Some(observer)) = (tf, poses) {
            while let Some(poses) = observer.try_recv() {
                if let Some(links) = self.links.moving(&poses)
                    && !publish(&self.counters, tf, links)
                {
                    self.counters.report_loss("/tf");
                }
                observer.give_back(poses);
            }
            observer.assert_ready();
        }
    }
}
