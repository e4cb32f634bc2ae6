//! Who touches whom, for bumpers and collision sensors.
use std::sync::Arc;

use bevy::prelude::*;

/// Tells what a robot touches, as it stands after the last tick. Implemented by the physics.
pub trait FindContacts: Send + Sync {
    /// Adds the paths of the bodies that any body of `robot` (its base) touches, to `found`: sorted, each
    /// once, without the robot's own.
    fn touching(&self, robot: Entity, found: &mut Vec<Arc<str>>);
}

/// The world's contacts.
#[derive(Resource)]
pub struct Contacts(pub Box<dyn FindContacts>);
