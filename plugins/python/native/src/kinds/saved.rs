//! State of the objects of sensors and actuators: hashed, saved and restored with the state of the simulation.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    fault::{Fault, Faults},
    state::{InPathOrder, StateEntry, StateError, StateHasher, StateRegister},
};

use super::{
    class::{Instance, Object, path_of},
    tree::Tree,
};

/// Name of the state in errors.
const NAME: &str = "components in Python";

/// Registers the state of the objects.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<Faults>();
    let world = app.world_mut();
    world
        .get_resource_or_init::<StateRegister>()
        .0
        .push(StateEntry {
            name: NAME,
            hash,
            save: |world| {
                let states: Result<Vec<Tree>, Fault> = states(world).collect();
                let states = states.map_err(|fault| encoding(fault.to_string()))?;
                postcard::to_stdvec(&states).map_err(|error| encoding(error.to_string()))
            },
            restore,
            copy: None,
            carry: |from, to, kept| {
                for (&old, &new) in &kept.0 {
                    if let (Some(old), Some(new)) = (object(from, old), object(to, new))
                        && old.class.kind == new.class.kind
                        && let Ok(state) = old.call("", Instance::state)
                    {
                        // An object of another class may refuse the state; it then begins anew.
                        drop(new.call("", |object| Instance::restore(object, &state)));
                    }
                }
            },
        });
}

fn object(world: &World, entity: Entity) -> Option<Arc<Instance>> {
    let Object(object) = world.get::<Object>(entity)?;
    object.as_ref().ok().cloned()
}

/// Iterates over all objects in path order.
fn objects(world: &World) -> impl Iterator<Item = (Entity, Arc<Instance>)> {
    let order = world.get_resource::<InPathOrder>();
    let entities = order.map_or(&[][..], |order| &order.0).iter();
    entities.filter_map(|&entity| Some((entity, object(world, entity)?)))
}

fn states(world: &World) -> impl Iterator<Item = Result<Tree, Fault>> {
    objects(world).map(|(entity, object)| object.call(&path_of(world, entity), Instance::state))
}

/// Hashes the states. One that cannot be saved is reported as a fault of its component.
fn hash(world: &World, hasher: &mut StateHasher) {
    for state in states(world) {
        match state {
            Ok(state) => hasher.value(&state),
            Err(fault) => {
                if let Some(faults) = world.get_resource::<Faults>() {
                    faults.add(fault);
                }
            }
        }
    }
}

fn restore(world: &mut World, bytes: &[u8]) -> Result<(), StateError> {
    let saved: Vec<Tree> =
        postcard::from_bytes(bytes).map_err(|error| encoding(error.to_string()))?;
    let objects: Vec<_> = objects(world).collect();
    if saved.len() != objects.len() {
        return Err(StateError::OtherWorld {
            name: NAME,
            saved: saved.len(),
            here: objects.len(),
        });
    }
    for ((entity, object), state) in objects.into_iter().zip(&saved) {
        let restored = object.call(&path_of(world, entity), |object| {
            Instance::restore(object, state)
        });
        restored.map_err(|fault| encoding(fault.to_string()))?;
    }
    Ok(())
}

fn encoding(cause: String) -> StateError {
    StateError::Encoding { name: NAME, cause }
}
