//! Poses of frames in their bodies.
use std::collections::BTreeMap;

use nalgebra::Isometry3;

use crate::model::Scene;

/// Returns the poses of all frames in the frames of their bodies, given the head frame of each one's body and the values of
/// the variables. They are not computed from poses in the world: robots of the same model are equal to the last bit, wherever
/// they stand.
pub(super) fn poses_in_bodies<'a>(
    scene: &'a Scene,
    head_of: &BTreeMap<&'a str, &'a str>,
    value: impl Fn(&str) -> f64,
) -> BTreeMap<&'a str, Isometry3<f64>> {
    let mut poses: BTreeMap<&str, Isometry3<f64>> = BTreeMap::new();
    for frame in scene.parents_first() {
        let name = frame.name.as_str();
        let is_head = head_of.get(name) == Some(&name);
        let parent = scene.parent_of(frame).filter(|_| !is_head);
        let body_from_parent = parent.and_then(|parent| poses.get(parent.name.as_str()));
        let pose = body_from_parent.map_or_else(Isometry3::identity, |body_from_parent| {
            body_from_parent * frame.local_pose(&value)
        });
        poses.insert(name, pose);
    }
    poses
}
