//! Publishers and subscriptions of the node.
use std::{
    collections::BTreeMap,
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

/// Publishers and subscriptions by identity, for several threads.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<Mutex<BTreeMap<GUID, End>>>);

impl Ends {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<GUID, End>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a publisher or a subscription.
    pub(crate) fn add(&self, guid: GUID, end: End) {
        self.lock().insert(guid, end);
    }

    /// Removes a publisher or a subscription.
    pub(crate) fn remove(&self, guid: GUID) {
        self.lock().remove(&guid);
    }

    /// Returns a publisher or a subscription.
    pub(crate) fn get(&self, guid: GUID) -> Option<End> {
        self.lock().get(&guid).cloned()
    }

    /// Returns the types of the publishers, or of the subscriptions, of a topic.
    pub(crate) fn types(&self, topic: &str, is_input: bool) -> Vec<&'static str> {
        let ends = self.lock();
        let ends = ends.values();
        let ends = ends.filter(|end| end.topic == topic && end.is_input == is_input);
        ends.map(|end| end.message).collect()
    }
}
