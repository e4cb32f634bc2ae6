//! Compensated weights of bodies: `gravcomp`, which is a force against gravity at the centre of mass of each body.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::{bounds::Bounds, model};

use super::{Builder, WORLD, components::Slot};
use crate::{
    mjcf::{codes, fields},
    xml::Element,
};

/// Bodies without joints between them, by the first one.
pub(super) type Weights = BTreeMap<String, Weight>;

/// Weight of bodies without joints between them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    /// True if a body with mass has its whole weight.
    is_heavy: bool,
    /// Source position of the first compensation.
    span: Option<Span>,
    /// True if a weight is compensated in part, or more than in full.
    is_partial: bool,
}

impl Builder<'_, '_> {
    /// Remembers the compensation of a body of this mass, kg, which belongs to the group of `head`.
    pub(super) fn weigh(&mut self, element: &Element, head: &str, mass: f64) {
        let bounds = Bounds::within(1e6);
        let fraction = fields::number(element, "gravcomp", bounds, self.problems);
        if mass <= 0.0 || head == WORLD {
            return;
        }
        let weight = self.weights.entry(head.to_owned()).or_default();
        // As in MuJoCo, a negative number is none.
        let Some(fraction) = fraction.filter(|fraction| *fraction > 0.0) else {
            weight.is_heavy = true;
            return;
        };
        let written = element.attribute("gravcomp").map(|written| written.span);
        weight.span = weight.span.or(written);
        weight.is_partial |= fraction != 1.0;
    }

    /// Returns the frames of the bodies without weight, and reports the compensations that are not simulated.
    pub(super) fn weightless(&mut self, root: &Element) -> Vec<String> {
        let switches = &self.settings.switches;
        // Without both of them, MuJoCo calculates no passive forces.
        if switches.no_springs && switches.no_dampers {
            return Vec::new();
        }
        let weights = std::mem::take(&mut self.weights);
        let compensated = || weights.values().filter_map(|weight| weight.span);
        let Some(first) = compensated().next() else {
            return Vec::new();
        };
        if !self.actuators_compensate(root, first) {
            return Vec::new();
        }
        let is_partial = |weight: &&Weight| weight.is_heavy || weight.is_partial;
        let partial = weights.values().filter(|weight| weight.span.is_some());
        let mut partial = partial.filter(is_partial).filter_map(|weight| weight.span);
        if let Some(span) = partial.next() {
            let count = 1 + partial.count();
            let message = match count {
                1 => "the weight of a body is compensated in part".to_owned(),
                count => format!("the weights of {count} bodies are compensated in part"),
            };
            let diagnostic = Diagnostic::warning(codes::IGNORED, message)
                .at(span, "left out: it has its whole weight")
                .help("compensate all of it, also of the bodies fixed to it: `gravcomp=\"1\"`");
            self.problems.push(diagnostic);
        }
        let light = weights
            .iter()
            .filter(|(_, weight)| weight.span.is_some() && !weight.is_heavy && !weight.is_partial);
        let light: Vec<String> = light.map(|(head, _)| self.joint_frame(head)).collect();
        self.first = self.first.or(Some(first).filter(|_| !light.is_empty()));
        light
    }

    /// Returns false if weights that actuators are to compensate remain, since the model has no actuators. Reports it, and
    /// actuators whose maximum effort does not hold for it.
    fn actuators_compensate(&mut self, root: &Element, first: Span) -> bool {
        let by_actuators = |slot: &&Slot| slot.joint.by_actuators;
        let slots: Vec<&Slot> = self.variables.iter().filter(by_actuators).collect();
        let mut actuators = root.named("actuator").flat_map(Element::elements);
        let has_actuators = actuators.next().is_some();
        let is_limited = |slot: &&&Slot| slot.joint.limits.effort.is_some();
        let limited = slots.iter().find(is_limited).map(|slot| slot.joint.span);
        let is_all = slots.len() == self.variables.len();
        let (span, label) = match limited {
            _ if slots.is_empty() => return true,
            _ if !has_actuators && is_all => return false,
            _ if !has_actuators => (first, "left out: the model has no actuators"),
            Some(span) => (span, "compensated beyond its `actuatorfrcrange`"),
            None => return true,
        };
        let message = "actuators are to compensate the weight of bodies";
        let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message).at(span, label);
        self.problems
            .push(diagnostic.help("remove `actuatorgravcomp` of the joints"));
        has_actuators
    }

    /// Returns the frame that the joint of a body moves: its own, or that of the joint.
    fn joint_frame(&self, body: &str) -> String {
        let frames = || self.frames.iter();
        let mut own = frames().find(|frame| frame.name == body);
        while let Some(frame) = own
            && frame.joint == model::Joint::Fixed
        {
            own = frames().find(|above| Some(&above.name) == frame.parent.as_ref());
        }
        own.map_or(body, |frame| &frame.name).to_owned()
    }
}
