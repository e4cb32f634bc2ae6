//! Equality constraints between joints and between tendons.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::bounds::Bounds;

use super::{Couplings, Follower, Length, driven};
use crate::{
    mjcf::{codes, defaults::Defaults, fields, tendon::Tendon},
    problems::Problems,
    xml::{Attribute, Element},
};

/// Range of the ratio of a follower.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Maximum number of followers.
const MOST_FOLLOWERS: usize = 5_000;

/// Coefficients below this fraction of the greatest one are zero.
const NOTHING: f64 = 1e-12;

/// A sum of deviations of joints that follow none, plus a constant.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// Joints with their factors, in the order of the terms.
    pub(super) leaders: Vec<(String, f64)>,
    pub(super) constant: f64,
}

impl Couplings {
    /// Reads the equality constraints between joints and between tendons.
    pub(super) fn constraints(
        &mut self,
        root: &Element,
        defaults: &Defaults,
        problems: &mut Problems,
    ) {
        let driven = driven(root);
        for element in root.named("equality").flat_map(Element::elements) {
            let kind = element.name.as_str();
            if !["joint", "tendon"].contains(&kind) {
                continue;
            }
            let element = &defaults.merged(element, None, problems);
            if fields::flag(element, "active", problems) == Some(false) {
                continue;
            }
            let Some((sum, leader)) = self.constraint(element, problems) else {
                continue;
            };
            if let Err(why) = self.constrain(sum, leader, &driven) {
                problems.push(left_out(element, &why));
            }
        }
    }

    /// Returns the sum of a constraint, which has to be zero, and the joint that is to lead, if it is between joints.
    fn constraint(
        &self,
        element: &Element,
        problems: &mut Problems,
    ) -> Option<(Sum, Option<String>)> {
        let names = match element.name.as_str() {
            "joint" => ["joint1", "joint2"],
            _ => ["tendon1", "tendon2"],
        };
        let one = fields::needed(element, names[0], "finger", problems)?;
        let other = element.attribute(names[1]);
        let one_terms = self.terms(&element.name, one, problems);
        let other_terms = other.map(|other| self.terms(&element.name, other, problems));
        let bounds = Bounds::within(1e6);
        let coefficients = fields::numbers(element, "polycoef", [1, 5], bounds, problems);
        let coefficients = coefficients.unwrap_or_else(|| vec![0.0, 1.0]);
        let constant = coefficients.first().copied().unwrap_or(0.0);
        let ratio = coefficients.get(1).copied().unwrap_or(1.0);
        let mut terms = one_terms?;
        let leader = other.filter(|_| element.name == "joint");
        let leader = leader.and_then(|other| self.position(other.value.trim()));
        if let Some(other) = other_terms {
            if coefficients.iter().skip(2).any(|factor| *factor != 0.0) {
                problems.push(left_out(element, "the constraint is not linear"));
                return None;
            }
            terms.extend(
                other?
                    .into_iter()
                    .map(|(name, factor)| (name, -factor * ratio)),
            );
        }
        let mut sum = self.reduced(&terms);
        sum.constant -= constant;
        Some((sum, leader.map(|leader| leader.joint)))
    }

    /// Returns the terms of a joint or of a tendon.
    fn terms(
        &self,
        kind: &str,
        written: &Attribute,
        problems: &mut Problems,
    ) -> Option<Vec<(String, f64)>> {
        let name = written.value.trim();
        if kind == "tendon" {
            let known = self.tendons.keys().map(String::as_str);
            let terms = self.tendons.get(name).map(|tendon| tendon.terms.clone());
            if terms.is_none() {
                fields::unknown("fixed tendon", written, known, problems);
            }
            return terms;
        }
        if !self.joints.contains_key(name) {
            let known = self.joints.keys().map(String::as_str);
            fields::unknown("joint", written, known, problems);
            return None;
        }
        Some(vec![(name.to_owned(), 1.0)])
    }

