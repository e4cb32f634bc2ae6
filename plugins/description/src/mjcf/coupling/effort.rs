//! Maximum efforts of joints: those of their actuators, whose sum is one motor with one maximum in both directions.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};

use super::Couplings;
use crate::{
    mjcf::{codes, joint::Joint, motor::Law},
    problems::Problems,
};

/// Actuators of one joint, with regard to their maximum efforts.
#[derive(Clone, Debug, Default)]
pub(super) struct Effort {
    /// Sum of the maximum efforts of the actuators that have one, N·m or N.
    sum: f64,
    /// Number of these actuators, and the source position of the first one.
    limited: usize,
    span: Option<Span>,
    /// Number of actuators without a maximum effort.
    unlimited: usize,
    /// Number of actuators whose force depends on the motion of the joint.
    servos: usize,
    /// True if the limits of an actuator differ in magnitude.
    is_lopsided: bool,
}

/// Reason for which the maximum effort of a joint is not that of MuJoCo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// The limits of an actuator differ in magnitude.
    Lopsided,
    /// One of several actuators has no maximum.
    Unlimited,
    /// The maximum is that of the sum of several actuators.
    Shared,
    /// The maximum is that of the motors together with a spring.
    Sprung,
}

impl Effort {
    /// Adds an actuator with these limits of its force, this gear and this law; an actuator without a law exerts no force.
    pub(super) fn add(&mut self, force: Option<[f64; 2]>, gear: f64, law: Option<Law>, span: Span) {
        self.servos += usize::from(law.is_some_and(|law| !law.is_constant()));
        let Some([lower, upper]) = force.filter(|[lower, upper]| lower < upper) else {
            self.unlimited += usize::from(law.is_some());
            return;
        };
        let most = lower.abs().max(upper.abs());
        self.sum += most * gear.abs();
        self.limited += 1;
        self.span = self.span.or(Some(span));
        self.is_lopsided |= lower + upper != 0.0;
    }

    /// Returns the maximum of the sum of the actuators.
    fn most(&self) -> Option<f64> {
        (self.limited > 0 && self.unlimited == 0).then_some(self.sum)
    }

    /// Returns the reasons why the maximum of a joint is not that of MuJoCo.
    fn reasons(&self, joint: &Joint, is_sprung: bool) -> impl Iterator<Item = Reason> {
        let sum_is_limited = self.most().is_some();
        let is_limited = sum_is_limited || joint.limits.effort.is_some();
        let is_lopsided = sum_is_limited && self.is_lopsided || joint.is_lopsided;
        let is_shared = sum_is_limited && self.limited > 1 && self.servos > 0;
        [
            (self.limited > 0 && !sum_is_limited, Reason::Unlimited),
            (is_lopsided, Reason::Lopsided),
            (is_shared, Reason::Shared),
            (is_limited && is_sprung, Reason::Sprung),
        ]
        .into_iter()
        .filter_map(|(applies, reason)| applies.then_some(reason))
    }
}

impl Couplings {
    /// Returns the maximum effort of the motors of a joint, with a maximum of its own.
    pub(super) fn effort(&self, joint: &str, own: Option<f64>) -> Option<f64> {
        let motors = self.efforts.get(joint).and_then(Effort::most);
        match (own, motors) {
            (Some(own), Some(motors)) => Some(own.min(motors)),
            _ => own.or(motors),
        }
    }

    /// Reports the maximum efforts that differ from those of MuJoCo, once for each reason.
    pub(super) fn report_efforts(&self, problems: &mut Problems) {
        let mut all: BTreeMap<Reason, (usize, &str, Span)> = BTreeMap::new();
        for (name, effort) in &self.efforts {
            let Some(joint) = self.joints.get(name) else {
                continue;
            };
            let own = joint.spring.or(joint.spring_damper);
            let is_sprung = self.spring(name, own).is_some();
            for reason in effort.reasons(joint, is_sprung) {
                let span = effort.span.unwrap_or(joint.span);
                all.entry(reason).or_insert((0, name, span)).0 += 1;
            }
        }
        for (reason, (count, name, span)) in all {
            let name = printable(name);
            let joints = match count {
                1 => format!("`{name}`"),
                2 => format!("`{name}` and of another joint"),
                count => format!("`{name}` and of {} other joints", count - 1),
            };
            let [message, label, help] = reason.texts(&joints);
            let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message);
            problems.push(diagnostic.at(span, label).help(help));
        }
    }
}

impl Reason {
    /// Returns message, label and remedy.
    fn texts(self, joints: &str) -> [String; 3] {
        let texts = match self {
            Self::Lopsided => [
                "the limits of an actuator of {} differ in magnitude",
                "the greater one applies in both directions",
                "write limits of equal magnitude",
            ],
            Self::Unlimited => [
                "one actuator of {} has a maximum effort, another one has none",
                "left out: the motor of the joint has no maximum effort",
                "give each actuator of the joint a `forcerange`, or none",
            ],
            Self::Shared => [
                "several actuators of {} have maximum efforts",
                "their sum is limited, not each of them",
                "replace them by one actuator, or remove `forcerange`",
            ],
            Self::Sprung => [
                "a maximum effort of {} holds for the motor together with the spring",
                "raised by the greatest effort of the spring",
                "remove `forcerange`, or the `stiffness` of the joint",
            ],
        };
        texts.map(|text| text.replace("{}", joints))
    }
}
