//! Data of sensors with their times.
use bevy::prelude::*;
use morse_api::{
    fields::DynamicValue,
    kind::{Described, Kinds},
    sensor::Exported,
    service,
    tick::Clock,
};
use morse_sim::Simulation;

use crate::failure::Failure;

/// Returns the last exported data of a sensor, with their time.
pub(crate) fn of(simulation: &Simulation, path: &str) -> Result<DynamicValue, Failure> {
    // The error has the nearest path.
    simulation.read_any(path)?;
    of_world(simulation.world(), path)
}

/// Returns the last exported data of a sensor in a world, with their time.
pub(crate) fn of_world(world: &World, path: &str) -> Result<DynamicValue, Failure> {
    let sensor = service::find(world, path).and_then(|entity| {
        let info = &world.get::<Described>(entity)?.0;
        let kind = world.resource::<Kinds>().sensors.get(info.kind)?;
        Some((entity, info, kind))
    });
    let (entity, info, kind) =
        sensor.ok_or_else(|| Failure::access(format!("there is no sensor `{path}`")))?;
    let data = (kind.modified)(world, entity)
        .ok_or_else(|| Failure::access(format!("`{path}` has no data yet")))?;
    let measured = Clock {
        tick: world.get::<Exported>(entity).map_or(0, |tick| tick.0),
        ..*world.resource::<Clock>()
    };
    let mut value = DynamicValue::default();
    value.set_reading(measured.seconds(), &info.fields, data);
    Ok(value)
}
