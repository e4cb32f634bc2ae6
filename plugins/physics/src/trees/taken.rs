//! A tree that is taken out of the state for one step.
use std::mem;

use morse_mechanisms::{
    Base, Force, Pose, State,
    island::{Island, Member},
    step::Integrator,
};
use nalgebra::Vector3;

use super::{TreeRow, link_state::LinkState};

/// A tree during one step, with the forces on it; or a blank one, with buffers.
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

/// Trees that are passed on by pointer: each takes half a kilobyte.
pub(super) type TakenTrees = Vec<Box<Taken>>;

impl Default for Taken {
    fn default() -> Self {
        Self {
            index: 0,
            integrator: Box::default(),
            motion: State::default(),
            before: Vec::new(),
            base: Base::at_rest(Vector3::zeros()),
            base_pose: Pose::identity(),
            external_forces: Vec::new(),
            is_unposed: false,
            arrives: false,
            is_outdated: false,
            links: Vec::new(),
        }
    }
}

impl Taken {
    /// Computes the predicted poses of its links, if it has none.
    pub(super) fn pose(&mut self, rows: &[TreeRow]) {
        if mem::take(&mut self.is_unposed) {
            let tree = &rows[self.index].tree;
            self.integrator.pose_prediction(tree, &self.base);
        }
    }

    /// Returns true if nothing looks at its links before they have their poses after the step.
    pub(super) const fn is_hidden(&self) -> bool {
        self.arrives && self.is_unposed
    }

    /// Integrates it by `dt` seconds, without contacts.
    pub(super) fn step(&mut self, rows: &[TreeRow], island: &mut Island, dt: f64) {
        self.pose(rows);
        self.integrate(rows, island, dt);
        if self.arrives {
            let (row, work) = (&rows[self.index], &mut self.integrator.workspace);
            work.forward_kinematics(&row.tree, &self.base, &self.motion);
            let centers = row.centers.iter().enumerate();
            let state = |(link, center)| LinkState::of(work, link, &self.base_pose, center);
            self.links.clear();
            self.links.extend(centers.map(state));
        }
    }

    /// Makes a step of the state. A tree whose state became non-finite does not arrive.
    pub(super) fn integrate(&mut self, rows: &[TreeRow], island: &mut Island, dt: f64) {
        island.step(&mut [self.member(rows)], &mut [], &mut [], &mut [], dt);
        let mut numbers = self.motion.positions.iter().chain(&self.motion.velocities);
        self.arrives &= numbers.all(|number| number.is_finite());
    }

    pub(super) fn member<'a>(&'a mut self, rows: &'a [TreeRow]) -> Member<'a> {
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
