//! Progress of one object in lockstep, and its rank among the others.
use std::collections::VecDeque;

use super::event_queue::Step;
use crate::{
    counters::ObjectCounters,
    object_runner::{Cause, Fault},
};

/// Number of messages in one instant from which a livelock is assumed.
pub(super) const LIVELOCK: u32 = 100_000;

/// Rank of an object among those that are ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// 15 minus the class.
    pub(super) below: u8,
    /// Processor time divided by the share.
    pub(super) used: u64,
    /// Sequence number of the message.
    pub(super) arrival: u64,
    pub(super) id: usize,
}

/// Running handler.
pub(super) struct Job {
    pub(super) steps: VecDeque<Step>,
}

/// Progress of one object.
#[derive(Default)]
pub(super) struct Turn {
    pub(super) priority: u8,
    pub(super) handler_cost: u64,
    pub(super) used: u64,
    /// Processor time that is not yet in `used`, ns: the rank of an object changes at the end of its time slice.
    pub(super) turn_so_far: u64,
    pub(super) rank: Option<Rank>,
    pub(super) job: Option<Job>,
    pub(super) is_blocked: bool,
    pub(super) instant: u64,
    pub(super) handled_in_instant: u32,
    pub(super) fault: Option<Fault>,
    pub(super) counters: ObjectCounters,
}

impl Turn {
    pub(super) fn rank_of(&self, id: usize, arrival: u64) -> Rank {
        Rank {
            below: 15 - (self.priority >> 4),
            used: self.used,
            arrival,
            id,
        }
    }

    /// Counts the messages in one instant; returns a fault if there are too many.
    pub(super) fn livelock(&mut self, now: u64) -> Option<Cause> {
        if self.instant != now {
            (self.instant, self.handled_in_instant) = (now, 0);
        }
        self.handled_in_instant += 1;
        (self.handled_in_instant > LIVELOCK).then_some(Cause::Livelock(LIVELOCK))
    }
}
