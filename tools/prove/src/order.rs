//! D11: the order of the systems of a tick is unambiguous.
use std::collections::BTreeMap;

use bevy::{
    ecs::schedule::{LogLevel, ScheduleBuildSettings, SystemKey},
    prelude::*,
};
use morse_api::tick::Tick;

use super::{
    Figure, Figures,
    bench::{Bench, step},
};

pub(super) fn check(bench: &Bench) -> Figures {
    let figures = bench.scenes.iter().map(|scene| {
        let mut simulation = bench.open(scene)?;
        // Kinds add their systems with their first component.
        step(&mut simulation)?;
        let (systems, pairs) = ambiguities(simulation.world_mut())?;
        Ok(Figure {
            figure: format!("{}: order of the {systems} systems of a tick", scene.name),
            target: "0 ambiguities".to_owned(),
            measured: format!("{} ambiguities", pairs.len()),
            met: Some(pairs.is_empty()),
            notes: pairs,
        })
    });
    figures.collect()
}

/// Returns the number of systems, and the pairs of them whose order is ambiguous although it affects the results.
fn ambiguities(world: &mut World) -> Result<(usize, Vec<String>), String> {
    world.schedule_scope(FixedUpdate, |world, schedule| {
        schedule.set_build_settings(ScheduleBuildSettings {
            ambiguity_detection: LogLevel::Ignore,
            ..default()
        });
        // A schedule is rebuilt when a system is added.
        schedule.add_systems((|| {}).after(Tick::Export));
        let built = schedule.initialize(world).map(drop);
        built.map_err(|error| error.to_string(schedule.graph(), world))?;
        let systems = schedule.systems().map_err(|error| error.to_string())?;
        let names = systems.map(|(key, system)| (key, system.name().to_string()));
        let names: BTreeMap<SystemKey, String> = names.collect();
        let name = |key: &SystemKey| names.get(key).cloned().unwrap_or_default();
        let pairs = schedule.graph().conflicting_systems().0.iter();
        let pairs = pairs.map(|(a, b, components)| {
            let of = components.iter();
            let of = of.filter_map(|id| Some(world.components().get_name(*id)?.to_string()));
            format!(
                "{} and {}: {}",
                name(a),
                name(b),
                of.collect::<Vec<_>>().join(", ")
            )
        });
        Ok((names.len(), pairs.collect()))
    })
}
