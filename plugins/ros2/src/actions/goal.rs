//! A goal of an action, and its progress.
use ros2_client::{
    RmwRequestId,
    action::{GoalId, GoalStatusEnum},
};

use morse_ros::actions::Action as Kind;

/// Number of changes of the simulated time after which a request has been served: one may be under way when it is sent.
const SERVED: u32 = 2;
/// Number of polls after which a goal is accepted although the time stands still: half a second.
const POLLS_TIMEOUT: u32 = 25;
/// Maximum number of requests for the result of a goal.
const MOST_WAITING: usize = 8;

/// A goal.
pub(super) struct Goal<K: Kind> {
    pub(super) id: GoalId,
    pub(super) goal: K::Goal,
    pub(super) status: GoalStatusEnum,
    /// Number of the request to the simulation.
    pub(super) request: u64,
    /// Request of the node that has no answer yet.
    pub(super) unanswered: Option<RmwRequestId>,
    /// Time at which it was received, ns.
    pub(super) start: u64,
    /// Requests for the result.
    pub(super) waiting: Vec<RmwRequestId>,
    /// The result of a finished goal.
    pub(super) outcome: Option<K::Outcome>,
    seen: u64,
    changes: u32,
    polls: u32,
}

impl<K: Kind> Goal<K> {
    pub(super) fn new(
        id: GoalId,
        goal: K::Goal,
        (unanswered, request): (RmwRequestId, u64),
        now: u64,
    ) -> Self {
        Self {
            id,
            goal,
            status: GoalStatusEnum::Accepted,
            request,
            unanswered: Some(unanswered),
            start: now,
            waiting: Vec::new(),
            outcome: None,
            seen: now,
            changes: 0,
            polls: 0,
        }
    }

    /// Returns a goal that was accepted and aborted.
    pub(super) fn aborted(id: GoalId, goal: K::Goal, outcome: K::Outcome, now: u64) -> Self {
        Self {
            id,
            goal,
            status: GoalStatusEnum::Aborted,
            request: 0,
            unanswered: None,
            start: now,
            waiting: Vec::new(),
            outcome: Some(outcome),
            seen: now,
            changes: 0,
            polls: 0,
        }
    }

    /// Returns true if its request has been replied to.
    pub(super) fn is_finished(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns true if it was accepted and is carried out.
    pub(super) fn is_executing(&self) -> bool {
        self.status == GoalStatusEnum::Executing
    }

    /// Returns the request of the node once the goal is accepted: the simulation has made two ticks and not refused it.
    pub(super) fn accept(&mut self, now: u64) -> Option<RmwRequestId> {
        self.polls += 1;
        if self.seen != now {
            self.seen = now;
            self.changes += 1;
        }
        if self.changes < SERVED && self.polls < POLLS_TIMEOUT {
            return None;
        }
        let unanswered = self.unanswered.take()?;
        if self.status == GoalStatusEnum::Accepted {
            self.status = GoalStatusEnum::Executing;
        }
        Some(unanswered)
    }

    /// Keeps a request for the result until the goal is finished.
    pub(super) fn wait(&mut self, request: RmwRequestId) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push(request);
        }
    }
}
