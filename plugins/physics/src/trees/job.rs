//! One island during one step: everything that its solver needs, so that islands are solved on any thread.
use std::mem;

use morse_api::threads::reuse;
use morse_mechanisms::{
    Base, Force, Pose, State, Workspace,
    island::{Contact, FreeBody, Island, Member, Weld},
    step::Integrator,
};

use super::{TreeRow, link_state::LinkState};

/// A tree during one step, with the forces on it.
pub(super) struct Taken {
    pub index: usize,
    pub integrator: Box<Integrator>,
    pub motion: State,
    /// Positions before the step.
    pub before: Vec<f64>,
    pub base: Base,
    pub base_pose: Pose,
    pub external_forces: Vec<Force>,
    /// True if its links have no predicted poses yet.
    pub is_unposed: bool,
    /// True if its links get their poses after the step: a tree that nothing looks at is processed in one go, while its
    /// data are in the processor's cache.
    pub arrives: bool,
    /// True if its own workspace was not used in the step.
    pub is_outdated: bool,
    /// States of its links after the step, if it arrives.
    pub links: Vec<LinkState>,
}

impl Taken {
    /// Computes the predicted poses of its links, if it has none.
    pub(super) fn pose(&mut self, rows: &[TreeRow]) {
        if mem::take(&mut self.is_unposed) {
            let tree = &rows[self.index].tree;
            self.integrator.pose_prediction(tree, &self.base);
        }
    }

    /// Integrates it by `dt` seconds, without contacts.
    ///
    /// A tree that nothing looks at uses the workspace of its model, which is in the processor's cache.
    pub(super) fn step(
        &mut self,
        rows: &[TreeRow],
        (island, shared): (&mut Island, &mut SharedWorkspaces),
        dt: f64,
    ) {
        self.is_outdated = self.arrives && self.is_unposed;
        if !self.is_outdated {
            self.step_itself(rows, island, dt);
            return;
        }
        let workspace = shared.of(&rows[self.index]);
        mem::swap(&mut self.integrator.workspace, workspace);
        self.step_itself(rows, island, dt);
        mem::swap(&mut self.integrator.workspace, workspace);
    }

    fn step_itself(&mut self, rows: &[TreeRow], island: &mut Island, dt: f64) {
        self.pose(rows);
        island.step(&mut [self.member(rows)], &mut [], &mut [], &mut [], dt);
        let mut numbers = self.motion.positions.iter().chain(&self.motion.velocities);
        self.arrives &= numbers.all(|number| number.is_finite());
        if self.arrives {
            let (row, work) = (&rows[self.index], &mut self.integrator.workspace);
            work.forward_kinematics(&row.tree, &self.base, &self.motion);
            let centers = row.centers.iter().enumerate();
            let state = |(link, center)| LinkState::of(work, link, &self.base_pose, center);
            self.links.clear();
            self.links.extend(centers.map(state));
        }
    }

    fn member<'a>(&'a mut self, rows: &'a [TreeRow]) -> Member<'a> {
        Member {
            tree: &rows[self.index].tree,
            integrator: &mut self.integrator,
            state: &mut self.motion,
            base: self.base,
            pose: self.base_pose,
            external_forces: &self.external_forces,
        }
    }
}

/// Workspaces of trees, by model.
#[derive(Default)]
pub(super) struct SharedWorkspaces(Vec<Option<Box<Workspace>>>);

impl SharedWorkspaces {
    fn of(&mut self, row: &TreeRow) -> &mut Box<Workspace> {
        let count = self.0.len().max(row.model + 1);
        self.0.resize_with(count, || None);
        self.0[row.model].get_or_insert_with(|| Box::new(Workspace::new(&row.tree)))
    }
}

/// An island during one step. The memory is kept between steps.
pub(super) struct Job {
    pub taken: Vec<Taken>,
    pub bodies: Vec<FreeBody>,
    pub contacts: Vec<Contact>,
    pub welds: Vec<Weld>,
    members: Vec<Member<'static>>,
    island: Island,
    shared: SharedWorkspaces,
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
            shared: SharedWorkspaces::default(),
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
        for one in &mut self.taken {
            one.step(rows, (&mut self.island, &mut self.shared), dt);
        }
    }
}
