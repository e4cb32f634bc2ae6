//! The settings of components by service, under MORSE's names.
use bevy::prelude::*;
use morse_api::{
    body::Robot,
    component::{Mount, Path},
    fields::Unit,
    prelude::{Deserialize, Reflect},
    service::{AddService as _, AnyValue, NoArguments, Outcome, Refused, Service},
    settings::{self, SettingsOf},
};
use serde_json::{Map, Value as Json, json};

pub(super) fn add(app: &mut App) {
    app.add_service::<SettingsOf>(
        Service::new(
            "get_properties",
            "The settings of the component as they are now.",
            get_properties,
        )
        .returns("`properties`: for each name the value, the type, what it means, and the name again")
        .read_only(),
    )
    .add_service::<SettingsOf>(Service::new(
        "set_property",
        "Changes a number, a switch or a choice among the settings. Text and lists, which are names mostly, and what else is looked at when the simulation is loaded stay as they are.",
        set_property,
    ))
    .add_service::<SettingsOf>(
        Service::new(
            "get_configurations",
            "The values of the settings, and where the component sits on its robot.",
            get_configurations,
        )
        .returns("`configurations`: the values by name, and `object_to_robot`: `rotation`, three rows, and `translation`, m")
        .read_only(),
    )
    .add_service::<Robot>(Service::new(
        "set_property",
        "Refuses: what a robot is, is looked at when the simulation is loaded.",
        |world, robot, SetProperty { name, value: _ }| robot_property(world, robot, &name),
    ))
    .add_service::<Robot>(
        Service::new(
            "get_properties",
            "The properties of the robot.",
            robot_properties,
        )
        .returns("`properties`: for each name the value, the type, what it means, and the name again")
        .read_only(),
    );
}

fn get_properties(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let property = |(field, value): (&'static bevy::reflect::NamedField, Json)| {
        let docs = field.docs().unwrap_or_default().split_whitespace();
        let docs = docs.collect::<Vec<_>>().join(" ");
        let unit = field.get_attribute::<Unit>().map(|unit| unit.0);
        let docs = match unit.filter(|unit| !unit.is_empty()) {
            Some(unit) => format!("{docs} ({unit})"),
            None => docs,
        };
        let kind = field.type_path_table().short_path();
        (
            field.name().to_owned(),
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
    /// The setting; MORSE's way to write it will do, if its unit is the same.
    name: String,
    /// Its new value.
    value: AnyValue,
}

fn set_property(
    world: &mut World,
    entity: Entity,
    SetProperty { name, value }: SetProperty,
) -> Result<Outcome, Refused> {
    let known = settings::all(world, entity);
    let is_known = |name: &str| known.iter().any(|(field, _)| field.name() == name);
    let ours = snake(&name);
    let name = if is_known(&name) || !is_known(&ours) {
        name
    } else {
        ours
    };
    settings::set(world, entity, &name, &value.0)?;
    Ok(Outcome::NOTHING)
}

/// A setting by the way in which MORSE writes names: `FreeZ` is `free_z`. A `ControlType` is a `control`.
fn snake(name: &str) -> String {
    if name == "ControlType" {
        return "control".to_owned();
    }
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

fn get_configurations(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, Refused> {
    let values = settings::all(world, entity).into_iter();
    let mut all: Map<String, Json> = values
        .map(|(field, value)| (field.name().to_owned(), value))
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
        let place = json!({ "rotation": rows, "translation": translation });
        all.insert("object_to_robot".to_owned(), place);
    }
    Ok(Outcome::Done(json!({ "configurations": all })))
}

fn robot_property(world: &World, robot: Entity, name: &str) -> Result<Outcome, Refused> {
    let path = world.get::<Path>(robot).cloned().unwrap_or_default();
    Err(Refused(if name == "is_ground_robot" {
        format!("`{name}` of `{path}` is looked at when the simulation is loaded")
    } else {
        format!("Property {name} does not exist for object {path}")
    }))
}

fn robot_properties(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let is_ground_robot = world
        .get::<Robot>(entity)
        .is_some_and(|robot| robot.is_ground_robot);
    let docs = "Keeps its own vertical speed, roll and pitch rates when a velocity is commanded.";
    Ok(Outcome::Done(json!({
        "properties": { "is_ground_robot": [is_ground_robot, "bool", docs, "is_ground_robot"] }
    })))
}
