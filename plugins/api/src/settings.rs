//! Settings of a component while the simulation runs: read by reflection, and changed by services only.
//!
//! No system writes settings. A service may, and its changes are state: hashed, saved, and undone by a reset. Text, lists
//! and maps, which are mostly names, and settings that are marked [`AtLoad`], are evaluated once, when the simulation is
//! loaded; they cannot be changed, unless they are marked [`Changeable`].
use std::{any::TypeId, collections::BTreeMap};

use bevy::{
    ecs::component::Mutable,
    prelude::*,
    reflect::{NamedField, ReflectMut, ReflectRef, TypeInfo, Typed},
};
use serde::de::value::{Error as ValueError, MapDeserializer};
use serde_json::{Value as Json, json};

use crate::{
    about::{About, ErasedSettings},
    check::CheckError,
    dynamic::no_json_number,
    fields, memory,
    path::{ComponentPath, path_of},
    property,
    range::Violation,
    service::ServiceError,
    state::{InPathOrder, Kept, StateEntry, StateError, StateHasher, StateRegister, candidates},
};

/// Marks a setting that is evaluated only when the simulation is loaded: `#[reflect(@AtLoad)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLoad;

/// Marks a text or list that is evaluated whenever the component acts: `#[reflect(@Changeable)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changeable;

/// Settings of the kind as a whole that are evaluated only when the simulation is loaded.
const AT_LOAD: &[&str] = &["level"];

/// Access to the settings of a component, for reading and changing them. A component of the entity of every sensor, actuator
/// and overlay.
#[derive(Component, Clone)]
pub struct SettingsOf {
    /// Settings as the simulation file defines them.
    from_file: ErasedSettings,
    about: About,
    view: fn(&World, Entity) -> Option<&dyn Reflect>,
    view_mut: fn(&mut World, Entity) -> Option<&mut dyn Reflect>,
    check: fn(&World, Entity) -> Result<(), CheckError>,
}

/// Changes by services: names of settings, and their values as JSON.
#[derive(Component, Clone, Debug, Default, PartialEq)]
struct Changes(BTreeMap<String, String>);

impl SettingsOf {
    /// Returns the access to settings of type `S`; `check` checks whether the component can work with them.
    #[must_use]
    pub fn new<S: Component<Mutability = Mutable> + Typed + serde::de::DeserializeOwned>(
        from_file: ErasedSettings,
        check: fn(&World, Entity) -> Result<(), CheckError>,
    ) -> Self {
        Self {
            from_file,
            about: About::of::<S>(),
            view: |world, entity| Some(world.get::<S>(entity)?.as_reflect()),
            view_mut: |world, entity| {
                Some(world.get_mut::<S>(entity)?.into_inner().as_reflect_mut())
            },
            check,
        }
    }

    fn field(&self, name: &str) -> Option<&'static NamedField> {
        match self.about.settings {
            TypeInfo::Struct(info) => info.field(name),
            _ => None,
        }
    }
}

/// Returns the setting that a request names, and whether the name is MORSE's; see [`property::find`].
#[must_use]
pub fn find(world: &World, entity: Entity, name: &str) -> Option<(&'static NamedField, bool)> {
    property::find(world.get::<SettingsOf>(entity)?.about.settings, name)
}

/// Returns the error of an unknown setting, in MORSE's words.
#[must_use]
pub fn unknown(world: &World, entity: Entity, name: &str) -> ServiceError {
    let path = path_of(world, entity);
    ServiceError::Failed(format!("Property {name} does not exist for object {path}"))
}

/// Returns all settings of a component as they are now: field description and value.
#[must_use]
pub fn all(world: &World, entity: Entity) -> Vec<(&'static NamedField, Json)> {
    let Some(access) = world.get::<SettingsOf>(entity) else {
        return Vec::new();
    };
    let settings = (access.view)(world, entity);
    settings.map_or(Vec::new(), |settings| values(access.about, settings))
}

/// Returns all settings of a kind with their defaults; empty if some settings are required.
#[must_use]
pub fn defaults(about: About) -> Vec<(&'static NamedField, Json)> {
    let defaults = about.defaults();
    defaults.map_or(Vec::new(), |settings| of(about, &settings))
}

/// Returns all settings that were read: field description and value.
#[must_use]
pub fn of(about: About, settings: &ErasedSettings) -> Vec<(&'static NamedField, Json)> {
    (about.view)(settings).map_or(Vec::new(), |settings| values(about, settings))
}

