//! Pairs of collisions that do not touch.

use morse_diagnostics::Diagnostic;
use morse_scene::model::Scene;

use super::{Builder, Frames};
use crate::sdf::{codes, document::Body};

/// Maximum number of pairs that the scene stores.
const MOST_PAIRS: usize = 200_000;

/// A frame with collision geometry.
#[derive(Clone, Debug)]
pub(super) struct Touchable {
    pub(super) frame: String,
    pub(super) link: usize,
    /// Bits of which two collisions share one, to collide.
    pub(super) bits: u32,
}

impl Builder<'_, '_> {
    /// Disables the collisions between the links of a model, unless they collide with themselves, and between collisions
    /// without a common bit.
    pub(super) fn part_links(&mut self, frames: &Frames<'_>, scene: &mut Scene) {
        let all = &frames.touchable;
        let top = |one: &Touchable| {
            let link = self.document.links.get(one.link);
            link.map_or(usize::MAX, |link| self.top(link))
        };
        let tops: Vec<usize> = all.iter().map(top).collect();
        let mut models: std::collections::BTreeMap<usize, Vec<usize>> =
            std::collections::BTreeMap::new();
        for (index, top) in tops.iter().enumerate() {
            models.entry(*top).or_default().push(index);
        }
        let masked: Vec<usize> = (0..all.len())
            .filter(|index| all.get(*index).is_some_and(|one| one.bits != u32::MAX))
            .collect();
        let mut pairs = 0;
        let mut part = |one: &Touchable, other: &Touchable| {
            pairs += 1;
            if pairs <= MOST_PAIRS {
                scene.allow_collision(&*one.frame, &*other.frame);
            }
            pairs <= MOST_PAIRS
        };
        'all: for members in models.values() {
            for (number, index) in members.iter().enumerate() {
                for other in members.iter().skip(number + 1) {
                    let (Some(one), Some(other)) = (all.get(*index), all.get(*other)) else {
                        continue;
                    };
                    if !self.collide(one, other) && !part(one, other) {
                        break 'all;
                    }
                }
            }
        }
        'masked: for index in masked {
            for (other_index, other) in all.iter().enumerate() {
                let Some(one) = all.get(index) else { continue };
                let is_done = other.bits != u32::MAX && other_index <= index;
                let is_same = tops.get(index) == tops.get(other_index);
                if is_done || is_same || one.bits & other.bits != 0 {
                    continue;
                }
                if !part(one, other) {
                    break 'masked;
                }
            }
        }
        if pairs > MOST_PAIRS {
            let message = format!("more than {MOST_PAIRS} pairs of collisions do not touch");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(self.document.span, "too large")
                .help("use fewer collisions, such as one mesh a link");
            self.problems.push(diagnostic);
        }
    }

    /// Returns true if two collisions of a model can touch. Collisions of one rigid body are not tested at all.
    fn collide(&self, one: &Touchable, other: &Touchable) -> bool {
        if !self.moves(one.link) && !self.moves(other.link) {
            return true;
        }
        let groups = &self.tree.groups;
        if groups.get(one.link) == groups.get(other.link) {
            return true;
        }
        let links = &self.document.links;
        let itself = |link: usize| links.get(link).is_some_and(|link| link.self_collide);
        let is_parent = |one: usize, other: usize| {
            let parent = self.tree.parents.get(one).copied().flatten();
            parent.is_some_and(|(_, parent)| parent == Body::Link(other))
        };
        let is_family = is_parent(one.link, other.link) || is_parent(other.link, one.link);
        itself(one.link) && itself(other.link) && !is_family && one.bits & other.bits != 0
    }
}
