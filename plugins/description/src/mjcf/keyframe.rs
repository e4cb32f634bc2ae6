//! Reader of keyframes: the state in which a model starts.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;

use super::{codes, fields};
use crate::{problems::Problems, xml::Element};

/// Maximum number of values of a keyframe.
const MOST: usize = 200_000;

/// State at the start.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// Positions of all joints, in the order of the bodies; empty if they are those of the file.
    pub(super) positions: Vec<f64>,
    /// Controls of all actuators, in the order of the file.
    pub(super) controls: Vec<f64>,
    /// Activations of the actuators that have one, in the order of the file.
    pub(super) activations: Vec<f64>,
    /// Source position of the activations.
    activations_span: Span,
    pub(super) span: Span,
}

/// Returns the keyframe that is called `home`, or the first one.
pub(super) fn read(root: &Element, problems: &mut Problems) -> Option<Start> {
    let all = || root.named("keyframe").flat_map(|all| all.named("key"));
    let is_home = |key: &&Element| {
        let name = key.attribute("name");
        name.is_some_and(|name| name.value.trim() == "home")
    };
    let key = all().find(is_home).or_else(|| all().next())?;
    let others: Vec<&Element> = all().filter(|other| other.span != key.span).collect();
    if let Some(first) = others.first() {
        let message = match others.len() {
            1 => "a keyframe is not read".to_owned(),
            count => format!("{count} keyframes are not read"),
        };
        let diagnostic = Diagnostic::warning(codes::IGNORED, message)
            .at(first.span, "left out")
            .at(key.span, "the start")
            .help("the start is the keyframe `home`, or the first one: rename another one `home`");
        problems.push(diagnostic);
    }
    let list = |name: &str, problems: &mut Problems| {
        let numbers = fields::numbers(key, name, [0, MOST], Bounds::within(1e8), problems);
        numbers.unwrap_or_default()
    };
    let (positions, controls) = (list("qpos", problems), list("ctrl", problems));
    let (activations, velocities) = (list("act", problems), list("qvel", problems));
    let moves = velocities.iter().any(|velocity| *velocity != 0.0);
    if let Some(written) = key.attribute("qvel").filter(|_| moves) {
        let message = "`qvel` of a keyframe is not read";
        let diagnostic = Diagnostic::warning(codes::IGNORED, message).at(written.span, "left out");
        problems.push(diagnostic.help("models start at rest; command them from the first tick"));
    }
    for name in ["mpos", "mquat"] {
        if let Some(written) = key.attribute(name) {
            let message = format!("`{name}` of a keyframe is not read");
            let diagnostic =
                Diagnostic::warning(codes::IGNORED, message).at(written.span, "left out");
            problems.push(diagnostic.help("write the pose into the body: `pos` and `quat`"));
        }
    }
    Some(Start {
        positions,
        controls,
        activations,
        activations_span: key.attribute("act").map_or(key.span, |act| act.span),
        span: key.span,
    })
}

impl Start {
    /// Reports activations that belong to none of the actuators, which have this many.
    pub(super) fn check_activations(&self, count: usize, problems: &mut Problems) {
        if self.activations.len() > count {
            let actual = self.activations.len();
            let message = format!("`act` has {count} numbers in this model, not {actual}");
            let diagnostic = Diagnostic::warning(codes::IGNORED, message)
                .at(self.activations_span, "the further ones are left out")
                .help("write one number for each actuator that filters or integrates");
            problems.push(diagnostic);
        }
    }

    /// Reports that the number of positions is not that of the model.
    pub(super) fn refuse(&self, expected: usize, problems: &mut Problems) {
        let actual = self.positions.len();
        let message = format!("`qpos` has {expected} numbers in this model, not {actual}");
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
            .at(self.span, "this keyframe")
            .help(
                "write 7 numbers for a free joint, 4 for a ball joint, and 1 for each other joint",
            );
        problems.push(diagnostic);
    }
}
