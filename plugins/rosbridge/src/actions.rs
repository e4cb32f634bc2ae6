//! Actions of actuators for clients: with the operations of rosbridge, and on the topics of ROS 1's `actionlib`.
//!
//! - this file: goals, their requests and their results; `reports`: messages about them.
mod reports;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use morse_api::{
    command::CommandSender,
    service::{Reply, Status},
};
use morse_ros::{
    actions::{ActuatorAction, JsonAction, plain},
    names,
};
use morse_server::{clock::now, requests::Requests};
use serde_json::Value as Json;

use crate::outbox::{Answer, Outbox};

/// Maximum number of goals of an action that are kept.
const MOST_GOALS: usize = 32;
/// Interval of feedback.
const FEEDBACK_INTERVAL: Duration = Duration::from_millis(100);
/// Interval of the status on topics.
const STATUS_INTERVAL: Duration = Duration::from_millis(200);

/// Actions of the actuators of a world, by name.
#[derive(Default)]
pub(crate) struct Actions {
    servers: BTreeMap<String, Server>,
    count: u64,
    next_status: Option<Instant>,
}

/// Server of an action.
struct Server {
    action: Box<dyn JsonAction>,
    /// Path of the actuator.
    actuator: String,
    /// Goals, the oldest first.
    goals: Vec<Goal>,
    next_feedback: Instant,
    awaits_feedback: bool,
}

/// A goal.
struct Goal {
    number: u64,
    owner: Owner,
    goal: Json,
    /// Number of the request to the simulation.
    request: u64,
    /// Time at which it was received, ns.
    start: u64,
    state: State,
    /// Reason of a refusal or a failure.
    text: String,
}

/// Sender of a goal.
#[derive(Clone)]
pub(crate) enum Owner {
    /// A client, with its id of the goal, that may request feedback.
    Client {
        /// Number of the client.
        client: usize,
        /// The client's id of the goal.
        id: Json,
        /// True to send feedback.
        with_feedback: bool,
    },
    /// A client that publishes goals on a topic, with its id of the goal.
    Topic(Json),
}

/// Progress of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Executing,
    Canceling,
    Succeeded,
    Canceled,
    Aborted,
    Rejected,
}

impl State {
    fn is_finished(self) -> bool {
        !matches!(self, Self::Executing | Self::Canceling)
    }
}

impl Actions {
    /// Continues with the actuators of another world. Goals of actuators that exist there, too, are kept.
    pub(crate) fn change_world(&mut self, actuators: &[&CommandSender], outbox: &mut Outbox) {
        let mut old = std::mem::take(&mut self.servers);
        for sender in actuators {
            let Some(action) = ActuatorAction::of(&sender.info) else {
                continue;
            };
            let name = format!("{}/{}", names::topic(&sender.info.path), action.suffix());
            let goals = old.remove(&name).map(|old| old.goals);
            let server = Server {
                action: action.into_json(),
                actuator: sender.info.path.to_string(),
                goals: goals.unwrap_or_default(),
                next_feedback: now(),
                awaits_feedback: false,
            };
            self.servers.insert(name, server);
        }
        let reply = Reply::failed(morse_api::service::ServiceError::failed(
            "the actuator is gone",
        ));
        for (name, server) in &mut old {
            server.goals.retain(|goal| !goal.state.is_finished());
            let numbers: Vec<u64> = server.goals.iter().map(|goal| goal.number).collect();
            for number in numbers {
                server.finish(name, number, &reply, 0, outbox);
            }
        }
    }

    /// Returns the names and types of the actions.
    pub(crate) fn list(&self) -> impl Iterator<Item = (&str, String)> {
        let servers = self.servers.iter();
        servers.map(|(name, server)| (name.as_str(), server.action.type_name()))
    }

