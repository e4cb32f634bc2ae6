//! Lights: states from commands, and the commands to the lights of the simulation.
use std::collections::BTreeMap;

use serde_json::json;

use super::{LIGHTS, effector::FrameCommands};
use crate::prelude::*;

/// Lights of a robot.
pub(super) struct Lights {
    /// Numbers of the primitives, in the order of their links.
    links: Vec<u32>,
    /// Last commanded intensity of each light.
    intensities: BTreeMap<u32, i32>,
}

impl Lights {
    pub(super) fn new(links: Vec<u32>) -> Self {
        Self {
            links,
            intensities: BTreeMap::new(),
        }
    }

    /// Switches the lights whose state changes in a frame. A dimmed light is on if its intensity is above zero.
    pub(super) fn command(&mut self, context: &mut Context<'_>, commands: &FrameCommands) {
        for (link, id) in self.links.iter().enumerate() {
            let Some(command) = commands.get(id) else {
                continue;
            };
            let before = self.intensities.insert(*id, command.value);
            let is_on = command.value > 0;
            if before.is_some_and(|before| before > 0) != is_on {
                let command = json!({ "emit": is_on });
                context.set_region_for(LIGHTS, link, &command.into());
                context.notify_observer(LIGHTS, link);
            }
        }
    }
}
