//! Paths: the names of components, robots and bodies.
use std::sync::Arc;

use bevy::prelude::*;

/// Dotted name of a component, robot or body, such as `rover.gps`. Unique; everything is ordered by it.
#[derive(Component, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentPath(pub Arc<str>);

impl ComponentPath {
    /// Returns the text of the path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ComponentPath {
    fn default() -> Self {
        Self("".into())
    }
}

impl std::fmt::Display for ComponentPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a robot in the simulation file. A component of the robot's base body.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub struct RobotName(pub Arc<str>);

/// Returns the path of a component, or the name of a robot.
pub(crate) fn path_of(world: &World, entity: Entity) -> String {
    let robot = world.get::<RobotName>(entity);
    let path = world.get::<ComponentPath>(entity).map(ToString::to_string);
    robot.map_or(path.unwrap_or_default(), |robot| robot.0.to_string())
}
