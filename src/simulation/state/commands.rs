//! Commands that have been sent, and that no tick has applied yet.
use std::sync::Arc;

use bevy::{prelude::*, reflect::PartialReflect};
use morse_api::{command::Mailbox, component::ComponentPath};

/// Commands that wait in the mailboxes of a world, by the path of their actuator.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingCommands(Arc<[(ComponentPath, Vec<Box<dyn PartialReflect>>)]>);

impl WaitingCommands {
    /// Returns copies of the commands.
    pub(super) fn of(world: &World) -> Self {
        let Some(mut mailboxes) = world.try_query::<(&ComponentPath, &Mailbox)>() else {
            return Self::default();
        };
        let mailboxes = mailboxes.iter(world);
        let full = mailboxes.filter(|(_, mailbox)| !mailbox.is_empty());
        Self(
            full.map(|(path, mailbox)| (path.clone(), mailbox.waiting()))
                .collect(),
        )
    }

    /// Replaces all commands that wait in a world.
    pub(super) fn restore(&self, world: &World) {
        let Some(mut mailboxes) = world.try_query::<(&ComponentPath, &Mailbox)>() else {
            return;
        };
        for (path, mailbox) in mailboxes.iter(world) {
            let own = self.0.iter().find(|(actuator, _)| actuator == path);
            mailbox.replace(own.map_or(&[], |(_, commands)| commands));
        }
    }
}
