//! Poses of frames relative to a fixed frame, for the `TFClient`s of roslib and roslibpy: the interfaces of
//! `tf2_web_republisher`, as a service, as an action, and as an action on topics.
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use morse_ros::{
    frame_tree::FrameTree,
    messages::{Header, TFMessage, Time, Transform, TransformStamped},
};
use nalgebra::Isometry3;
use serde_json::{Value as Json, json};

use crate::outbox::Outbox;

/// Name of the action, and of the topics of the action.
pub(crate) const ACTION: &str = "/tf2_web_republisher";
/// Topic of the feedback of the action.
const FEEDBACK: &str = "/tf2_web_republisher/feedback";
/// Name of the service.
pub(crate) const SERVICE: &str = "/republish_tfs";
/// Maximum number of requests of a client.
const MOST_REQUESTS: usize = 64;
/// Maximum number of frames of a request.
const MOST_FRAMES: usize = 1024;
/// Minimum and maximum rate, 1/s.
const RATES: [f64; 2] = [0.01, 100.0];

/// Requests for poses of frames.
#[derive(Default)]
pub(crate) struct Republisher {
    tree: FrameTree,
    requests: Vec<Request>,
    count: u64,
}

/// Receiver of the poses.
pub(crate) enum Receiver {
    /// Subscribers of the topic of a service call.
    Topic(String),
    /// A client with the id of its goal.
    Goal(Json),
    /// Subscribers of the feedback of an action on topics, with the id of the goal.
    TopicGoal(Json),
}

struct Request {
    client: usize,
    receiver: Receiver,
    frames: Vec<String>,
    target: String,
    /// Changes that are not reported, rad and m.
    angle: f64,
    distance: f64,
    interval: Duration,
    next: Instant,
    last: BTreeMap<String, Isometry3<f64>>,
}

impl Republisher {
    /// Returns true if no poses are requested.
    pub(crate) fn is_idle(&self) -> bool {
        self.requests.is_empty()
    }

    /// Returns the time until the next poses.
    pub(crate) fn rest(&self, now: Instant) -> Option<Duration> {
        let next = self.requests.iter().map(|request| request.next).min();
        next.map(|next| next.saturating_duration_since(now))
    }

    /// Sets poses of frames.
    pub(crate) fn update(&mut self, message: &TFMessage) {
        self.tree.update(message);
    }

    /// Forgets all poses, for another world.
    pub(crate) fn clear(&mut self) {
        self.tree = FrameTree::default();
    }

    /// Adds the request of a service call, and returns the name of its topic.
    ///
    /// # Errors
    ///
    /// The request is invalid, or there are too many.
    pub(crate) fn call(
        &mut self,
        client: usize,
        asked: &Json,
        now: Instant,
    ) -> Result<Json, String> {
        self.count += 1;
        let topic = format!("/tf_repub_{}", self.count);
        self.add(client, Receiver::Topic(topic.clone()), asked, now)?;
        Ok(json!({ "topic_name": topic }))
    }

    /// Adds a request.
    ///
    /// # Errors
    ///
    /// The request is invalid, or there are too many.
    pub(crate) fn add(
        &mut self,
        client: usize,
        receiver: Receiver,
        asked: &Json,
        now: Instant,
    ) -> Result<(), String> {
        if self.requests.len() >= MOST_REQUESTS {
            return Err(format!(
                "there are at most {MOST_REQUESTS} requests for frames"
            ));
        }
        let frames = asked.get("source_frames").and_then(Json::as_array);
        let frames = frames.ok_or("`source_frames` is missing")?;
        if frames.len() > MOST_FRAMES {
            return Err(format!("a request has at most {MOST_FRAMES} frames"));
        }
        let bare = |name: &Json| {
            name.as_str()
                .map(|name| name.trim_start_matches('/').to_owned())
        };
        let frames = frames.iter().map(bare).collect::<Option<Vec<_>>>();
        let target = asked.get("target_frame").and_then(bare);
        let number = |name: &str| asked.get(name).and_then(Json::as_f64);
        let rate = number("rate").unwrap_or(10.0).clamp(RATES[0], RATES[1]);
        self.requests.push(Request {
            client,
            receiver,
            frames: frames.ok_or("`source_frames` are names of frames")?,
            target: target.ok_or("`target_frame` is missing")?,
            angle: number("angular_thres").unwrap_or_default(),
            distance: number("trans_thres").unwrap_or_default(),
            interval: Duration::from_secs_f64(1.0 / rate),
            next: now,
            last: BTreeMap::new(),
        });
        Ok(())
    }

