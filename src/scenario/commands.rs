//! Commands that are given to actuators at times.
use std::collections::VecDeque;

use bevy::reflect::structs::DynamicStruct;
use morse_api::{command::CommandSender, fields::from_json};
use morse_diagnostics::{nearest, printable};
use morse_simulation_file::{TimedCommand, span::Span};

use crate::simulation::Simulation;

/// A command that an actuator cannot accept, with its position in the scenario file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct MisfitCommand {
    /// Reason.
    pub message: String,
    /// Position of the actuator's name.
    pub span: Option<Span>,
}

/// Commands that are due later.
pub struct Commands(VecDeque<(f64, CommandSender, TimedCommand)>);

impl Commands {
    /// Looks up the actuators of commands that are sorted by time.
    ///
    /// # Errors
    ///
    /// The first command that no actuator of the simulation can accept.
    pub fn new(
        simulation: &Simulation,
        commands: impl IntoIterator<Item = TimedCommand>,
    ) -> Result<Self, MisfitCommand> {
        let commands = commands.into_iter().map(|command| {
            let misfit = |message: String| MisfitCommand {
                message,
                span: command.to.span,
            };
            let sender = simulation.commander(&command.to);
            let sender = sender.map_err(|error| misfit(error.to_string()))?;
            message(&sender, &command).map_err(misfit)?;
            Ok((command.at, sender, command))
        });
        Ok(Self(commands.collect::<Result<_, _>>()?))
    }

    /// Gives the commands that are due; they take effect in the next tick.
    ///
    /// # Errors
    ///
    /// An actuator refuses a command.
    pub fn give(&mut self, simulation: &Simulation) -> Result<(), MisfitCommand> {
        let half_tick = 0.5 / simulation.clock().rate;
        let now = simulation.seconds() + half_tick;
        while let Some((_, sender, command)) = self.0.pop_front_if(|(at, ..)| *at <= now) {
            let misfit = |message: String| MisfitCommand {
                message,
                span: command.to.span,
            };
            let message = message(&sender, &command).map_err(misfit)?;
            let sent = sender.send(Box::new(message));
            sent.map_err(|error| misfit(error.to_string()))?;
        }
        Ok(())
    }
}

fn message(sender: &CommandSender, command: &TimedCommand) -> Result<DynamicStruct, String> {
    let mut made = DynamicStruct::default();
    for (name, value) in &command.fields {
        let fields = &sender.info.fields;
        let Some(field) = fields.get(name) else {
            let path = &sender.info.path;
            let known = fields.0.iter().map(|field| field.name);
            let near = nearest(name, known.clone());
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            let known: Vec<&str> = known.collect();
            return Err(format!(
                "the command of `{path}` has no field `{}`; it has: {}{}",
                printable(name),
                known.join(", "),
                near.unwrap_or_default()
            ));
        };
        let value = from_json(field, value).ok_or_else(|| {
            let (path, wanted) = (&sender.info.path, field.type_name);
            format!("`{path}`: `{name}` requires {wanted}")
        })?;
        made.insert_boxed(name.clone(), value);
    }
    Ok(made)
}
