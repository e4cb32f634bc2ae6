//! The words a simulation file may use, and what the program knows of each.
mod reproducible;

use std::{collections::BTreeMap, sync::Arc};

pub use crate::about::{About, ErasedSettings, Example, ReadSettings, read_settings};
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
};
use bevy::{
    prelude::*,
    reflect::{TypeInfo, structs::Struct},
};
pub(crate) use reproducible::{Part, demand};

/// A kind of sensor.
#[derive(Clone, Copy)]
pub struct SensorKind {
    /// Its settings.
    pub about: About,
    /// Its local data.
    pub data: &'static TypeInfo,
    /// Its levels, the default one first; empty if it has none.
    pub levels: &'static [&'static str],
    /// Frequency of its measurements unless it is told, Hz; every tick if this is `None`.
    pub frequency: Option<f64>,
    /// Puts settings, local data and what goes with them on an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings, Level, Random),
    /// The services of the kind itself are found by this: whether an entity is of this kind.
    pub is_on: fn(&World, Entity) -> bool,
    /// Checks whether it can work in this world; if not, tells what is missing.
    pub check: fn(&World, Entity) -> Result<(), CheckError>,
    /// Most memory that an entity takes, with the copies of its data, B.
    pub memory: fn(&World, Entity) -> u64,
    /// The local data of an entity, seen without its type; its form is known before the first measurement.
    pub local: fn(&World, Entity) -> Option<&dyn Struct>,
    /// The exported data of an entity (modified data), seen without its type; `None` before the first export.
    pub modified: fn(&World, Entity) -> Option<&dyn Struct>,
    /// Offers what it exported last to one port, whether due or not; nothing before the first export.
    pub offer: fn(&World, Entity, &OutputPort),
}

impl SensorKind {
    /// Frequency of its measurements in a simulation of this rate unless it is told, Hz.
    #[must_use]
    pub fn default_frequency(&self, rate: f64) -> f64 {
        self.frequency.map_or(rate, |frequency| frequency.min(rate))
    }
}

/// A kind of actuator.
#[derive(Clone, Copy)]
pub struct ActuatorKind {
    /// Its settings.
    pub about: About,
    /// Its command.
    pub command: &'static TypeInfo,
    /// Its command, as it is written in simulation files.
    pub command_about: About,
    /// True if it sets the velocity or the pose of the robot's base.
    pub moves_robot: bool,
    /// Gives it a command at once, unless a number is out of range.
    pub give: fn(&mut World, Entity, &ErasedSettings) -> Result<(), BadCommand>,
    /// Puts settings, command, drive and mailbox on an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings),
    /// Tells whether an entity is of this kind.
    pub is_on: fn(&World, Entity) -> bool,
    /// Checks whether it can work in this world; if not, tells what is missing.
    pub check: fn(&World, Entity) -> Result<(), CheckError>,
}

/// A kind of modifier.
#[derive(Clone, Copy)]
pub struct ModifierKind {
    /// Its settings.
    pub about: About,
    /// Binds it to the fields of a data type.
    pub bind: fn(&ErasedSettings, &Fields, &Site<'_>) -> Result<Box<dyn Modify>, BindError>,
    /// Checks whether its settings make sense in this world; if not, tells what is wrong.
    pub check: fn(&ErasedSettings, &World) -> Result<(), CheckError>,
    /// Puts it last on a component's list.
    pub attach: fn(&mut EntityWorldMut<'_>, Box<dyn Modify>, ModifierState),
}

/// A kind of overlay.
#[derive(Clone, Copy)]
pub struct OverlayKind {
    /// Its settings.
    pub about: About,
    /// Puts settings on an entity.
    pub insert: fn(&mut EntityWorldMut<'_>, &ErasedSettings),
    /// True if it lies over a robot itself.
    pub over_robot: bool,
    /// Prepares an overlay once everything below it is there.
    pub install: fn(&mut World, Entity) -> Result<(), CheckError>,
}

/// A kind of middleware.
#[derive(Clone, Copy)]
pub struct MiddlewareKind {
    /// Its settings.
    pub about: About,
    /// The settings of each of its outputs.
    pub output: About,
    /// The settings of each of its inputs.
    pub input: About,
    /// The policy of outputs that do not name one.
    pub default_policy: Policy,
    /// True if it is shown the whole world.
    pub views_world: bool,
    /// Finds out what keeps it from starting.
    pub examine: Examine,
    /// Starts it.
    pub start: Start,
}

/// All kinds, by word. `BTreeMap`s, so that lists are sorted.
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

/// Two parts of a program claim the same word: a mistake in the program, not in its input.
#[track_caller]
pub(crate) fn claim<K>(kinds: &mut BTreeMap<&'static str, K>, word: &'static str, kind: K) {
    assert!(
        kinds.insert(word, kind).is_none(),
        "two kinds are called `{word}`"
    );
}

/// Word for the kind of a sensor, an actuator or an overlay, on its entity.
#[derive(Component, Clone)]
pub struct KindOf(pub &'static str);

/// Description of a sensor for observers. On each sensor's entity.
#[derive(Component, Clone)]
pub struct Described(pub Arc<SensorInfo>);
