//! Settings of component kinds, stored without their types.
use std::{any::Any, sync::Arc};

use bevy::{prelude::*, reflect::TypeInfo};
use serde::de::{
    DeserializeOwned,
    value::{Error as ValueError, MapDeserializer},
};

use crate::range::{Violation, violations};

/// Settings of one kind, read from a simulation file.
pub type ErasedSettings = Arc<dyn Any + Send + Sync>;

/// Function that reads the settings of a kind. It may contain data, for kinds that are described at run time.
pub type ReadSettings = &'static (
             dyn Fn(
    &mut dyn erased_serde::Deserializer<'_>,
) -> Result<ErasedSettings, erased_serde::Error>
                 + Send
                 + Sync
         );

/// Reads settings of type `S` and erases their type.
///
/// # Errors
///
/// The error of `S`'s own `Deserialize`.
pub(crate) fn read_settings<S: DeserializeOwned + Any + Send + Sync>(
    source: &mut dyn erased_serde::Deserializer<'_>,
) -> Result<ErasedSettings, erased_serde::Error> {
    Ok(Arc::new(S::deserialize(source)?))
}

/// Description that kinds of all families have in common.
#[derive(Clone, Copy)]
pub struct About {
    /// Type of the settings, with docs and units of their fields.
    pub settings: &'static TypeInfo,
    /// Reads the settings from a simulation file.
    pub read: ReadSettings,
    /// Returns the settings as a reflected value.
    pub view: fn(&ErasedSettings) -> Option<&dyn Reflect>,
}

impl About {
    /// Describes settings of type `S`.
    #[must_use]
    pub fn of<S: DeserializeOwned + bevy::reflect::Typed + Send + Sync>() -> Self {
        Self {
            settings: S::type_info(),
            read: &read_settings::<S>,
            view: |settings| Some(settings.downcast_ref::<S>()?.as_reflect()),
        }
    }

    /// Returns the kind's example, if it has one.
    #[must_use]
    pub fn example(&self) -> Option<&'static str> {
        match self.settings {
            TypeInfo::Struct(info) => info.get_attribute::<Example>().map(|example| example.0),
            _ => None,
        }
    }

    /// Returns all numbers of the settings that are out of their ranges. Default values are always accepted, for example an
    /// infinite range.
    #[must_use]
    pub fn violations(&self, settings: &ErasedSettings) -> Vec<Violation> {
        let of = |settings| {
            let settings = (self.view)(settings);
            settings.map_or(Vec::new(), |settings| {
                violations(settings.as_partial_reflect())
            })
        };
        let mut problems = of(settings);
        if !problems.is_empty()
            && let Some(defaults) = self.defaults()
        {
            let usual = of(&defaults);
            problems.retain(|violation| !usual.contains(violation));
        }
        problems
    }

    /// Returns the default settings; `None` if some settings are required.
    #[must_use]
    pub fn defaults(&self) -> Option<ErasedSettings> {
        let nothing = std::iter::empty::<(&str, &str)>();
        let nothing = MapDeserializer::<_, ValueError>::new(nothing);
        (self.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(nothing)).ok()
    }
}

/// Fields of a simulation file that show a kind in use, where its `kind` alone is not enough: `#[reflect(@Example("…"))]` on
/// its settings. They are the fields of one robot, such as `model` or `sensors`, or of the file, such as `environment` and
/// `robots`; the first field decides which.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example(pub &'static str);
