//! Queries of a scene: parents, children, topological order, variables, and forward kinematics of the frames.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, UnitVector3};

use super::{Class, Frame, Joint, JointAxis, Scene};
use crate::topological_order::parents_first;

impl Scene {
    /// Returns all frames, in the order of declaration.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns the frame with this name.
    #[must_use]
    pub fn frame(&self, name: &str) -> Option<&Frame> {
        self.frames.get(*self.index.get(name)?)
    }

    /// Returns the index of a frame in [`Scene::frames`].
    #[must_use]
    pub fn frame_index(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Returns the parent of a frame, if a frame with the parent's name exists.
    #[must_use]
    pub fn parent_of(&self, frame: &Frame) -> Option<&Frame> {
        self.frame(frame.parent.as_deref()?)
    }

    /// Returns the direct children of a frame (`None`: of the root), by name. A frame whose parent does not exist is a child
    /// of the root.
    pub fn children<'a>(&'a self, parent: Option<&'a str>) -> impl Iterator<Item = &'a Frame> {
        self.index.values().filter_map(move |&index| {
            let frame = self.frames.get(index)?;
            let hangs_on = self.parent_of(frame).map(|parent| parent.name.as_str());
            (hangs_on == parent).then_some(frame)
        })
    }

    /// Returns all classes, in the order of declaration.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Returns the class with this name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// Returns the pairs of frames whose contact is allowed, each sorted, without repetition. The frames need not exist.
    #[must_use]
    pub fn allowed_collisions(&self) -> &BTreeSet<(String, String)> {
        &self.allowed_collisions
    }

    /// Returns the names of the configuration variables, sorted, without repetition.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<&str> {
        self.frames
            .iter()
            .filter_map(|frame| Some(frame.joint.axis()?.variable.as_str()))
            .collect()
    }

    /// Returns all frames in topological order, parents before children, and otherwise by name (byte order). The language's
    /// first implementation numbers its frames in this order.
    ///
    /// A frame on a cycle of parents counts as a child of the root; see [`Scene::cycle`].
    #[must_use]
    pub fn parents_first(&self) -> Vec<&Frame> {
        self.order()
            .into_iter()
            .filter_map(|index| self.frames.get(index))
            .collect()
    }

    /// Returns the order of [`Scene::parents_first`] as indices in [`Scene::frames`].
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let parent = |index| self.parent_index(index);
        parents_first(self.frames.len(), self.by_name(), parent)
    }

    /// Returns the indices of all frames in [`Scene::frames`], sorted by name.
    pub(crate) fn by_name(&self) -> impl Iterator<Item = usize> {
        self.index.values().copied()
    }

    /// Returns the index of the parent of a frame, if a frame with the parent's name exists.
    pub(crate) fn parent_index(&self, index: usize) -> Option<usize> {
        let parent = self.frames.get(index)?.parent.as_deref()?;
        self.index.get(parent).copied()
    }

    /// Returns the names along the first cycle of parents, if there is a cycle.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<&str>> {
        self.cycles().into_iter().next()
    }

    /// Returns all cycles of parents, each as the names along it, the smallest name first.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<&str>> {
        let mut visited_from = vec![usize::MAX; self.frames.len()];
        let mut cycles = Vec::new();
        for start in self.by_name() {
            let mut index = start;
            while visited_from.get(index) == Some(&usize::MAX) {
                if let Some(visited) = visited_from.get_mut(index) {
                    *visited = start;
                }
                match self.parent_index(index) {
                    Some(parent) => index = parent,
                    None => break,
                }
                if visited_from.get(index) == Some(&start) {
                    cycles.push(self.names_along(index));
                    break;
                }
            }
        }
        cycles
    }

    fn names_along(&self, start: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut index = start;
        while let Some(frame) = self.frames.get(index) {
            names.push(frame.name.as_str());
            match self.parent_index(index) {
                Some(parent) if parent != start => index = parent,
                _ => break,
            }
        }
        let smallest = (0..names.len()).min_by_key(|&index| names.get(index));
        names.rotate_left(smallest.unwrap_or(0));
        names
    }

    /// Returns the poses of all frames in the root frame, in the order of [`Scene::frames`]. `value` returns the value of a
    /// variable.
    pub fn absolute_poses(&self, value: impl Fn(&str) -> f64) -> Vec<Isometry3<f64>> {
        let mut poses = vec![None; self.frames.len()];
        for index in self.order() {
            let Some(frame) = self.frames.get(index) else {
                continue;
            };
            let parent = self.parent_index(index);
            let root_from_parent = parent
                .and_then(|parent| poses.get(parent).copied().flatten())
                .unwrap_or_else(Isometry3::identity);
            let mut root_from_frame = root_from_parent * frame.local_pose(&value);
            // Rounding errors along a long chain would otherwise accumulate in the length of the quaternion.
            root_from_frame.rotation.renormalize();
            if let Some(pose) = poses.get_mut(index) {
                *pose = Some(root_from_frame);
            }
        }
        poses.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns a frame whose pose in the root frame overflows, with all variables at zero.
    #[must_use]
    pub fn infinite_frame(&self) -> Option<&Frame> {
        let poses = self.absolute_poses(|_variable| 0.0);
        let is_finite = |pose: &Isometry3<f64>| {
            let rotation = pose.rotation.coords.iter();
            let mut numbers = pose.translation.vector.iter().chain(rotation);
            numbers.all(|number| number.is_finite())
        };
        let mut frames = self.frames.iter().zip(&poses);
        frames
            .find(|(_, pose)| !is_finite(pose))
            .map(|(frame, _)| frame)
    }

    /// Returns the poses of [`Scene::absolute_poses`] by name; variables that `values` lacks are zero.
    #[must_use]
    pub fn absolute_poses_at(
        &self,
        values: &BTreeMap<String, f64>,
    ) -> BTreeMap<&str, Isometry3<f64>> {
        let poses = self.absolute_poses(|variable| values.get(variable).copied().unwrap_or(0.0));
        let names = self.frames.iter().map(|frame| frame.name.as_str());
        names.zip(poses).collect()
    }
}

impl Frame {
    /// Returns `parent_from_frame` including the joint: the frame's pose, then the joint's displacement.
    pub fn local_pose(&self, value: impl Fn(&str) -> f64) -> Isometry3<f64> {
        match &self.joint {
            Joint::Fixed | Joint::Floating => self.pose,
            Joint::Revolute(joint) => {
                let angle = joint.moved(value);
                // Division by the component of the greatest magnitude keeps the squares within range.
                let axis = UnitVector3::new_normalize(joint.axis / joint.axis.amax());
                self.pose * UnitQuaternion::from_axis_angle(&axis, angle)
            }
            Joint::Prismatic(joint) => {
                let travel = joint.moved(value);
                self.pose * Translation3::from(joint.axis * travel)
            }
        }
    }
}

impl JointAxis {
    /// Returns the displacement of the joint: an angle, or a multiple of the axis.
    fn moved(&self, value: impl Fn(&str) -> f64) -> f64 {
        (value(&self.variable) + self.offset) * self.ratio.unwrap_or(1.0)
    }
}
