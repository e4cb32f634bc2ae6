//! Publishers and subscriptions of the node.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ros2_client::dds::rustdds::GUID;

/// A publisher or a subscription.
#[derive(Clone)]
pub(crate) struct End {
    /// Name of the topic, such as `/rover/scan`.
    pub(crate) topic: String,
    /// Type of the messages, such as `sensor_msgs/msg/LaserScan`.
    pub(crate) message: &'static str,
    /// True for a subscription.
    pub(crate) is_input: bool,
}

impl End {
    pub(crate) fn new(topic: &str, message: &'static str, is_input: bool) -> Self {
        Self {
            topic: topic.to_owned(),
            message,
            is_input,
        }
    }
}

/// Publishers and subscriptions by identity, and the nodes that are connected to them, for several threads.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<Mutex<Lists>>);

#[derive(Default)]
struct Lists {
    own: BTreeMap<GUID, End>,
    /// Publishers and subscriptions of nodes, by those of ours.
    peers: BTreeMap<GUID, BTreeSet<GUID>>,
}

impl Ends {
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a publisher or a subscription.
    pub(crate) fn add(&self, guid: GUID, end: End) {
        self.lock().own.insert(guid, end);
    }

    /// Removes a publisher or a subscription.
    pub(crate) fn remove(&self, guid: GUID) {
        let mut lists = self.lock();
        lists.own.remove(&guid);
        lists.peers.remove(&guid);
    }

    /// Returns a publisher or a subscription.
    pub(crate) fn get(&self, guid: GUID) -> Option<End> {
        self.lock().own.get(&guid).cloned()
    }

    /// Returns the types of the publishers, or of the subscriptions, of a topic.
    pub(crate) fn types(&self, topic: &str, is_input: bool) -> Vec<&'static str> {
        let lists = self.lock();
        let ends = lists.own.values();
        let ends = ends.filter(|end| end.topic == topic && end.is_input == is_input);
        ends.map(|end| end.message).collect()
    }

    /// Adds a peer of one of ours. Returns true if it is new.
    pub(crate) fn connect(&self, own: GUID, peer: GUID) -> bool {
        self.lock().peers.entry(own).or_default().insert(peer)
    }

    /// Removes a peer. Returns true if it was connected.
    pub(crate) fn disconnect(&self, peer: GUID) -> bool {
        let mut has_changed = false;
        self.lock().peers.retain(|_, peers| {
            has_changed |= peers.remove(&peer);
            !peers.is_empty()
        });
        has_changed
    }

    /// Returns true if a node is connected to one of ours.
    pub(crate) fn is_connected(&self, own: GUID) -> bool {
        self.lock().peers.contains_key(&own)
    }
}
