//! Reader of fixed tendons: sums of joint positions.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};

use super::{
    codes,
    compiler::Settings,
    defaults::Defaults,
    fields,
    joint::{Joint, limited},
};
use crate::{problems::Problems, xml::Element};

/// Attributes of `<fixed>`.
const KNOWN: &[&str] = &[
    "name",
    "class",
    "group",
    "limited",
    "range",
    "actuatorfrclimited",
    "actuatorfrcrange",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "frictionloss",
    "springlength",
    "stiffness",
    "damping",
    "armature",
    "margin",
    "user",
    // Of the defaults, which spatial tendons share.
    "material",
    "rgba",
    "width",
];

/// A fixed tendon. Its length is the sum of factors times joint positions.
#[derive(Clone, Debug)]
pub(super) struct Tendon {
    /// Name; the number of the tendon if it has none.
    pub(super) name: String,
    /// Joints with their factors.
    pub(super) terms: Vec<(String, f64)>,
    /// Limits of the length.
    pub(super) range: Option<[f64; 2]>,
    /// Stiffness of the spring.
    pub(super) stiffness: f64,
    /// Lengths between which the spring is slack; `None` is the length in the pose of the file.
    pub(super) rest: Option<[f64; 2]>,
    pub(super) damping: f64,
    /// Dry friction.
    pub(super) friction: f64,
    pub(super) armature: f64,
    pub(super) span: Span,
}

impl Tendon {
    /// Reads the fixed tendons of a model, by their names.
    pub(super) fn read_all(
        root: &Element,
        settings: &Settings,
        defaults: &Defaults,
        joints: &BTreeMap<String, Joint>,
        problems: &mut Problems,
    ) -> BTreeMap<String, Self> {
        let mut tendons = BTreeMap::new();
        let all = root
            .named("tendon")
            .flat_map(|section| section.named("fixed"));
        for (number, element) in all.enumerate() {
            let element = defaults.merged(element, None, problems);
            let name = fields::name(&element, "name", problems);
            let name = name.unwrap_or_else(|| number.to_string());
            let tendon = Self::read(&element, name.clone(), settings, joints, problems);
            if tendons.insert(name.clone(), tendon).is_some() {
                let message = format!("there are two tendons `{}`", printable(&name));
                let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message)
                    .at(element.span, "one of them")
                    .help("rename one of them");
                problems.push(diagnostic);
            }
        }
        tendons
    }

    fn read(
        element: &Element,
        name: String,
        settings: &Settings,
        joints: &BTreeMap<String, Joint>,
        problems: &mut Problems,
    ) -> Self {
        fields::check(element, KNOWN, problems);
        let mut terms = Vec::new();
        for child in element.named("joint") {
            let joint = fields::needed(child, "joint", "finger", problems);
            let factor = fields::needed(child, "coef", "1", problems)
                .and_then(|_| fields::number(child, "coef", fields::POSITION, problems));
            let Some(joint) = joint else { continue };
            let own = joint.value.trim();
            if !joints.contains_key(own) {
                let known = joints.keys().map(String::as_str);
                fields::unknown("joint", joint, known, problems);
            }
            terms.push((own.to_owned(), factor.unwrap_or(0.0)));
        }
        let mut positive = |name| fields::linear(element, name, problems).unwrap_or(0.0);
        let (stiffness, damping) = (positive("stiffness"), positive("damping"));
        let (friction, armature) = (positive("frictionloss"), positive("armature"));
        let most = ["actuatorfrclimited", "actuatorfrcrange"];
        if limited(element, most, settings, problems).is_some() {
            let message = "the maximum effort of the actuators of a tendon is not read";
            let diagnostic = Diagnostic::warning(codes::IGNORED, message)
                .at(element.span, "left out")
                .help("give the actuators a `forcerange`");
            problems.push(diagnostic);
        }
        let switches = &settings.switches;
        let unless = |is_off: bool, number: f64| if is_off { 0.0 } else { number };
        let rest = fields::numbers(element, "springlength", [1, 2], fields::POSITION, problems);
        let rest = rest.and_then(|rest| match rest[..] {
            // -1 stands for the length in the pose of the file.
            [-1.0] | [-1.0, -1.0] => None,
            [length] => Some([length; 2]),
            [lower, upper] => Some([lower, upper]),
            _ => None,
        });
        Self {
            name,
            terms,
            range: limited(element, ["limited", "range"], settings, problems),
            stiffness: unless(switches.no_springs, stiffness),
            rest,
            damping: unless(switches.no_dampers, damping),
            friction: unless(switches.no_friction, friction),
            armature,
            span: element.span,
        }
    }

    /// Returns true if the tendon exerts forces by itself.
    pub(super) fn has_forces(&self) -> bool {
        let forces = [self.stiffness, self.damping, self.friction, self.armature];
        self.range.is_some() || forces.iter().any(|force| *force > 0.0)
    }

    /// Returns the length in the pose of the file.
    pub(super) fn at_start(&self, joints: &BTreeMap<String, Joint>) -> f64 {
        let position = |name: &str| joints.get(name).map_or(0.0, |joint| joint.reference);
        let terms = self.terms.iter();
        terms.map(|(name, factor)| factor * position(name)).sum()
    }
}
