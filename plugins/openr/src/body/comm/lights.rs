//! Lights: states from commands, and the commands to the lights of the simulation.
use std::collections::BTreeMap;

use serde_json::json;

use super::{LIGHTS, effector::FrameCommands};
use crate::{body::primitives::Kind, prelude::*};

/// Greatest intensity of a dimmed light.
const BRIGHTEST: i32 = 255;

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

    /// Sets the lights whose state changes in a frame. The brightness of a dimmed light is proportional to its intensity.
    pub(super) fn command(&mut self, context: &mut Context<'_>, commands: &FrameCommands) {
        for (link, id) in self.links.iter().enumerate() {
            let Some(command) = commands.get(id) else {
                continue;
            };
            let brightest = match context.primitive_kind(*id) {
                Some(Kind::Dimmed) => BRIGHTEST,
                _ => 1,
            };
            let intensity = command.value.clamp(0, brightest);
            let before = self.intensities.insert(*id, intensity);
            if before.unwrap_or(0) != intensity {
                let share = f64::from(intensity) / f64::from(brightest);
                let command = json!({ "emit": intensity > 0, "intensity": share });
                context.set_region_for(LIGHTS, link, &command.into());
                context.notify_observer(LIGHTS, link);
            }
        }
    }
}
