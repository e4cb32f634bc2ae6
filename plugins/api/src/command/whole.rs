//! Commands of an actuator's own type, which most senders have.
use bevy::reflect::{PartialReflect, ReflectRef};

use super::CommandSender;
use crate::fields::Field;

impl CommandSender {
    /// Returns true for a valid command of the actuator's command type, whose fields need not be compared by name and type.
    pub(super) fn accepts_whole(&self, command: &dyn PartialReflect) -> bool {
        let Some(whole) = command.try_as_reflect() else {
            return false;
        };
        let info = &*self.info;
        if whole.as_any().type_id() != info.command.type_id() {
            return false;
        }
        let ReflectRef::Struct(command) = command.reflect_ref() else {
            return false;
        };
        let is_valid = |field: &Field| {
            let value = field.view(command);
            value.is_some_and(|value| field.range.accepts(value))
        };
        info.fields.0.len() == command.field_len() && info.fields.0.iter().all(is_valid)
    }
}
