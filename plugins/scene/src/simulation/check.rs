//! Checks of a simulation in which every value is well formed: for names that nobody has, and
//! numbers that do not fit together.

mod names;
mod robots;

use super::model::Simulation;
use super::problem::{Problems, Wording as _, quoted};
use super::span::Spanned;
use super::vocabulary::Vocabulary;
use crate::diagnostic::{Diagnostic, Span};
use crate::model::Scene;

/// With more entries than this, a simulation is large.
const MANY_ENTRIES: usize = 10_000;

/// Faster than any solver, and slow enough for nanoseconds to tell the ticks apart.
const HIGHEST_RATE: f64 = 1e6;

/// Finds everything that is wrong in itself or does not fit the scene, in one pass.
///
/// The models of the robots are mounted in `scene` already: the frames and variables of the robot
/// `rover` begin with `rover.`. Robots of which the scene has no frame are taken for robots whose
/// model could not be loaded, and their frames are not looked for.
pub fn check(
    simulation: &Simulation,
    scene: &Scene,
    vocabulary: &dyn Vocabulary,
) -> Vec<Diagnostic> {
    let mut checker = Checker::new(simulation, vocabulary);
    checker.everything_alone();
    checker.everything_in(scene);
    checker.problems.into_sorted()
}

/// Finds everything that is wrong in itself, whatever the scene: for when there is none to be had.
pub fn check_alone(simulation: &Simulation, vocabulary: &dyn Vocabulary) -> Vec<Diagnostic> {
    let mut checker = Checker::new(simulation, vocabulary);
    checker.everything_alone();
    checker.problems.into_sorted()
}

/// State that all checks share.
struct Checker<'a> {
    simulation: &'a Simulation,
    vocabulary: &'a dyn Vocabulary,
    problems: Problems,
}

impl<'a> Checker<'a> {
    fn new(simulation: &'a Simulation, vocabulary: &'a dyn Vocabulary) -> Self {
        let entries = simulation.bodies.len()
            + simulation.joints.len()
            + simulation.objects.len()
            + simulation.zones.len()
            + simulation.robots.len()
            + simulation.middlewares.len();
        Self {
            simulation,
            vocabulary,
            problems: Problems::new(entries > MANY_ENTRIES),
        }
    }

    fn everything_alone(&mut self) {
        self.rate();
        for (name, body) in &self.simulation.bodies {
            self.mass(name, body.mass.as_ref());
        }
        for object in self.simulation.objects.values() {
            self.middlewares(&object.services);
        }
        for name in self.simulation.zones.keys() {
            self.name("zone", name);
        }
        for name in self.simulation.middlewares.keys() {
            self.name("middleware", name);
        }
        self.robots();
    }

    fn rate(&mut self) {
        let rate = &self.simulation.environment.rate;
        if !(rate.value > 0.0 && rate.value <= HIGHEST_RATE) {
            let message = format!("a rate of {} Hz", rate.value);
            self.report("simulation::out-of-range", rate.span, message, |problem| {
                problem
                    .label("must be above 0, and at most 1000000")
                    .help("write `rate: 60`")
            });
        }
    }

    fn mass(&mut self, of: &str, mass: Option<&Spanned<f64>>) {
        let Some(mass) = mass.filter(|mass| !(mass.value > 0.0 && mass.value.is_finite())) else {
            return;
        };
        let message = format!("{} has a mass of {} kg", quoted(of), mass.value);
        self.report("simulation::out-of-range", mass.span, message, |problem| {
            problem
                .label("must be above 0")
                .help("leave `mass` out to have it computed from the shapes")
        });
    }

    /// Names become parts of dotted paths, and are shown on terminals.
    fn name(&mut self, of: &str, name: &Spanned<String>) {
        let objection = if name.value.trim().is_empty() {
            "has no name"
        } else if name.value.contains('.') {
            "has a dot in its name"
        } else if name.value.chars().any(char::is_control) {
            "has a control character in its name"
        } else {
            return;
        };
        let message = format!("the {of} {} {objection}", quoted(name));
        self.report("simulation::bad-name", name.span, message, |problem| {
            problem
                .note("names are parts of paths such as `rover.gps`")
                .help("use letters, digits, `_` and `-`")
        });
    }

    fn report(
        &mut self,
        code: &'static str,
        span: Option<Span>,
        message: String,
        dress: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let problem = Diagnostic::error(code, message);
        let problem = match span {
            Some(span) => problem.at(span, ""),
            None => problem,
        };
        self.problems.push(dress(problem));
    }

    /// Reports a name that is not among the known ones.
    fn report_unknown<'k>(
        &mut self,
        code: &'static str,
        name: &Spanned<String>,
        message: String,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        self.report(code, name.span, message, |problem| {
            problem.known(name, known)
        });
    }

    fn middlewares(&mut self, names: impl IntoIterator<Item = &'a Spanned<String>>) {
        let simulation = self.simulation;
        for name in names {
            if simulation.middlewares.contains_key(name.as_str()) {
                continue;
            }
            // Looking for what was meant takes time, which an endless file must not have.
            if self.problems.is_full() {
                return;
            }
            let message = format!("there is no middleware {}", quoted(name));
            let known: Vec<&str> = simulation
                .middlewares
                .keys()
                .map(|key| key.as_str())
                .collect();
            if known.is_empty() {
                let help = format!("add `middlewares: {{ {:?}: (kind: …) }}`", name.value);
                let dress = |problem: Diagnostic| problem.help(help);
                self.report("simulation::unknown-middleware", name.span, message, dress);
            } else {
                self.report_unknown("simulation::unknown-middleware", name, message, known);
            }
        }
    }
}
