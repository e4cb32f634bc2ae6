//! Articulated-body factorisation of the mass matrix: `H·x = b` in O(n) for n links, without the matrix.
//!
//! A. Jain, "Unified formulation of dynamics for serial rigid multibody systems", 1991 (H = (1 + K)·D·(1 + K)ᵀ, whose factors
//! are those of the articulated-body algorithm of R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, section
//! 7.3). A joint with several velocities is treated as that many joints with one, between links without mass.
use nalgebra::Matrix3;

use crate::{
    spatial::{Force, Inertia, Motion, Pose},
    tree::Tree,
};

/// Factors of one tree. No two of its joints share a variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArticulatedFactors {
    /// Articulated inertia of each link.
    inertias: Vec<ArticulatedInertia>,
    /// Force on the link per unit of acceleration of each velocity, before the joint gives way.
    forces: Vec<Force>,
    /// Inertia that each velocity feels, with the added terms.
    pivots: Vec<f64>,
    /// Forces and accelerations of each link in [`solve`](Self::solve).
    loads: Vec<Force>,
    accelerations: Vec<Motion>,
}

/// Inertia of a link whose descendants give way: force = inertia · acceleration. Symmetric.
#[derive(Clone, Copy, Debug, Default)]
struct ArticulatedInertia {
    /// Moment per angular acceleration.
    rotational: Matrix3<f64>,
    /// Moment per linear acceleration; transposed, force per angular acceleration.
    coupling: Matrix3<f64>,
    /// Force per linear acceleration.
    mass: Matrix3<f64>,
}

impl ArticulatedInertia {
    fn of(inertia: &Inertia) -> Self {
        Self {
            rotational: inertia.rotational,
            coupling: inertia.first_moment.cross_matrix(),
            mass: Matrix3::identity() * inertia.mass,
        }
    }

    fn times(&self, motion: &Motion) -> Force {
        Force {
            moment: self.rotational * motion.angular + self.coupling * motion.linear,
            force: self.coupling.tr_mul(&motion.angular) + self.mass * motion.linear,
        }
    }

    /// Subtracts `force · forceᵀ / pivot`: the link gives way along one velocity.
    fn yield_along(&mut self, force: &Force, pivot: f64) {
        let [moment, force] = [force.moment, force.force];
        let shares = [moment / pivot, force / pivot];
        self.rotational -= moment * shares[0].transpose();
        self.coupling -= moment * shares[1].transpose();
        self.mass -= force * shares[1].transpose();
    }

    /// Adds an inertia in the frame of a child with a pose.
    fn add(&mut self, other: &Self, pose: &Pose) {
        let turn = |matrix: &Matrix3<f64>| pose.rotation * matrix * pose.rotation.transpose();
        let [rotational, coupling, mass] =
            [&other.rotational, &other.coupling, &other.mass].map(turn);
        let by = pose.position.cross_matrix();
        let outer = coupling + by * mass;
        self.rotational += rotational - coupling * by + by * outer.transpose();
        self.coupling += outer;
        self.mass += mass;
    }
}

impl ArticulatedFactors {
    /// Factors the mass matrix at these local poses, with terms that are added to its diagonal.
    pub(crate) fn factor(&mut self, tree: &Tree, local_poses: &[Pose], added: &[f64]) {
        self.inertias.clear();
        let rigid = tree.links.iter();
        self.inertias
            .extend(rigid.map(|row| ArticulatedInertia::of(&row.inertia)));
        self.forces.resize(added.len(), Force::default());
        self.pivots.resize(added.len(), 0.0);
        for (index, row) in tree.links.iter().enumerate().rev() {
            for column in tree.columns[row.columns.clone()].iter().rev() {
                let inertia = &mut self.inertias[index];
                let force = inertia.times(&column.motion);
                let mut pivot = column.motion.dot(&force) + added[column.speed];
                if pivot <= f64::MIN_POSITIVE {
                    // A velocity without inertia stays constant.
                    pivot = f64::MAX.sqrt();
                }
                inertia.yield_along(&force, pivot);
                self.forces[column.speed] = force;
                self.pivots[column.speed] = pivot;
            }
            if let Some(parent) = row.parent {
                let (before, after) = self.inertias.split_at_mut(index);
                before[parent].add(&after[0], &local_poses[index]);
            }
        }
    }

