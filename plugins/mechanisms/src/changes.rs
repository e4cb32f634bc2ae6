//! Bound of the change of link poses by the change of joint positions.
use std::f64::consts::SQRT_2;

use crate::tree::{Kind, LinkRow, Tree};

impl Tree {
    /// Returns for each velocity the greatest change of a link's pose per radian, whatever the other joints do: the
    /// displacement of the link's origin (m), plus its `weights` times the Frobenius norm of the change of its rotation
    /// matrix. `None` if a joint is neither fixed nor revolute, or shares its variable.
    #[must_use]
    pub fn greatest_changes(&self, weights: &[f64]) -> Option<Vec<f64>> {
        let is_known = |row: &LinkRow| matches!(row.kind, Kind::Fixed(_) | Kind::Revolute { .. });
        if self.shares_variables || !self.links.iter().all(is_known) {
            return None;
        }
        // The norm for a rotation by a small angle is that of its cross-product matrix.
        let mut changes: Vec<f64> = weights.iter().map(|weight| weight * SQRT_2).collect();
        let mut of_velocities = vec![0.0; self.velocity_count()];
        for (index, row) in self.links.iter().enumerate().rev() {
            for column in &self.columns[row.columns.clone()] {
                of_velocities[column.speed] = column.motion.angular.norm() * changes[index];
            }
            if let (Some(parent), Kind::Fixed(zero) | Kind::Revolute { zero, .. }) =
                (row.parent, &row.kind)
            {
                changes[parent] = changes[parent].max(zero.position.norm() + changes[index]);
            }
        }
        Some(of_velocities)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Matrix3, UnitVector3, Vector3};

    use crate::{Axis, Base, Inertia, Joint, Link, Tree, Workspace};

    /// A chain with a branch, and axes in all directions.
    fn tree() -> Tree {
        let links = (0..6).map(|index: usize| {
            let number = index as f64;
            let axis = UnitVector3::new_normalize(Vector3::new(1.0, number - 2.0, 0.3 * number));
            Link {
                parent: index.checked_sub(if index == 4 { 2 } else { 1 }),
                parent_from_joint: Isometry3::new(
                    Vector3::new(0.3, -0.1 * number, 0.2),
                    Vector3::new(0.1 * number, 0.4, -0.3),
                ),
                joint: if index == 3 {
                    Joint::Fixed
                } else {
                    Joint::Revolute(Axis::new(axis, index))
                },
                inertia: Inertia::new(1.0, Vector3::x() * 0.1, Matrix3::identity()),
            }
        });
        Tree::new(&links.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn links_do_not_change_by_more() {
        let tree = tree();
        let weights: Vec<f64> = (0..6).map(|index| 0.1 + 0.05 * f64::from(index)).collect();
        let changes = tree.greatest_changes(&weights).unwrap();
        let base = Base::at_rest(Vector3::zeros());
        let mut closest: f64 = 0.0;
        for sample in 0..2_000 {
            let number =
                |index: usize, times: f64| libm::sin(f64::from(sample) * times + index as f64);
            let [mut one, mut two] = [(); 2].map(|()| (tree.at_zero(), Workspace::new(&tree)));
            let mut bound = 0.0;
            for (index, change) in changes.iter().enumerate() {
                one.0.positions[index] = 3.0 * number(index, 1.7);
                let displacement = 0.02 * number(2 * index, 0.9);
                two.0.positions[index] = one.0.positions[index] + displacement;
                bound += displacement.abs() * change;
            }
            for (state, workspace) in [&mut one, &mut two] {
                workspace.forward_kinematics(&tree, &base, state);
            }
            for (link, weight) in weights.iter().enumerate() {
                let [before, after] = [&one.1, &two.1].map(|workspace| workspace.pose_of(link));
                let turned = (after.rotation - before.rotation).norm();
                let displacement = (after.position - before.position).norm() + turned * weight;
                assert!(displacement <= bound, "{displacement} {bound}");
                closest = closest.max(displacement / bound);
            }
        }
        // The bound is not far above the greatest change.
        assert!(closest > 0.2, "{closest}");
    }

    #[test]
    fn a_slide_has_no_bound() {
        let link = Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Prismatic(Axis::new(Vector3::x_axis(), 0)),
            inertia: Inertia::new(1.0, Vector3::zeros(), Matrix3::identity()),
        };
        let tree = Tree::new(&[link]).unwrap();
        assert!(tree.greatest_changes(&[1.0]).is_none());
    }
}