    /// Returns true if an action exists.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.servers.contains_key(name)
    }

    /// Sends the request of a goal; goals before it are cancelled, since an actuator carries out one at a time. A goal that is
    /// refused is reported.
    pub(crate) fn begin(
        &mut self,
        calls: &Requests<Answer>,
        (name, owner): (&str, Owner),
        goal: Json,
        nanos: u64,
        outbox: &mut Outbox,
    ) {
        let Some(server) = self.servers.get_mut(name) else {
            return;
        };
        self.count += 1;
        let number = self.count;
        let goal = match goal {
            Json::Null => serde_json::json!({}),
            goal => goal,
        };
        let sent = server.request(calls, name, number, &goal);
        let (state, request) = match &sent {
            Ok(request) => (State::Executing, *request),
            Err(_) => (State::Rejected, 0),
        };
        let goal = Goal {
            number,
            owner,
            goal,
            request,
            start: nanos,
            state,
            text: sent.err().unwrap_or_default(),
        };
        if goal.state == State::Rejected {
            reports::refused(name, &goal, nanos, outbox);
        }
        server.goals.push(goal);
        server.forget();
        self.next_status = None;
    }

    /// Takes the reply to the request of a goal.
    pub(crate) fn finish(
        &mut self,
        name: &str,
        number: u64,
        reply: &Reply,
        nanos: u64,
        outbox: &mut Outbox,
    ) {
        if let Some(server) = self.servers.get_mut(name) {
            server.finish(name, number, reply, nanos, outbox);
            self.next_status = None;
        }
    }

    /// Takes the reply to the request of feedback, and sends it.
    pub(crate) fn send_feedback(
        &mut self,
        name: &str,
        number: u64,
        reply: &Reply,
        nanos: u64,
        outbox: &mut Outbox,
    ) {
        let Some(server) = self.servers.get_mut(name) else {
            return;
        };
        server.awaits_feedback = false;
        let goal = server.goals.iter().find(|goal| goal.number == number);
        if let Some(goal) = goal.filter(|goal| !goal.state.is_finished()) {
            let times = [nanos, nanos.saturating_sub(goal.start)];
            let feedback = server.action.feedback(&goal.goal, &reply.value, times);
            if let Some(feedback) = feedback {
                reports::feedback(name, goal, feedback, nanos, outbox);
            }
        }
    }

    /// Cancels the goals of an action that `is_meant` selects. Returns their number.
    fn cancel(
        &mut self,
        calls: &Requests<Answer>,
        name: &str,
        is_meant: impl Fn(&Owner) -> bool,
    ) -> usize {
        let Some(server) = self.servers.get_mut(name) else {
            return 0;
        };
        let goals = server.goals.iter_mut();
        let goals = goals.filter(|goal| !goal.state.is_finished() && is_meant(&goal.owner));
        let mut count = 0;
        for goal in goals {
            goal.state = State::Canceling;
            // Without a simulation there is nothing to cancel.
            calls.cancel(goal.request).ok();
            count += 1;
        }
        self.next_status = None;
        count
    }

    /// Cancels the goal of a client. Returns false if it has no such goal.
    pub(crate) fn cancel_goal(
        &mut self,
        calls: &Requests<Answer>,
        name: &str,
        (number, asked): (usize, &Json),
    ) -> bool {
        let is_it = |owner: &Owner| matches!(owner, Owner::Client { client, id, .. } if *client == number && id == asked);
        self.cancel(calls, name, is_it) > 0
    }

    /// Cancels the goals on topics with an id, or all without one.
    pub(crate) fn cancel_topic_goals(
        &mut self,
        calls: &Requests<Answer>,
        name: &str,
        asked: Option<&Json>,
    ) {
        let is_it = |owner: &Owner| match (owner, asked) {
            (Owner::Topic(id), Some(asked)) => id == asked,
            (Owner::Topic(_), None) => true,
            _ => false,
        };
        self.cancel(calls, name, is_it);
    }

    /// Cancels all goals of an action. Returns their number.
    pub(crate) fn cancel_all(&mut self, calls: &Requests<Answer>, name: &str) -> usize {
        self.cancel(calls, name, |_| true)
    }

    /// Returns true if goals are carried out, whose feedback is due at intervals.
    pub(crate) fn is_busy(&self) -> bool {
        let mut servers = self.servers.values();
        servers.any(|server| server.executing().is_some())
    }

    /// Requests the feedback that is due, and publishes the status of actions on topics with subscribers.
    pub(crate) fn update(
        &mut self,
        calls: &Requests<Answer>,
        (nanos, now): (u64, Instant),
        is_subscribed: impl Fn(&str) -> bool,
        outbox: &mut Outbox,
    ) {
        for (name, server) in &mut self.servers {
            server.request_feedback(calls, name, now);
        }
        if self.next_status.is_some_and(|next| now < next) {
            return;
        }
        self.next_status = Some(now + STATUS_INTERVAL);
        for (name, server) in &self.servers {
            let topic = format!("{name}/status");
            if is_subscribed(&topic) {
                outbox.publish(topic, reports::statuses(&server.goals, nanos));
            }
        }
    }

    /// Publishes the status of actions at the next update.
    pub(crate) fn report_status(&mut self) {
        self.next_status = None;
    }
}

