//! Data of several sensors in one measurement.
use std::collections::BTreeMap;

use bevy::ecs::query::QueryState;
use morse_api::{
    fields::{DynamicValue, Flat, assign_map},
    kind::{Described, Kinds, SensorKind},
    prelude::*,
    sensor::Exported,
    service::find,
};

/// Combines the data of other sensors as they are exported, each under the sensor's name and with its own `timestamp`. For a
/// sensor that is not due, the last exported data are used; a sensor that has not exported anything yet is left out.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Sources)]
pub struct Compound {
    /// Sensors: paths such as `rover.gps`, or names such as `gps` for sensors of the same robot.
    #[reflect(@Property("sensors"), @Form::Commas)]
    pub sensors: Vec<String>,
}

/// One measurement.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompoundData {
    /// `timestamp` of each sensor, s, and its fields, by its path. Each sensor is exported as a field.
    #[reflect(@Flat)]
    pub sensors: BTreeMap<String, DynamicValue>,
}

impl Clone for CompoundData {
    fn clone(&self) -> Self {
        Self {
            sensors: self.sensors.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        assign_map(&mut self.sensors, &source.sensors);
    }
}

/// Sources of the data. Derived from the settings.
#[derive(Component, Clone, Default)]
struct Sources(Vec<(String, Entity, SensorKind)>);

impl Sensor for Compound {
    const KIND: &'static str = "compound";
    const MERGES: bool = true;
    const MORSE_CLASSES: &'static [&'static str] = &["CompoundSensor"];
    type Data = CompoundData;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        self.sources(world, entity).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Compound, _>(default_action)
        .add_systems(Startup, begin);
}

impl Compound {
    fn sources(&self, world: &World, entity: Entity) -> Result<Sources, CheckError> {
        let own = world
            .get::<ComponentPath>(entity)
            .map_or("", ComponentPath::as_str);
        let robot = own.rsplit_once('.').map_or("", |(robot, _)| robot);
        let mut sources = Vec::new();
        for name in &self.sensors {
            let sibling = format!("{robot}.{name}");
            let paths = [sibling.as_str(), name.as_str()];
            let reader = paths.into_iter().find_map(|path| {
                let entity = find(world, path)?;
                let kinds = world.get_resource::<Kinds>()?.sensors.values();
                let kind = kinds.into_iter().find(|kind| (kind.is_on)(world, entity))?;
                Some((path.to_owned(), entity, *kind))
            });
            let Some(source) = reader else {
                return Err(CheckError::unmet(format!(
                    "there is no sensor `{name}`; name sensors by their paths, such as `rover.gps`"
                )));
            };
            if world.get::<Self>(source.1).is_some() {
                return Err(CheckError::unmet(format!(
                    "`{name}` is a compound itself; name the sensors that it is made of"
                )));
            }
            sources.push(source);
        }
        Ok(Sources(sources))
    }
}

fn begin(world: &mut World, compounds: &mut QueryState<(Entity, &Compound)>) {
    let sources_of_all: Vec<_> = compounds
        .iter(world)
        .map(|(entity, compound)| (entity, compound.sources(world, entity).unwrap_or_default()))
        .collect();
    for (entity, sources) in sources_of_all {
        world.entity_mut(entity).insert(sources);
    }
}

fn default_action(
    world: &mut World,
    compounds: &mut QueryState<(Entity, &Due, &mut Sources, &mut CompoundData), With<Compound>>,
) {
    // The data are taken out of the world while they are filled from it.
    let due = compounds.iter_mut(world).filter(|(_, due, _, _)| due.0);
    let taken = due.map(|(entity, _, mut sources, mut data)| {
        (
            entity,
            std::mem::take(&mut *sources),
            std::mem::take(&mut *data),
        )
    });
    for (entity, sources, mut data) in taken.collect::<Vec<_>>() {
        let clock = world.resource::<Clock>();
        for (path, source, kind) in &sources.0 {
            let (Some(described), Some(Exported(tick)), Some(exported)) = (
                world.get::<Described>(*source),
                world.get(*source),
                (kind.modified)(world, *source),
            ) else {
                continue;
            };
            let seconds = clock.nanos_of(*tick) as f64 / 1e9;
            if !data.sensors.contains_key(path) {
                data.sensors.insert(path.clone(), DynamicValue::default());
            }
            if let Some(dynamic) = data.sensors.get_mut(path) {
                dynamic.set_reading(seconds, &described.0.fields, exported);
            }
        }
        world.entity_mut(entity).insert((sources, data));
    }
}