fn values(about: About, settings: &dyn Reflect) -> Vec<(&'static NamedField, Json)> {
    let TypeInfo::Struct(info) = about.settings else {
        return Vec::new();
    };
    let ReflectRef::Struct(settings) = settings.reflect_ref() else {
        return Vec::new();
    };
    let value = |field: &'static NamedField| Some((field, as_json(settings.field(field.name())?)));
    info.iter().filter_map(value).collect()
}

/// Returns a setting as simulation files write it: variants in lower case, null for `None`.
fn as_json(value: &dyn PartialReflect) -> Json {
    let ReflectRef::Enum(variant) = value.reflect_ref() else {
        return fields::to_json(value);
    };
    match (variant.variant_name(), variant.field_at(0)) {
        ("None", None) => Json::Null,
        ("Some", Some(value)) => as_json(value),
        (name, None) => snake_case(name).into(),
        (name, Some(_)) => {
            let entries: serde_json::Map<String, Json> = (0..variant.field_len())
                .filter_map(|index| {
                    let name = variant
                        .name_at(index)
                        .map_or(index.to_string(), str::to_owned);
                    Some((name, as_json(variant.field_at(index)?)))
                })
                .collect();
            json!({ snake_case(name): entries })
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Changes one setting. The value is checked as in a simulation file.
///
/// # Errors
///
/// The setting does not exist, cannot be changed, or does not accept this value. Nothing has changed then.
pub fn set(
    world: &mut World,
    entity: Entity,
    name: &str,
    value: &Json,
) -> Result<(), ServiceError> {
    let path = path_of(world, entity);
    let access = world.get::<SettingsOf>(entity).cloned();
    let field = access.as_ref().and_then(|access| access.field(name));
    let (Some(access), Some(field)) = (access, field) else {
        return Err(unknown(world, entity, name));
    };
    if is_fixed(field) {
        return Err(ServiceError::Failed(format!(
            "`{name}` of `{path}` is looked at when the simulation is loaded; write it in the simulation file"
        )));
    }
    let refused = |why: String| ServiceError::Failed(format!("`{path}`, {name}: {why}"));
    let read = read(&access, name, value).map_err(refused)?;
    let violations = access.about.violations(&read);
    let own = |violation: &&Violation| violation.path.first().is_some_and(|step| step == name);
    if let Some(violation) = violations.iter().find(own) {
        return Err(refused(violation.to_string()));
    }
    let old = (access.view)(world, entity).and_then(|settings| copy_of(settings, name));
    apply(world, entity, &access, name, &read);
    // The budget is checked first, because a component may allocate to check whether it can work.
    let works = memory::check(world)
        .map_err(|over| format!("{over}; {}", over.remedy()))
        .and_then(|()| (access.check)(world, entity).map_err(|why| why.to_string()));
    if let (Err(why), Some(old)) = (works, old) {
        put(world, entity, &access, name, old);
        return Err(refused(why));
    }
    let mut entity = world.entity_mut(entity);
    let mut changes = entity.take::<Changes>().unwrap_or_default();
    changes.0.insert(name.to_owned(), value.to_string());
    entity.insert(changes);
    Ok(())
}

/// Returns true if a setting is evaluated only when the simulation is loaded.
fn is_fixed(field: &NamedField) -> bool {
    let is_list = matches!(
        field.type_info(),
        Some(TypeInfo::List(_) | TypeInfo::Map(_) | TypeInfo::Set(_))
    );
    let is_text = [TypeId::of::<String>(), TypeId::of::<Option<String>>()];
    let is_name = is_list || is_text.contains(&field.type_id());
    (is_name && !field.has_attribute::<Changeable>())
        || field.has_attribute::<AtLoad>()
        || AT_LOAD.contains(&field.name())
}

/// Reads settings with one given value, as from a file.
fn read(access: &SettingsOf, name: &str, value: &Json) -> Result<ErasedSettings, String> {
    let given = json!({ name: value });
    let read = match no_json_number(value) {
        Some(number) => {
            let given = MapDeserializer::<_, ValueError>::new(std::iter::once((name, number)));
            (access.about.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(given))
        }
        None => (access.about.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(&given)),
    };
    read.map_err(|error| error.to_string())
}

fn copy_of(settings: &dyn Reflect, name: &str) -> Option<Box<dyn PartialReflect>> {
    match settings.reflect_ref() {
        ReflectRef::Struct(settings) => {
            let field = settings.field(name)?;
            let copy = field
                .reflect_clone()
                .map(PartialReflect::into_partial_reflect);
            Some(copy.unwrap_or_else(|_no_clone| field.to_dynamic()))
        }
        _ => None,
    }
}

/// Copies one setting from settings that were read.
fn apply(
    world: &mut World,
    entity: Entity,
    access: &SettingsOf,
    name: &str,
    from: &ErasedSettings,
) {
    if let Some(value) = (access.about.view)(from).and_then(|from| copy_of(from, name)) {
        put(world, entity, access, name, value);
    }
}

fn put(
    world: &mut World,
    entity: Entity,
    access: &SettingsOf,
    name: &str,
    value: Box<dyn PartialReflect>,
) {
    let settings = (access.view_mut)(world, entity).map(|settings| settings.reflect_mut());
    let Some(ReflectMut::Struct(settings)) = settings else {
        return;
    };
    let Some(field) = settings.field_mut(name) else {
        return;
    };
    // The value has the field's own type. Replacing a list also sets its length; applying one does not.
    match (value.try_into_reflect(), field.try_as_reflect_mut()) {
        (Ok(value), Some(field)) => drop(field.set(value)),
        (Err(value), _) => drop(field.try_apply(value.as_ref())),
        (Ok(value), None) => drop(field.try_apply(value.as_partial_reflect())),
    }
}

/// State entry for the changes of all components.
const ENTRY: StateEntry = StateEntry {
    name: "settings",
    hash,
    save,
    restore,
    copy: None,
    carry,
};

/// Registers the changes of settings as state.
pub(crate) fn register(world: &mut World) {
    let mut register = world.get_resource_or_init::<StateRegister>();
    if register.0.iter().all(|known| known.name != ENTRY.name) {
        register.0.push(ENTRY);
    }
}

/// Contents of a snapshot: path, and changes.
type Saved = Vec<(String, BTreeMap<String, String>)>;

fn changed(world: &World) -> Saved {
    let order = world.get_resource::<InPathOrder>();
    let entities = order.into_iter().flat_map(|order| &order.0);
    let changes = entities.filter_map(|entity| {
        let path = world.get::<ComponentPath>(*entity)?;
        Some((path.to_string(), world.get::<Changes>(*entity)?.0.clone()))
    });
    changes.filter(|(_, changes)| !changes.is_empty()).collect()
}

fn hash(world: &World, hasher: &mut StateHasher) {
    for entity in candidates::<Changes>(world) {
        if let (Some(path), Some(changes)) = (
            world.get::<ComponentPath>(*entity),
            world.get::<Changes>(*entity),
        ) {
            hasher.value(&(path.as_str(), &changes.0));
        }
    }
}

fn save(world: &World) -> Result<Vec<u8>, StateError> {
    postcard::to_stdvec(&changed(world)).map_err(|error| encoding(&error))
}

fn encoding(error: &impl ToString) -> StateError {
    StateError::Encoding {
        name: ENTRY.name,
        cause: error.to_string(),
    }
}

/// Applies the changes of kept components to the components of another world.
fn carry(from: &World, to: &mut World, kept: &Kept) {
    for (&old, &new) in &kept.0 {
        let (Some(changes), Some(access)) =
            (from.get::<Changes>(old), to.get::<SettingsOf>(new).cloned())
        else {
            continue;
        };
        for (name, value) in &changes.0 {
            let value = serde_json::from_str::<Json>(value).ok();
            if let Some(Ok(value)) = value.map(|value| read(&access, name, &value)) {
                apply(to, new, &access, name, &value);
            }
        }
        to.entity_mut(new).insert(changes.clone());
    }
}

fn restore(world: &mut World, bytes: &[u8]) -> Result<(), StateError> {
    let saved: Saved = postcard::from_bytes(bytes).map_err(|error| encoding(&error))?;
    let mut saved: BTreeMap<String, BTreeMap<String, String>> = saved.into_iter().collect();
    let order = world
        .get_resource::<InPathOrder>()
        .map(|order| order.0.clone());
    for entity in order.unwrap_or_default() {
        let (Some(path), Some(access)) = (
            world.get::<ComponentPath>(entity).cloned(),
            world.get::<SettingsOf>(entity).cloned(),
        ) else {
            continue;
        };
        let wanted = saved.remove(path.as_str()).unwrap_or_default();
        let now = world.get::<Changes>(entity).cloned().unwrap_or_default();
        if now.0 == wanted {
            continue;
        }
        for name in now.0.keys() {
            apply(world, entity, &access, name, &access.from_file);
        }
        for (name, value) in &wanted {
            let value: Json = serde_json::from_str(value).map_err(|error| encoding(&error))?;
            let read = read(&access, name, &value).map_err(|error| encoding(&error))?;
            apply(world, entity, &access, name, &read);
        }
        let mut entity = world.entity_mut(entity);
        if wanted.is_empty() {
            entity.remove::<Changes>();
        } else {
            entity.insert(Changes(wanted));
        }
    }
    Ok(())
}
