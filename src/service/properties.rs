//! The settings of components by service, under MORSE's names and in its units.
mod forms;

use bevy::{prelude::*, reflect::NamedField};
use morse_api::{
    component::{Active, Mount},
    fields::Unit,
    prelude::{Deserialize, Form, Reflect},
    property::form_of,
    service::{AddService as _, AnyValue, NoArguments, Outcome, Service, ServiceError},
    settings::{self, SettingsOf},
};
use serde_json::{Map, Value as Json, json};

pub use forms::name_of;
use forms::{from_morse, to_morse, type_of};

pub(super) fn add(app: &mut App) {
    app.add_service::<SettingsOf>(
        Service::new(
            "get_properties",
            "Returns the current settings of the component, with the names and units of MORSE's properties; settings that MORSE lacks have their own names and units.",
            get_properties,
        )
        .returns("`properties`: for each name the value, the type (`float`, `integer`, `bool`, `string`, `list`, `dict`), the meaning, and the name in simulation files")
        .read_only(),
    )
    .add_service::<SettingsOf>(Service::new(
        "set_property",
        "Changes a setting that `get_properties` returns. Settings that are evaluated only when the simulation is loaded, mostly names of other components, keep their effect.",
        set_property,
    ))
    .add_service::<Active>(
        Service::new(
            "get_configurations",
            "Returns the values of the settings, as `get_properties` does, and the pose of the component on its robot.",
            get_configurations,
        )
        .returns("`configurations`: the values by name, and `object_to_robot`: `rotation`, three rows, and `translation`, m")
        .read_only(),
    );
}

fn get_properties(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let property = |(field, value): (&'static NamedField, Json)| {
        let docs = field.docs().unwrap_or_default().split_whitespace();
        let docs = docs.collect::<Vec<_>>().join(" ");
        let own = field.get_attribute::<Unit>().map(|unit| unit.0);
        let unit = form_of(field).and_then(Form::unit).or(own);
        let docs = match unit.filter(|unit| !unit.is_empty()) {
            Some(unit) => format!("{docs} ({unit})"),
            None => docs,
        };
        let (value, kind) = (to_morse(field, &value), type_of(field));
        (
            name_of(field).to_owned(),
            json!([value, kind, docs, field.name()]),
        )
    };
    let all = settings::all(world, entity).into_iter().map(property);
    let all: Map<String, Json> = all.collect();
    Ok(Outcome::Done(json!({ "properties": all })))
}

/// Arguments of `set_property`.
#[derive(Reflect, Deserialize)]
struct SetProperty {
    /// Name of the property in MORSE, or of the setting.
    name: String,
    /// New value: for a property in MORSE's form (for example in degrees), for a setting in that of simulation files.
    value: AnyValue,
}

fn set_property(
    world: &mut World,
    entity: Entity,
    SetProperty { name, value }: SetProperty,
) -> Result<Outcome, ServiceError> {
    let setting = settings::find(world, entity, &name);
    let Some((field, is_property)) = setting else {
        return Err(settings::unknown(world, entity, &name));
    };
    let value = if is_property {
        from_morse(field, &value.0)
    } else {
        value.0
    };
    settings::set(world, entity, field.name(), &value)?;
    Ok(Outcome::NOTHING)
}

fn get_configurations(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let values = settings::all(world, entity).into_iter();
    let mut all: Map<String, Json> = values
        .map(|(field, value)| {
            let name = name_of(field).to_owned();
            (name, to_morse(field, &value))
        })
        .collect();
    if let Some(mount) = world.get::<Mount>(entity) {
        let pose = mount.robot_from_component;
        let rotation = pose.rotation.to_rotation_matrix();
        let rows: Vec<Vec<f64>> = rotation
            .matrix()
            .row_iter()
            .map(|row| row.iter().copied().collect())
            .collect();
        let translation: [f64; 3] = pose.translation.vector.into();
        let object_to_robot = json!({ "rotation": rows, "translation": translation });
        all.insert("object_to_robot".to_owned(), object_to_robot);
    }
    Ok(Outcome::Done(json!({ "configurations": all })))
}
