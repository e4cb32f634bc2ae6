//! Paths: the names of components, robots and bodies.
use std::sync::Arc;

use bevy::prelude::*;

/// The dotted name of a component, robot or body, such as `rover.gps`. Unique; the order of everything.
#[derive(Component, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Arc<str>);

impl Path {
    /// The path's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Path {
    fn default() -> Self {
        Self("".into())
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name that the simulation file has for a robot. On the robot's base body.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub struct RobotName(pub Arc<str>);

/// Path of a component; robots have names of their own.
pub(crate) fn path_of(world: &World, entity: Entity) -> String {
    let robot = world.get::<RobotName>(entity);
    let path = world.get::<Path>(entity).map(ToString::to_string);
    robot.map_or(path.unwrap_or_default(), |robot| robot.0.to_string())
}
