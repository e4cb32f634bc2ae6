//! Graphs of the objects that a middleware runs, for viewers: its objects, and the links on which they send data.
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// State of the objects and links of a middleware.
#[derive(Clone, Debug, Default)]
pub struct ObjectGraph {
    /// Objects and links. Shared by all states until they change.
    pub layout: Arc<GraphLayout>,
    /// Simulated time, ns.
    pub nanos: u64,
    /// States of [`GraphLayout::nodes`], in their order.
    pub nodes: Vec<NodeState>,
    /// States of [`GraphLayout::links`], in their order.
    pub links: Vec<LinkState>,
}

/// The constant part of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLayout {
    /// Objects.
    pub nodes: Vec<GraphNode>,
    /// Links between them.
    pub links: Vec<GraphLink>,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: NodeKind,
    /// Maximum number of queued messages.
    pub capacity: usize,
}

/// Kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A sensor of the simulation.
    Sensor,
    /// An actuator of the simulation.
    Actuator,
    /// An object of the robot's system.
    System,
    /// An object of the user.
    Object,
}

impl NodeKind {
    /// Returns the name of the kind, as viewers show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sensor => "sensor",
            Self::Actuator => "actuator",
            Self::System => "system",
            Self::Object => "object",
        }
    }
}

/// A link from a subject to an observer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLink {
    /// Index of the object that sends.
    pub from: usize,
    /// Index of the object that receives.
    pub to: usize,
    /// Name of the subject.
    pub subject: String,
    /// Name of the observer.
    pub observer: String,
}

/// State of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeState {
    /// Number of queued messages.
    pub queued: usize,
    /// Maximum number of queued messages so far.
    pub longest: usize,
    /// Number of messages that it has handled.
    pub handled: u64,
    /// Number of messages that its full mailbox has refused.
    pub overflows: u64,
    /// Fault that stopped the object.
    pub fault: Option<String>,
}

/// State of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkState {
    /// Readiness of the observer.
    pub readiness: Readiness,
    /// Number of queued data.
    pub queued: usize,
    /// Number of data that were delivered.
    pub delivered: u64,
    /// Number of data that were dropped.
    pub dropped: u64,
    /// Number of messages that the observer's full mailbox has refused.
    pub refused: u64,
}

/// Readiness of an observer at the other end of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readiness {
    /// It waits for a message.
    Ready,
    /// It has not requested the next message yet.
    #[default]
    Busy,
    /// It requests no data.
    Refuses,
}

/// Exchange of a graph between a middleware and viewers, which may be in other threads. Nothing is computed without a
/// request.
#[derive(Clone, Default)]
pub struct GraphExchange(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_requested: AtomicBool,
    newest: Mutex<Option<Arc<ObjectGraph>>>,
}

impl GraphExchange {
    /// Requests the state at the next opportunity. Repeated requests count once.
    pub fn request(&self) {
        self.0.is_requested.store(true, Ordering::Release);
    }

    /// Returns true once for each request.
    #[must_use]
    pub fn take_request(&self) -> bool {
        self.0.is_requested.load(Ordering::Acquire)
            && self.0.is_requested.swap(false, Ordering::AcqRel)
    }

    /// Publishes a state, which replaces the previous one.
    pub fn publish(&self, graph: ObjectGraph) {
        *self.0.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(graph));
    }

    /// Returns the state that was published last.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<ObjectGraph>> {
        let newest = self.0.newest.lock();
        newest.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_once_and_the_newest_state_is_seen() {
        let (middleware, viewer) = {
            let exchange = GraphExchange::default();
            (exchange.clone(), exchange)
        };
        assert!(!middleware.take_request() && viewer.newest().is_none());
        viewer.request();
        viewer.request();
        assert!(middleware.take_request());
        assert!(!middleware.take_request());
        for nanos in [1, 2] {
            middleware.publish(ObjectGraph {
                nanos,
                ..ObjectGraph::default()
            });
        }
        assert_eq!(viewer.newest().unwrap().nanos, 2);
        assert_eq!(viewer.newest().unwrap().nanos, 2, "it stays");
    }
}
