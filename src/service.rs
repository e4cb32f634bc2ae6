//! Services that every component has, and those of the simulation itself.
use bevy::prelude::*;
use morse_api::{
    component::Active,
    fields,
    kind::Kinds,
    sensor::IsSensor,
    service::{AddService as _, NoArguments, Outcome, Refused, Service, Services},
};

/// Adds them.
pub fn plugin(app: &mut App) {
    app.init_resource::<Services>()
        .add_service::<IsSensor>(
            Service::new(
                "get_local_data",
                "The sensor's data, as it is exported.",
                get_local_data,
            )
            .read_only(),
        )
        .add_service::<Active>(Service::new(
            "activate",
            "Lets the component act.",
            |world, entity, _: NoArguments| set_active(world, entity, true),
        ))
        .add_service::<Active>(Service::new(
            "deactivate",
            "Keeps the component from acting.",
            |world, entity, _: NoArguments| set_active(world, entity, false),
        ));
}

fn get_local_data(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let kinds = world.resource::<Kinds>();
    let data = kinds
        .sensors
        .values()
        .find_map(|kind| (kind.modified)(world, entity));
    let described = world.get::<morse_api::kind::Described>(entity);
    let (Some(data), Some(described)) = (data, described) else {
        return Err(Refused("this sensor has no data".to_owned()));
    };
    Ok(Outcome::Done(fields::data_to_json(
        &described.0.fields,
        data,
    )))
}

fn set_active(world: &mut World, entity: Entity, active: bool) -> Result<Outcome, Refused> {
    world.entity_mut(entity).insert(Active(active));
    Ok(Outcome::NOTHING)
}
