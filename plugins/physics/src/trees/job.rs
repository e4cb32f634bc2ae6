//! One island during one step: everything that its solver needs, so that islands are solved on any thread.
use std::mem;

use morse_api::threads::reuse;
use morse_mechanisms::island::{Contact, FreeBody, Island, Member, Weld};

use super::{TreeRow, equal_trees::LoneSteps, taken::TakenTrees};

/// An island during one step. The memory is kept between steps.
pub(super) struct Job {
    pub taken: TakenTrees,
    pub bodies: Vec<FreeBody>,
    pub contacts: Vec<Contact>,
    pub welds: Vec<Weld>,
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
            welds: Vec::new(),
            members: Vec::new(),
            island: Island::new(contact_frequency),
            lone: LoneSteps::new(contact_frequency),
            done: Vec::new(),
        }
    }

    /// Integrates the island by `dt` seconds; `rows` are all trees.
    pub(super) fn step(&mut self, rows: &[TreeRow], dt: f64) {
        for one in &mut self.taken {
            one.pose(rows);
            one.arrives = false;
        }
        let mut members: Vec<Member<'_>> = reuse(mem::take(&mut self.members));
        members.extend(self.taken.iter_mut().map(|one| one.member(rows)));
        let (bodies, contacts, welds) = (&mut self.bodies, &mut self.contacts, &mut self.welds);
        self.island.step(&mut members, bodies, contacts, welds, dt);
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
