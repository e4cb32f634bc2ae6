//! Graph of the objects for viewers.
use std::sync::Arc;

use morse_api::world_view::{
    GraphLayout, GraphLink, GraphNode, LinkState, NodeKind, NodeState, ObjectGraph, Readiness,
};

use crate::{counters::Report, credit::Credit, lockstep::MAILBOX};

/// Numbers of the objects of each kind, in the order of their start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) sensors: usize,
    pub(super) actuators: usize,
    pub(super) system: usize,
}

impl Counts {
    /// Returns the kind of an object, by its index.
    fn kind(self, id: usize) -> NodeKind {
        let limits = [
            (NodeKind::Sensor, self.sensors),
            (NodeKind::Actuator, self.sensors + self.actuators),
            (
                NodeKind::System,
                self.sensors + self.actuators + self.system,
            ),
        ];
        let kind = limits.into_iter().find(|(_, end)| id < *end);
        kind.map_or(NodeKind::Object, |(kind, _)| kind)
    }
}

/// Returns the objects and links of a report.
pub(super) fn layout(report: &Report, counts: Counts) -> Arc<GraphLayout> {
    let nodes = report.objects.iter().enumerate();
    let nodes = nodes.map(|(id, object)| GraphNode {
        name: object.object.clone(),
        kind: counts.kind(id),
        capacity: MAILBOX,
    });
    let links = report.links.iter().map(|link| GraphLink {
        from: link.ends[0],
        to: link.ends[1],
        subject: link.subject.clone(),
        observer: link.observer.clone(),
    });
    Arc::new(GraphLayout {
        nodes: nodes.collect(),
        links: links.collect(),
    })
}

/// Returns the graph of a report at a simulated time, ns.
pub(super) fn graph(report: &Report, layout: &Arc<GraphLayout>, nanos: u64) -> ObjectGraph {
    let nodes = report.objects.iter().map(|object| NodeState {
        queued: object.queue,
        longest: object.longest_queue,
        handled: object.handled,
        overflows: object.overflows,
        fault: object.fault.clone(),
    });
    let links = report.links.iter().map(|link| LinkState {
        readiness: match link.credit {
            Credit::Asserted => Readiness::Ready,
            Credit::Unknown => Readiness::Busy,
            Credit::Deasserted => Readiness::Refuses,
        },
        queued: link.queued,
        delivered: link.counters.delivered,
        dropped: link.counters.dropped,
        refused: link.counters.refused,
    });
    ObjectGraph {
        layout: layout.clone(),
        nanos,
        nodes: nodes.collect(),
        links: links.collect(),
    }
}
