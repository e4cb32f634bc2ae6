//! Range checks of settings in simulations that a program made. Settings in files were checked when they were read.
use morse_api::kind::{About, Kinds};
use morse_diagnostics::Diagnostic;
use morse_simulation_file::{
    Simulation, Spanned,
    model::{Component, Settings},
};

use super::at;

/// Returns all numbers that are out of range, once per robot in the simulation, regardless of copies.
pub(super) fn out_of_range(simulation: &Simulation, kinds: &Kinds) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    let middlewares = &simulation.middlewares;
    let kind_of = |name: &str| {
        let kind = middlewares.get(name)?.kind.as_str();
        kinds.middlewares.get(kind)
    };
    for (name, middleware) in middlewares {
        let about = kinds.middlewares.get(middleware.kind.as_str());
        let about = about.map(|kind| kind.about);
        problems.hold(name, &middleware.kind, about, &middleware.settings);
    }
    for (robot, components) in &simulation.robots {
        let path = |name: &str| format!("{}.{name}", robot.value);
        for (name, sensor) in &components.sensors {
            let common = &sensor.component;
            let about = kinds.sensors.get(common.kind.as_str());
            problems.component(&path(name), common, about.map(|kind| kind.about), kinds);
            for (middleware, output) in &sensor.outputs {
                let about = kind_of(middleware).map(|kind| kind.output);
                problems.hold(&path(name), &common.kind, about, &output.settings);
            }
        }
        for (name, actuator) in &components.actuators {
            let common = &actuator.component;
            let about = kinds.actuators.get(common.kind.as_str());
            problems.component(&path(name), common, about.map(|kind| kind.about), kinds);
            for (middleware, input) in &actuator.inputs {
                let about = kind_of(middleware).map(|kind| kind.input);
                problems.hold(&path(name), &common.kind, about, &input.settings);
            }
        }
        for (name, overlay) in &components.overlays {
            let about = kinds.overlays.get(overlay.kind.as_str());
            let about = about.map(|kind| kind.about);
            problems.hold(&path(name), &overlay.kind, about, &overlay.settings);
        }
    }
    problems.0
}

#[derive(Default)]
struct Problems(Vec<Diagnostic>);

impl Problems {
    fn component(&mut self, path: &str, common: &Component, about: Option<About>, kinds: &Kinds) {
        self.hold(path, &common.kind, about, &common.settings);
        for modifier in &common.modifiers {
            let about = kinds.modifiers.get(modifier.kind.as_str());
            let about = about.map(|kind| kind.about);
            self.hold(path, &modifier.kind, about, &modifier.settings);
        }
    }

    fn hold(
        &mut self,
        path: &str,
        kind: &Spanned<String>,
        about: Option<About>,
        settings: &Settings,
    ) {
        let violations = about.map_or(Vec::new(), |about| about.violations(&settings.0));
        for violation in violations {
            let (field, kind_word) = (violation.field(), kind.as_str());
            let message = format!("`{path}`: `{field}` of `{kind_word}`: {violation}");
            let problem = Diagnostic::error("simulation::out-of-range", message);
            self.0.push(at(problem, kind, "in the settings of this"));
        }
    }
}
