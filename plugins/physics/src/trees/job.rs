//! One island during one step: everything that its solver needs, so that islands are solved on any thread.
use std::mem;

use morse_api::threads::reuse;
use morse_mechanisms::{
    Base, Force, Pose, State,
    island::{Contact, FreeBody, Island, Member, Weld},
    step::Integrator,
};

use super::TreeRow;

/// A tree during one step, with the forces on it.
pub(super) struct Taken {
    pub index: usize,
    pub integrator: Integrator,
    pub motion: State,
    /// Positions before the step.
    pub before: Vec<f64>,
    pub base: Base,
    pub base_pose: Pose,
    pub external_forces: Vec<Force>,
}

/// An island during one step. The memory is kept between steps.
pub(super) struct Job {
    pub taken: Vec<Taken>,
    pub bodies: Vec<FreeBody>,
    pub contacts: Vec<Contact>,
    pub welds: Vec<Weld>,
    members: Vec<Member<'static>>,
    island: Island,
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
        }
    }

    /// Integrates the island by `dt` seconds; `rows` are all trees.
    pub(super) fn step(&mut self, rows: &[TreeRow], dt: f64) {
        let mut members: Vec<Member<'_>> = reuse(mem::take(&mut self.members));
        members.extend(self.taken.iter_mut().map(|one| Member {
            tree: &rows[one.index].tree,
            integrator: &mut one.integrator,
            state: &mut one.motion,
            base: one.base,
            pose: one.base_pose,
            external_forces: &one.external_forces,
        }));
        let (bodies, contacts, welds) = (&mut self.bodies, &mut self.contacts, &mut self.welds);
        self.island.step(&mut members, bodies, contacts, welds, dt);
        self.members = reuse(members);
    }
}
