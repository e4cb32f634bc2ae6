//! Merging of messages into commands, and commands of one tick that act one after the other.
use bevy::{
    prelude::*,
    reflect::{PartialReflect, ReflectMut, ReflectRef},
};
use serde::Serialize;

use super::{CAPACITY, Command};
use crate::{hasher::StateHasher, state::Stateful};

/// Commands that arrived before the last one and have not acted yet, in the order of their arrival. For actuators that require
/// this component: a command with a field that the last one has as well does not replace it, but acts after it. Their
/// `default_action` clears the list. Commands that pass input modifiers replace one another.
#[derive(Component, Clone, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Earlier<C> {
    commands: Vec<C>,
    /// True if the last command is known to be the default one, so that no message overwrites it: comparing all fields takes
    /// longer than the rest of a message's way.
    #[serde(skip)]
    has_acted: bool,
}

impl<C> Default for Earlier<C> {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            has_acted: false,
        }
    }
}

impl<C: Command> Stateful for Earlier<C> {
    /// Most of the time there are none.
    fn hash(&self, hasher: &mut StateHasher) {
        for command in &self.commands {
            hasher.value(command);
        }
    }
}

impl<C: Command> Earlier<C> {
    /// Returns the commands, from the oldest to the newest.
    #[must_use]
    pub fn commands(&self) -> &[C] {
        &self.commands
    }

    /// Adds the last command, and clears it. As in a mailbox, the oldest of too many commands are dropped.
    pub fn add(&mut self, last: &mut C) {
        if self.commands.len() == CAPACITY {
            self.commands.remove(0);
        }
        self.commands.push(std::mem::take(last));
    }

    /// Clears the list after its commands have acted. The last command has acted, too, and [`Received`](super::Received) contains
    /// the default one.
    pub fn clear(&mut self) {
        self.commands.clear();
        self.has_acted = true;
    }

    /// Returns true if a message, which is merged next, has a field that the last command has as well.
    pub(super) fn is_overwritten(&mut self, last: &C, message: &dyn PartialReflect) -> bool {
        let has_acted = std::mem::take(&mut self.has_acted);
        !has_acted && overwrites(last, message)
    }

    /// Notes that the last command is replaced by another way than messages.
    pub(super) const fn expect_command(&mut self) {
        self.has_acted = false;
    }
}

/// Returns true if a message has a field that a command has as well, beyond their defaults.
pub(super) fn overwrites<C: Command>(command: &C, message: &dyn PartialReflect) -> bool {
    let ReflectRef::Struct(message) = message.reflect_ref() else {
        return false;
    };
    let default = C::default();
    message.iter_fields().any(|(name, value)| {
        let is_set = |value: &dyn PartialReflect| {
            let default = default.field(name);
            default.is_some_and(|default| value.reflect_partial_eq(default) == Some(false))
        };
        is_set(value) && command.field(name).is_some_and(is_set)
    })
}

/// Writes the fields of a message into a command. Lists are replaced: reflection alone would keep the tail of a longer list.
pub(super) fn merge<C: Command>(command: &mut C, message: &dyn PartialReflect) {
    if let Some(whole) = message.try_downcast_ref::<C>() {
        command.clone_from(whole);
        return;
    }
    let (ReflectMut::Struct(command), ReflectRef::Struct(message)) =
        (command.reflect_mut(), message.reflect_ref())
    else {
        return;
    };
    for (name, value) in message.iter_fields() {
        if let Some(field) = command.field_mut(name) {
            if let ReflectMut::List(list) = field.reflect_mut() {
                drop(list.drain());
            }
            // The sender refused values of another type; a nested value of another type leaves the field unchanged.
            drop(field.try_apply(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(
        Component, Reflect, Clone, Default, Debug, PartialEq, Serialize, serde::Deserialize,
    )]
    struct Setpoint {
        names: Vec<String>,
        speed: f64,
    }

    #[test]
    fn a_shorter_list_replaces_a_longer_one_and_other_fields_stay() {
        let mut setpoint = Setpoint {
            names: vec!["a".into(), "b".into()],
            speed: 2.0,
        };
        let mut message = bevy::reflect::structs::DynamicStruct::default();
        message.insert("names", vec!["c".to_owned()]);
        merge(&mut setpoint, &message);
        assert_eq!(
            setpoint,
            Setpoint {
                names: vec!["c".into()],
                speed: 2.0
            }
        );
    }

    #[test]
    fn what_is_set_twice_is_overwritten() {
        let setpoint = Setpoint {
            names: vec!["a".into()],
            speed: 0.0,
        };
        let message = |names: &[&str], speed: f64| Setpoint {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            speed,
        };
        assert!(overwrites(&setpoint, &message(&["b"], 1.0)));
        assert!(!overwrites(&setpoint, &message(&[], 1.0)));
        let mut partial = bevy::reflect::structs::DynamicStruct::default();
        partial.insert("names", vec!["a".to_owned()]);
        assert!(overwrites(&setpoint, &partial), "even by an equal value");
        assert!(!overwrites(&Setpoint::default(), &partial));
    }
}
