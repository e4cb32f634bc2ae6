//! Orders and roots of the bodies' tree of joints, in time proportional to the number of bodies.
use super::{Attachment, Layout};
use crate::topological_order::parents_first;

impl Layout {
    /// Returns the indices of all bodies, parents before children.
    #[must_use]
    pub fn parents_first(&self) -> Vec<usize> {
        let count = self.bodies.len();
        parents_first(count, 0..count, |body| self.parent_of(body, |_| true))
    }

    /// Returns the root of each body in the forest of those joints for which `counts` is true.
    #[must_use]
    pub fn bases(&self, counts: impl Fn(&Attachment) -> bool) -> Vec<usize> {
        let mut bases: Vec<usize> = (0..self.bodies.len()).collect();
        for index in self.parents_first() {
            let parent = self.parent_of(index, &counts);
            let base = parent.and_then(|parent| bases.get(parent)).copied();
            if let (Some(base), Some(own)) = (base, bases.get_mut(index)) {
                *own = base;
            }
        }
        bases
    }

    /// Returns the number of joints between each body and its root.
    #[must_use]
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.bodies.len()];
        for index in self.parents_first() {
            let parent = self.parent_of(index, |_| true);
            let depth = parent.and_then(|parent| depths.get(parent)).copied();
            if let (Some(depth), Some(own)) = (depth, depths.get_mut(index)) {
                *own = depth + 1;
            }
        }
        depths
    }

    fn parent_of(&self, body: usize, counts: impl Fn(&Attachment) -> bool) -> Option<usize> {
        let joint = self.bodies.get(body)?.attachment.as_ref()?;
        counts(joint).then_some(joint.parent)
    }
}

#[cfg(test)]
mod tests {
    use morse_api::body::BodyKind;
    use nalgebra::{Isometry3, Vector3};

    use super::*;
    use crate::assembly::{BodyLayout, BodySettings};

    /// Returns a layout with the parents of its bodies; the joint of body `n` has the variable `n`.
    fn layout(parents: &[Option<usize>]) -> Layout {
        let joint = |(variable, parent): (usize, &Option<usize>)| {
            let attachment = parent.map(|parent| Attachment {
                parent,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                is_angle: true,
                travel: 1.0,
                variable,
                offset: 0.0,
                damping: 0.0,
                dry_friction: 0.0,
                armature: 0.0,
            });
            BodyLayout {
                head: variable,
                frames: vec![variable],
                kind: BodyKind::Dynamic,
                settings: BodySettings::default(),
                pose: Isometry3::identity(),
                robot: None,
                robot_friction: None,
                attachment,
                actuated: false,
            }
        };
        Layout {
            bodies: parents.iter().enumerate().map(joint).collect(),
            ..Layout::default()
        }
    }

    #[test]
    fn bodies_follow_their_parents_in_any_numbering() {
        // 4 carries 0 and 3, 3 carries 1, 5 carries nothing, 2 is carried by 1.
        let layout = layout(&[Some(4), Some(3), Some(1), Some(4), None, None]);
        assert_eq!(layout.parents_first(), [4, 0, 3, 1, 2, 5]);
        assert_eq!(layout.bases(|_| true), [4, 4, 4, 4, 4, 5]);
        assert_eq!(layout.depths(), [1, 2, 3, 1, 0, 0]);
        // Without the joint of body 3, that body is a root.
        assert_eq!(
            layout.bases(|joint| joint.variable != 3),
            [4, 3, 3, 3, 4, 5]
        );
    }

    #[test]
    fn long_chains_take_time_in_proportion() {
        let count = 200_000;
        let parents: Vec<_> = (0..count).map(|body: usize| body.checked_sub(1)).collect();
        let layout = layout(&parents);
        assert!(layout.bases(|_| true).iter().all(|base| *base == 0));
        assert_eq!(layout.depths().last(), Some(&(count - 1)));
    }
}
