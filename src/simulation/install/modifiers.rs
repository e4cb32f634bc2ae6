//! Binds the modifiers of a component to its data.
use bevy::prelude::*;
use morse_api::{
    fields::{Fields, to_json},
    kind::ModifierKind,
    modifier::{BindError, ModifierState, Modify, Side, Site as Binding},
    random::Random,
};
use morse_diagnostics::Diagnostic;
use morse_simulation_file::model::Modifier;
use serde_json::Value as Json;

use super::{Installer, Site, at};

/// Modifiers for a component that is not spawned yet.
pub(super) struct Bound(Vec<(Attach, Box<dyn Modify>, ModifierState)>);

/// Function that adds a modifier to a component.
type Attach = fn(&mut EntityWorldMut<'_>, Box<dyn Modify>, ModifierState);

impl Bound {
    pub(super) fn attach(self, entity: &mut EntityWorldMut<'_>) {
        for (attach, modify, state) in self.0 {
            attach(entity, modify, state);
        }
    }
}

/// Returns the purposes of the random streams of modifiers. They are numbered within their kinds, so that a modifier of another
/// kind does not change the noise.
pub(in crate::simulation) fn purposes(modifiers: &[Modifier]) -> impl Iterator<Item = String> {
    modifiers.iter().enumerate().map(|(index, modifier)| {
        let word = modifier.kind.as_str();
        let earlier = modifiers.iter().take(index);
        let earlier = earlier.filter(|other| other.kind.as_str() == word).count();
        format!("{word} {earlier}")
    })
}

impl Installer<'_> {
    /// Returns the modifiers of a component, bound to its data, and updates the description of the data.
    pub(super) fn modifiers(&mut self, site: &Site<'_>, fields: &mut Fields, side: Side) -> Bound {
        let mut bound = Bound(Vec::new());
        let modifiers = site.common.modifiers.iter();
        for (modifier, purpose) in modifiers.zip(purposes(&site.common.modifiers)) {
            let word = modifier.kind.as_str();
            let Some(kind) = self.kinds.modifiers.get(word) else {
                continue;
            };
            if let Err(wrong) = (kind.check)(&modifier.settings.0, self.world) {
                let message = format!("`{word}` of `{}`: {wrong}", site.path);
                let problem = Diagnostic::error("simulation::cannot-work", message);
                self.problems
                    .push(at(problem, &modifier.kind, "this needs it"));
            }
            let random = Random::new(self.seed, &site.path, &purpose);
            let binding = Binding {
                world: self.world,
                side,
                path: &site.path,
            };
            match (kind.bind)(&modifier.settings.0, fields, &binding) {
                Ok(modify) => {
                    modify.relabel(fields);
                    bound
                        .0
                        .push((kind.attach, modify, ModifierState::new(random)));
                }
                Err(bind_error) => {
                    let problem = self.bind_error(site, modifier, (kind, fields), &bind_error);
                    self.problems.push(problem);
                }
            }
        }
        bound
    }

    /// Returns the kinds of modifiers and their settings.
    pub(super) fn settings_of(&self, modifiers: &[Modifier]) -> Vec<(String, Json)> {
        let named = modifiers.iter().filter_map(|modifier| {
            let word = modifier.kind.as_str();
            let kind = self.kinds.modifiers.get(word)?;
            let settings = (kind.about.view)(&modifier.settings.0)?;
            Some((word.to_owned(), to_json(settings.as_partial_reflect())))
        });
        named.collect()
    }

    fn bind_error(
        &self,
        site: &Site<'_>,
        modifier: &Modifier,
        (kind, fields): (&ModifierKind, &Fields),
        bind_error: &BindError,
    ) -> Diagnostic {
        let word = modifier.kind.as_str();
        let message = format!(
            "`{word}` does not fit `{}`: {bind_error}",
            site.common.kind.as_str()
        );
        let world = &*self.world;
        let path = &*site.path;
        let fits = |fields: Fields, side| {
            let binding = Binding { world, side, path };
            (kind.bind)(&modifier.settings.0, &fields, &binding).is_ok()
        };
        let sensors = self.kinds.sensors.iter().filter(|(_, sensor)| {
            let level = sensor.levels.first().copied();
            fits(Fields::of(sensor.data, level), Side::Measurement)
        });
        let actuators = self
            .kinds
            .actuators
            .iter()
            .filter(|(_, actuator)| fits(Fields::of(actuator.command, None), Side::Command));
        let kinds: Vec<&str> = sensors
            .map(|(word, _)| *word)
            .chain(actuators.map(|(word, _)| *word))
            .collect();
        let problem = Diagnostic::error("simulation::misfit", message);
        let problem = at(problem, &modifier.kind, "the data lacks what this changes");
        let problem = problem.note(has(site.common.kind.as_str(), fields));
        if kinds.is_empty() {
            return problem.note("it fits no kind with these settings").help(
                "name a field of the data in the modifier's settings, or leave the modifier out",
            );
        }
        problem.note(format!("it fits: {}", kinds.join(", ")))
    }
}

/// Lists the fields of a component's data, for messages.
fn has(kind: &str, fields: &Fields) -> String {
    let shown = fields.0.iter().map(|field| match field.unit {
        Some(unit) if !unit.is_empty() => format!("`{}` ({}, {unit})", field.name, field.type_name),
        _ => format!("`{}` ({})", field.name, field.type_name),
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        return format!("`{kind}` has no fields");
    }
    format!("`{kind}` has {}", shown.join(", "))
}
