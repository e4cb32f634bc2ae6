//! Removal of frames from a scene.
use std::collections::BTreeSet;

use super::Scene;

impl Scene {
    /// Returns the names of a frame and of all its descendants; empty if there is no such frame.
    #[must_use]
    pub fn family(&self, name: &str) -> BTreeSet<String> {
        let mut family = BTreeSet::new();
        if self.frame(name).is_none() {
            return family;
        }
        family.insert(name.to_owned());
        for frame in self.parents_first() {
            let parent = self.parent_of(frame);
            if parent.is_some_and(|parent| family.contains(&parent.name)) {
                family.insert(frame.name.clone());
            }
        }
        family
    }

    /// Removes frames, and the allowed pairs and loop closures that name one of them. The other frames keep their order.
    pub fn remove_frames(&mut self, names: &BTreeSet<String>) {
        self.frames.retain(|frame| !names.contains(&frame.name));
        let frames = self.frames.iter().enumerate();
        self.index = frames
            .map(|(index, frame)| (frame.name.clone(), index))
            .collect();
        self.allowed_collisions
            .retain(|(one, other)| !names.contains(one) && !names.contains(other));
        self.closures
            .retain(|closure| !closure.frames.iter().any(|frame| names.contains(frame)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ClosureKind, Frame, LoopClosure, Origin};
    use super::*;

    fn scene(frames: &[(&str, &str)]) -> Scene {
        let mut scene = Scene::default();
        for (name, parent) in frames {
            let frame = Frame::new(*name);
            let frame = match *parent {
                "" => frame,
                parent => frame.under(parent),
            };
            scene.add_frame(frame).expect("a new name");
        }
        scene
    }

    #[test]
    fn a_frame_leaves_with_its_descendants_and_what_names_them() {
        // The hand is declared before its arm.
        let frames = [
            ("hand", "arm"),
            ("floor", ""),
            ("arm", "base"),
            ("base", ""),
        ];
        let mut all = scene(&frames);
        all.allow_collision("hand", "floor");
        all.allow_collision("base", "floor");
        all.add_closure(LoopClosure {
            kind: ClosureKind::Weld,
            frames: ["arm".to_owned(), "floor".to_owned()],
            source: Origin(None),
        });
        assert!(all.family("leg").is_empty());
        let arm = all.family("arm");
        assert_eq!(arm, BTreeSet::from(["arm".to_owned(), "hand".to_owned()]));
        all.remove_frames(&arm);
        let mut rest = scene(&[("floor", ""), ("base", "")]);
        rest.allow_collision("base", "floor");
        assert_eq!(all, rest);
        assert_eq!(all.frame_index("base"), Some(1));
    }
}
