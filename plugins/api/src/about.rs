//! Settings of kinds, whose types are out of sight.
use std::{any::Any, sync::Arc};

use bevy::{prelude::*, reflect::TypeInfo};
use serde::de::{
    DeserializeOwned,
    value::{Error as ValueError, MapDeserializer},
};

use crate::range::{Violation, violations};

/// Settings of one kind, read from a simulation file.
pub type ErasedSettings = Arc<dyn Any + Send + Sync>;

/// Reads settings of a kind.
pub type ReadSettings =
    fn(&mut dyn erased_serde::Deserializer<'_>) -> Result<ErasedSettings, erased_serde::Error>;

/// Reads settings of type `S`, keeping the type out of sight.
///
/// # Errors
///
/// Whatever `S`'s own `Deserialize` says.
pub fn read_settings<S: DeserializeOwned + Any + Send + Sync>(
    source: &mut dyn erased_serde::Deserializer<'_>,
) -> Result<ErasedSettings, erased_serde::Error> {
    Ok(Arc::new(S::deserialize(source)?))
}

/// Common part of the kinds of all families.
#[derive(Clone, Copy)]
pub struct About {
    /// Its settings, with their docs and units.
    pub settings: &'static TypeInfo,
    /// Reads them.
    pub read: ReadSettings,
    /// Sees them without their type.
    pub view: fn(&ErasedSettings) -> Option<&dyn Reflect>,
}

impl About {
    /// Describes settings of type `S`.
    #[must_use]
    pub fn of<S: DeserializeOwned + bevy::reflect::Typed + Send + Sync>() -> Self {
        Self {
            settings: S::type_info(),
            read: read_settings::<S>,
            view: |settings| Some(settings.downcast_ref::<S>()?.as_reflect()),
        }
    }

    /// The kind at work, if it says how.
    #[must_use]
    pub fn example(&self) -> Option<&'static str> {
        match self.settings {
            TypeInfo::Struct(info) => info.get_attribute::<Example>().map(|example| example.0),
            _ => None,
        }
    }

    /// All numbers of settings that are out of their ranges. What a kind has for itself where nothing is given is fine:
    /// an infinite range, say.
    #[must_use]
    pub fn violations(&self, settings: &ErasedSettings) -> Vec<Violation> {
        let of = |settings| {
            let settings = (self.view)(settings);
            settings.map_or(Vec::new(), |settings| {
                violations(settings.as_partial_reflect())
            })
        };
        let mut found = of(settings);
        if !found.is_empty()
            && let Some(defaults) = self.defaults()
        {
            let usual = of(&defaults);
            found.retain(|violation| !usual.contains(violation));
        }
        found
    }

    /// Settings of which none was given; nothing if some must be given.
    #[must_use]
    pub fn defaults(&self) -> Option<ErasedSettings> {
        let nothing = std::iter::empty::<(&str, &str)>();
        let nothing = MapDeserializer::<_, ValueError>::new(nothing);
        (self.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(nothing)).ok()
    }
}

/// Fields of a simulation file that show a kind at work, where its `kind` alone is not enough:
/// `#[reflect(@Example("…"))]` on its settings. They are those of one robot, such as `model` or `sensors`, or of the file,
/// such as `environment` and `robots`; the first one tells.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example(pub &'static str);
