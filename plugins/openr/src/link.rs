//! State of one link at its subject: credit, skipping, buffering.
use std::collections::VecDeque;

use crate::{counters::LinkCounters, credit::Credit, region::Region};

/// Maximum number of data in one message.
pub const MOST_DATA: usize = 13;
/// Default number of entries of a ring buffer: one message, and one more.
pub const USUAL_RING: usize = MOST_DATA + 1;
/// Maximum number of entries of a ring buffer.
pub const LARGEST_RING: usize = 4096;

/// Buffering that an observer requests, in units of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffering {
    /// Number of units skipped between two delivered ones.
    pub skip: u32,
    /// Minimum number of units per message.
    pub min: u32,
    /// Maximum number of units queued while the observer is not ready.
    pub max: u32,
}

impl Default for Buffering {
    fn default() -> Self {
        Self {
            skip: 0,
            min: 1,
            max: 1,
        }
    }
}

/// Observer at the other end of a subject's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObserverEnd {
    pub(crate) object: usize,
    pub(crate) observer: usize,
    pub(crate) peer: usize,
}

/// One link at its subject.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) to: ObserverEnd,
    pub(crate) is_open: bool,
    pub(crate) credit: Credit,
    pub(crate) counters: LinkCounters,
    buffering: Buffering,
    unit: usize,
    capacity: usize,
    skips_left: u32,
    /// Data that were set since the last notify.
    staged: VecDeque<Region>,
    /// Data queued for the observer.
    held: VecDeque<Region>,
}

impl Link {
    pub(crate) fn new(to: ObserverEnd, buffering: Buffering, unit: usize, ring: usize) -> Self {
        let unit = unit.max(1);
        let wanted = (buffering.max as usize).saturating_mul(unit);
        Self {
            to,
            is_open: true,
            credit: Credit::Unknown,
            counters: LinkCounters::default(),
            buffering,
            unit,
            capacity: ring.max(wanted).min(LARGEST_RING),
            skips_left: 0,
            staged: VecDeque::new(),
            held: VecDeque::new(),
        }
    }

    /// Returns the number of entries in the ring buffer.
    pub(crate) fn queued(&self) -> usize {
        self.staged.len() + self.held.len()
    }

