//! One island during one step: everything that its solver needs, so that islands are solved on any thread.
use std::mem;

use morse_api::threads::reuse;
use morse_mechanisms::island::{Contact, FreeBody, Gap, Island, Member, Weld};

use super::{TreeRow, equal_trees::LoneSteps, taken::TakenTrees};

/// An island during one step. The memory is kept between steps.
pub(super) struct Job {
    pub taken: TakenTrees,
    pub bodies: Vec<FreeBody>,
    pub contacts: Vec<Contact>,
    pub gaps: Vec<Gap>,
    pub welds: Vec<Weld>,
    /// True if the last step was not made, since it closes a gap.
    closes_gap: bool,
    members: Vec<Member<'static>>,
    island: Island,
    lone: LoneSteps,
    /// Empty between steps.
    done: TakenTrees,
}

impl Job {
    /// Returns an empty island; contacts have this natural frequency, Hz.
    pub(super) fn new(contact_frequency: f64) -> Self {
        Self {
            taken: Vec::new(),
            bodies: Vec::new(),
            contacts: Vec::new(),
            gaps: Vec::new(),
            welds: Vec::new(),
            closes_gap: false,
            members: Vec::new(),
            island: Island::new(contact_frequency),
            lone: LoneSteps::new(contact_frequency),
            done: Vec::new(),
        }
    }

    /// Returns true if the last step was not made, since it closes a gap whose contacts are not known.
    pub(super) const fn closes_gap(&self) -> bool {
        self.closes_gap
    }

    /// Integrates the island by `dt` seconds, unless that [closes a gap](Self::closes_gap); `rows` are all trees.
    pub(super) fn step(&mut self, rows: &[TreeRow], dt: f64) {
        for one in &mut self.taken {
            one.pose(rows);
            one.arrives = false;
        }
        let mut members: Vec<Member<'_>> = reuse(mem::take(&mut self.members));
        members.extend(self.taken.iter_mut().map(|one| one.member(rows)));
        let (bodies, contacts, welds) = (&mut self.bodies, &mut self.contacts, &mut self.welds);
        let gaps = &self.gaps[..];
        let of = (
            &mut members[..],
            &mut bodies[..],
            &mut contacts[..],
            &mut welds[..],
        );
        self.closes_gap = !self.island.step_beside(of, gaps, dt);
        self.members = reuse(members);
    }

    /// Integrates its trees by `dt` seconds, each without contacts.
    pub(super) fn step_apart(&mut self, rows: &[TreeRow], dt: f64) {
        for one in self.taken.drain(..) {
            self.lone.step(one, rows, dt, &mut self.done);
        }
        self.lone.finish(rows, dt, &mut self.done);
        mem::swap(&mut self.taken, &mut self.done);
    }
}
