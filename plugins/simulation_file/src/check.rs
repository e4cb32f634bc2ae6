//! Checks of a simulation whose values are all well formed: references to undefined names, and values that contradict each
//! other.

mod names;
mod robots;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::{model::Scene, ranges::violation};

use super::model::{Environment, Origin, Simulation, Water};
use super::problem::{Problems, Wording as _, quoted};
use super::ranges;
use super::repeat::Instance;
use super::span::Spanned;
use super::vocabulary::Vocabulary;

/// Number of entries from which a simulation counts as large.
const MANY_ENTRIES: usize = 10_000;

/// Returns all errors of the simulation itself and all conflicts with the scene, in one pass.
///
/// The models of the robots must be mounted in `scene` already: the frames and variables of the robot `rover` begin with
/// `rover.`. A robot without frames in the scene is assumed to have a model that could not be loaded, and its frames are not
/// checked.
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

/// Returns all errors of the simulation itself, without a scene, for cases in which no scene is available.
pub fn check_alone(simulation: &Simulation, vocabulary: &dyn Vocabulary) -> Vec<Diagnostic> {
    let mut checker = Checker::new(simulation, vocabulary);
    checker.everything_alone();
    checker.problems.into_sorted()
}

/// Returns the numbers of an environment that are out of range. The reader checks those of a file; this function is for
/// environments that a program creates.
#[must_use]
pub fn check_environment(environment: &Environment) -> Vec<Diagnostic> {
    // The pattern has no `..`, so that the compiler requires a check of each new field.
    let Environment {
        name: _,
        rate,
        gravity,
        seed: _,
        origin,
        motion: _,
        time_strategy: _,
        substeps: _,
        contact_frequency,
        solver_iterations: _,
        friction_rule: _,
        restitution_rule: _,
        air_density,
        water,
        light: _,
        view,
    } = environment;
    let mut numbers = vec![(ranges::RATE, rate.value)];
    numbers.extend(gravity.iter().map(|number| (ranges::GRAVITY, *number)));
    numbers.extend([
        (ranges::CONTACT_FREQUENCY, *contact_frequency),
        (ranges::AIR_DENSITY, *air_density),
    ]);
    if let Some(Origin {
        latitude,
        longitude,
        altitude,
        angle_against_north,
    }) = *origin
    {
        numbers.extend([
            (ranges::LATITUDE, latitude),
            (ranges::LONGITUDE, longitude),
            (ranges::ALTITUDE, altitude),
            (ranges::NORTH, angle_against_north),
        ]);
    }
    if let Some(Water {
        level,
        density,
        linear_damping,
        angular_damping,
    }) = *water
    {
        numbers.extend([
            (ranges::WATER_LEVEL, level),
            (ranges::WATER_DENSITY, density),
            (ranges::WATER_LINEAR, linear_damping),
            (ranges::WATER_ANGULAR, angular_damping),
        ]);
    }
    numbers.extend(view.lens.angle.map(|angle| (ranges::VIEW_ANGLE, angle)));
    numbers.extend(view.lens.near.map(|near| (ranges::VIEW_NEAR, near)));
    numbers.extend(view.lens.far.map(|far| (ranges::VIEW_FAR, far)));
    let numbers = numbers.into_iter();
    numbers
        .filter_map(|(field, number)| violation(&field, field.path, number))
        .collect()
}

/// Shared state of all checks.
struct Checker<'a> {
    simulation: &'a Simulation,
    vocabulary: &'a dyn Vocabulary,
    problems: Problems,
}

impl<'a> Checker<'a> {
    fn new(simulation: &'a Simulation, vocabulary: &'a dyn Vocabulary) -> Self {
        let entries = simulation.bodies.len()
            + simulation.joints.len()
            + simulation.closures.len()
            + simulation.scenes.len()
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
        self.selected();
    }

    /// Checks that the initially selected component exists, also if it belongs to a copy of a robot.
    fn selected(&mut self) {
        let simulation = self.simulation;
        let Some(selected) = &simulation.environment.view.selected else {
            return;
        };
        let paths: Vec<String> = simulation
            .expand()
            .into_iter()
            .flat_map(|Instance { name, robot, .. }| {
                let names = robot.sensors.keys().chain(robot.actuators.keys());
                let path = move |component: &Spanned<String>| format!("{name}.{}", component.value);
                names.map(path).collect::<Vec<_>>()
            })
            .collect();
        if !paths.contains(&selected.value) {
            let message = format!("no robot has a component {}", quoted(selected));
            let known = paths.iter().map(String::as_str);
            self.report_unknown("simulation::unknown-component", selected, message, known);
        }
    }

    /// Checks that a name can be a segment of a dotted path and can be shown on a terminal.
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

    /// Reports a name that is not among the known names.
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
            // The search for a suggestion takes time, which the number of errors must not multiply without limit.
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
