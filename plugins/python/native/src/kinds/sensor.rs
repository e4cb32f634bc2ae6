//! Sensors that are written in Python.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    check::CheckError,
    component::{Due, Level},
    fault::Faults,
    kind::{About, ErasedSettings, KindOf, Kinds, SensorKind},
    random::Random,
    sensor::{AddSensor as _, Modified, Sensor},
    state::InPathOrder,
};
use pyo3::prelude::*;
use serde::Deserialize;

use super::{
    class::{Class, Instance, Object, Settings, path_of},
    context::{Context, with_world},
    record::{Datum, Record},
};

/// Marks sensors in Python, of all classes.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
pub(crate) struct PythonSensor {}

impl Sensor for PythonSensor {
    const KIND: &'static str = "python_sensor";
    type Data = Record<Datum>;
}

/// Registers the classes as kinds of sensor.
pub(crate) fn register(app: &mut App, classes: &[(Arc<Class>, About)]) {
    if classes.is_empty() {
        return;
    }
    app.add_sensor::<PythonSensor, _>(default_action);
    let mut kinds = app.world_mut().resource_mut::<Kinds>();
    let Some(common) = kinds.sensors.remove(PythonSensor::KIND) else {
        return;
    };
    for (class, about) in classes {
        let kind = SensorKind {
            about: *about,
            data: class.data.info,
            frequency: class.frequency,
            insert,
            check,
            ..common
        };
        kinds.sensors.insert(class.kind, kind);
    }
}

fn insert(
    entity: &mut EntityWorldMut<'_>,
    settings: &ErasedSettings,
    level: Level,
    random: Random,
) {
    let Some(settings) = settings.downcast_ref::<Settings>() else {
        return;
    };
    let class = &settings.class;
    let data = Record::<Datum>::new(class.data);
    entity.insert((
        PythonSensor {},
        data.clone(),
        Modified(data),
        Object(settings.make()),
        (level, random, KindOf(class.kind)),
    ));
}

/// Checks whether the object could be made.
pub(crate) fn check(world: &World, entity: Entity) -> Result<(), CheckError> {
    match world.get::<Object>(entity) {
        Some(Object(Err(why))) => Err(CheckError::setting(why)),
        _ => Ok(()),
    }
}

/// Returns the objects of all due components with a marker, in path order.
pub(crate) fn due<M: Component>(world: &World) -> Vec<(Entity, Arc<Instance>)> {
    let order = world.get_resource::<InPathOrder>();
    let entities = order.map_or(&[][..], |order| &order.0).iter();
    let due = entities.filter_map(|&entity| {
        world.get::<M>(entity)?;
        world.get::<Due>(entity).filter(|due| due.0)?;
        let Object(Ok(instance)) = world.get::<Object>(entity)? else {
            return None;
        };
        Some((entity, instance.clone()))
    });
    due.collect()
}

/// Calls `measure` of the due sensors. The data of a sensor that fails stay as they were.
fn default_action(world: &mut World) {
    for (entity, instance) in due::<PythonSensor>(world) {
        let Some(data) = world.get::<Record<Datum>>(entity) else {
            continue;
        };
        let mut data = data.clone();
        let context = Context::of(world, entity);
        let path = path_of(world, entity);
        let call = |object: &Bound<'_, PyAny>| {
            let context = Bound::new(object.py(), context)?;
            let called = object.call_method1("measure", (&context,));
            let random = context.get().take_random();
            called.and_then(|_| Instance::read(object, &mut data))?;
            Ok(random)
        };
        let called = with_world(world, || instance.call(&path, call));
        match called {
            Ok(random) => {
                let mut sensor = world.entity_mut(entity);
                sensor.insert(data);
                if let Some(random) = random {
                    sensor.insert(random);
                }
            }
            Err(fault) => world.resource_mut::<Faults>().add(fault),
        }
    }
}
