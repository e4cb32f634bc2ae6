//! Links between components, and checks of all components after their installation.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    carrier::{Link, RestingPlate},
    check::CheckError,
    memory,
    state::sort_by_path,
};
use morse_diagnostics::Diagnostic;
use morse_simulation_file::{
    Instance, Spanned,
    model::{Component as Common, CountedFrom, On},
};

use super::{Installer, at};

/// A component that was installed, and is checked after all others are.
pub(super) struct Checked<'a> {
    pub(super) entity: Entity,
    pub(super) path: Arc<str>,
    pub(super) common: &'a Common,
    pub(super) check: fn(&World, Entity) -> Result<(), CheckError>,
}

impl Installer<'_> {
    /// Returns the links between the components of a robot.
    pub(super) fn links(&mut self, instance: &Instance<'_>, first: usize) -> Vec<Link> {
        let own = self.installed.get(first..).unwrap_or_default();
        let find = |name: &Spanned<String>| {
            let path = format!("{}.{}", instance.name, name.value);
            own.iter().find(|other| *other.path == *path)
        };
        let mut problems = Vec::new();
        let mut link = |checked: &Checked<'_>| {
            let on = checked.common.on.as_ref();
            let on = on.filter(|_| checked.common.mount.frame.is_none())?;
            let carrier = find(&on.component)?;
            let counts_from_base = on.from == CountedFrom::Base;
            if counts_from_base && self.world.get::<RestingPlate>(carrier.entity).is_none() {
                problems.push(no_arm(on, &carrier.common.kind));
            }
            Some(Link {
                component: checked.entity,
                carrier: carrier.entity,
                pose: checked.common.mount.pose,
                counts_from_base,
            })
        };
        let links = own.iter().filter_map(&mut link).collect();
        self.problems.extend(problems);
        links
    }

    /// Checks whether each component can work here, now that all exist.
    pub(super) fn check(&mut self) {
        sort_by_path(self.world);
        // A component may have to allocate to check whether it can work.
        if let Err(over) = memory::check(self.world) {
            let message = format!("`{}`: {over}", over.path);
            let problem = Diagnostic::error("simulation::memory", message).help(over.remedy());
            let component = self
                .installed
                .iter()
                .find(|component| component.path == over.path);
            self.problems.push(match component {
                Some(component) => at(problem, &component.common.kind, "this takes most"),
                None => problem,
            });
            return;
        }
        for component in &self.installed {
            if let Err(missing) = (component.check)(self.world, component.entity) {
                let problem = Diagnostic::error(
                    "simulation::cannot-work",
                    format!("`{}`: {missing}", component.path),
                );
                let problem = at(problem, &component.common.kind, "this needs it");
                self.problems.push(problem);
            }
        }
    }
}

/// Returns the error of a component without a base for poses.
fn no_arm(on: &On, kind: &str) -> Diagnostic {
    let message = format!("`{}` is a `{kind}`, which is no arm", on.component.value);
    let problem = Diagnostic::error("simulation::no-base", message)
        .help("leave `from` out: poses count from where it carries things");
    at(problem, &on.component, "what has a base is an arm")
}