impl Server {
    /// Sends the request of a goal, after the cancellation of the ones before it. Returns its number.
    fn request(
        &mut self,
        calls: &Requests<Answer>,
        name: &str,
        number: u64,
        goal: &Json,
    ) -> Result<u64, String> {
        let (service, arguments) = self.action.request(goal)?;
        for running in self
            .goals
            .iter_mut()
            .filter(|goal| !goal.state.is_finished())
        {
            running.state = State::Canceling;
            calls.cancel(running.request).ok();
        }
        let name = name.to_owned();
        let encode = move |reply| Answer::Goal(name, number, reply);
        let sent = calls.send((&self.actuator, service), arguments, encode);
        sent.map_err(|failure| failure.to_string())
    }

    fn executing(&self) -> Option<&Goal> {
        self.goals
            .iter()
            .find(|goal| goal.state == State::Executing)
    }

    /// Forgets the oldest finished goals if there are too many.
    fn forget(&mut self) {
        while self.goals.len() > MOST_GOALS
            && let Some(oldest) = self.goals.iter().position(|goal| goal.state.is_finished())
        {
            self.goals.remove(oldest);
        }
    }

    fn finish(&mut self, name: &str, number: u64, reply: &Reply, nanos: u64, outbox: &mut Outbox) {
        let Some(goal) = self.goals.iter_mut().find(|goal| goal.number == number) else {
            return;
        };
        if reply.status == Status::Failed && !self.action.was_begun(&reply.value) {
            goal.state = State::Rejected;
            goal.text = plain(&reply.value);
            return reports::refused(name, goal, nanos, outbox);
        }
        goal.state = match reply.status {
            Status::Success => State::Succeeded,
            Status::Preempted if goal.state == State::Canceling => State::Canceled,
            Status::Preempted | Status::Failed => State::Aborted,
        };
        let outcome = self.action.outcome(&goal.goal, reply.status, &reply.value);
        if reply.status == Status::Failed {
            goal.text = plain(&reply.value);
        }
        reports::result(name, goal, outcome, nanos, outbox);
    }

    /// Requests the data of feedback, ten times a second while a goal is carried out.
    fn request_feedback(&mut self, calls: &Requests<Answer>, name: &str, now: Instant) {
        let Some(number) = self.executing().map(|goal| goal.number) else {
            return;
        };
        if self.awaits_feedback || now < self.next_feedback {
            return;
        }
        self.next_feedback = now + FEEDBACK_INTERVAL;
        if let Some((component, service, arguments)) = self.action.feedback_request() {
            let name = name.to_owned();
            let encode = move |reply| Answer::Feedback(name, number, reply);
            let sent = calls.send((&component, service), arguments, encode);
            self.awaits_feedback = sent.is_ok();
        }
    }
}
