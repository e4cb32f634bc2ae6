//! Pairs of geoms that do not collide.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, Span};
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
    pub(super) friction: f64,
    /// Number of dimensions of the contact forces, and priority of these settings: `condim` and `priority`.
    pub(super) settings: [f64; 2],
    pub(super) span: Span,
}

impl Touchable {
    /// True if contacts with geoms of this kind have no friction.
    fn is_frictionless(&self) -> bool {
        self.settings[0] < 3.0
    }
}

impl Builder<'_, '_> {
    /// Reports the contact settings that are not simulated, and removes the friction of geoms with `condim="1"` where their
    /// contacts with other geoms keep the greater coefficient, that of the other geom.
    pub(super) fn simplify_friction(&mut self) {
        let geoms = std::mem::take(&mut self.geoms);
        let least = geoms.iter().filter(|geom| !geom.is_frictionless());
        let least = least.fold(f64::INFINITY, |least, geom| least.min(geom.friction));
        // Without surroundings, the model stands on a floor that it does not contain.
        let is_world = self.options.is_alone && geoms.iter().any(|geom| geom.body == WORLD);
        let mut frictionless = BTreeSet::new();
        for geom in &geoms {
            let [dimensions, priority] = geom.settings;
            if dimensions > 3.0 {
                let message =
                    "torsional and rolling friction (`condim` of 4 and 6) are not simulated";
                let help = "give joints `damping` or `frictionloss` in their stead";
                self.approximate(message, geom.span, help);
            }
            if priority != 0.0 {
                let message = "the `priority` of geoms has no effect on their friction";
                self.approximate(message, geom.span, "give both geoms the same `friction`");
            }
            if is_world && geom.is_frictionless() && geom.friction > 0.0 {
                match geom.friction <= least {
                    true => drop(frictionless.insert(geom.frame.as_str())),
                    false => {
                        let message = "contacts of two geoms with `condim=\"1\"` have friction";
                        self.approximate(message, geom.span, "write `friction=\"0\"` as well");
                    }
                }
            }
        }
        let frames = self.frames.iter_mut();
        let frames = frames.filter(|frame| frictionless.contains(frame.name.as_str()));
        for geometry in frames.flat_map(|frame| &mut frame.geometry) {
            geometry.friction = Some(0.0);
        }
        self.geoms = geoms;
    }

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
