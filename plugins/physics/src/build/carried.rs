//! Greatest load of a joint, however the joints below it stand.
//!
//! Motors are made for that: by what hangs on them at the start, those of an arm that stands upright would be
//! too soft once it stretches out.
use morse_scene::assembly::{Attachment, BodyLayout};
use nalgebra::Vector3;

use super::Builder;

/// Greatest distances of the joint of a body from the one above, m.
struct Link {
    /// The body above.
    parent: usize,
    /// From the joint above.
    length: f64,
    /// From the axis of the joint above.
    across: f64,
}

impl Builder<'_> {
    /// The mass that hangs on the joint of each body; for one that turns, an upper bound of its inertia about the
    /// joint's axis. Zero for a body without a joint.
    ///
    /// The body at the joint turns as a whole: its inertia is what it is. Of the others, each mass is at most as far
    /// away as the chain of joints to it is long, and is turned so that its greatest moment counts.
    pub(super) fn carried(&self) -> Vec<f64> {
        let bodies = &self.layout.bodies;
        let links: Vec<Option<Link>> = bodies.iter().map(|body| self.link(body)).collect();
        let mut carried = vec![0.0; bodies.len()];
        let masses = self.prepared.bodies.iter().map(|body| &body.mass);
        for (at, mass) in masses.enumerate() {
            let mut add = |top: usize, share: f64| {
                if let Some(carried) = carried.get_mut(top) {
                    *carried += share;
                }
            };
            let joint = |place: usize| bodies.get(place)?.attachment.as_ref();
            let Some(own) = joint(at) else {
                continue;
            };
            let axis = own.axis.into_inner();
            add(
                at,
                match own.is_angle {
                    true => axis.dot(&(mass.inertia_about(&Vector3::zeros()) * axis)),
                    false => mass.mass,
                },
            );
            let moment = mass.inertia.symmetric_eigenvalues().max();
            // Upwards from joint to joint, adding up the lengths.
            let (mut length, mut below) = (0.0, at);
            // No chain is longer than there are bodies.
            for _ in 0..bodies.len() {
                let Some(Some(link)) = links.get(below) else {
                    break;
                };
                let top = link.parent;
                if let Some(joint) = joint(top) {
                    let reach = length + link.across + mass.center.norm();
                    add(
                        top,
                        match joint.is_angle {
                            true => mass.mass * reach * reach + moment,
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

    /// The distance from the joint of a body to that of the body above it.
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

    /// Possible positions of a joint in the frame of the body above it: one place, or the ends of a slide.
    fn ends(&self, attachment: &Attachment) -> [Vector3<f64>; 2] {
        let variable = self.layout.variables.get(attachment.variable);
        let start = variable.map_or(0.0, |variable| variable.settings.position);
        let limits = variable.map_or([0.0; 2], |variable| variable.limits);
        // Without a limit: as far as it is out at the start.
        let ends = limits.map(|limit| if limit.is_finite() { limit } else { start });
        let place = |value| attachment.parent_from_child(value).translation.vector;
        ends.map(place)
    }
}
