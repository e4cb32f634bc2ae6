//! Register of all state that outlives a tick: hash, reset, snapshot and restore iterate over it.
//!
//! State is a component or resource that is registered once and contains no `Entity`. Everything else must follow from the
//! state, from the scene and from the tick number; no state may be in `Local`, closures, statics or threads. The physics
//! registers the engine's sets.
use std::{collections::BTreeMap, sync::Arc};

use bevy::{ecs::component::Mutable, prelude::*};
use serde::{Serialize, de::DeserializeOwned};

pub use crate::hasher::StateHasher;
use crate::path::ComponentPath;

/// A component or resource that can be hashed, saved and restored.
pub trait Stateful: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Adds the value to a hash: in its binary form, unless there is a shorter one.
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.value(self);
    }
}

/// All entities that have a path, in path order: the order of hash, snapshot and drives.
#[derive(Resource, Default, Debug)]
pub struct InPathOrder(pub Vec<Entity>);

/// Entry of one registered kind of state: the functions that hash, save and restore it.
#[derive(Clone, Copy)]
pub struct StateEntry {
    /// Name of the Rust type.
    pub name: &'static str,
    /// Adds all values to a hash.
    pub hash: fn(&World, &mut StateHasher),
    /// Writes all values.
    pub save: fn(&World) -> Result<Vec<u8>, StateError>,
    /// Restores the values that [`StateEntry::save`] wrote.
    pub restore: fn(&mut World, &[u8]) -> Result<(), StateError>,
    /// Copies all values in memory, if such a copy is smaller or faster than the bytes of [`StateEntry::save`].
    pub copy: Option<fn(&World) -> Result<Arc<dyn StateCopy>, StateError>>,
    /// Copies the state of kept entities from one world to another one, after a reload of changed files.
    pub carry: fn(&World, &mut World, &Kept),
}

/// Copy in memory of all values of one kind of state. It may share with the world what does not change.
pub trait StateCopy: Send + Sync {
    /// Restores the values in the world of which the copy was taken, or in another world that was built from the same files.
    ///
    /// # Errors
    ///
    /// The copy is of another world.
    fn restore(&self, world: &mut World) -> Result<(), StateError>;

    /// Returns the bytes that [`StateEntry::save`] would have written.
    ///
    /// # Errors
    ///
    /// A value has no binary form.
    fn bytes(&self) -> Result<Vec<u8>, StateError>;
}

/// Entities of a world, each with the entity in the next world that continues it after a reload: their definitions in the
/// files are equal.
#[derive(Clone, Debug, Default)]
pub struct Kept(pub BTreeMap<Entity, Entity>);

impl Kept {
    /// Copies a component of all kept entities that have it in both worlds.
    pub fn carry<T: Component<Mutability = Mutable> + Clone>(&self, from: &World, to: &mut World) {
        for (&old, &new) in &self.0 {
            if let (Some(value), Some(mut component)) = (from.get::<T>(old), to.get_mut::<T>(new)) {
                component.clone_from(value);
            }
        }
    }
}

/// Reason why a snapshot could not be written or restored.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// A value has no binary form, or the bytes are not of this version of the type.
    #[error("state `{name}`: {cause}")]
    Encoding {
        /// Name of the Rust type.
        name: &'static str,
        /// Cause of the failure.
        cause: String,
    },
    /// The snapshot was taken of another world.
    #[error(
        "the snapshot is of another simulation: `{name}` has {saved} entries there and {here} here"
    )]
    OtherWorld {
        /// Name of the Rust type.
        name: &'static str,
        /// Entries in the snapshot.
        saved: usize,
        /// Entries in this world.
        here: usize,
    },
}

/// All registered state, in order of registration.
#[derive(Resource, Default, Clone)]
pub struct StateRegister(pub Vec<StateEntry>);

/// Registers state.
pub trait AddState {
    /// Registers a component. Its values are visited in path order, so its entities need a [`ComponentPath`].
    fn register_state<T: Component<Mutability = Mutable> + Stateful>(&mut self) -> &mut Self;
    /// Registers a resource.
    fn register_state_resource<T: Resource<Mutability = Mutable> + Stateful>(
        &mut self,
    ) -> &mut Self;
}

