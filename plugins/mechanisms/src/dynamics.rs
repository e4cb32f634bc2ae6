//! Inverse dynamics by the recursive Newton–Euler algorithm (RNEA), the mass matrix by the composite rigid body algorithm
//! (CRBA), and forward dynamics by both. O(n) and O(n·depth) for n links.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, tables 5.1 and 6.2, in the axes of the base about the
//! reference point of the [workspace](crate::workspace) instead of link coordinates: no vector is transformed between links.
use nalgebra::Vector3;

use crate::{
    linear::difference,
    number::Number,
    spatial::Force,
    state::State,
    tree::Tree,
    workspace::{Base, Workspace},
};

impl<T: Number> Workspace<T> {
    /// Writes the efforts (N·m, N) for joint accelerations (rad/s², m/s²) at the poses of the last [`forward_kinematics`](Self::forward_kinematics),
    /// including gravity and external forces `external_forces` (one per link, in its frame, or an empty slice): RNEA.
    #[inline(always)]
    pub fn inverse_dynamics(
        &mut self,
        tree: &Tree,
        base: &Base<T>,
        accelerations: Option<&[T]>,
        external_forces: &[Force<T>],
        efforts: &mut [T],
    ) {
        self.update_inertias(tree);
        let mut fall = self.about_reference(&base.acceleration);
        fall.linear = difference(&fall.linear, &base.gravity);
        for (index, row) in tree.links.iter().enumerate() {
            let velocity = self.velocities[index];
            // The velocity of the joint, whose columns rotate with the link.
            let relative = velocity - self.carrier_velocity(row, base);
            let carried = match row.parent {
                Some(parent) => self.accelerations[parent],
                None => fall,
            };
            let mut acceleration = carried + velocity.cross(&relative);
            if let Some(accelerations) = accelerations {
                let own = row.columns.clone();
                for (column, moved) in tree.columns[own.clone()].iter().zip(&self.columns[own]) {
                    acceleration += *moved * accelerations[column.speed];
                }
            }
            let inertia = &self.inertias[index];
            let momentum = *inertia * velocity;
            let mut force = *inertia * acceleration + velocity.cross_force(&momentum);
            if let Some(external) = external_forces.get(index) {
                force = force - self.relative_poses[index].force_to_outer(external);
            }
            self.accelerations[index] = acceleration;
            self.forces[index] = force;
        }
        self.backward_pass(tree, efforts);
    }

    /// Writes the efforts for zero accelerations: gravity, Coriolis and centrifugal forces, and external forces.
    #[inline(always)]
    pub fn bias(
        &mut self,
        tree: &Tree,
        base: &Base<T>,
        external_forces: &[Force<T>],
        efforts: &mut [T],
    ) {
        self.inverse_dynamics(tree, base, None, external_forces, efforts);
    }

    /// Backward pass of the RNEA: projects the forces on all links to joint efforts, from the leaves to the base.
    #[inline(always)]
    fn backward_pass(&mut self, tree: &Tree, efforts: &mut [T]) {
        efforts.fill(T::new(0.0));
        for (index, row) in tree.links.iter().enumerate().rev() {
            let force = self.forces[index];
            let own = row.columns.clone();
            for (column, moved) in tree.columns[own.clone()].iter().zip(&self.columns[own]) {
                efforts[column.speed] = efforts[column.speed] + moved.dot(&force);
            }
            if let Some(parent) = row.parent {
                self.forces[parent] += force;
            }
        }
    }

    /// Writes [`matrix`](Self::matrix) at the poses of the last [`forward_kinematics`](Self::forward_kinematics): CRBA.
    #[inline(always)]
    pub fn mass_matrix(&mut self, tree: &Tree) {
        self.composite_inertias(tree);
        self.matrix.clear();
        for (link, row) in tree.links.iter().enumerate().rev() {
            for index in row.columns.clone() {
                self.column_of(tree, link, index);
            }
        }
    }

    /// Computes the composite inertia of each link.
    #[inline(always)]
    fn composite_inertias(&mut self, tree: &Tree) {
        self.update_inertias(tree);
        self.composites.copy_from_slice(&self.inertias);
        for (index, row) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = row.parent {
                let own = self.composites[index];
                self.composites[parent] += own;
            }
        }
    }

    /// Writes the products of one column of a joint with itself and with the columns of its ancestors: a row of the matrix,
    /// or an addend of it if several joints share the variable.
    #[inline(always)]
    fn column_of(&mut self, tree: &Tree, link: usize, index: usize) {
        let speed = tree.columns[index].speed;
        let force = self.composites[link] * self.columns[index];
        let mut own = tree.links[link].columns.start..index + 1;
        let mut ancestor = link;
        loop {
            let columns = tree.columns[own.clone()].iter().zip(&self.columns[own]);
            if tree.shares_variables {
                for (other, moved) in columns {
                    // Joints that share a variable contribute twice to its diagonal.
                    let is_twice = ancestor != link && other.speed == speed;
                    let times = T::new(if is_twice { 2.0 } else { 1.0 });
                    let number = moved.dot(&force) * times;
                    self.matrix.add(speed, other.speed, number);
                }
            } else {
                let row = self.matrix.row_mut(speed);
                for (other, moved) in columns {
                    row[other.speed] = moved.dot(&force);
                }
            }
            let Some(parent) = tree.links[ancestor].parent else {
                break;
            };
            own = tree.links[parent].columns.clone();
            ancestor = parent;
        }
    }
}

impl Workspace {
    /// Writes the efforts (N·m, N) against gravity (base axes, m/s²) at rest, at the poses of the last
    /// [`forward_kinematics`](Self::forward_kinematics), without the links for which `weightless` is true.
    pub(crate) fn weight(
        &mut self,
        tree: &Tree,
        gravity: &Vector3<f64>,
        weightless: &[bool],
        efforts: &mut [f64],
    ) {
        self.update_inertias(tree);
        for (index, inertia) in self.inertias.iter().enumerate() {
            self.forces[index] = if weightless[index] {
                Force::default()
            } else {
                Force {
                    moment: gravity.cross(&inertia.first_moment),
                    force: gravity * -inertia.mass,
                }
            };
        }
        self.backward_pass(tree, efforts);
    }

    /// Computes the composite inertia of each link in its own frame, which is more exact in a long chain.
    pub(crate) fn composite_inertias_of_links(&mut self, tree: &Tree) {
        for (composite, row) in self.composites.iter_mut().zip(tree.links.iter()) {
            *composite = row.inertia;
        }
        for (index, row) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = row.parent {
                let moved = self.local_poses[index].inertia_to_outer(&self.composites[index]);
                self.composites[parent] += moved;
            }
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
        self.bias(tree, base, external_forces, accelerations);
        for (acceleration, effort) in accelerations.iter_mut().zip(efforts) {
            *acceleration = effort - *acceleration;
        }
        self.mass_matrix(tree);
        self.matrix.factor();
        self.matrix.solve(accelerations);
    }
}
