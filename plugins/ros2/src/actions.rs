//! Actions of actuators: goals that become requests to the simulation, with feedback, results and cancellation.
//!
//! - this file: the actions of the actuators, and the server of an action;
//! - `goal`: a goal and its progress;
//! - `trajectory_topic`: trajectories without an action.
mod goal;
mod trajectory_topic;

use std::collections::BTreeMap;

use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    command::CommandSender,
    service::{Reply, Status},
};
use morse_ros::{
    actions::{Action as Kind, ActuatorAction, plain},
    names,
};
use ros2_client::{
    ActionServer, ActionTypeName, Message, Name, RmwRequestId, ServiceMapping,
    action::{
        ActionServerQosPolicies, CancelGoalResponse, GetResultResponse, GoalId, GoalInfo,
        GoalStatusEnum, SendGoalResponse,
    },
    action_msgs::{CancelGoalResponseEnum, GoalStatus, GoalStatusArray},
    builtin_interfaces::Time,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{
    Distribution, Quality,
    opening::{Opening, profile, service_profile},
    responses::shortened,
    serving::{Calls, Serve},
};
use goal::Goal;

/// Actions by name.
pub(crate) type Actions = BTreeMap<String, Box<dyn Serve>>;

/// Maximum number of goals that are kept, so that nodes can request their results.
const MOST_GOALS: usize = 32;
/// Maximum number of requests of a kind that are taken at once.
const MOST_AT_ONCE: usize = 16;
/// Number of polls between feedback messages: ten a second.
const FEEDBACK_POLLS: u32 = 5;

/// A goal, a result or feedback, as a message of the client library.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
struct Wire<T>(T);

impl<T: Clone + Serialize + DeserializeOwned + Send + 'static> Message for Wire<T> {}

/// Opens the actions of actuators, or takes them from the old ones.
///
/// # Errors
///
/// DDS refuses an action.
pub(crate) fn open_actions(
    opening: &mut Opening,
    actuators: &[CommandSender],
    mut old: Actions,
) -> Result<Actions, String> {
    let mut actions = Actions::new();
    for sender in actuators {
        let info = &sender.info;
        let (path, topic) = (info.path.to_string(), names::topic(&info.path));
        let mut add = |suffix: &str, open: &mut dyn FnMut(&mut Opening, &str) -> Opened| {
            let name = opening.full_name(&format!("{topic}/{suffix}"));
            let served = match old.remove(&name) {
                Some(old) => old,
                None => open(opening, &name)?,
            };
            actions.insert(name, served);
            Ok::<(), String>(())
        };
        let Some(action) = ActuatorAction::of(info) else {
            continue;
        };
        if let Some(suffix) = action.trajectory_topic() {
            add(suffix, &mut |opening, name| {
                trajectory_topic::Topic::open(opening, name, &path)
            })?;
        }
        let mut action = Some(action);
        let suffix = action.as_ref().map_or("", ActuatorAction::suffix);
        add(suffix, &mut |opening, name| match action.take() {
            Some(ActuatorAction::Follow(kind)) => Action::open(opening, name, &path, kind),
            Some(ActuatorAction::Navigate(kind)) => match opening.distribution {
                Distribution::Jazzy => Action::open(opening, name, &path, kind),
                Distribution::Kilted => Action::open(opening, name, &path, kind.of_kilted()),
            },
            Some(ActuatorAction::Grip(kind)) => Action::open(opening, name, &path, kind),
            None => Err(format!("`{name}` is opened already")),
        })?;
    }
    Ok(actions)
}

pub(crate) type Opened = Result<Box<dyn Serve>, String>;

/// Opens an action of a component.
///
/// # Errors
///
/// DDS refuses the action.
pub(crate) fn open_action<K: Kind>(
    opening: &mut Opening,
    name: &str,
    component: &str,
    kind: K,
) -> Opened {
    let name = opening.full_name(name);
    Action::open(opening, &name, component, kind)
}

/// Reply to the request of a goal, or to that of its feedback.
enum Answer {
    Goal(GoalId, Reply),
    Feedback(GoalId, Reply),
}

/// Server of an action.
struct Action<K: Kind> {
    name: String,
    kind: K,
    /// Path of the actuator.
    actuator: String,
    server: ActionServer<Wire<K::Goal>, Wire<K::Outcome>, Wire<K::Feedback>>,
    /// Goals, the oldest first.
    goals: Vec<Goal<K>>,
    answers: (Sender<Answer>, Receiver<Answer>),
    polls: u32,
    awaits_feedback: bool,
    has_changed: bool,
}

impl<K: Kind> Action<K> {
    fn open(opening: &mut Opening, name: &str, actuator: &str, kind: K) -> Opened {
        let failed = |why: &dyn std::fmt::Debug| format!("action `{name}`: {why:?}");
        let parsed = Name::parse(name).map_err(|why| failed(&why))?;
        let (package, message) = K::TYPE;
        let server = opening.node.create_action_server(
            ServiceMapping::Enhanced,
            &parsed,
            &ActionTypeName::new(package, message),
            ActionServerQosPolicies {
                goal_service: service_profile(),
                result_service: service_profile(),
                cancel_service: service_profile(),
                feedback_publisher: profile(Quality::Reliable),
                status_publisher: profile(Quality::Latched),
            },
        );
        Ok(Box::new(Self {
            server: server.map_err(|why| failed(&why))?,
            name: name.to_owned(),
            kind,
            actuator: actuator.to_owned(),
            goals: Vec::new(),
            answers: bounded(2 * MOST_GOALS),
            polls: 0,
            awaits_feedback: false,
            has_changed: true,
        }))
    }

    fn take_goals(&mut self, calls: &Calls) {
        for _ in 0..MOST_AT_ONCE {
            match self.server.receive_goal() {
                Ok(Some((id, request))) => self.begin(calls, id, request.goal_id, request.goal.0),
                Ok(None) => return,
                Err(why) => self.note(calls, &format!("a goal is invalid: {why}")),
            }
        }
    }

    /// Sends the request of a goal. A goal before it is cancelled, since an actuator carries out one at a time.
    fn begin(&mut self, calls: &Calls, id: RmwRequestId, goal_id: GoalId, goal: K::Goal) {
        let is_known = self.goals.iter().any(|goal| goal.id == goal_id);
        let request = match self.kind.request(&goal) {
            Ok(request) if !is_known && self.make_room() => request,
            Ok(_) => return self.answer_goal(calls, id, false),
            Err(why) => {
                self.note(calls, &format!("a goal is refused: {why}"));
                let is_aborted = self.kind.aborts_refused() && !is_known && self.make_room();
                if is_aborted {
                    let outcome = self.kind.outcome(&goal, Status::Failed, &why.into());
                    let goal = Goal::aborted(goal_id, goal, outcome, calls.now());
                    self.goals.push(goal);
                    self.has_changed = true;
                }
                return self.answer_goal(calls, id, is_aborted);
            }
        };
        for running in self.goals.iter_mut().filter(|goal| !goal.is_finished()) {
            running.status = GoalStatusEnum::Canceling;
            calls.cancel(running.request);
            stop(calls, &self.kind);
        }
        let (service, arguments) = request;
        let answers = self.answers.0.clone();
        let reply = move |reply| {
            answers.try_send(Answer::Goal(goal_id, reply)).ok();
        };
        match calls.send((&self.actuator, service), arguments, reply) {
            Ok(request) => self
                .goals
                .push(Goal::new(goal_id, goal, (id, request), calls.now())),
            Err(why) => {
                self.note(calls, &format!("a goal is refused: {why}"));
                self.answer_goal(calls, id, false);
            }
        }
    }

    /// Forgets the oldest finished goal if there are too many. Returns false if none is finished.
    fn make_room(&mut self) -> bool {
        if self.goals.len() < MOST_GOALS {
            return true;
        }
        let oldest = self.goals.iter().position(Goal::is_finished);
        oldest.map(|index| self.goals.remove(index)).is_some()
    }

    fn answer_goal(&self, calls: &Calls, id: RmwRequestId, accepted: bool) {
        let stamp = Time::from_nanos(calls.now().cast_signed());
        let sent = self
            .server
            .send_goal_response(id, SendGoalResponse { accepted, stamp });
        if let Err(why) = sent {
            self.note(calls, &format!("a response is lost: {why}"));
        }
    }

    /// Accepts the goals that the simulation has not refused in two ticks.
    fn accept(&mut self, calls: &Calls) {
        let now = calls.now();
        let accepted = self.goals.iter_mut().filter_map(|goal| goal.accept(now));
        let accepted: Vec<RmwRequestId> = accepted.collect();
        for id in accepted {
            self.answer_goal(calls, id, true);
            self.has_changed = true;
        }
    }

    fn take_answers(&mut self, calls: &Calls) {
        while let Ok(answer) = self.answers.1.try_recv() {
            match answer {
                Answer::Goal(id, reply) => self.finish(calls, id, &reply),
                Answer::Feedback(id, reply) => {
                    self.awaits_feedback = false;
                    self.publish_feedback(calls, id, &reply);
                }
            }
        }
    }

    /// Ends a goal with the reply to its request. One that the simulation refuses at once is rejected, or
    /// aborted.
    fn finish(&mut self, calls: &Calls, id: GoalId, reply: &Reply) {
        let Some(index) = self.goals.iter().position(|goal| goal.id == id) else {
            return;
        };
        let goal = &mut self.goals[index];
        if let Some(request) = goal.unanswered.take() {
            let accepted = reply.status != Status::Failed
                || self.kind.was_begun(&reply.value)
                || self.kind.aborts_refused();
            if !accepted {
                self.goals.remove(index);
                self.note(
                    calls,
                    &format!("a goal is refused: {}", plain(&reply.value)),
                );
                return self.answer_goal(calls, request, false);
            }
            self.answer_goal(calls, request, true);
        }
        let goal = &mut self.goals[index];
        goal.status = match reply.status {
            Status::Success => GoalStatusEnum::Succeeded,
            Status::Preempted if goal.status == GoalStatusEnum::Canceling => {
                GoalStatusEnum::Canceled
            }
            Status::Preempted | Status::Failed => GoalStatusEnum::Aborted,
        };
        let value = match &reply.value {
            Json::String(text) => shortened(text.clone()).into(),
            value => value.clone(),
        };
        let outcome = self.kind.outcome(&goal.goal, reply.status, &value);
        goal.outcome = Some(outcome.clone());
        let (status, waiting) = (goal.status, std::mem::take(&mut goal.waiting));
        for request in waiting {
            self.send_result(calls, request, status, outcome.clone());
        }
        self.has_changed = true;
    }

    fn send_result(
        &self,
        calls: &Calls,
        id: RmwRequestId,
        status: GoalStatusEnum,
        result: K::Outcome,
    ) {
        let sent = self.server.send_result(
            id,
            GetResultResponse {
                status,
                result: Wire(result),
            },
        );
        if let Err(why) = sent {
            self.note(calls, &format!("a result is lost: {why}"));
        }
    }

    fn take_result_requests(&mut self, calls: &Calls) {
        for _ in 0..MOST_AT_ONCE {
            match self.server.receive_result_request() {
                Ok(Some((id, request))) => {
                    let goal = self
                        .goals
                        .iter_mut()
                        .find(|goal| goal.id == request.goal_id);
                    let (status, outcome) = match goal {
                        None => (GoalStatusEnum::Unknown, K::Outcome::default()),
                        Some(goal) => match goal.outcome.clone() {
                            Some(outcome) => (goal.status, outcome),
                            None => {
                                goal.wait(id);
                                continue;
                            }
                        },
                    };
                    self.send_result(calls, id, status, outcome);
                }
                Ok(None) => return,
                Err(why) => self.note(calls, &format!("a request is invalid: {why}")),
            }
        }
    }

    fn take_cancel_requests(&mut self, calls: &Calls) {
        for _ in 0..MOST_AT_ONCE {
            match self.server.receive_cancel_request() {
                Ok(Some((id, request))) => {
                    // The fields of the request are private.
                    let request = serde_json::to_value(&request).unwrap_or_default();
                    let response = self.cancel(calls, &request["goal_info"]);
                    if let Err(why) = self.server.send_cancel_response(id, response) {
                        self.note(calls, &format!("a response is lost: {why}"));
                    }
                }
                Ok(None) => return,
                Err(why) => self.note(calls, &format!("a request is invalid: {why}")),
            }
        }
    }

    /// Cancels the goal of an identity, the goals until a time, or all goals.
    fn cancel(&mut self, calls: &Calls, asked: &Json) -> CancelGoalResponse {
        let id = serde_json::from_value(asked["goal_id"].clone()).unwrap_or(GoalId::ZERO);
        let field = |name: &str| asked["stamp"][name].as_u64().unwrap_or_default();
        let until = field("sec") * 1_000_000_000 + field("nanosec");
        let is_meant = |goal: &Goal<K>| match (id == GoalId::ZERO, until) {
            (true, 0) => true,
            (true, until) => goal.start <= until,
            (false, 0) => goal.id == id,
            (false, until) => goal.id == id || goal.start <= until,
        };
        let mut cancelled = Vec::new();
        let mut is_known = false;
        for goal in self.goals.iter_mut().filter(|goal| is_meant(goal)) {
            is_known = true;
            if !goal.is_finished() {
                goal.status = GoalStatusEnum::Canceling;
                calls.cancel(goal.request);
                stop(calls, &self.kind);
                cancelled.push(goal.info());
            }
        }
        self.has_changed |= !cancelled.is_empty();
        CancelGoalResponse {
            return_code: match (cancelled.is_empty(), is_known) {
                (false, _) => CancelGoalResponseEnum::None,
                (true, true) => CancelGoalResponseEnum::GoalTerminated,
                (true, false) if id == GoalId::ZERO => CancelGoalResponseEnum::None,
                (true, false) => CancelGoalResponseEnum::UnknownGoal,
            },
            goals_canceling: cancelled,
        }
    }

    /// Requests the data of the next feedback, ten times a second while a goal is carried out.
    fn request_feedback(&mut self, calls: &Calls) {
        self.polls += 1;
        let running = self.goals.iter().find(|goal| goal.is_executing());
        let Some(goal) = running.filter(|_| self.polls >= FEEDBACK_POLLS && !self.awaits_feedback)
        else {
            return;
        };
        self.polls = 0;
        let id = goal.id;
        if let Some((component, service, arguments)) = self.kind.feedback_request() {
            let answers = self.answers.0.clone();
            let reply = move |reply| {
                answers.try_send(Answer::Feedback(id, reply)).ok();
            };
            let sent = calls.send((&component, service), arguments, reply);
            self.awaits_feedback = sent.is_ok();
        }
    }

    fn publish_feedback(&self, calls: &Calls, id: GoalId, reply: &Reply) {
        let goal = self.goals.iter().find(|goal| goal.id == id);
        let Some(goal) = goal.filter(|goal| goal.is_executing()) else {
            return;
        };
        let now = calls.now();
        let times = [now, now.saturating_sub(goal.start)];
        if let Some(feedback) = self.kind.feedback(&goal.goal, &reply.value, times) {
            // Feedback that DDS does not accept is outdated soon.
            self.server.send_feedback(id, Wire(feedback)).ok();
        }
    }

    fn publish_status(&mut self, calls: &Calls) {
        if !std::mem::take(&mut self.has_changed) {
            return;
        }
        let known = self.goals.iter().filter(|goal| goal.unanswered.is_none());
        let status_list = known.map(|goal| GoalStatus {
            goal_info: goal.info(),
            status: goal.status,
        });
        let status_list = status_list.collect();
        let sent = self
            .server
            .send_goal_statuses(GoalStatusArray { status_list });
        if let Err(why) = sent {
            self.note(calls, &format!("a status is lost: {why}"));
        }
    }

    fn note(&self, calls: &Calls, text: &str) {
        calls.notes.add(format!("`{}`: {text}", self.name));
    }
}

impl<K: Kind> Serve for Action<K> {
    fn update(&mut self, calls: &Calls) {
        self.take_answers(calls);
        self.take_goals(calls);
        self.take_cancel_requests(calls);
        self.accept(calls);
        self.take_result_requests(calls);
        self.request_feedback(calls);
        self.publish_status(calls);
    }
}

/// Ends what a cancelled request has begun.
fn stop(calls: &Calls, kind: &impl Kind) {
    if let Some((component, service, arguments)) = kind.stop_request() {
        // Without a simulation there is nothing to end.
        calls.send((&component, service), arguments, drop).ok();
    }
}

impl<K: Kind> Goal<K> {
    fn info(&self) -> GoalInfo {
        GoalInfo {
            goal_id: self.id,
            stamp: Time::from_nanos(self.start.cast_signed()),
        }
    }
}
