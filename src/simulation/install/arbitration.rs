//! Actuators that drive the same robot, and the order in which components were created.
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use morse_api::{
    arbitration::{Contender, Created},
    kind::Kinds,
};
use morse_diagnostics::SourceId;
use morse_simulation_file::{
    Instance, Spanned,
    model::{Actuator, Robot},
};

use super::Installer;

/// Returns true if several actuators of a robot set its velocity or its pose.
pub(super) fn has_contenders(robot: &Robot, kinds: &Kinds) -> bool {
    let moves = |actuator: &&Actuator| {
        let kind = kinds.actuators.get(actuator.component.kind.as_str());
        kind.is_some_and(|kind| kind.moves_robot)
    };
    robot.actuators.values().filter(moves).count() > 1
}

/// Returns the state of arbitration of an actuator at the start.
pub(super) fn at_start(actuator: &Actuator) -> Contender {
    Contender {
        is_new: actuator.start.is_some(),
        since: 0,
    }
}

impl Installer<'_> {
    /// Numbers the components in the order of their entries in the simulation file, copies of a robot one after the other,
    /// and sorts the outputs of middlewares by descending number.
    pub(super) fn number(&mut self, instances: &[Instance<'_>]) {
        let mut all: Vec<_> = instances.iter().enumerate().flat_map(entries).collect();
        all.sort();
        let numbers = all.into_iter().zip(0_u32..);
        let numbers: BTreeMap<Arc<str>, u32> = numbers
            .map(|((_, _, path), number)| (path, number))
            .collect();
        for component in &self.installed {
            if let Some(&number) = numbers.get(&component.path) {
                let mut entity = self.world.entity_mut(component.entity);
                entity.insert(Created(number));
            }
        }
        for context in self.connections.values_mut() {
            let number = |path: &Arc<str>| Reverse(numbers.get(path).copied());
            context
                .outputs
                .sort_by_key(|(observer, _)| number(&observer.info.path));
        }
    }
}

/// Source and offset of an entry.
type Offset = Option<(SourceId, u32)>;

/// Returns the components of a robot, by the offsets of their entries.
fn entries<'a>(
    (copy, instance): (usize, &'a Instance<'_>),
) -> impl Iterator<Item = (Offset, usize, Arc<str>)> + 'a {
    let robot = instance.robot;
    let sensors = robot.sensors.keys();
    let names = sensors.chain(robot.actuators.keys());
    names.map(move |name| {
        let path = format!("{}.{}", instance.name, name.value);
        (offset(name), copy, path.into())
    })
}

fn offset(name: &Spanned<String>) -> Offset {
    name.span.map(|span| (span.source, span.start))
}
