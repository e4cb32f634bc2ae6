//! Maximum load of a joint over all positions of the joints below it.
//!
//! Motors are dimensioned by it: with the load of the initial posture, those of an arm that stands upright would be too soft
//! once it stretches out.
use morse_scene::assembly::{Attachment, BodyLayout};
use nalgebra::Vector3;

use super::Builder;

/// Maximum distances of the joint of a body from its parent joint, m.
struct Link {
    /// Index of the parent body.
    parent: usize,
    /// Distance from the parent joint.
    length: f64,
    /// Distance from the axis of the parent joint.
    across: f64,
}

impl Builder<'_> {
    /// Returns the mass on the joint of each body; for a revolute joint, an upper bound of the inertia about its axis. Zero
    /// for a body without a joint.
    ///
    /// The inertia of the child body is exact. Every other mass is taken at the length of the chain of joints to it,
    /// oriented so that its greatest moment counts.
    pub(super) fn carried(&self) -> Vec<f64> {
        let bodies = &self.layout.bodies;
        let links: Vec<Option<Link>> = bodies.iter().map(|body| self.link(body)).collect();
        let mut carried = vec![0.0; bodies.len()];
        let masses = self.prepared.bodies.iter().map(|body| &body.mass);
        for (index, mass) in masses.enumerate() {
            let mut add = |top: usize, share: f64| {
                if let Some(carried) = carried.get_mut(top) {
                    *carried += share;
                }
            };
            let joint = |body_index: usize| bodies.get(body_index)?.attachment.as_ref();
            let Some(own) = joint(index) else {
                continue;
            };
            let axis = own.axis.into_inner();
            add(
                index,
                match own.is_angle {
                    true => axis.dot(&(mass.inertia_about(&Vector3::zeros()) * axis)),
                    false => mass.mass,
                },
            );
            let moment = mass.inertia.symmetric_eigenvalues().max();
            // From joint to joint towards the base, summing lengths.
            let (mut length, mut below) = (0.0, index);
            // No chain is longer than the number of bodies.
            for _ in 0..bodies.len() {
                let Some(Some(link)) = links.get(below) else {
                    break;
                };
                let top = link.parent;
                if let Some(joint) = joint(top) {
                    let lever = length + link.across + mass.center.norm();
                    add(
                        top,
                        match joint.is_angle {
                            true => mass.mass * lever * lever + moment,
                            false => mass.mass,
                        },
                    );
                }
                length += link.length;
                below = top;
            }
        }
        carried
    }

    /// Returns the distance from the joint of a body to its parent joint.
    fn link(&self, body: &BodyLayout) -> Option<Link> {
        let attachment = body.attachment.as_ref()?;
        let above = self.layout.bodies.get(attachment.parent)?;
        let axis = above
            .attachment
            .as_ref()
            .map(|above| above.axis.into_inner());
        let ends = self.ends(attachment);
        let furthest =
            |far: &dyn Fn(&Vector3<f64>) -> f64| ends.iter().map(far).fold(0.0, f64::max);
        Some(Link {
            parent: attachment.parent,
            length: furthest(&|end| end.norm()),
            across: axis.map_or(0.0, |axis| furthest(&|end| axis.cross(end).norm())),
        })
    }

    /// Returns the extreme positions of a joint in the frame of the parent body: equal for a revolute joint.
    fn ends(&self, attachment: &Attachment) -> [Vector3<f64>; 2] {
        let variable = self.layout.variables.get(attachment.variable);
        let start = variable.map_or(0.0, |variable| variable.settings.position);
        let limits = variable.map_or([0.0; 2], |variable| variable.limits);
        // Without a limit, the initial position counts.
        let ends = limits.map(|limit| if limit.is_finite() { limit } else { start });
        let position = |value| attachment.parent_from_child(value).translation.vector;
        ends.map(position)
    }
}