impl AddState for App {
    fn register_state<T: Component<Mutability = Mutable> + Stateful>(&mut self) -> &mut Self {
        register(
            self,
            StateEntry {
                name: std::any::type_name::<T>(),
                hash: hash_components::<T>,
                save: |world| encode::<T, _>(&components::<T>(world).collect::<Vec<_>>()),
                restore: restore_components::<T>,
                copy: None,
                carry: |from, to, kept| kept.carry::<T>(from, to),
            },
        )
    }

    fn register_state_resource<T: Resource<Mutability = Mutable> + Stateful>(
        &mut self,
    ) -> &mut Self {
        register(
            self,
            StateEntry {
                name: std::any::type_name::<T>(),
                hash: |world, hasher| {
                    let resource = world.get_resource::<T>();
                    hasher.bytes(&[u8::from(resource.is_some())]);
                    if let Some(resource) = resource {
                        resource.hash(hasher);
                    }
                },
                save: |world| encode::<T, _>(&world.get_resource::<T>()),
                restore: |world, bytes| {
                    if let Some(value) = decode::<T, Option<T>>(bytes)? {
                        world.insert_resource(value);
                    }
                    Ok(())
                },
                copy: None,
                // A resource may refer to bodies by index: its owner carries it.
                carry: |_, _, _| {},
            },
        )
    }
}

fn register(app: &mut App, entry: StateEntry) -> &mut App {
    app.init_resource::<InPathOrder>();
    let world = app.world_mut();
    let mut register = world.get_resource_or_init::<StateRegister>();
    if register.0.iter().all(|known| known.name != entry.name) {
        register.0.push(entry);
    }
    app
}

/// Returns the entities among which those with a component are, in path order: all, or none.
///
/// Most kinds are in no scene: looking them up on every entity would cost more than a small tick.
pub(crate) fn candidates<T: Component>(world: &World) -> &[Entity] {
    let id = world.components().component_id::<T>();
    let kinds = id.and_then(|id| world.archetypes().component_index().get(&id));
    match world.get_resource::<InPathOrder>() {
        Some(order) if kinds.is_some_and(|kinds| !kinds.is_empty()) => &order.0,
        _ => &[],
    }
}

/// Iterates over the values of a component, in path order.
fn components<T: Component>(world: &World) -> impl Iterator<Item = &T> {
    let entities = candidates::<T>(world).iter();
    entities.filter_map(|&entity| world.get::<T>(entity))
}

fn hash_components<T: Component + Stateful>(world: &World, hasher: &mut StateHasher) {
    for value in components::<T>(world) {
        value.hash(hasher);
    }
}

fn restore_components<T: Component<Mutability = Mutable> + Stateful>(
    world: &mut World,
    bytes: &[u8],
) -> Result<(), StateError> {
    let saved: Vec<T> = decode::<T, _>(bytes)?;
    let entities = candidates::<T>(world).iter().copied();
    let entities: Vec<Entity> = entities
        .filter(|&entity| world.get::<T>(entity).is_some())
        .collect();
    if saved.len() != entities.len() {
        return Err(StateError::OtherWorld {
            name: std::any::type_name::<T>(),
            saved: saved.len(),
            here: entities.len(),
        });
    }
    for (entity, value) in entities.into_iter().zip(saved) {
        if let Some(mut component) = world.get_mut::<T>(entity) {
            *component = value;
        }
    }
    Ok(())
}

fn encode<T, V: Serialize>(value: &V) -> Result<Vec<u8>, StateError> {
    postcard::to_stdvec(value).map_err(|error| encoding::<T>(&error))
}

fn decode<T, V: DeserializeOwned>(bytes: &[u8]) -> Result<V, StateError> {
    postcard::from_bytes(bytes).map_err(|error| encoding::<T>(&error))
}

fn encoding<T>(error: &postcard::Error) -> StateError {
    StateError::Encoding {
        name: std::any::type_name::<T>(),
        cause: error.to_string(),
    }
}

/// Sorts the entities that have a path. Called once the scene is spawned, and when it changes.
pub fn sort_by_path(world: &mut World) {
    let mut paths: Vec<(ComponentPath, Entity)> = world
        .query::<(&ComponentPath, Entity)>()
        .iter(world)
        .map(|(path, entity)| (path.clone(), entity))
        .collect();
    paths.sort();
    world.insert_resource(InPathOrder(
        paths.into_iter().map(|(_, entity)| entity).collect(),
    ));
}
