//! Poses of frames in their bodies.
use nalgebra::Isometry3;

use crate::model::Scene;

/// Returns the poses of all frames in the frames of their bodies, in the order of the scene's frames, given the index of the
/// head frame of each one's body and the values of the variables. They are not computed from poses in the world: robots of the same model are equal to the last bit, wherever
/// they stand.
pub(super) fn poses_in_bodies(
    scene: &Scene,
    heads: &[usize],
    value: impl Fn(&str) -> f64,
) -> Vec<Isometry3<f64>> {
    let mut poses = vec![Isometry3::identity(); heads.len()];
    for index in scene.order() {
        let is_head = heads.get(index) == Some(&index);
        let parent = scene.parent_index(index).filter(|_| !is_head);
        let body_from_parent = parent.and_then(|parent| poses.get(parent)).copied();
        if let (Some(body_from_parent), Some(frame), Some(pose)) = (
            body_from_parent,
            scene.frames().get(index),
            poses.get_mut(index),
        ) {
            *pose = body_from_parent * frame.local_pose(&value);
        }
    }
    poses
}
