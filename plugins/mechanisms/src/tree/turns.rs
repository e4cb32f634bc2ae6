//! Angular velocities that change the inertia of a tree.
use nalgebra::{Rotation3, UnitVector3, Vector3};

use super::{Inertia, Joint, Link, Tree};

/// Returns the indices of angular velocities, except those of wheels: leaf links that are rotationally symmetric.
pub(super) fn turns(links: &[Link], tree: &Tree) -> Vec<usize> {
    let mut turns = Vec::new();
    let mut carries = vec![false; links.len()];
    for parent in links.iter().filter_map(|link| link.parent) {
        carries[parent] = true;
    }
    for (index, (link, row)) in links.iter().zip(tree.links.iter()).enumerate() {
        let is_wheel = match &link.joint {
            Joint::Revolute(axis) => !carries[index] && is_round(&link.inertia, &axis.direction),
            _ => false,
        };
        let columns = tree.columns[row.columns.clone()].iter();
        let turning = columns.filter(|column| column.motion.angular != Vector3::zeros());
        if !is_wheel {
            turns.extend(turning.map(|column| column.speed));
        }
    }
    turns
}

/// Returns true if an inertia is invariant under rotations about an axis through the origin.
fn is_round(inertia: &Inertia, axis: &UnitVector3<f64>) -> bool {
    let across = inertia.first_moment.cross(axis).norm();
    let half = Rotation3::from_axis_angle(axis, 1.0).into_inner();
    let turned = half * inertia.rotational * half.transpose();
    let change = (turned - inertia.rotational).norm();
    across <= 1e-6 * inertia.mass && change <= 1e-3 * inertia.rotational.norm()
}
