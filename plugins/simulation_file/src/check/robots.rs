//! Checks of robots and their components.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use morse_api::range::ValueRange;
use morse_diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::model::{Component, Robot};
use crate::problem::{Wording as _, quoted};
use crate::repeat::{MOST_COPIES, cannot_repeat};
use crate::span::Spanned;
use crate::vocabulary::Family;

/// Components of a robot, by name.
type Components<'a> = BTreeMap<&'a str, &'a Component>;

impl<'a> Checker<'a> {
    pub(super) fn robots(&mut self) {
        for name in self.simulation.scenes.keys() {
            self.name("scene", name);
        }
        for (name, robot) in &self.simulation.robots {
            if self.problems.is_full() {
                return;
            }
            self.name("robot", name);
            self.repeat(name, robot);
            for part in robot.parts.keys() {
                self.name("part", part);
            }
            self.middlewares(&robot.services);
            self.components(robot);
        }
    }

    fn repeat(&mut self, name: &Spanned<String>, robot: &Robot) {
        let Some(repeat) = &robot.repeat else {
            return;
        };
        let count = &repeat.count;
        if cannot_repeat(robot) {
            let message = format!(
                "{} is a frame of the scene, which is there once",
                quoted(name)
            );
            self.report("simulation::conflict", count.span, message, |problem| {
                problem.help("give the robot a `model` instead of a `frame`, or leave `repeat` out")
            });
        }
        self.copies(name, count.value.min(MOST_COPIES));
    }

    /// Reports another robot with the name of a copy of this one.
    fn copies(&mut self, name: &Spanned<String>, count: u32) {
        let prefix = format!("{}_", name.value);
        let simulation = self.simulation;
        let bounds = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        for (other, robot) in simulation.robots.range::<str, _>(bounds) {
            if !other.starts_with(&prefix) {
                break;
            }
            let number = other.value.strip_prefix(prefix.as_str());
            let plain = number.filter(|digits| !digits.starts_with(['0', '+']));
            let number = plain.and_then(|digits| digits.parse::<u32>().ok());
            if robot.repeat.is_none() && number.is_some_and(|number| number <= count) {
                let message = format!("{} is also the name of a copy", quoted(other));
                self.report("simulation::duplicate", other.span, message, |problem| {
                    let problem = match name.span {
                        Some(span) => problem.at(span, format!("this is repeated {count} times")),
                        None => problem,
                    };
                    problem.help("rename one of them")
                });
            }
        }
    }

    fn components(&mut self, robot: &'a Robot) {
        let mut components: BTreeMap<&str, (Option<Span>, &Component)> = BTreeMap::new();
        let sensors = robot
            .sensors
            .iter()
            .map(|(name, sensor)| (Family::Sensor, name, &sensor.component));
        let actuators = robot
            .actuators
            .iter()
            .map(|(name, actuator)| (Family::Actuator, name, &actuator.component));
        for (family, name, component) in sensors.chain(actuators) {
            // The name of a component on another component may begin with it: `head.camera`.
            if !is_below_component(robot, name) {
                self.name(family.noun(), name);
            }
            if let Some((first, _)) = components.insert(name, (name.span, component)) {
                self.same_name(name, first, "a sensor and an actuator");
            }
            self.component(family, name, component);
        }
        for sensor in robot.sensors.values() {
            self.middlewares(sensor.outputs.keys());
        }
        for actuator in robot.actuators.values() {
            self.middlewares(actuator.inputs.keys());
        }
        let names = components.iter().map(|(name, (span, _))| (*name, *span));
        self.overlays(robot, names.collect());
        let components = components
            .into_iter()
            .map(|(name, (_, component))| (name, component))
            .collect();
        self.carriers(&components);
    }

    /// Checks that the names of overlays are free, and that the components under them exist.
    fn overlays(&mut self, robot: &'a Robot, mut names: BTreeMap<&'a str, Option<Span>>) {
        for name in robot.overlays.keys() {
            self.name(Family::Overlay.noun(), name);
            if let Some(first) = names.insert(name, name.span) {
                self.same_name(name, first, "an overlay, and a sensor or an actuator");
            }
        }
        for (name, overlay) in &robot.overlays {
            self.middlewares(&overlay.services);
            if let Some(below) = &overlay.of
                && !names.contains_key(below.as_str())
            {
                let (name, of) = (quoted(name), quoted(below));
                let message = format!("{name} belongs to {of}, which does not exist");
                let known = names.keys().copied().filter(|other| quoted(other) != name);
                self.report_unknown("simulation::unknown-component", below, message, known);
            }
        }
    }

    fn same_name(&mut self, name: &Spanned<String>, first: Option<Span>, what: &str) {
        let message = format!("{} is {what}", quoted(name));
        self.report("simulation::duplicate", name.span, message, |problem| {
            let problem = match first {
                Some(first) => problem.at(first, "the other one"),
                None => problem,
            };
            problem
                .note("both would have the same path")
                .help("rename one of them")
        });
    }

    fn component(&mut self, family: Family, name: &str, component: &'a Component) {
        self.frequency(name, component);
        self.level(family, component);
        self.middlewares(&component.services);
    }

