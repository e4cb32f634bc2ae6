//! Checks of names against the scene.

use std::collections::BTreeSet;
use std::ops::Bound;

use morse_diagnostics::Diagnostic;
use morse_scene::model::{Frame, Joint, Scene};

use super::Checker;
use crate::model::{Component, Form, Robot};
use crate::problem::quoted;
use crate::span::Spanned;

/// Names of frames and variables of a scene.
struct Names<'s> {
    frames: BTreeSet<&'s str>,
    variables: BTreeSet<&'s str>,
}

impl Checker<'_> {
    pub(super) fn everything_in(&mut self, scene: &Scene) {
        let frames = scene.frames().iter().map(|frame| frame.name.as_str());
        let names = Names {
            frames: frames.collect(),
            variables: scene.variables(),
        };
        let simulation = self.simulation;
        for name in simulation.bodies.keys() {
            self.frame(name, &names);
        }
        for name in simulation.objects.keys() {
            if !self.is_robot(name) {
                self.frame(name, &names);
            }
        }
        for name in simulation.joints.keys() {
            self.variable(name, "", "the scene", &names);
        }
        for (name, robot) in &simulation.robots {
            self.robot_in(name, robot, &names);
            self.detached(name, robot, scene);
        }
    }

    fn frame(&mut self, name: &Spanned<String>, names: &Names<'_>) {
        if !names.frames.contains(name.as_str()) {
            let message = format!("the scene has no frame {}", quoted(name));
            let known = below(&names.frames, "");
            self.unknown("simulation::unknown-frame", name, message, known);
        }
    }

    /// Reports an object that is also a robot, since a robot has its own properties.
    fn is_robot(&mut self, name: &Spanned<String>) -> bool {
        let simulation = self.simulation;
        let robot = simulation.robots.iter().find(|(robot, settings)| {
            let copies = settings.repeat.as_ref();
            let copy = || {
                name.strip_prefix(robot.as_str())?
                    .strip_prefix('_')?
                    .parse()
                    .ok()
            };
            match (&settings.form, copies) {
                (Form::Frame(frame), _) => frame == name,
                (Form::Model(_), None) => *robot == name,
                (Form::Model(_), Some(repeat)) => {
                    copy().is_some_and(|copy: u32| (1..=repeat.count.value).contains(&copy))
                }
            }
        });
        let Some((robot, _)) = robot else {
            return false;
        };
        let message = format!("{} is a robot, which is an object already", quoted(name));
        self.report("simulation::duplicate", name.span, message, |problem| {
            let problem = match robot.span {
                Some(span) => problem.at(span, "the robot"),
                None => problem,
            };
            problem.help("write its `properties` in the robot")
        });
        true
    }

    fn variable(&mut self, name: &Spanned<String>, prefix: &str, of: &str, names: &Names<'_>) {
        let whole = format!("{prefix}{}", name.value);
        if !names.variables.contains(whole.as_str()) {
            let message = format!("{of} has no configuration variable {}", quoted(name));
            let known = below(&names.variables, prefix);
            self.unknown("simulation::unknown-variable", name, message, known);
        }
    }

    fn robot_in(&mut self, name: &Spanned<String>, robot: &Robot, names: &Names<'_>) {
        let prefix = match &robot.form {
            Form::Frame(frame) => {
                self.frame(frame, names);
                String::new()
            }
            // All copies are alike: the first one represents them.
            Form::Model(_) if robot.repeat.is_some() => format!("{}_1.", name.value),
            Form::Model(_) => format!("{}.", name.value),
        };
        // If the robot has no frame, its model could not be loaded, which has been reported.
        if below(&names.frames, &prefix).next().is_none() {
            return;
        }
        let of = quoted(name);
        for variable in robot.joints.keys() {
            self.variable(variable, &prefix, &of, names);
        }
        let sensors = robot.sensors.iter();
        let sensors = sensors.map(|(name, sensor)| (name, &sensor.component));
        let actuators = robot.actuators.iter();
        let actuators = actuators.map(|(name, actuator)| (name, &actuator.component));
        for (component, settings) in sensors.chain(actuators) {
            self.mount(&of, component, settings, &prefix, names);
        }
    }

    /// Warns of a robot on a frame that is fixed to a moving body, which leaves that body since a base is free by default.
    fn detached(&mut self, name: &Spanned<String>, robot: &Robot, scene: &Scene) {
        let (Form::Frame(frame), None) = (&robot.form, &robot.base) else {
            return;
        };
        let Some(base) = scene.frame(frame) else {
            return;
        };
        // A valid scene has no cycle, but this check runs also with others.
        let mut above =
            std::iter::successors(scene.parent_of(base), |frame| scene.parent_of(frame));
        let moves = |frame: &Frame| !matches!(frame.joint, Joint::Fixed);
        let carrier = above
            .by_ref()
            .take(scene.frames().len())
            .find(|frame| moves(frame));
        let Some(carrier) = carrier.filter(|_| !moves(base)) else {
            return;
        };
        let (own, of) = (quoted(frame), quoted(&carrier.name));
        let message = format!(
            "the robot {} takes {own} off {of}, to which the frame is fixed",
            quoted(name)
        );
        let problem = Diagnostic::warning("simulation::detached", message);
        let problem = match frame.span {
            Some(span) => problem.at(span, "a base is free by default"),
            None => problem,
        };
        self.problems.push(problem.help(format!(
            "name the frame {of}, which keeps its joint, or say that the base is free: `base: dynamic`"
        )));
    }

    fn mount(
        &mut self,
        of: &str,
        name: &str,
        component: &Component,
        prefix: &str,
        names: &Names<'_>,
    ) {
        let Some(frame) = &component.mount.frame else {
            return;
        };
        let whole = format!("{prefix}{}", frame.value);
        if !names.frames.contains(whole.as_str()) {
            let (name, frame_name) = (quoted(name), quoted(frame));
            let message = format!("{name} is mounted on {frame_name}, which {of} does not have");
            let known = below(&names.frames, prefix);
            self.unknown("simulation::unknown-frame", frame, message, known);
        }
    }

    /// Reports a name that is not among the known names.
    fn unknown<'k>(
        &mut self,
        code: &'static str,
        name: &Spanned<String>,
        message: String,
        known: impl Iterator<Item = &'k str>,
    ) {
        // The search for a suggestion takes time, which the number of errors must not multiply without limit.
        if !self.problems.is_full() {
            self.report_unknown(code, name, message, known);
        }
    }
}

/// Returns the names that begin with the prefix, without the prefix.
fn below<'n>(names: &'n BTreeSet<&str>, prefix: &'n str) -> impl Iterator<Item = &'n str> {
    names
        .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
        .map_while(move |name| name.strip_prefix(prefix))
}
