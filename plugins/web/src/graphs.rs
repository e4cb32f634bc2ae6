//! Graphs of the objects that middlewares run: their layouts, which viewers load once, and their states.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use morse_api::world_view::{
    GraphExchange, GraphLayout, LinkState, NodeState, ObjectGraph, Readiness,
};
use serde_json::{Value as Json, json};

use crate::values::length;

/// Minimum interval of the states of a graph.
const INTERVAL: Duration = Duration::from_millis(90);

/// A graph of a world, observed for all viewers together.
pub(crate) struct WatchedGraph {
    /// Name of the middleware.
    pub(crate) name: String,
    exchange: GraphExchange,
    /// Number of viewers.
    pub(crate) watchers: u32,
    /// Layout that was seen last, and how often it has changed.
    layout: Option<(Arc<GraphLayout>, usize)>,
    newest: Option<Arc<ObjectGraph>>,
    requested: Instant,
}

impl WatchedGraph {
    pub(crate) fn new((name, exchange): &(String, GraphExchange), now: Instant) -> Self {
        Self {
            name: name.clone(),
            exchange: exchange.clone(),
            watchers: 0,
            layout: None,
            newest: None,
            requested: now,
        }
    }

    /// Requests a state, if there are viewers.
    pub(crate) fn request(&mut self, now: Instant) {
        if self.watchers > 0 && now.duration_since(self.requested) >= INTERVAL {
            self.requested = now;
            self.exchange.request();
        }
    }

    /// Sends the last state to a new viewer, and requests another one: without viewers there were no requests.
    pub(crate) fn welcome(&mut self) {
        self.newest = None;
        self.exchange.request();
    }

    /// Discards the last state: the next one is new in any case.
    pub(crate) fn forget(&mut self) {
        self.newest = None;
    }

    /// Returns the encoded state, if there are viewers and it is new.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        if self.watchers == 0 {
            return None;
        }
        let graph = self.exchange.newest()?;
        if self
            .newest
            .as_ref()
            .is_some_and(|newest| Arc::ptr_eq(newest, &graph))
        {
            return None;
        }
        let version = self.see(&graph.layout);
        let bytes = encode(&graph, version);
        self.newest = Some(graph);
        Some(bytes)
    }

    /// Returns the number of a layout.
    fn see(&mut self, layout: &Arc<GraphLayout>) -> usize {
        let version = match &self.layout {
            Some((known, version)) if Arc::ptr_eq(known, layout) => *version,
            Some((_, version)) => version + 1,
            None => 0,
        };
        self.layout = Some((layout.clone(), version));
        version
    }

    /// Returns the layout that was seen last as JSON.
    pub(crate) fn layout(&self) -> Option<Json> {
        let (layout, version) = self.layout.as_ref()?;
        let nodes = layout.nodes.iter().map(|node| {
            json!({ "name": node.name, "kind": node.kind.name(), "capacity": node.capacity })
        });
        let links = layout
            .links
            .iter()
            .map(|link| json!([link.from, link.to, link.subject, link.observer]));
        Some(json!({
            "version": version,
            "nodes": nodes.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        }))
    }
}

/// Encodes a state: the time in s (f64), the number of its layout, the nodes (queued, maximum, handled, overflows, fault as
/// a text), then the links (readiness: 0 ready, 1 busy, 2 refuses; queued, delivered, dropped, refused). Numbers and texts
/// begin as in [`crate::values`].
fn encode(graph: &ObjectGraph, version: usize) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend((graph.nanos as f64 / 1e9).to_le_bytes());
    length(&mut out, version);
    length(&mut out, graph.nodes.len());
    for node in &graph.nodes {
        let NodeState {
            queued,
            longest,
            handled,
            overflows,
            fault,
        } = node;
        let (handled, overflows) = (*handled as usize, *overflows as usize);
        for number in [*queued, *longest, handled, overflows] {
            length(&mut out, number);
        }
        let fault = fault.as_deref().unwrap_or_default();
        length(&mut out, fault.len());
        out.extend(fault.bytes());
    }
    length(&mut out, graph.links.len());
    for link in &graph.links {
        let LinkState {
            readiness,
            queued,
            delivered,
            dropped,
            refused,
        } = *link;
        out.push(match readiness {
            Readiness::Ready => 0,
            Readiness::Busy => 1,
            Readiness::Refuses => 2,
        });
        length(&mut out, queued);
        for number in [delivered, dropped, refused] {
            length(&mut out, number as usize);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use morse_api::world_view::{GraphLink, GraphNode, NodeKind};

    use super::*;

    fn graph() -> ObjectGraph {
        let node = |name: &str| GraphNode {
            name: name.to_owned(),
            kind: NodeKind::Object,
            capacity: 32,
        };
        ObjectGraph {
            layout: Arc::new(GraphLayout {
                nodes: vec![node("Eye"), node("Mind")],
                links: vec![GraphLink {
                    from: 0,
                    to: 1,
                    subject: "Eye.Image.px.S".to_owned(),
                    observer: "Mind.Image.px.O".to_owned(),
                }],
            }),
            nanos: 1_500_000_000,
            nodes: vec![
                NodeState {
                    queued: 3,
                    longest: 5,
                    handled: 300,
                    overflows: 1,
                    fault: Some("é".to_owned()),
                },
                NodeState::default(),
            ],
            links: vec![LinkState {
                readiness: Readiness::Refuses,
                queued: 2,
                delivered: 128,
                dropped: 7,
                refused: 0,
            }],
        }
    }

    #[test]
    fn states_are_encoded_as_the_page_reads_them() {
        let expected = [
            &1.5_f64.to_le_bytes()[..],
            &[4, 2, 3, 5, 0xac, 2, 1, 2, 0xc3, 0xa9],
            &[0, 0, 0, 0, 0],
            &[1, 2, 2, 0x80, 1, 7, 0],
        ]
        .concat();
        assert_eq!(encode(&graph(), 4), expected);
    }

    #[test]
    fn only_watched_and_new_states_are_taken() {
        let exchange = GraphExchange::default();
        let now = morse_server::clock::now();
        let mut watched = WatchedGraph::new(&("objects".to_owned(), exchange.clone()), now);
        exchange.publish(graph());
        assert!(watched.take().is_none() && watched.layout().is_none());
        watched.request(now + INTERVAL);
        assert!(!exchange.take_request(), "no viewer");
        watched.watchers = 1;
        watched.request(now + INTERVAL / 2);
        assert!(!exchange.take_request(), "too early");
        watched.request(now + INTERVAL);
        assert!(exchange.take_request());
        assert_eq!(watched.take().unwrap()[8], 0);
        assert!(watched.take().is_none(), "it is not new");
        let layout = watched.layout().unwrap();
        assert_eq!(
            layout["links"],
            json!([[0, 1, "Eye.Image.px.S", "Mind.Image.px.O"]])
        );
        let same = exchange.newest().unwrap().layout.clone();
        exchange.publish(ObjectGraph {
            layout: same,
            ..graph()
        });
        assert_eq!(watched.take().unwrap()[8], 0, "the layout is the same");
        exchange.publish(graph());
        assert_eq!(watched.take().unwrap()[8], 1);
        assert_eq!(watched.layout().unwrap()["version"], 1);
    }
}
