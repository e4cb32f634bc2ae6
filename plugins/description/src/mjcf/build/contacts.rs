//! Pairs of geoms that do not collide.

use std::collections::BTreeSet;

use morse_diagnostics::Diagnostic;
use morse_scene::model::Scene;

use super::{Builder, WORLD};
use crate::{
    mjcf::{codes, fields},
    xml::Element,
};

/// Maximum number of pairs that the scene stores.
const MOST_PAIRS: usize = 200_000;

/// A frame with collision geometry.
#[derive(Clone, Debug)]
pub(super) struct Touchable {
    pub(super) frame: String,
    pub(super) body: String,
    /// Bits of the contacts: `contype` and `conaffinity`.
    pub(super) bits: [i64; 2],
}

impl Builder<'_, '_> {
    /// Disables the collisions that MuJoCo filters: those of bits that do not match, of bodies with their parents, and of
    /// excluded pairs.
    pub(super) fn disable_collisions_of_bodies(&mut self, root: &Element, scene: &mut Scene) {
        let excluded = self.excluded(root);
        let mut pairs = 0;
        for (index, one) in self.geoms.iter().enumerate() {
            for other in self.geoms.iter().skip(index + 1) {
                if self.collide(one, other, &excluded) {
                    continue;
                }
                pairs += 1;
                if pairs > MOST_PAIRS {
                    let message = format!("more than {MOST_PAIRS} pairs of geoms do not collide");
                    let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                        .at(root.span, "too large")
                        .help("set `contype` and `conaffinity` of geoms that are only drawn to 0");
                    self.problems.push(diagnostic);
                    return;
                }
                scene.allow_collision(&*one.frame, &*other.frame);
            }
        }
    }

    fn collide(
        &self,
        one: &Touchable,
        other: &Touchable,
        excluded: &BTreeSet<[String; 2]>,
    ) -> bool {
        let [type_one, affinity_one] = one.bits;
        let [type_other, affinity_other] = other.bits;
        if type_one & affinity_other == 0 && type_other & affinity_one == 0 {
            return false;
        }
        let (Some(first), Some(second)) =
            (self.bodies.get(&one.body), self.bodies.get(&other.body))
        else {
            return true;
        };
        // Geoms of one rigid body are not tested at all.
        let is_family = (first.head == second.above && first.head != WORLD)
            || (second.head == first.above && second.head != WORLD);
        let pair = [one.body.clone(), other.body.clone()];
        first.head == second.head || (!is_family && !excluded.contains(&pair))
    }

    /// Returns the pairs of `<exclude>`, in both orders.
    fn excluded(&mut self, root: &Element) -> BTreeSet<[String; 2]> {
        let mut excluded = BTreeSet::new();
        for element in root.named("contact").flat_map(|all| all.named("exclude")) {
            let mut bodies = Vec::new();
            for name in ["body1", "body2"] {
                let Some(written) = fields::needed(element, name, "arm", self.problems) else {
                    continue;
                };
                match self.bodies.contains_key(written.value.trim()) {
                    true => bodies.push(written.value.trim().to_owned()),
                    false => {
                        let known = self.bodies.keys().map(String::as_str);
                        fields::unknown("body", written, known, self.problems);
                    }
                }
            }
            if let [one, other] = bodies.as_slice() {
                excluded.insert([one.clone(), other.clone()]);
                excluded.insert([other.clone(), one.clone()]);
            }
        }
        excluded
    }
}
