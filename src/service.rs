//! Services that every component has, and those of the simulation itself.
//!
//! - here: services of sensors and actuators;
//! - [`properties`]: the settings of a component;
//! - [`simulation`], [`time`], [`communication`]: services under these names, as in MORSE.
pub mod communication;
pub mod properties;
pub mod simulation;
pub mod time;

use bevy::prelude::*;
use morse_api::{
    component::{Active, ComponentPath},
    fields,
    kind::{Described, Kinds},
    sensor::{Exported, IsSensor},
    service::{AddService as _, NoArguments, Outcome, Service, ServiceError, Services},
    tick::Clock,
};
use serde_json::{Map, Value as Json};

/// Requests of clients to the program that runs the simulation.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct RunRequests {
    /// Reset before the next tick.
    pub reset: Option<Reset>,
    /// True to end the run after this tick.
    pub end: bool,
    /// Pace in simulated seconds per second; infinity for as fast as possible.
    pub pace: Option<f64>,
    /// Request to hold the run, or to continue.
    pub hold: Option<Hold>,
}

/// Request to hold a run or to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Continue.
    Off,
    /// Hold after this number of ticks.
    After(u64),
}

/// Scope of a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Bodies and joints; time goes on.
    Bodies,
    /// Everything.
    All,
}

/// Adds all services.
pub fn plugin(app: &mut App) {
    app.init_resource::<Services>()
        .init_resource::<RunRequests>()
        .add_service::<IsSensor>(
            Service::new(
                "get_local_data",
                "Returns the data of the last export. Fails before the first one.",
                get_local_data,
            )
            .returns("the fields of the data, by name, after `timestamp`, the simulated time of the measurement, s")
            .read_only(),
        )
        .add_service::<Active>(Service::new(
            "activate",
            "Activates the component.",
            |world, entity, _: NoArguments| set_active(world, entity, true),
        ))
        .add_service::<Active>(Service::new(
            "deactivate",
            "Deactivates the component: it makes no actions until it is activated.",
            |world, entity, _: NoArguments| set_active(world, entity, false),
        ));
    properties::add(app);
    simulation::add(app);
    time::add(app);
    communication::add(app);
}

/// Returns the last exported data of a sensor as JSON.
fn get_local_data(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let kinds = world.resource::<Kinds>();
    let data = kinds
        .sensors
        .values()
        .find_map(|kind| (kind.modified)(world, entity));
    let described = world.get::<Described>(entity);
    let exported = world.get::<Exported>(entity);
    let (Some(data), Some(described), Some(exported)) = (data, described, exported) else {
        let path = world
            .get::<ComponentPath>(entity)
            .map_or("", ComponentPath::as_str);
        return Err(ServiceError::Failed(format!(
            "`{path}` has exported nothing yet; ask again after its first measurement"
        )));
    };
    let nanos = world.resource::<Clock>().nanos_of(exported.0);
    let mut all = Map::new();
    all.insert("timestamp".to_owned(), (nanos as f64 / 1e9).into());
    if let Json::Object(fields) = fields::data_to_json(&described.0.fields, data) {
        all.extend(fields);
    }
    Ok(Outcome::Done(all.into()))
}

fn set_active(world: &mut World, entity: Entity, active: bool) -> Result<Outcome, ServiceError> {
    world.entity_mut(entity).insert(Active(active));
    Ok(Outcome::NOTHING)
}