    /// Removes a goal on topics, or all of them without an id.
    pub(crate) fn cancel_topic_goals(&mut self, id: Option<&Json>) {
        self.requests.retain(|request| match &request.receiver {
            Receiver::TopicGoal(own) => id.is_some_and(|id| id != own),
            _ => true,
        });
    }

    /// Removes the goal of a client. Returns false if there is none.
    pub(crate) fn cancel_goal(&mut self, client: usize, id: &Json) -> bool {
        let before = self.requests.len();
        self.requests.retain(|request| {
            let is_it = matches!(&request.receiver, Receiver::Goal(own) if own == id);
            !(is_it && request.client == client)
        });
        self.requests.len() < before
    }

    /// Removes the requests of a client.
    pub(crate) fn remove_client(&mut self, client: usize) {
        self.requests.retain(|request| request.client != client);
    }

    /// Removes the request of a topic that a client has unsubscribed from.
    pub(crate) fn unsubscribe(&mut self, client: usize, topic: &str) {
        self.requests.retain(|request| {
            let is_it = matches!(&request.receiver, Receiver::Topic(own) if own == topic);
            !(is_it && request.client == client)
        });
    }

    /// Sends the poses that are due and have changed.
    pub(crate) fn send(
        &mut self,
        (nanos, now): (u64, Instant),
        is_subscribed: impl Fn(&str) -> bool,
        outbox: &mut Outbox,
    ) {
        for request in self
            .requests
            .iter_mut()
            .filter(|request| request.next <= now)
        {
            request.next = now + request.interval;
            // The first poses are sent once the client has subscribed.
            let is_ready = match &request.receiver {
                Receiver::Topic(topic) => is_subscribed(topic),
                Receiver::TopicGoal(_) => is_subscribed(FEEDBACK),
                Receiver::Goal(_) => true,
            };
            if !is_ready {
                continue;
            }
            let transforms = request.changes(&self.tree, nanos);
            if transforms.is_empty() {
                continue;
            }
            let message = json!({ "transforms": transforms });
            match &request.receiver {
                Receiver::Topic(topic) => outbox.publish(topic.clone(), message),
                Receiver::Goal(id) => {
                    let feedback = json!({
                        "op": "action_feedback", "id": id, "action": ACTION, "values": message,
                    });
                    outbox.send(request.client, feedback.to_string());
                }
                Receiver::TopicGoal(id) => {
                    let status = json!({ "goal_id": { "stamp": { "secs": 0, "nsecs": 0 }, "id": id }, "status": 1, "text": "" });
                    let feedback = json!({ "status": status, "feedback": message });
                    outbox.publish(FEEDBACK.to_owned(), feedback);
                }
            }
        }
    }
}

impl Request {
    /// Returns the poses that have changed by more than the thresholds since they were sent.
    fn changes(&mut self, tree: &FrameTree, nanos: u64) -> Vec<TransformStamped> {
        let mut changes = Vec::new();
        for frame in &self.frames {
            let Some(pose) = tree.pose_in(&self.target, frame) else {
                continue;
            };
            let is_far = |last: &Isometry3<f64>| {
                let change = last.inverse() * pose;
                change.translation.vector.norm() > self.distance
                    || change.rotation.angle() > self.angle
            };
            if self.last.get(frame).is_none_or(is_far) {
                self.last.insert(frame.clone(), pose);
                changes.push(TransformStamped {
                    header: Header {
                        stamp: Time::of_nanos(nanos),
                        frame_id: self.target.clone(),
                    },
                    child_frame_id: frame.clone(),
                    transform: Transform::from(pose),
                });
            }
        }
        changes
    }
}