    /// Multiplies a vector with the inverse matrix.
    pub(crate) fn solve(&mut self, tree: &Tree, local_poses: &[Pose], vector: &mut [f64]) {
        self.loads.clear();
        self.loads.resize(tree.links.len(), Force::default());
        self.accelerations.resize(tree.links.len(), Motion::ZERO);
        for (index, row) in tree.links.iter().enumerate().rev() {
            for column in tree.columns[row.columns.clone()].iter().rev() {
                let load = &mut self.loads[index];
                let number = &mut vector[column.speed];
                *number -= column.motion.dot(load);
                let share = *number / self.pivots[column.speed];
                let force = &self.forces[column.speed];
                load.moment += force.moment * share;
                load.force += force.force * share;
            }
            if let Some(parent) = row.parent {
                let load = local_poses[index].force_to_outer(&self.loads[index]);
                self.loads[parent] += load;
            }
        }
        for (index, row) in tree.links.iter().enumerate() {
            let mut acceleration = row.parent.map_or(Motion::ZERO, |parent| {
                local_poses[index].motion_from_outer(&self.accelerations[parent])
            });
            for column in &tree.columns[row.columns.clone()] {
                let number = &mut vector[column.speed];
                let carried = acceleration.dot(&self.forces[column.speed]);
                *number = (*number - carried) / self.pivots[column.speed];
                acceleration += column.motion * *number;
            }
            self.accelerations[index] = acceleration;
        }
    }
}

/// Returns the mass-matrix diagonal of a tree whose joints share no variable, from the composite inertias of its links.
pub(crate) fn diagonal(tree: &Tree, composites: &[Inertia], numbers: &mut [f64]) {
    for (row, composite) in tree.links.iter().zip(composites) {
        for column in &tree.columns[row.columns.clone()] {
            numbers[column.speed] = column.motion.dot(&(*composite * column.motion));
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, UnitVector3, Vector3};

    use super::*;
    use crate::{Axis, Base, Joint, Link, Workspace, factor::MassMatrix};

    /// A tree with all kinds of joints, and branches.
    fn tree() -> Tree {
        let joints = [
            (None, Joint::Floating),
            (Some(0), Joint::Ball),
            (Some(0), Joint::Fixed),
            (Some(2), Joint::Planar),
            (Some(1), Joint::Revolute(axis(7, [0.3, -0.5, 0.8]))),
            (Some(4), Joint::Prismatic(axis(8, [0.6, 0.1, -0.2]))),
            (Some(4), Joint::Revolute(axis(9, [0.0, 1.0, 0.1]))),
        ];
        let links = joints
            .into_iter()
            .enumerate()
            .map(|(index, (parent, joint))| {
                let number = index as f64;
                let center = Vector3::new(0.1 * number, 0.2, -0.05 * number);
                let about = Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.01 + 0.01 * number));
                Link {
                    parent,
                    parent_from_joint: Isometry3::new(
                        Vector3::new(0.3, -0.1 * number, 0.2),
                        Vector3::new(0.1 * number, 0.4, -0.3),
                    ),
                    joint,
                    inertia: Inertia::new(0.5 + number, center, about),
                }
            });
        Tree::new(&links.collect::<Vec<_>>()).unwrap()
    }

    fn axis(variable: usize, direction: [f64; 3]) -> Axis {
        Axis::new(UnitVector3::new_normalize(direction.into()), variable)
    }

    #[test]
    fn it_solves_as_the_mass_matrix_does() {
        let tree = tree();
        let count = tree.velocity_count();
        let mut state = tree.at_zero();
        tree.integrate(&mut state.positions, &vec![0.7; count], 0.5);
        let mut workspace = Workspace::new(&tree);
        workspace.forward_kinematics(&tree, &Base::at_rest(Vector3::zeros()), &state);
        workspace.mass_matrix(&tree);
        let mut matrix: MassMatrix = workspace.matrix.clone();
        let added: Vec<f64> = (0..count).map(|index| 0.01 * index as f64).collect();
        let poses = tree.links.iter().map(|row| row.pose(&state.positions));
        let local_poses: Vec<Pose> = poses.collect();
        workspace.local_poses.clone_from(&local_poses);
        workspace.composite_inertias_of_links(&tree);
        let mut actual = vec![0.0; count];
        diagonal(&tree, &workspace.composites, &mut actual);
        for (index, (actual, added)) in actual.iter().zip(&added).enumerate() {
            assert!((actual - matrix.at(index, index)).abs() < 1e-12 * actual.abs());
            matrix.add_diagonal(index, *added);
        }
        matrix.factor();
        let mut factors = ArticulatedFactors::default();
        factors.factor(&tree, &local_poses, &added);
        for unit in 0..count {
            let mut one: Vec<f64> = (0..count)
                .map(|index| f64::from(u8::from(index == unit)))
                .collect();
            let mut other = one.clone();
            matrix.solve(&mut one);
            factors.solve(&tree, &local_poses, &mut other);
            for (one, other) in one.iter().zip(&other) {
                assert!(
                    (one - other).abs() < 1e-9 * one.abs().max(1.0),
                    "{one} {other}"
                );
            }
        }
    }
}
