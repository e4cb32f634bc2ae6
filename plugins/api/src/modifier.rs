//! Modifiers: noise and changes of frame between what is measured and what is exported.
use bevy::{
    prelude::*,
    reflect::{Typed, structs::Struct},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    fields::Fields,
    kind::{About, Kinds, ModifierKind, Settings, claim},
    random::Random,
    state::Stateful,
    tick::Clock,
};

/// A kind of modifier: its settings, and how it binds to a data type.
pub trait Modifier: DeserializeOwned + Typed + Send + Sync + 'static {
    /// The word for it in simulation files.
    const KIND: &'static str;

    /// Finds the fields that it changes, once, at load.
    ///
    /// # Errors
    ///
    /// The data lacks the fields.
    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, Misfit>;
}

/// Where a modifier is being bound: what it may look at.
pub struct Site<'a> {
    /// The world that is being built; resources such as the origin on Earth are there.
    pub world: &'a World,
}

/// A modifier bound to the data of one component.
pub trait Modify: Send + Sync {
    /// Changes the data in place. `data` is of the type that the modifier was bound to.
    fn modify(&self, data: &mut dyn Struct, memory: &mut Memory, clock: &Clock);
}

impl<F: Fn(&mut dyn Struct, &mut Memory, &Clock) + Send + Sync> Modify for F {
    fn modify(&self, data: &mut dyn Struct, memory: &mut Memory, clock: &Clock) {
        self(data, memory, clock);
    }
}

/// What a modifier keeps from one time to the next. It is state: hashed, saved and restored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Its own random stream.
    pub random: Random,
    /// Whatever else it needs; empty at the start.
    pub values: Vec<f64>,
}

/// A modifier does not fit the data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it needs {needs}")]
pub struct Misfit {
    /// The fields that the data would have to have.
    pub needs: String,
}

impl Misfit {
    /// A modifier that needs fields such as "`x`, `y` and `z`".
    #[must_use]
    pub fn needs(fields: impl Into<String>) -> Self {
        Self {
            needs: fields.into(),
        }
    }
}

/// The bound modifiers of a component, in order. Built at load, never changed.
#[derive(Component, Default)]
pub struct Modifiers(pub Vec<Box<dyn Modify>>);

/// The memories of a component's modifiers, in the same order.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
pub struct Memories(pub Vec<Memory>);

impl Stateful for Memories {}

impl Modifiers {
    /// Runs the list on some data.
    pub fn run(&self, data: &mut dyn Struct, memories: &mut Memories, clock: &Clock) {
        for (modifier, memory) in self.0.iter().zip(&mut memories.0) {
            modifier.modify(data, memory, clock);
        }
    }
}

/// Registers modifiers.
pub trait AddModifier {
    /// Makes `M` known under its word.
    fn add_modifier<M: Modifier>(&mut self) -> &mut Self;
}

impl AddModifier for App {
    fn add_modifier<M: Modifier>(&mut self) -> &mut Self {
        let kind = ModifierKind {
            about: About::of::<M>(),
            bind: |settings: &Settings, fields, world| match settings.downcast_ref::<M>() {
                Some(settings) => settings.bind(fields, &Site { world }),
                None => Err(Misfit::needs("settings of its own kind")),
            },
        };
        claim(
            &mut self.world_mut().get_resource_or_init::<Kinds>().modifiers,
            M::KIND,
            kind,
        );
        self
    }
}
