//! Inverse dynamics by the recursive Newton–Euler algorithm (RNEA), the mass matrix by the composite rigid body algorithm
//! (CRBA), and forward dynamics by both. O(n) and O(n·depth) for n links.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, tables 5.1 and 6.2, in link coordinates.
use nalgebra::Vector3;

use crate::{
    spatial::{Force, Motion},
    state::State,
    tree::Tree,
    workspace::{Base, Workspace},
};

impl Workspace {
    /// Writes the efforts (N·m, N) for joint accelerations (rad/s², m/s²) at the poses of the last [`forward_kinematics`](Self::forward_kinematics),
    /// including gravity and external forces `external_forces` (one per link, in its frame, or an empty slice): RNEA.
    pub fn inverse_dynamics(
        &mut self,
        tree: &Tree,
        base: &Base,
        state: &State,
        accelerations: Option<&[f64]>,
        external_forces: &[Force],
        efforts: &mut [f64],
    ) {
        let mut fall = base.acceleration;
        fall.linear -= base.gravity;
        for (at, row) in tree.links.iter().enumerate() {
            let carried = row.parent.map_or(fall, |parent| self.accelerations[parent]);
            let velocity = self.velocities[at];
            let mut acceleration = self.local_poses[at].motion_from_outer(&carried);
            for column in &tree.columns[row.columns.clone()] {
                acceleration += velocity.cross(&(column.motion * state.velocities[column.speed]));
                if let Some(accelerations) = accelerations {
                    acceleration += column.motion * accelerations[column.speed];
                }
            }
            let momentum = row.inertia * velocity;
            let mut force = row.inertia * acceleration + velocity.cross_force(&momentum);
            if let Some(push) = external_forces.get(at) {
                force = force - *push;
            }
            self.accelerations[at] = acceleration;
            self.forces[at] = force;
        }
        self.backward_pass(tree, efforts);
    }

    /// Writes the efforts for zero accelerations: gravity, Coriolis and centrifugal forces, and external forces.
    pub fn bias(
        &mut self,
        tree: &Tree,
        base: &Base,
        state: &State,
        external_forces: &[Force],
        efforts: &mut [f64],
    ) {
        self.inverse_dynamics(tree, base, state, None, external_forces, efforts);
    }

    /// Writes the efforts (N·m, N) against gravity (base axes, m/s²) at rest, at the poses of the last
    /// [`forward_kinematics`](Self::forward_kinematics), without the links for which `weightless` is true.
    pub(crate) fn weight(
        &mut self,
        tree: &Tree,
        gravity: &Vector3<f64>,
        weightless: &[bool],
        efforts: &mut [f64],
    ) {
        for (at, row) in tree.links.iter().enumerate() {
            let lifted = Motion {
                angular: Vector3::zeros(),
                linear: -self.poses[at].rotation.tr_mul(gravity),
            };
            self.forces[at] = if weightless[at] {
                Force::default()
            } else {
                row.inertia * lifted
            };
        }
        self.backward_pass(tree, efforts);
    }

    /// Backward pass of the RNEA: projects the forces on all links to joint efforts, from the leaves to the base.
    fn backward_pass(&mut self, tree: &Tree, efforts: &mut [f64]) {
        efforts.fill(0.0);
        for (at, row) in tree.links.iter().enumerate().rev() {
            let force = self.forces[at];
            for column in &tree.columns[row.columns.clone()] {
                efforts[column.speed] += column.motion.dot(&force);
            }
            if let Some(parent) = row.parent {
                self.forces[parent] += self.local_poses[at].force_to_outer(&force);
            }
        }
    }

    /// Writes [`matrix`](Self::matrix) at the poses of the last [`forward_kinematics`](Self::forward_kinematics): CRBA.
    pub fn mass_matrix(&mut self, tree: &Tree) {
        self.composite_inertias(tree);
        self.matrix.clear();
        for (at, row) in tree.links.iter().enumerate().rev() {
            for index in row.columns.clone() {
                self.column_of(tree, at, index);
            }
        }
    }

    /// Computes the composite inertia of each link.
    pub(crate) fn composite_inertias(&mut self, tree: &Tree) {
        for (composite, row) in self.composites.iter_mut().zip(&tree.links) {
            *composite = row.inertia;
        }
        for (at, row) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = row.parent {
                let moved = self.local_poses[at].inertia_to_outer(&self.composites[at]);
                self.composites[parent] += moved;
            }
        }
    }

    /// Adds the products of one column of a joint with itself and with the columns of its ancestors.
    fn column_of(&mut self, tree: &Tree, link: usize, index: usize) {
        let column = &tree.columns[index];
        let mut force = self.composites[link] * column.motion;
        let own = tree.links[link].columns.start..=index;
        for other in &tree.columns[own] {
            let number = other.motion.dot(&force);
            self.matrix.add(column.speed, other.speed, number);
        }
        let mut at = link;
        while let Some(parent) = tree.links[at].parent {
            force = self.local_poses[at].force_to_outer(&force);
            for other in &tree.columns[tree.links[parent].columns.clone()] {
                let number = other.motion.dot(&force);
                // Joints that share a variable contribute twice to its diagonal.
                let times = if other.speed == column.speed {
                    2.0
                } else {
                    1.0
                };
                self.matrix.add(column.speed, other.speed, number * times);
            }
            at = parent;
        }
    }

    /// Writes the accelerations (rad/s², m/s²) from efforts (N·m, N). Computes the poses itself.
    pub fn forward_dynamics(
        &mut self,
        tree: &Tree,
        base: &Base,
        state: &State,
        efforts: &[f64],
        external_forces: &[Force],
        accelerations: &mut [f64],
    ) {
        self.forward_kinematics(tree, base, state);
        self.bias(tree, base, state, external_forces, accelerations);
        for (acceleration, effort) in accelerations.iter_mut().zip(efforts) {
            *acceleration = effort - *acceleration;
        }
        self.mass_matrix(tree);
        self.matrix.factor();
        self.matrix.solve(accelerations);
    }
}
