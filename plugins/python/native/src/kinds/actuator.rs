//! Actuators that are written in Python.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    actuator::{Actuator, AddActuator as _},
    body::Drive,
    command::Received,
    component::Due,
    fault::Faults,
    joint::JointTarget,
    kind::{About, ActuatorKind, ErasedSettings, KindOf, Kinds},
    state::InPathOrder,
};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};
use serde::Deserialize;

use super::{
    class::{Class, Instance, Object, Settings, path_of},
    context::{Context, joints_of, with_world},
    record::{Order, Record, read},
    sensor::{check, due},
};

/// Marks actuators in Python, of all classes.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
pub(crate) struct PythonActuator {}

impl Actuator for PythonActuator {
    const KIND: &'static str = "python_actuator";
    type Command = Record<Order>;
}

/// Registers the classes as kinds of actuator.
pub(crate) fn register(app: &mut App, classes: &[(Arc<Class>, About)]) {
    if classes.is_empty() {
        return;
    }
    app.add_actuator::<PythonActuator, _>(default_action);
    let mut kinds = app.world_mut().resource_mut::<Kinds>();
    let Some(common) = kinds.actuators.remove(PythonActuator::KIND) else {
        return;
    };
    for (class, about) in classes {
        let kind = ActuatorKind {
            about: *about,
            command: class.data.info,
            command_about: command_about(class),
            moves_robot: class.moves_robot,
            insert,
            check,
            ..common
        };
        kinds.actuators.insert(class.kind, kind);
    }
}

/// Describes the command at the start, as it is written in simulation files.
fn command_about(class: &Arc<Class>) -> About {
    let shape = class.data;
    About {
        settings: shape.info,
        read: Box::leak(Box::new(
            move |source: &mut dyn erased_serde::Deserializer<'_>| {
                let command: Record<Order> = read(shape, source)?;
                Ok(Arc::new(command) as ErasedSettings)
            },
        )),
        view: |command| Some(command.downcast_ref::<Record<Order>>()?.as_reflect()),
    }
}

fn insert(entity: &mut EntityWorldMut<'_>, settings: &ErasedSettings) {
    let Some(settings) = settings.downcast_ref::<Settings>() else {
        return;
    };
    let class = &settings.class;
    let command = Record::<Order>::new(class.data);
    entity.insert((
        PythonActuator {},
        Received(command.clone()),
        command,
        Object(settings.make()),
        KindOf(class.kind),
    ));
}

/// Calls `act` of the due actuators. An actuator that fails keeps its drive.
fn default_action(world: &mut World) {
    hold(world);
    for (entity, instance) in due::<PythonActuator>(world) {
        let Some(command) = world.get::<Record<Order>>(entity).cloned() else {
            continue;
        };
        let context = Context::of(world, entity);
        let joints = joints_of(world, entity);
        let path = path_of(world, entity);
        let call = |object: &Bound<'_, PyAny>| {
            let context = Bound::new(object.py(), context)?;
            Instance::write(object, &command)?;
            let action = object.call_method1("act", (context,))?;
            Action::of(&action)?.resolve(&joints)
        };
        let called = with_world(world, || instance.call(&path, call));
        match called {
            Ok((drive, targets)) => {
                world.entity_mut(entity).insert(drive);
                for (joint, target) in targets {
                    world.entity_mut(joint).insert(target);
                }
            }
            Err(fault) => world.resource_mut::<Faults>().add(fault),
        }
    }
}

/// Ends displacements of actuators that are not due.
fn hold(world: &mut World) {
    let order = world.get_resource::<InPathOrder>();
    let entities = order.map_or(&[][..], |order| &order.0).to_vec();
    for entity in entities {
        let is_idle = world.get::<PythonActuator>(entity).is_some()
            && world.get::<Due>(entity).is_some_and(|due| !due.0);
        if is_idle && let Some(mut drive) = world.get_mut::<Drive>(entity) {
            *drive = drive.between_actions();
        }
    }
}

/// Result of `act`: a drive of the robot or targets of joints.
#[derive(FromPyObject)]
struct Action {
    form: String,
    first: Vec<f64>,
    second: Vec<f64>,
    joints: Vec<(String, f64)>,
}

impl Action {
    fn of(returned: &Bound<'_, PyAny>) -> PyResult<Self> {
        if returned.is_none() {
            return Ok(Self {
                form: "nothing".to_owned(),
                first: Vec::new(),
                second: Vec::new(),
                joints: Vec::new(),
            });
        }
        returned.extract().map_err(|_cause: PyErr| {
            let class = returned.get_type().name().map(|name| name.to_string());
            let class = class.unwrap_or_else(|_| "object".to_owned());
            PyTypeError::new_err(format!(
                "`act` returned a `{class}`: expected a `Drive`, such as `Drive.velocity((1, 0, 0), (0, 0, 0))`, or `None`"
            ))
        })
    }

    fn vector(numbers: &[f64]) -> PyResult<Vector3<f64>> {
        let vector: Result<[f64; 3], _> = numbers.try_into();
        vector
            .ok()
            .filter(|vector| vector.iter().all(|number| number.is_finite()))
            .map(Vector3::from)
            .ok_or_else(|| {
                let text = format!("`act` returned {numbers:?}: expected three finite numbers");
                PyValueError::new_err(text)
            })
    }

    fn vectors(&self) -> PyResult<(Vector3<f64>, Vector3<f64>)> {
        Ok((Self::vector(&self.first)?, Self::vector(&self.second)?))
    }

    fn pose(&self) -> PyResult<Isometry3<f64>> {
        let quaternion: Result<[f64; 4], _> = self.second.as_slice().try_into();
        let quaternion = quaternion.ok().map(Quaternion::from);
        let unit = quaternion.and_then(|quaternion| UnitQuaternion::try_new(quaternion, 1e-6));
        let rotation = unit.filter(|unit| unit.norm().is_finite()).ok_or_else(|| {
            let text = "`act` returned a rotation that is no quaternion x, y, z, w";
            PyValueError::new_err(text)
        })?;
        let translation = Translation3::from(Self::vector(&self.first)?);
        Ok(Isometry3::from_parts(translation, rotation))
    }

    /// Looks up the joints.
    fn resolve(
        &self,
        joints: &[(String, Entity)],
    ) -> PyResult<(Drive, Vec<(Entity, JointTarget)>)> {
        let drive = match self.form.as_str() {
            "velocity" => {
                let (linear, angular) = self.vectors()?;
                Drive::Velocity { linear, angular }
            }
            "wrench" => {
                let (force, torque) = self.vectors()?;
                Drive::Wrench { force, torque }
            }
            "thrust" => {
                let (force, torque) = self.vectors()?;
                Drive::Thrust { force, torque }
            }
            "pose" => Drive::Pose(self.pose()?),
            _ => Drive::None,
        };
        let targets = self.joints.iter().map(|(name, number)| {
            let known = joints.iter().find(|(known, _)| known == name);
            let Some((_, joint)) = known.filter(|_| number.is_finite()) else {
                let names: Vec<&str> = joints.iter().map(|(name, _)| name.as_str()).collect();
                return Err(PyValueError::new_err(format!(
                    "`act` returned {number} for the joint `{name}`: expected finite numbers for joints of: {}",
                    names.join(", ")
                )));
            };
            let target = match self.form.as_str() {
                "positions" => JointTarget::Position(*number),
                "velocities" => JointTarget::Velocity(*number),
                _ => JointTarget::Effort(*number),
            };
            Ok((*joint, target))
        });
        Ok((drive, targets.collect::<PyResult<_>>()?))
    }
}
