//! Names of kinds in simulation files, with their descriptions and functions.
mod reproducible;

use std::{collections::BTreeMap, sync::Arc};

pub use crate::about::{About, ErasedSettings, Example, ReadSettings};
use crate::{
    check::CheckError,
    command::BadCommand,
    component::Level,
    fields::Fields,
    middleware::{Examine, Start},
    modifier::{BindError, ModifierState, Modify, Site},
    port::{OutputPort, Policy},
    random::Random,
    reading::SensorInfo,
    ros::RosMessage,
};
use bevy::{
    prelude::*,
    reflect::{TypeInfo, structs::Struct},
};
pub(crate) use reproducible::{Role, demand};

/// A kind of sensor.
#[derive(Clone, Copy)]
pub struct SensorKind {
    /// Settings of the kind.
    pub about: About,
    /// Type of the local data.
    pub data: &'static TypeInfo,
    /// Levels, the default one first; empty for a kind without levels.
    pub levels: &'static [&'static str],
    /// Default frequency of measurements, Hz; `None` for every tick.
    pub frequency: Option<f64>,
    /// Messages of ROS, one list for all levels or one per level.
    pub ros: &'static [&'static [RosMessage]],
    /// Names of its class in MORSE, one for all levels or one per level; empty if MORSE does not have it.
    pub morse_classes: &'static [&'static str],
    /// Inserts settings, local data and the components that go with them into an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings, Level, Random),
    /// Returns true if an entity is of this kind. The services of the kind are looked up by it.
    pub is_on: fn(&World, Entity) -> bool,
    /// Checks whether the sensor can work in this world.
    pub check: fn(&World, Entity) -> Result<(), CheckError>,
    /// Returns the maximum memory of an entity with the copies of its data, B.
    pub memory: fn(&World, Entity) -> u64,
    /// Returns the local data of an entity without its type; its form is determined before the first measurement.
    pub local: fn(&World, Entity) -> Option<&dyn Struct>,
    /// Returns the exported data of an entity (modified data) without its type; `None` before the first export.
    pub modified: fn(&World, Entity) -> Option<&dyn Struct>,
    /// Offers the last exported data to one port, also when the sensor is not due; does nothing before the first export.
    pub offer: fn(&World, Entity, &OutputPort),
}

impl SensorKind {
    /// Returns the default frequency of measurements in a simulation with this rate, Hz.
    #[must_use]
    pub fn default_frequency(&self, rate: f64) -> f64 {
        self.frequency.map_or(rate, |frequency| frequency.min(rate))
    }

    /// Returns the messages of ROS at a level, the main one first.
    #[must_use]
    pub fn ros_at(&self, level: Option<&str>) -> &'static [RosMessage] {
        at_level(self.ros, self.levels, level)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the name of its class in MORSE at a level, if MORSE has it.
    #[must_use]
    pub fn morse_class(&self, level: Option<&str>) -> Option<&'static str> {
        at_level(self.morse_classes, self.levels, level).copied()
    }
}

/// Returns the entry of a level in a list with one entry for all levels, or one per level.
pub(crate) fn at_level<T>(
    entries: &'static [T],
    levels: &[&str],
    level: Option<&str>,
) -> Option<&'static T> {
    let index = levels.iter().position(|own| Some(*own) == level);
    index
        .and_then(|index| entries.get(index))
        .or(entries.first())
}

/// A kind of actuator.
#[derive(Clone, Copy)]
pub struct ActuatorKind {
    /// Settings of the kind.
    pub about: About,
    /// Type of the command.
    pub command: &'static TypeInfo,
    /// Description of the command as it is written in simulation files.
    pub command_about: About,
    /// True if it sets the velocity or the pose of the robot's base.
    pub moves_robot: bool,
    /// Name of its class in MORSE, if MORSE has it.
    pub morse_class: Option<&'static str>,
    /// Gives the actuator a command at once, unless a number is out of range.
    pub give: fn(&mut World, Entity, &ErasedSettings) -> Result<(), BadCommand>,
    /// Inserts settings, command, drive and mailbox into an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings),
    /// Returns true if an entity is of this kind.
    pub is_on: fn(&World, Entity) -> bool,
    /// Checks whether the actuator can work in this world.
    pub check: fn(&World, Entity) -> Result<(), CheckError>,
}

/// A kind of modifier.
#[derive(Clone, Copy)]
pub struct ModifierKind {
    /// Settings of the kind.
    pub about: About,
    /// Binds the modifier to the fields of a data type.
    pub bind: fn(&ErasedSettings, &Fields, &Site<'_>) -> Result<Box<dyn Modify>, BindError>,
    /// Checks whether its settings are valid in this world.
    pub check: fn(&ErasedSettings, &World) -> Result<(), CheckError>,
    /// Appends the modifier to a component's list.
    pub attach: fn(&mut EntityWorldMut<'_>, Box<dyn Modify>, ModifierState),
}

/// A kind of overlay.
#[derive(Clone, Copy)]
pub struct OverlayKind {
    /// Settings of the kind.
    pub about: About,
    /// Inserts settings into an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings),
    /// True if it lies over a robot instead of a component.
    pub over_robot: bool,
    /// Prepares an overlay once the components below it exist.
    pub install: fn(&mut World, Entity) -> Result<(), CheckError>,
}

/// A kind of middleware.
#[derive(Clone, Copy)]
pub struct MiddlewareKind {
    /// Settings of the kind.
    pub about: About,
    /// Settings of each of its outputs.
    pub output: About,
    /// Settings of each of its inputs.
    pub input: About,
    /// Policy of outputs without a policy.
    pub default_policy: Policy,
    /// True if it receives views of the whole world.
    pub views_world: bool,
    /// True if it runs objects, and publishes their graph.
    pub runs_objects: bool,
    /// Checks whether it could start, without starting it.
    pub examine: Examine,
    /// Starts it.
    pub start: Start,
}

/// All kinds, by name. The maps are ordered, so that lists are sorted.
#[derive(Resource, Default, Clone)]
pub struct Kinds {
    /// Kinds of sensor.
    pub sensors: BTreeMap<&'static str, SensorKind>,
    /// Kinds of actuator.
    pub actuators: BTreeMap<&'static str, ActuatorKind>,
    /// Kinds of modifier.
    pub modifiers: BTreeMap<&'static str, ModifierKind>,
    /// Kinds of overlay.
    pub overlays: BTreeMap<&'static str, OverlayKind>,
    /// Kinds of middleware.
    pub middlewares: BTreeMap<&'static str, MiddlewareKind>,
}

/// Adds a kind. Panics if two components of a program have the same name: an error in the program, not in its input.
#[track_caller]
pub(crate) fn claim<K>(kinds: &mut BTreeMap<&'static str, K>, word: &'static str, kind: K) {
    assert!(
        kinds.insert(word, kind).is_none(),
        "two kinds are called `{word}`"
    );
}

/// Name of the kind of a sensor, an actuator or an overlay, on its entity.
#[derive(Component, Clone)]
pub struct KindOf(pub &'static str);

/// Description of a sensor for observers. A component of each sensor's entity.
#[derive(Component, Clone)]
pub struct Described(pub Arc<SensorInfo>);
