//! Greatest load of a joint, however the joints below it stand.
//!
//! Motors are made for that: by what hangs on them at the start, those of an arm that stands upright would be
//! too soft once it stretches out.
use morse_scene::assembly::Attachment;
use nalgebra::Vector3;

use super::Builder;
use crate::mass::Mass;

impl Builder<'_> {
    /// The mass that hangs on a joint; for one that turns, an upper bound of its inertia about the joint's axis.
    ///
    /// The body at the joint turns as a whole: its inertia is what it is. Of the others, each mass is at most as far
    /// away as the chain of joints to it is long, and is turned so that its greatest moment counts.
    pub(super) fn carried(&self, child: usize, attachment: &Attachment) -> f64 {
        let masses = self.prepared.bodies.iter().map(|body| &body.mass);
        let axis = attachment.axis.into_inner();
        let share = |(at, mass): (usize, &Mass)| {
            if !attachment.is_angle {
                return (at == child || self.reach(at, child, &axis).is_some())
                    .then_some(mass.mass);
            }
            if at == child {
                return Some(axis.dot(&(mass.inertia_about(&Vector3::zeros()) * axis)));
            }
            let reach = self.reach(at, child, &axis)? + mass.center.norm();
            let moments = mass.inertia.symmetric_eigenvalues();
            Some(mass.mass * reach * reach + moments.max())
        };
        masses.enumerate().filter_map(share).sum()
    }

    /// Greatest distance of the joint of a body from an axis through the origin of another one, `top`, m; `None` if
    /// the body does not hang on that one.
    fn reach(&self, mut body: usize, top: usize, axis: &Vector3<f64>) -> Option<f64> {
        let mut length = 0.0;
        // No chain is longer than there are bodies.
        for _ in 0..self.layout.bodies.len() {
            let attachment = self.layout.bodies.get(body)?.attachment.as_ref()?;
            let ends = self.ends(attachment);
            let furthest = |far: fn(&Vector3<f64>, &Vector3<f64>) -> f64| {
                ends.iter().map(|end| far(end, axis)).fold(0.0, f64::max)
            };
            if attachment.parent == top {
                return Some(length + furthest(|end, axis| axis.cross(end).norm()));
            }
            length += furthest(|end, _| end.norm());
            body = attachment.parent;
        }
        None
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
