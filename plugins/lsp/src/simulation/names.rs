//! Names in a simulation file, and what they refer to.

use std::ops::Range;

use lsp_types::Location;
use morse_diagnostics::Span;
use morse_simulation_file::model::{Component, Form, Named, Robot, Simulation};
use morse_simulation_file::span::Spanned;

use super::Site;

/// Element that a name refers to. Names of frames and variables are those of the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Frame(String),
    Variable(String),
    File(String),
    Robot(String),
    Component { robot: String, name: String },
    Middleware(String),
}

/// A name in the file.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) span: Span,
    pub(crate) target: Target,
    /// True where the element is declared.
    pub(crate) declares: bool,
}

/// Collector of the names of a simulation.
#[derive(Default)]
struct Collector {
    names: Vec<Name>,
}

/// Returns all names of a simulation.
pub(crate) fn all(simulation: &Simulation) -> Vec<Name> {
    let mut names = Collector::default();
    if let Some(scene) = &simulation.scene {
        names.uses(scene, Target::File(scene.value.clone()));
    }
    for scene in simulation.scenes.values() {
        names.uses(&scene.model, Target::File(scene.model.value.clone()));
        if let Some(frame) = &scene.frame {
            names.uses(frame, Target::Frame(frame.value.clone()));
        }
    }
    for frame in simulation.bodies.keys().chain(simulation.objects.keys()) {
        names.uses(frame, Target::Frame(frame.value.clone()));
    }
    for variable in simulation.joints.keys() {
        names.uses(variable, Target::Variable(variable.value.clone()));
    }
    for object in simulation.objects.values() {
        names.middlewares(&object.services);
    }
    for name in simulation.middlewares.keys() {
        names.declares(name, Target::Middleware(name.value.clone()));
    }
    for (name, robot) in &simulation.robots {
        names.robot(name, robot);
    }
    names.names
}

impl Collector {
    fn uses(&mut self, name: &Spanned<String>, target: Target) {
        self.add(name, target, false);
    }

    fn declares(&mut self, name: &Spanned<String>, target: Target) {
        self.add(name, target, true);
    }

    fn add(&mut self, name: &Spanned<String>, target: Target, declares: bool) {
        let name = name.span.map(|span| Name {
            span,
            target,
            declares,
        });
        self.names.extend(name);
    }

    fn middlewares<'n>(&mut self, names: impl IntoIterator<Item = &'n Spanned<String>>) {
        for name in names {
            self.uses(name, Target::Middleware(name.value.clone()));
        }
    }

    fn robot(&mut self, name: &Spanned<String>, robot: &Robot) {
        self.declares(name, Target::Robot(name.value.clone()));
        match &robot.form {
            Form::Model(model) => self.uses(model, Target::File(model.value.clone())),
            Form::Frame(frame) => self.uses(frame, Target::Frame(frame.value.clone())),
        }
        let prefix = prefix(&name.value, robot);
        for variable in robot.joints.keys() {
            self.uses(
                variable,
                Target::Variable(format!("{prefix}{}", variable.value)),
            );
        }
        for part in robot.parts.values() {
            self.uses(&part.model, Target::File(part.model.value.clone()));
            if let Some(frame) = &part.frame {
                self.uses(frame, Target::Frame(format!("{prefix}{}", frame.value)));
            }
        }
        self.middlewares(&robot.services);
        for (own, sensor) in &robot.sensors {
            self.component((name, own), &sensor.component, &prefix);
            self.middlewares(sensor.outputs.keys());
        }
        for (own, actuator) in &robot.actuators {
            self.component((name, own), &actuator.component, &prefix);
            self.middlewares(actuator.inputs.keys());
        }
        self.overlays(name, robot);
    }

    fn overlays(&mut self, robot: &Spanned<String>, settings: &Robot) {
        for (own, overlay) in &settings.overlays {
            let target = |name: &str| Target::Component {
                robot: robot.value.clone(),
                name: name.to_owned(),
            };
            self.declares(own, target(&own.value));
            if let Some(of) = &overlay.of {
                self.uses(of, target(&of.value));
            }
            self.middlewares(&overlay.services);
        }
    }

    fn component(
        &mut self,
        (robot, own): (&Spanned<String>, &Spanned<String>),
        component: &Component,
        prefix: &str,
    ) {
        let target = |name: &str| Target::Component {
            robot: robot.value.clone(),
            name: name.to_owned(),
        };
        self.declares(own, target(&own.value));
        if let Some(on) = &component.on {
            self.uses(&on.component, target(&on.component.value));
        }
        if let Some(frame) = &component.mount.frame {
            self.uses(frame, Target::Frame(format!("{prefix}{}", frame.value)));
        }
        self.middlewares(&component.services);
    }
}

/// Returns the beginning of the names of a robot's frames and variables in the world.
pub(crate) fn prefix(name: &str, robot: &Robot) -> String {
    match (&robot.form, &robot.repeat) {
        (Form::Frame(_), _) => String::new(),
        // All copies are alike: the first one represents them.
        (Form::Model(_), Some(_)) => format!("{name}_1."),
        (Form::Model(_), None) => format!("{name}."),
    }
}

impl Site<'_> {
    /// Returns the names at the position.
    pub(crate) fn names(&self) -> Vec<Name> {
        let at = |name: &Name| {
            let range = name.span.range();
            range.start <= self.offset && self.offset <= range.end
        };
        let names = all(&self.analysis.loaded.simulation);
        names.into_iter().filter(at).collect()
    }

    /// Returns the locations of the elements to which the name at the position refers.
    pub(crate) fn definitions(&self) -> Vec<Location> {
        let names = self.names();
        let locations = names.iter().flat_map(|name| match &name.target {
            Target::File(path) => self.file(path).into_iter().collect(),
            Target::Frame(frame) => self.frame(frame).into_iter().collect(),
            Target::Variable(variable) => self.variable(variable),
            target => self.spans(target, true),
        });
        locations.collect()
    }

    /// Returns the locations of the frames that a variable moves.
    fn variable(&self, variable: &str) -> Vec<Location> {
        let Some(world) = &self.world else {
            return Vec::new();
        };
        let frames = world.scene.frames().iter();
        let moved = frames.filter(|frame| {
            frame
                .joint
                .axis()
                .is_some_and(|axis| axis.variable == variable)
        });
        moved.filter_map(|frame| self.frame(&frame.name)).collect()
    }

    /// Returns the locations of an element's names in this file.
    pub(crate) fn spans(&self, target: &Target, declarations_only: bool) -> Vec<Location> {
        let names = all(&self.analysis.loaded.simulation).into_iter();
        let names =
            names.filter(|name| name.target == *target && (name.declares || !declarations_only));
        names
            .map(|name| Location {
                uri: self.document.uri.clone(),
                range: self.range(name.span.range()),
            })
            .collect()
    }

    pub(crate) fn range(&self, bytes: Range<usize>) -> lsp_types::Range {
        self.document.lines.range(&self.document.text, bytes)
    }
}

/// Returns the robot with this name.
pub(crate) fn robot<'s>(robots: &'s Named<Robot>, name: &str) -> Option<&'s Robot> {
    robots.get(name)
}
