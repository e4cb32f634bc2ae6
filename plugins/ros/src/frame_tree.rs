//! Poses of frames relative to others, from the messages of `/tf` and `/tf_static`.
use std::collections::BTreeMap;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::messages::{TFMessage, Transform};

/// Maximum number of frames between one and its root.
const MOST_LEVELS: usize = 256;

/// Frames with their parents.
#[derive(Clone, Debug, Default)]
pub struct FrameTree {
    /// Parent of each frame, and the pose in it.
    parents: BTreeMap<String, (String, Isometry3<f64>)>,
}

impl FrameTree {
    /// Sets the poses in a message.
    pub fn update(&mut self, message: &TFMessage) {
        for transform in &message.transforms {
            let parent = transform.header.frame_id.clone();
            let pose = pose(&transform.transform);
            self.parents
                .insert(transform.child_frame_id.clone(), (parent, pose));
        }
    }

    /// Returns the pose of a frame in another one; `None` if they are not connected.
    #[must_use]
    pub fn pose_in(&self, target: &str, frame: &str) -> Option<Isometry3<f64>> {
        let above_target = self.ancestors(target);
        // The first common ancestor of both.
        self.ancestors(frame).into_iter().find_map(|(name, pose)| {
            let mut above = above_target.iter();
            let (_, from_target) = above.find(|(other, _)| *other == name)?;
            Some(from_target.inverse() * pose)
        })
    }

    /// Returns a frame and those above it, each with the pose of the first frame in it.
    fn ancestors<'a>(&'a self, frame: &'a str) -> Vec<(&'a str, Isometry3<f64>)> {
        let mut list = vec![(frame, Isometry3::identity())];
        while let Some((name, pose)) = list.last().copied()
            && list.len() < MOST_LEVELS
            && let Some((parent, in_parent)) = self.parents.get(name)
        {
            list.push((parent, in_parent * pose));
        }
        list
    }
}

/// Returns the pose of a message.
fn pose(transform: &Transform) -> Isometry3<f64> {
    let (at, turn) = (&transform.translation, &transform.rotation);
    let rotation = Quaternion::new(turn.w, turn.x, turn.y, turn.z);
    let rotation = match rotation.norm() > 1e-9 {
        true => UnitQuaternion::from_quaternion(rotation),
        false => UnitQuaternion::identity(),
    };
    Isometry3::from_parts(Translation3::new(at.x, at.y, at.z), rotation)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use nalgebra::Vector3;

    use super::*;
    use crate::frames::fixed;

    #[test]
    fn poses_are_composed_over_the_common_ancestor() {
        let turn = Isometry3::new(Vector3::new(1.0, 0.0, 0.0), Vector3::z() * FRAC_PI_2);
        let ahead = Isometry3::translation(2.0, 0.0, 0.0);
        let link =
            |parent: &str, child: &str, pose| fixed(parent.to_owned(), child.to_owned(), pose);
        let mut tree = FrameTree::default();
        tree.update(&TFMessage {
            transforms: vec![
                link("base", "left", turn),
                link("left", "eye", ahead),
                link("base", "right", ahead),
                link("elsewhere", "island", ahead),
            ],
        });
        // The eye is two metres along y of the base, from x = 1.
        let eye = tree.pose_in("base", "eye").unwrap();
        assert!((eye.translation.vector - Vector3::new(1.0, 2.0, 0.0)).norm() < 1e-12);
        let eye = tree.pose_in("right", "eye").unwrap();
        assert!((eye.translation.vector - Vector3::new(-1.0, 2.0, 0.0)).norm() < 1e-12);
        let right = tree.pose_in("eye", "right").unwrap();
        assert!((right * eye).translation.vector.norm() < 1e-12);
        assert_eq!(tree.pose_in("eye", "eye"), Some(Isometry3::identity()));
        assert!(tree.pose_in("base", "island").is_none());
    }

    #[test]
    fn a_loop_of_frames_has_an_end() {
        let mut tree = FrameTree::default();
        let link = |parent: &str, child: &str| {
            fixed(parent.to_owned(), child.to_owned(), Isometry3::identity())
        };
        tree.update(&TFMessage {
            transforms: vec![link("a", "b"), link("b", "a")],
        });
        assert!(tree.pose_in("c", "a").is_none());
    }
}
