//! Messages to clients: responses, readings, frames and the time.
use std::{collections::BTreeMap, sync::atomic::Ordering, time::Instant};

use morse_ros::{
    frames,
    messages::{Clock, Time},
    topics::{AnyMessage, Sample},
};
use morse_server::clock::now;

use super::{CLOCK_INTERVAL, Server};
use crate::{
    client::Client,
    encoding::{Published, relayed},
    graph::{CLOCK, Source, TF},
    hub::Hub,
    outbox::Answer,
};

impl Server {
    /// Sends responses, readings and the time.
    pub(super) fn publish_pending(&mut self) {
        self.take_replies();
        let (nanos, now) = (self.nanos.load(Ordering::Relaxed), now());
        let needs_frames = !self.hub.republisher.is_idle();
        for source in &self.graph.sources {
            while let Some(reading) = source.observer.try_recv() {
                let sample = Sample {
                    info: &source.observer.info,
                    reading: &reading,
                    frame_id: None,
                };
                if needs_frames && frames::moves(sample.info) {
                    self.hub.republisher.update(&frames::moved(&sample));
                }
                publish_reading(&mut self.clients, source, &sample, now);
            }
        }
        self.publish_links(now);
        self.publish_time(now);
        if needs_frames {
            self.hub.republisher.update(&self.graph.fixed_frames());
        }
        let clients = &self.clients;
        let is_subscribed = |topic: &str| {
            let mut clients = clients.values();
            clients.any(|client| client.subscriptions.contains_key(topic))
        };
        let Hub {
            broker,
            actions,
            republisher,
            outbox,
            ..
        } = &mut self.hub;
        republisher.send((nanos, now), is_subscribed, outbox);
        actions.update(&self.calls, (nanos, now), is_subscribed, outbox);
        broker.expire(now, outbox);
        self.send_outbox();
    }

    /// Takes the replies of the simulation.
    fn take_replies(&mut self) {
        let nanos = self.nanos.load(Ordering::Relaxed);
        let Hub {
            actions, outbox, ..
        } = &mut self.hub;
        for answer in self.calls.take_replies() {
            match answer {
                Answer::Response(number, text) => {
                    if let Some(client) = self.clients.get_mut(&number) {
                        client.under_way = client.under_way.saturating_sub(1);
                        client.send(text);
                    }
                }
                Answer::Status(_, text) if text.is_empty() => {}
                Answer::Status(number, text) => outbox.send(number, text),
                Answer::Goal(name, number, reply) => {
                    actions.finish(&name, number, &reply, nanos, outbox);
                }
                Answer::Feedback(name, number, reply) => {
                    actions.send_feedback(&name, number, &reply, nanos, outbox);
                }
            }
        }
    }

    /// Sends the messages that operations and actions have left for clients.
    pub(super) fn send_outbox(&mut self) {
        for (number, text) in std::mem::take(&mut self.hub.outbox.messages) {
            if let Some(client) = self.clients.get_mut(&number) {
                client.send(text);
            }
        }
        for (topic, message) in std::mem::take(&mut self.hub.outbox.published) {
            self.publish(&topic, || relayed(&message));
        }
    }

    /// Sends a message to all subscribers of a topic.
    pub(super) fn publish(&mut self, topic: &str, make: impl Fn() -> AnyMessage) {
        let nanos = self.nanos.load(Ordering::Relaxed);
        publish(&mut self.clients, topic, now(), || {
            Published::new(topic, make(), nanos)
        });
    }

    /// Sends the descriptions of robots to their subscribers.
    pub(super) fn publish_descriptions(&mut self) {
        let nanos = self.nanos.load(Ordering::Relaxed);
        for (topic, text) in &self.graph.links.descriptions {
            publish(&mut self.clients, topic, now(), || {
                Published::new(topic, Box::new(text.clone()), nanos)
            });
        }
    }

    /// Sends the poses of links that move, and requests those of the next tick.
    fn publish_links(&mut self, now: Instant) {
        let needs_frames = !self.hub.republisher.is_idle();
        if !self.graph.links.is_moving() || !(needs_frames || self.is_subscribed(TF)) {
            return;
        }
        while let Some(poses) = self.poses.try_recv() {
            if let Some(links) = self.graph.links.moving(&poses) {
                if needs_frames {
                    self.hub.republisher.update(&links);
                }
                publish(&mut self.clients, TF, now, || {
                    Published::new(TF, Box::new(links.clone()), poses.nanos)
                });
            }
            self.poses.give_back(poses);
        }
        self.poses.assert_ready();
    }

    fn publish_time(&mut self, now: Instant) {
        let nanos = self.nanos.load(Ordering::Relaxed);
        let is_new = self
            .reported
            .is_none_or(|(reported, at)| reported != nanos && now >= at + CLOCK_INTERVAL);
        if is_new {
            self.reported = Some((nanos, now));
            publish(&mut self.clients, CLOCK, now, || {
                let clock = Time::of_nanos(nanos);
                Published::new(CLOCK, Box::new(Clock { clock }), nanos)
            });
        }
    }
}

/// Publishes a reading on all topics of its sensor.
fn publish_reading(
    clients: &mut BTreeMap<usize, Client>,
    source: &Source,
    sample: &Sample<'_>,
    now: Instant,
) {
    let nanos = sample.reading.nanos;
    for topic in &source.topics {
        publish(clients, &topic.name, now, || {
            Published::new(&topic.name, (topic.make)(sample), nanos)
        });
    }
    if frames::moves(sample.info) {
        publish(clients, TF, now, || {
            Published::new(TF, Box::new(frames::moved(sample)), nanos)
        });
    }
}

/// Sends a message to all subscribers of a topic; it is built once, and only if there are any.
fn publish(
    clients: &mut BTreeMap<usize, Client>,
    topic: &str,
    now: Instant,
    make: impl Fn() -> Published,
) {
    let mut made = None;
    for client in clients.values_mut() {
        client.publish(topic, now, &make, &mut made);
    }
}
