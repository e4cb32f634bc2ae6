//! Pairs of collisions that do not touch.

use std::collections::BTreeMap;

use morse_diagnostics::Diagnostic;
use morse_scene::model::Scene;

use super::{Builder, Frames};
use crate::sdf::{codes, document::Body};

/// Maximum number of pairs that the scene stores.
const MOST_PAIRS: usize = 200_000;

/// Maximum number of pairs that are looked at.
const MOST_CHECKS: usize = 50_000_000;

/// A frame with collision geometry.
#[derive(Clone, Debug)]
pub(super) struct Touchable {
    pub(super) frame: String,
    pub(super) link: usize,
    /// Bits of which two collisions share one, to collide.
    pub(super) bits: u32,
}

/// Pairs of a scene that do not touch, up to the limits.
struct Parting<'s> {
    scene: &'s mut Scene,
    checks: usize,
    pairs: usize,
}

impl Parting<'_> {
    /// Disables the collision of two frames if they are apart.
    fn check(&mut self, one: &Touchable, other: &Touchable, are_apart: impl FnOnce() -> bool) {
        self.checks += 1;
        if self.is_full() || !are_apart() {
            return;
        }
        self.pairs += 1;
        if self.pairs <= MOST_PAIRS {
            self.scene.allow_collision(&*one.frame, &*other.frame);
        }
    }

    fn is_full(&self) -> bool {
        self.pairs > MOST_PAIRS || self.checks > MOST_CHECKS
    }
}

impl Builder<'_, '_> {
    /// Disables the collisions between the links of a model, unless they collide with themselves, and between collisions
    /// without a common bit.
    pub(super) fn disable_collisions_of_links(&mut self, frames: &Frames<'_>, scene: &mut Scene) {
        let all = &frames.touchable;
        let mut models: BTreeMap<usize, Vec<&Touchable>> = BTreeMap::new();
        for one in all.iter().filter(|one| self.moves(one.link)) {
            models.entry(self.top_of(one)).or_default().push(one);
        }
        let mut parting = Parting {
            scene,
            checks: 0,
            pairs: 0,
        };
        for members in models.values() {
            for (number, one) in members.iter().enumerate() {
                for other in members.iter().skip(number + 1) {
                    parting.check(one, other, || !self.collide(one, other));
                }
                if parting.is_full() {
                    break;
                }
            }
        }
        for (number, one) in all.iter().enumerate() {
            if one.bits == u32::MAX || parting.is_full() {
                continue;
            }
            for (other_number, other) in all.iter().enumerate() {
                let is_done = other.bits != u32::MAX && other_number <= number;
                parting.check(one, other, || {
                    let is_other = self.top_of(one) != self.top_of(other);
                    !is_done && is_other && one.bits & other.bits == 0
                });
            }
        }
        if parting.is_full() {
            let message = format!("more than {MOST_PAIRS} pairs of collisions do not touch");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(self.document.span, "too large")
                .help("use fewer collisions, such as one mesh a link");
            self.problems.push(diagnostic);
        }
    }

    fn top_of(&self, one: &Touchable) -> usize {
        let link = self.document.links.get(one.link);
        link.map_or(usize::MAX, |link| self.top(link))
    }

    /// Returns true if two collisions of a model can touch. Collisions of one rigid body are not tested at all.
    fn collide(&self, one: &Touchable, other: &Touchable) -> bool {
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
