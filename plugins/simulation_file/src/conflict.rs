//! Detection of contradictions between a robot and other settings of its base frame; the errors show both source positions.

use std::collections::BTreeMap;

use morse_api::body::BodyKind;
use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::assembly::{Assembly, RobotBase};
use nalgebra::Vector3;

use crate::{
    Instance, Simulation,
    model::{self, Body, Form, Robot},
};

/// Code of these errors.
const CODE: &str = "scene::contradiction";

/// Bodies of a file, and the robots so far.
pub(super) struct Conflicts<'s> {
    simulation: &'s Simulation,
    /// Name and span of the robot on each frame.
    on: BTreeMap<String, (String, Option<Span>)>,
}

impl<'s> Conflicts<'s> {
    pub(super) fn of(simulation: &'s Simulation) -> Self {
        Self {
            simulation,
            on: BTreeMap::new(),
        }
    }

    /// Returns the contradictions of another robot, which is in the assembly already.
    pub(super) fn look(&mut self, assembly: &Assembly, instance: &Instance<'s>) -> Vec<Diagnostic> {
        let Instance { name, robot, .. } = instance;
        let Some(base) = assembly.robots.get(name) else {
            return Vec::new();
        };
        let span = match &robot.form {
            Form::Model(model) => model.span,
            Form::Frame(frame) => frame.span,
        };
        let mut diagnostics = Vec::new();
        let known = (name.clone(), span);
        if let Some((other, first)) = self.on.insert(base.frame.clone(), known) {
            diagnostics.push(two_robots(&base.frame, (name, span), (&other, first)));
        }
        if let Some((key, body)) = self.simulation.bodies.get_key_value(base.frame.as_str()) {
            let pair = Pair {
                frame: &base.frame,
                robot: (name, robot, span),
                body: (body, key.span),
            };
            pair.kinds(base, &mut diagnostics);
            pair.numbers(&mut diagnostics);
        }
        diagnostics
    }
}

fn two_robots(
    frame: &str,
    (name, span): (&str, Option<Span>),
    (other, first): (&str, Option<Span>),
) -> Diagnostic {
    let [frame, name, other] = [frame, name, other].map(printable);
    let message = format!("the robots `{other}` and `{name}` are on one frame, `{frame}`");
    let error = Diagnostic::error(CODE, message);
    let error = labelled(error, span, &format!("`{name}` is on it"));
    labelled(error, first, &format!("so is `{other}`"))
        .help("give each robot a frame of its own, or make them one robot")
}

fn labelled(error: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    match span {
        Some(span) => error.at(span, text),
        None => error.note(text),
    }
}

/// A robot, and the entry of `bodies` for its base frame.
struct Pair<'a> {
    frame: &'a str,
    /// Name, robot, and span of its frame or model.
    robot: (&'a str, &'a Robot, Option<Span>),
    /// Body, and span of its name.
    body: (&'a Body, Option<Span>),
}

impl Pair<'_> {
    fn kinds(&self, base: &RobotBase, diagnostics: &mut Vec<Diagnostic>) {
        let (_, robot, span) = self.robot;
        let Some(kind) = self.body.0.kind else {
            return;
        };
        let said = match kind.value {
            model::BodyKind::Dynamic => BodyKind::Dynamic,
            model::BodyKind::Fixed => BodyKind::Fixed,
            model::BodyKind::Kinematic => BodyKind::Kinematic,
        };
        if said == base.kind {
            return;
        }
        let (base_span, note) = match robot.base {
            Some(base) => (base.span, ""),
            None => (span, "no `base`, so "),
        };
        let (said, own) = (word(said), word(base.kind));
        let values = (format!("`{said}`"), format!("{note}`{own}`"));
        let error = self.error("kind", (kind.span, base_span), values);
        diagnostics.push(error.help(format!(
            "write `base: {said}` in the robot, or leave `kind` of the body out: the robot decides"
        )));
    }

    fn numbers(&self, diagnostics: &mut Vec<Diagnostic>) {
        let ((_, robot, span), (body, key)) = (self.robot, self.body);
        let help = "leave one of them out";
        if let (Some(one), Some(other)) = (body.mass, robot.mass)
            && one.value != other.value
        {
            let values = (one.value.to_string(), other.value.to_string());
            diagnostics.push(
                self.error("mass", (one.span, other.span), values)
                    .help(help),
            );
        }
        let given = |number: f64| (number != 0.0).then_some(number);
        let numbers = [
            (
                "linear_damping",
                given(body.linear_damping),
                robot.linear_damping,
            ),
            (
                "angular_damping",
                given(body.angular_damping),
                robot.angular_damping,
            ),
        ];
        let shown = |number: f64| number.to_string();
        let numbers = numbers.map(|(field, one, other)| (field, one.map(shown), other.map(shown)));
        let shown = |[x, y, z]: [f64; 3]| format!("({x}, {y}, {z})");
        let area = |area: Option<Vector3<f64>>| area.map(|area| shown(area.into()));
        let areas = ("drag_area", area(body.drag_area), area(robot.drag_area));
        for (field, one, other) in numbers.into_iter().chain([areas]) {
            if let (Some(one), Some(other)) = (one, other)
                && one != other
            {
                diagnostics.push(self.error(field, (key, span), (one, other)).help(help));
            }
        }
    }

    fn error(
        &self,
        field: &str,
        (body, robot): (Option<Span>, Option<Span>),
        (one, other): (String, String),
    ) -> Diagnostic {
        let (frame, name) = (printable(self.frame), printable(self.robot.0));
        let message = format!(
            "the body `{frame}` and the robot `{name}` on it contradict each other: `{field}`"
        );
        let error = Diagnostic::error(CODE, message);
        let error = labelled(error, body, &format!("{one} for the body"));
        labelled(error, robot, &format!("{other} for the robot"))
    }
}

fn word(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Kinematic => "kinematic",
    }
}