    fn frequency(&mut self, name: &str, component: &Component) {
        let Some(frequency) = &component.frequency else {
            return;
        };
        let rate = &self.simulation.environment.rate;
        let (value, limit) = (frequency.value, rate.value);
        if value <= limit {
            self.uneven(name, frequency);
        } else {
            let message = format!(
                "{} has a frequency above the rate of the simulation",
                quoted(name)
            );
            let rate = rate.span;
            self.report(
                "simulation::frequency",
                frequency.span,
                message,
                |problem| {
                    let problem =
                        problem.label(format!("{value} Hz, but there are {limit} ticks a second"));
                    let problem = match rate {
                        Some(span) => problem.at(span, "the rate"),
                        None => problem,
                    };
                    problem.help(format!(
                        "write `frequency: {limit}`, or raise the rate of the `environment`"
                    ))
                },
            );
        }
    }

    /// Warns of a component with uneven periods: its average frequency is right, but it acts at ticks only.
    fn uneven(&mut self, name: &str, frequency: &Spanned<f64>) {
        let rate = self.simulation.environment.rate.value;
        let ticks = rate / frequency.value;
        let (fewer, more) = (ticks.floor(), ticks.ceil());
        // In a long period, one tick more or less is negligible.
        if (ticks - ticks.round()).abs() <= 1e-6 * ticks || ticks > MOST_UNEVEN {
            return;
        }
        let (even, faster) = (shown_rate(rate / more), shown_rate(rate / fewer));
        let message = format!(
            "{} cannot act evenly at {} Hz",
            quoted(name),
            frequency.value
        );
        let warning = Diagnostic::warning("simulation::uneven", message)
            .note(format!(
                "at {rate} ticks a second its periods are {fewer} or {more} ticks long, so that the mean is right"
            ))
            .help(format!("for even periods, write `frequency: {even}` or `frequency: {faster}`"));
        self.problems.push(match frequency.span {
            Some(span) => warning.at(span, "does not divide the rate"),
            None => warning,
        });
    }

    fn level(&mut self, family: Family, component: &Component) {
        let (kind, vocabulary) = (&component.kind, self.vocabulary);
        let Some(level) = &component.level else {
            return;
        };
        if !vocabulary.words(family).contains(&kind.as_str()) {
            return;
        }
        let levels = vocabulary.levels(family, kind);
        if levels.is_empty() {
            let message = format!("{} has no levels", quoted(kind));
            self.report("simulation::level", level.span, message, |problem| {
                problem.help("leave `level` out")
            });
        } else if !levels.contains(&level.as_str()) {
            let message = format!("{} has no level {}", quoted(kind), quoted(level));
            self.report_unknown("simulation::level", level, message, levels);
        }
    }

    /// Checks the carriers of components: they must exist and must not form a cycle.
    fn carriers(&mut self, components: &Components<'a>) {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for (&name, component) in components {
            if let Some(on) = component.on.as_ref().map(|on| &on.component)
                && !components.contains_key(on.as_str())
            {
                let message = format!(
                    "{} is mounted on {}, which does not exist",
                    quoted(name),
                    quoted(on)
                );
                let known = components.keys().copied().filter(|other| *other != name);
                self.report_unknown("simulation::unknown-component", on, message, known);
            }
            let mut chain = vec![name];
            let mut indices = BTreeMap::from([(name, 0)]);
            let mut next = component.on.as_ref().map(|on| &on.component);
            while let Some(on) = next.filter(|on| !done.contains(on.as_str())) {
                if let Some(&start) = indices.get(on.as_str()) {
                    self.circle(on, chain.get(start..).unwrap_or_default());
                    break;
                }
                indices.insert(on.as_str(), chain.len());
                chain.push(on.as_str());
                next = components
                    .get(on.as_str())
                    .and_then(|other| Some(&other.on.as_ref()?.component));
            }
            done.extend(chain);
        }
    }

    fn circle(&mut self, on: &Spanned<String>, chain: &[&str]) {
        /// Maximum number of links of a chain that are shown.
        const MOST_LINKS: usize = 8;
        let message = match chain {
            [one] => format!("{} is mounted on itself", quoted(one)),
            _ => "the mounts of components form a cycle".to_owned(),
        };
        let mut links: Vec<String> = chain
            .iter()
            .take(MOST_LINKS)
            .map(|link| quoted(link))
            .collect();
        if chain.len() > MOST_LINKS {
            links.push("…".to_owned());
        }
        links.push(quoted(on));
        let note = links.join(" on ");
        self.report(
            "simulation::circle",
            on.span,
            message,
            |problem: Diagnostic| {
                problem
                    .note(note)
                    .help("mount one of them on the robot: remove its `on`")
            },
        );
    }
}

/// Number of ticks per period above which uneven periods are not reported.
const MOST_UNEVEN: f64 = 20.0;

/// Formats a frequency for a message, rounded to six decimals.
fn shown_rate(rate: f64) -> String {
    ValueRange::shown((rate * 1e6).round() / 1e6)
}

/// Returns true if the name consists of another component of the robot, a dot, and a further segment.
fn is_below_component(robot: &Robot, name: &str) -> bool {
    let Some((owner, own)) = name.rsplit_once('.') else {
        return false;
    };
    let is_plain = !own.trim().is_empty() && !own.chars().any(char::is_control);
    let mut names = robot.sensors.keys().chain(robot.actuators.keys());
    is_plain && names.any(|known| known.value == owner)
}