    /// Returns the number of entries that the ring buffer can still store without dropping one.
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.queued()
    }

    pub(crate) fn set(&mut self, region: Region) {
        if self.queued() >= self.capacity {
            self.drop_oldest();
        }
        self.counters.set += 1;
        self.staged.push_back(region);
    }

    fn drop_oldest(&mut self) {
        if self.held.pop_front().is_some() || self.staged.pop_front().is_some() {
            self.counters.dropped += 1;
        }
    }

    /// Clears the ring buffer.
    pub(crate) fn clear(&mut self) {
        self.counters.dropped += self.queued() as u64;
        self.staged.clear();
        self.held.clear();
    }

    /// Queues the data that were set; returns those to be sent at once.
    pub(crate) fn notify(&mut self) -> Option<Vec<Region>> {
        while self.staged.len() >= self.unit {
            let unit = self.staged.drain(..self.unit);
            if self.skips_left > 0 {
                self.skips_left -= 1;
                self.counters.skipped += unit.len() as u64;
            } else {
                self.skips_left = self.buffering.skip;
                self.held.extend(unit);
            }
        }
        match self.credit {
            Credit::Asserted => self.batch(),
            Credit::Unknown => {
                self.trim();
                None
            }
            Credit::Deasserted => {
                self.counters.dropped += self.held.len() as u64;
                self.held.clear();
                None
            }
        }
    }

    /// Sets the readiness of the observer; returns the data to be sent at once.
    pub(crate) fn ready(&mut self, is_assert: bool) -> Option<Vec<Region>> {
        if is_assert {
            self.credit = Credit::Asserted;
            self.counters.ready += 1;
            self.batch()
        } else {
            self.credit = Credit::Deasserted;
            self.counters.dropped += self.held.len() as u64;
            self.held.clear();
            None
        }
    }

    fn batch(&mut self) -> Option<Vec<Region>> {
        let least = (self.buffering.min as usize).saturating_mul(self.unit);
        if self.held.is_empty() || self.held.len() < least {
            return None;
        }
        self.credit = Credit::Unknown;
        let count = self.held.len().min(MOST_DATA);
        let batch: Vec<Region> = self.held.drain(..count).collect();
        self.trim();
        self.counters.sent += 1;
        self.counters.delivered += count as u64;
        Some(batch)
    }

    /// Queues data again that could not be sent, and restores the credit.
    pub(crate) fn requeue(&mut self, batch: Vec<Region>) {
        self.counters.sent -= 1;
        self.counters.delivered -= batch.len() as u64;
        self.counters.refused += 1;
        self.credit = Credit::Asserted;
        for region in batch.into_iter().rev() {
            self.held.push_front(region);
        }
    }

    /// Drops the oldest queued data beyond the limit.
    fn trim(&mut self) {
        let most = (self.buffering.max as usize).saturating_mul(self.unit);
        let over = self.held.len().saturating_sub(most);
        self.held.drain(..over);
        self.counters.dropped += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(skip: u32, min: u32, max: u32, unit: usize) -> Link {
        let to = ObserverEnd {
            object: 0,
            observer: 0,
            peer: 0,
        };
        Link::new(to, Buffering { skip, min, max }, unit, USUAL_RING)
    }

    fn send(link: &mut Link, number: u8) -> Vec<u8> {
        link.set(vec![number].into());
        numbers(link.notify())
    }

    fn numbers(batch: Option<Vec<Region>>) -> Vec<u8> {
        let batch = batch.unwrap_or_default();
        batch.iter().map(|region| region.bytes()[0]).collect()
    }

    #[test]
    fn before_the_first_credit_the_newest_is_kept() {
        let mut default = link(0, 1, 1, 1);
        assert!((1..=25).all(|number| send(&mut default, number).is_empty()));
        assert_eq!(numbers(default.ready(true)), [25]);
        assert_eq!(default.counters.dropped, 24);
        let mut many = link(0, 1, 20, 1);
        (1..=25).for_each(|number| drop(send(&mut many, number)));
        assert_eq!(numbers(many.ready(true)), (6..=18).collect::<Vec<_>>());
        assert_eq!(numbers(many.ready(true)), (19..=25).collect::<Vec<_>>());
        let mut unwanted = link(0, 1, 20, 1);
        assert!(unwanted.ready(false).is_none());
        (1..=25).for_each(|number| drop(send(&mut unwanted, number)));
        assert_eq!(numbers(unwanted.ready(true)), [0_u8; 0]);
        assert_eq!(unwanted.counters.dropped, 25);
    }

    #[test]
    fn a_credit_is_for_one_message() {
        let mut link = link(0, 1, 1, 1);
        assert!(link.ready(true).is_none());
        assert_eq!(send(&mut link, 1), [1]);
        assert!(send(&mut link, 2).is_empty());
        assert_eq!(link.credit, Credit::Unknown);
    }

    #[test]
    fn what_is_set_before_one_notify_goes_in_one_message() {
        let mut link = link(0, 1, 1, 1);
        assert!(link.ready(true).is_none());
        link.set(vec![1].into());
        assert_eq!(send(&mut link, 2), [1, 2]);
    }

    #[test]
    fn units_are_skipped_gathered_and_whole() {
        let mut every_third = link(2, 1, 9, 1);
        (1..=9).for_each(|number| drop(send(&mut every_third, number)));
        assert_eq!(numbers(every_third.ready(true)), [1, 4, 7]);
        assert_eq!(every_third.counters.skipped, 6);
        let mut in_threes = link(0, 3, 5, 1);
        assert!(in_threes.ready(true).is_none());
        assert!(send(&mut in_threes, 1).is_empty() && send(&mut in_threes, 2).is_empty());
        assert_eq!(send(&mut in_threes, 3), [1, 2, 3]);
        let mut pairs = link(0, 1, 2, 2);
        assert!(pairs.ready(true).is_none());
        assert!(send(&mut pairs, 1).is_empty());
        assert_eq!(send(&mut pairs, 2), [1, 2]);
    }

    #[test]
    fn a_full_ring_loses_the_oldest() {
        let mut link = link(0, 1, 1, 1);
        (0..20).for_each(|number| link.set(vec![number].into()));
        assert_eq!(
            (link.queued(), link.room(), link.counters.dropped),
            (14, 0, 6)
        );
        link.ready(true);
        let batch = link.notify().expect("the newest");
        assert_eq!((batch[0].bytes()[0], batch.len()), (6, MOST_DATA));
        link.requeue(batch);
        assert_eq!(link.counters.refused, 1);
        assert_eq!(numbers(link.notify())[0], 6);
    }
}
