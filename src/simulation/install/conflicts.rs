//! Actuators that move the same robot.
use morse_api::kind::Kinds;
use morse_scene::{
    diagnostic::Diagnostic,
    simulation::{Simulation, model},
};

use super::at;

/// Warns of robots whose velocity or pose several actuators set: the last in path order wins.
pub(super) fn conflicts(simulation: &Simulation, kinds: &Kinds) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for (robot, parts) in &simulation.robots {
        let moves = |actuator: &model::Actuator| {
            let kind = kinds.actuators.get(actuator.component.kind.as_str());
            kind.is_some_and(|kind| kind.moves_robot) && actuator.component.active
        };
        let mut movers = parts
            .actuators
            .iter()
            .filter(|(_, actuator)| moves(actuator));
        if let (Some((first, _)), Some((last, _))) = (movers.next(), movers.next_back()) {
            let (one, two, robot) = (&first.value, &last.value, &robot.value);
            let message = format!("`{one}` and `{two}` both move the robot `{robot}`");
            let warning = Diagnostic::warning("simulation::rivals", message)
                .help("let one of them begin with `active: false`, and activate it by its service");
            warnings.push(at(warning, last, "this one wins, as the last by name"));
        }
    }
    warnings
}