    /// Returns the sum of factors times deviations, in deviations of joints that follow none.
    pub(super) fn reduced(&self, terms: &[(String, f64)]) -> Sum {
        let mut sum = Sum::default();
        let mut order: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, factor) in terms {
            let (leader, ratio) = match self.followers.get(name) {
                Some(follower) => {
                    sum.constant += factor * follower.offset;
                    (&follower.leader, follower.ratio)
                }
                None => (name, 1.0),
            };
            let next = sum.leaders.len();
            let index = *order.entry(leader).or_insert(next);
            if index == next {
                sum.leaders.push((leader.clone(), 0.0));
            }
            if let Some((_, known)) = sum.leaders.get_mut(index) {
                *known += factor * ratio;
            }
        }
        let factors = terms.iter().map(|(_, factor)| factor.abs());
        let least = factors.fold(0.0, f64::max) * NOTHING;
        sum.leaders.retain(|(_, factor)| factor.abs() > least);
        sum
    }

    /// Makes one joint of a sum, which has to be zero, follow the other one: `leader`, or else one that an actuator moves, or
    /// the first one.
    fn constrain(
        &mut self,
        sum: Sum,
        leader: Option<String>,
        driven: &BTreeSet<&str>,
    ) -> Result<(), String> {
        let [one, other] = match sum.leaders.as_slice() {
            [one, other] => [one, other],
            [] if sum.constant.abs() < 1e-9 => return Ok(()),
            [] => return Err("the constraint contradicts those before it".to_owned()),
            [(name, _)] => return Err(format!("`{}` is not locked", printable(name))),
            many => {
                return Err(format!(
                    "the constraint between {} joints is not read",
                    many.len()
                ));
            }
        };
        let is_one = match leader {
            Some(leader) => one.0 != leader,
            None => driven.contains(&*other.0) && !driven.contains(&*one.0),
        };
        let [(follower, own), (leader, factor)] = if is_one { [one, other] } else { [other, one] };
        let (ratio, offset) = (-factor / own, -sum.constant / own);
        if !RATIOS.contains(&ratio.abs()) || self.followers.len() >= MOST_FOLLOWERS {
            let [follower, leader] = [follower, leader].map(|name| printable(name));
            return Err(format!("`{follower}` does not follow `{leader}`"));
        }
        for known in self.followers.values_mut() {
            if known.leader == *follower {
                known.offset += known.ratio * offset;
                known.ratio *= ratio;
                known.leader.clone_from(leader);
            }
        }
        let known = Follower {
            leader: leader.clone(),
            offset,
            ratio,
        };
        self.followers.insert(follower.clone(), known);
        Ok(())
    }

    /// Returns the position of a joint as a function of the joint that it follows, or of itself.
    pub(super) fn position(&self, name: &str) -> Option<Length> {
        self.linear(&[(name.to_owned(), 1.0)])
    }

    /// Returns the length of a tendon as a function of one joint; `None` if several joints, or none, change it.
    pub(super) fn length(&self, tendon: &Tendon) -> Option<Length> {
        self.linear(&tendon.terms)
    }

    /// Returns a sum of factors times positions as a function of one joint.
    fn linear(&self, terms: &[(String, f64)]) -> Option<Length> {
        let sum = self.reduced(terms);
        let [(joint, slope)] = sum.leaders.as_slice() else {
            return None;
        };
        let reference = |name: &str| self.joints.get(name).map(|joint| joint.reference);
        let start: f64 = terms
            .iter()
            .map(|(name, factor)| factor * reference(name).unwrap_or(0.0))
            .sum();
        Some(Length {
            base: start + sum.constant - slope * reference(joint)?,
            joint: joint.clone(),
            slope: *slope,
        })
    }
}

fn left_out(element: &Element, message: &str) -> Diagnostic {
    Diagnostic::warning(codes::IGNORED, message)
        .at(element.span, "left out")
        .help("a constraint makes one joint a linear function of another one: `polycoef=\"0 1\"`")
}
