//! Registration of kinds of modifier.
use std::marker::PhantomData;

use bevy::prelude::*;

use super::{BindError, Modifier, ModifierState, ModifierStates, Modifiers, Modify};
use crate::kind::{About, ErasedSettings, Kinds, ModifierKind, Role, claim, demand};

/// Component of entities that have modifiers of kind `M`. Services that
/// [`add_service`](crate::service::AddService::add_service) offers on it are services of the modifier.
#[derive(Component)]
pub struct Carries<M: Modifier> {
    /// Indices in the component's list.
    indices: Vec<usize>,
    kind: PhantomData<fn() -> M>,
}

impl<M: Modifier> Default for Carries<M> {
    fn default() -> Self {
        Self {
            indices: Vec::new(),
            kind: PhantomData,
        }
    }
}

/// Calls a function with the states of all modifiers of kind `M` of a component, for services.
pub fn each_state<M: Modifier>(
    world: &mut World,
    entity: Entity,
    mut visit: impl FnMut(&mut ModifierState),
) {
    let Some(indices) = world
        .get::<Carries<M>>(entity)
        .map(|carries| carries.indices.clone())
    else {
        return;
    };
    if let Some(mut states) = world.get_mut::<ModifierStates>(entity) {
        for index in indices {
            states.0.get_mut(index).map(&mut visit);
        }
    }
}

/// Appends a modifier to a component's list.
fn attach<M: Modifier>(
    entity: &mut EntityWorldMut<'_>,
    bound: Box<dyn Modify>,
    state: ModifierState,
) {
    if !entity.contains::<Carries<M>>() {
        entity.insert(Carries::<M>::default());
    }
    let index = entity
        .get::<Modifiers>()
        .map_or(0, |modifiers| modifiers.0.len());
    if let Some(mut carries) = entity.get_mut::<Carries<M>>() {
        carries.indices.push(index);
    }
    if let Some(mut modifiers) = entity.get_mut::<Modifiers>() {
        modifiers.0.push(bound);
    }
    if let Some(mut states) = entity.get_mut::<ModifierStates>() {
        states.0.push(state);
    }
}

/// Registers modifiers.
pub trait AddModifier {
    /// Registers the kind `M` under its name.
    ///
    /// # Panics
    ///
    /// Two kinds of modifier have the same name; or the settings have a field that makes runs differ from each other, such
    /// as an unordered map.
    fn add_modifier<M: Modifier>(&mut self) -> &mut Self;
}

impl AddModifier for App {
    fn add_modifier<M: Modifier>(&mut self) -> &mut Self {
        demand(Role::Settings, M::KIND, M::type_info());
        let kind = ModifierKind {
            about: About::of::<M>(),
            bind: |settings: &ErasedSettings, fields, site| match settings.downcast_ref::<M>() {
                Some(settings) => settings.bind(fields, site),
                None => Err(BindError::needs("settings of its own kind")),
            },
            check: |settings: &ErasedSettings, world| {
                settings
                    .downcast_ref::<M>()
                    .map_or(Ok(()), |settings| settings.check(world))
            },
            attach: attach::<M>,
        };
        claim(
            &mut self.world_mut().get_resource_or_init::<Kinds>().modifiers,
            M::KIND,
            kind,
        );
        self
    }
}
