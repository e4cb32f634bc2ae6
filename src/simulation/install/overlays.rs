//! Installs overlays over components.
use morse_api::{
    component::Beside, component::ComponentPath, overlay::Over, service::find, state::sort_by_path,
};
use morse_diagnostics::Diagnostic;
use morse_simulation_file::{Instance, Simulation, Spanned, model::Overlay};

use super::{Installer, at};

impl Installer<'_> {
    /// Installs all overlays, the lowest ones first. Everything below them is installed.
    pub(super) fn overlays(&mut self, simulation: &Simulation) {
        if simulation
            .robots
            .values()
            .all(|robot| robot.overlays.is_empty())
        {
            return;
        }
        let instances = simulation.expand();
        let all = instances.iter().flat_map(|instance| {
            let overlays = instance.robot.overlays.iter();
            overlays.map(move |(name, overlay)| (instance, name, overlay))
        });
        let mut waiting: Vec<_> = all.collect();
        while !waiting.is_empty() {
            // Overlays of the last round can be found now.
            sort_by_path(self.world);
            let count = waiting.len();
            waiting.retain(|(instance, name, overlay)| !self.overlay(instance, name, overlay));
            if waiting.len() == count {
                self.circle(&waiting);
                break;
            }
        }
    }

    /// Installs one overlay; false if the component below is not installed yet.
    fn overlay(
        &mut self,
        instance: &Instance<'_>,
        name: &Spanned<String>,
        overlay: &Overlay,
    ) -> bool {
        let below = match &overlay.of {
            Some(of) => find(self.world, &format!("{}.{}", instance.name, of.value)),
            None => self.spawned.robots.get(&instance.name).copied(),
        };
        let Some(below) = below else {
            return false;
        };
        let Some(kind) = self.kinds.overlays.get(overlay.kind.as_str()).copied() else {
            return true;
        };
        let path = format!("{}.{}", instance.name, name.value);
        let over = Over(self.world.get(below).cloned().unwrap_or_default());
        let mut entity = self
            .world
            .spawn((ComponentPath(path.as_str().into()), over));
        (kind.insert)(&mut entity, &overlay.settings.0);
        let entity = entity.id();
        if overlay.beside {
            let mut below = self.world.entity_mut(below);
            let mut beside = below.take::<Beside>().unwrap_or_default();
            beside.0.push(entity);
            below.insert(beside);
        }
        for name in &overlay.services {
            self.offer_services(name, &path);
        }
        if let Err(missing) = (kind.install)(self.world, entity) {
            let message = format!("`{path}`: {missing}");
            let problem = Diagnostic::error("simulation::cannot-work", message);
            self.problems
                .push(at(problem, &overlay.kind, "this needs it"));
        }
        true
    }

    /// Reports a circle: the remaining overlays lie over each other, or over components that could not be installed, which
    /// is reported elsewhere.
    fn circle(&mut self, waiting: &[(&Instance<'_>, &Spanned<String>, &Overlay)]) {
        // Copies of a robot are equal: the overlays of one robot are reported.
        let robot = waiting.first().map(|(instance, ..)| instance.name.as_str());
        let of_robot = || {
            waiting
                .iter()
                .filter(|(instance, ..)| Some(instance.name.as_str()) == robot)
        };
        let is_waiting = |of: &str| of_robot().any(|(_, name, _)| name.as_str() == of);
        let over = of_robot().filter_map(|(.., overlay)| overlay.of.as_ref());
        let Some(of) = over.into_iter().find(|of| is_waiting(&of.value)) else {
            return;
        };
        let message = "the overlays form a cycle";
        let problem = Diagnostic::error("simulation::circle", message)
            .help("let one of them lie over a sensor or an actuator");
        self.problems.push(at(problem, of, "this one does"));
    }
}
