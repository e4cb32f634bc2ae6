//! Commands of actuators, from the outside to the tick.
mod merging;
mod whole;

use std::{any::TypeId, sync::Arc};

use bevy::{
    ecs::component::Mutable,
    prelude::*,
    reflect::{PartialReflect, ReflectRef, TypeInfo, Typed, structs::Struct},
};
use crossbeam_channel::{Receiver, Sender, TryRecvError, TrySendError, bounded};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{
    arbitration::Contender,
    component::{Active, ComponentPath},
    fields::{self, Fields, Unit},
    log::{CommandLog, LogEntry, LoggedAction},
    modifier::{ModifierOutcome, ModifierStates, Modifiers},
    range::{self, ValueRange},
    tick::Clock,
    warning::Warnings,
};

pub use merging::Earlier;
use merging::merge;

/// Capacity of a mailbox, in commands per tick; the newest command wins, so a few are enough.
const CAPACITY: usize = 64;

/// Warning about a command that passed its modifiers.
const OUT_OF_RANGE: &str = "a modifier brings a command out of range; it is ignored";

/// A command: a plain struct of numbers, vectors and text.
#[doc(alias("local_data", "Twist"))]
pub trait Command:
    Component<Mutability = Mutable> + Clone + Default + Struct + Typed + Serialize + DeserializeOwned
{
}

impl<T> Command for T where
    T: Component<Mutability = Mutable>
        + Clone
        + Default
        + Struct
        + Typed
        + Serialize
        + DeserializeOwned
{
}

/// The last command in the actuator's own axes, before input modifiers other than changes of frame. Partial commands are
/// merged into it, in the client's axes.
#[derive(Component, Clone, Default, Serialize, serde::Deserialize)]
pub struct Received<C>(pub C);

/// Gives an actuator a command at once, as services do. It takes effect in this tick, and later partial commands are merged
/// into it.
///
/// # Errors
///
/// A number is beyond the range of its field; the actuator keeps its previous command.
pub fn give<C: Command>(world: &mut World, entity: Entity, command: C) -> Result<(), BadCommand> {
    if let Some((field, number)) = range::violation(&command) {
        let mailbox = world.get::<Mailbox>(entity);
        let path = mailbox.map_or("", |mailbox| &mailbox.sender.info.path);
        let unit = field.get_attribute::<Unit>().map_or("", |unit| unit.0);
        let known = mailbox.and_then(|mailbox| mailbox.sender.info.fields.get(field.name()));
        let range = known.map_or_else(|| ValueRange::of(field), |known| known.range);
        let of = (field.name(), range, unit);
        return Err(BadCommand::out_of_range(path, of, number));
    }
    // The ranges of this robot may be narrower than those of the type.
    if let Some(mailbox) = world.get::<Mailbox>(entity) {
        mailbox.sender.check(&command)?;
    }
    world
        .entity_mut(entity)
        .insert((Received(command.clone()), command));
    if let Some(mut earlier) = world.get_mut::<Earlier<C>>(entity) {
        earlier.expect_command();
    }
    Contender::note(world.get_mut(entity));
    Ok(())
}

/// Description of an actuator for middlewares.
#[derive(Clone, Debug)]
pub struct ActuatorInfo {
    /// The actuator's dotted path, such as `rover.motion`.
    pub path: Arc<str>,
    /// The robot's path.
    pub robot: Arc<str>,
    /// Name of the kind, such as `v_omega`.
    pub kind: &'static str,
    /// Type of the command, for decoding.
    pub command: &'static TypeInfo,
    /// The command's fields, in order.
    pub fields: Fields,
}

impl ActuatorInfo {
    /// Converts the JSON value of a field to the field's type.
    ///
    /// # Errors
    ///
    /// The command has no such field, or the value is of another type.
    pub fn value_from_json(
        &self,
        name: &str,
        value: &Json,
    ) -> Result<Box<dyn PartialReflect>, BadCommand> {
        let Some(field) = self.fields.get(name) else {
            let known: Vec<&str> = self.fields.0.iter().map(|field| field.name).collect();
            return Err(BadCommand::NoField {
                path: self.path.to_string(),
                field: name.to_owned(),
                known: known.join(", "),
            });
        };
        fields::from_json(field, value).ok_or_else(|| BadCommand::WrongType {
            path: self.path.to_string(),
            field: name.to_owned(),
            expected: field.type_name,
        })
    }
}

/// Sending end of an actuator's mailbox.
#[derive(Clone)]
pub struct CommandSender {
    /// The actuator of this mailbox.
    pub info: Arc<ActuatorInfo>,
    sender: Sender<Box<dyn PartialReflect>>,
    oldest: Receiver<Box<dyn PartialReflect>>,
}

impl CommandSender {
    /// Sends a command: the actuator's command type, or a `DynamicStruct` with some of its fields (the others keep their
    /// values). Never blocks; when the mailbox is full, the oldest command is dropped.
    ///
    /// # Errors
    ///
    /// The command does not have a field of the message, or a number is not finite.
    pub fn send(&self, command: Box<dyn PartialReflect>) -> Result<(), BadCommand> {
        self.check(command.as_ref())?;
        let mut command = command;
        while let Err(TrySendError::Full(back)) = self.sender.try_send(command) {
            command = back;
            drop(self.oldest.try_recv());
        }
        Ok(())
    }

    fn check(&self, command: &dyn PartialReflect) -> Result<(), BadCommand> {
        if self.accepts_whole(command) {
            return Ok(());
        }
        let ReflectRef::Struct(command) = command.reflect_ref() else {
            return Err(BadCommand::NotAStruct {
                path: self.info.path.to_string(),
            });
        };
        for (index, (name, value)) in command.iter_fields().enumerate() {
            let known = self.info.fields.get_near(index, name);
            let Some(field) = known.filter(|field| is_of_type(value, field.type_id)) else {
                return Err(BadCommand::UnknownField {
                    path: self.info.path.to_string(),
                    field: name.to_owned(),
                });
            };
            let value = field.view_value(value);
            if !value.is_finite() {
                return Err(BadCommand::NotFinite {
                    path: self.info.path.to_string(),
                    field: name.to_owned(),
                });
            }
            if let Some(number) = field.range.violation_in(value) {
                let of = (field.name, field.range, field.unit.unwrap_or_default());
                return Err(BadCommand::out_of_range(&self.info.path, of, number));
            }
        }
        Ok(())
    }
}

/// Returns true if a value has a type, or represents it, or represents none.
fn is_of_type(value: &dyn PartialReflect, type_id: TypeId) -> bool {
    if let Some(whole) = value.try_as_reflect() {
        return whole.as_any().type_id() == type_id;
    }
    let info = value.get_represented_type_info();
    info.is_none_or(|info| info.type_id() == type_id)
}

/// Reason why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCommand {
    /// Something other than a struct.
    #[error("`{path}` takes a struct of fields")]
    NotAStruct {
        /// The actuator.
        path: String,
    },
    /// A field that the command does not have.
    #[error("`{path}` has no field `{field}`; it has: {known}")]
    NoField {
        /// The actuator.
        path: String,
        /// The field.
        field: String,
        /// The fields of the command, with commas between.
        known: String,
    },
    /// A value in JSON of another type than its field.
    #[error("`{path}`: `{field}` requires {expected}")]
    WrongType {
        /// The actuator.
        path: String,
        /// The field.
        field: String,
        /// Type of the field.
        expected: &'static str,
    },
    /// A field that the command does not have, or of another type.
    #[error("`{path}` has no field `{field}` of this type")]
    UnknownField {
        /// The actuator.
        path: String,
        /// The field.
        field: String,
    },
    /// A number that is infinite or not a number.
    #[error("`{path}`: the number in `{field}` is not finite")]
    NotFinite {
        /// The actuator.
        path: String,
        /// The field.
        field: String,
    },
    /// A number beyond the range of its field.
    #[error("`{path}`: {number} in `{field}` is out of range: {range}")]
    OutOfRange {
        /// The actuator.
        path: String,
        /// The field.
        field: String,
        /// The number.
        number: String,
        /// The least and the greatest value, with the unit.
        range: String,
    },
}

impl BadCommand {
    fn out_of_range(
        path: &str,
        (field, range, unit): (&str, ValueRange, &str),
        number: f64,
    ) -> Self {
        Self::OutOfRange {
            path: path.to_owned(),
            field: field.to_owned(),
            number: ValueRange::shown(number),
            range: format!("{range} {unit}").trim_end().to_owned(),
        }
    }
}

/// Receiving end of an actuator's mailbox, read in each tick.
#[derive(Component)]
pub struct Mailbox {
    receiver: Receiver<Box<dyn PartialReflect>>,
    sender: CommandSender,
    /// Receiving ends of senders that were made before the world was built again.
    earlier: Vec<Receiver<Box<dyn PartialReflect>>>,
}

impl Mailbox {
    /// An empty mailbox.
    #[must_use]
    pub fn new(info: Arc<ActuatorInfo>) -> Self {
        let (sender, receiver) = bounded(CAPACITY);
        Self {
            sender: CommandSender {
                info,
                sender,
                oldest: receiver.clone(),
            },
            receiver,
            earlier: Vec::new(),
        }
    }

    /// Returns the sending end.
    #[must_use]
    pub fn sender(&self) -> CommandSender {
        self.sender.clone()
    }

    /// Takes over the messages and the senders of the same actuator's mailbox in an earlier world.
    pub fn adopt(&mut self, old: Self) {
        let Self {
            receiver,
            sender,
            earlier,
        } = old;
        drop(sender);
        for receiver in earlier.into_iter().chain([receiver]) {
            let has_senders = loop {
                match receiver.try_recv() {
                    // A full mailbox has newer messages.
                    Ok(message) => drop(self.sender.sender.try_send(message)),
                    Err(TryRecvError::Empty) => break true,
                    Err(TryRecvError::Disconnected) => break false,
                }
            };
            if has_senders {
                self.earlier.push(receiver);
            }
        }
    }

    /// Returns true if no command waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.receiver.is_empty() && self.earlier.iter().all(Receiver::is_empty)
    }

    /// Returns copies of the commands that wait, from the oldest to the newest.
    #[must_use]
    pub fn waiting(&self) -> Vec<Box<dyn PartialReflect>> {
        let waiting: Vec<_> = self.messages().collect();
        let copies = waiting.iter().map(|command| copy(command.as_ref()));
        let copies = copies.collect();
        self.fill(waiting);
        copies
    }

    /// Replaces the commands that wait by copies of others.
    pub fn replace(&self, commands: &[Box<dyn PartialReflect>]) {
        self.messages().for_each(drop);
        self.fill(commands.iter().map(|command| copy(command.as_ref())));
    }

    fn fill(&self, commands: impl IntoIterator<Item = Box<dyn PartialReflect>>) {
        for command in commands {
            // A full mailbox has newer messages.
            drop(self.sender.sender.try_send(command));
        }
    }

    /// Receives the messages that have arrived.
    fn messages(&self) -> impl Iterator<Item = Box<dyn PartialReflect>> {
        let earlier = self.earlier.iter().flat_map(Receiver::try_iter);
        earlier.chain(self.receiver.try_iter())
    }
}

/// Returns a copy of a command, of the same type if that can be cloned.
fn copy(command: &dyn PartialReflect) -> Box<dyn PartialReflect> {
    match command.reflect_clone() {
        Ok(copy) => copy.into_partial_reflect(),
        Err(_) => command.to_dynamic(),
    }
}

/// Reads the mailboxes of a kind of actuator, except those of deactivated actuators.
pub(crate) fn read_inputs<A: Component, C: Command>(
    clock: Res<Clock>,
    mut log: Option<ResMut<CommandLog>>,
    mut warnings: Option<ResMut<Warnings>>,
    mut actuators: Query<
        (
            &ComponentPath,
            &Active,
            &Mailbox,
            &mut Received<C>,
            &mut C,
            (&Modifiers, &mut ModifierStates),
            (Option<&mut Earlier<C>>, Option<&mut Contender>),
        ),
        With<A>,
    >,
) {
    for (
        path,
        active,
        mailbox,
        mut received,
        mut command,
        (modifiers, mut states),
        (mut earlier, mut contender),
    ) in &mut actuators
    {
        if !active.0 {
            continue;
        }
        if release(modifiers, &mut states, &clock, &mut *command) {
            Contender::note(contender.as_mut().map(Mut::reborrow));
        }
        if mailbox.is_empty() {
            continue;
        }
        if modifiers.0.is_empty() {
            Contender::note(contender);
            for message in mailbox.messages() {
                if let Some(earlier) = &mut earlier
                    && earlier.is_overwritten(&received.0, message.as_ref())
                {
                    note(&mut log, &clock, path, &received.0);
                    earlier.add(&mut received.0);
                }
                merge(&mut received.0, message.as_ref());
            }
            command.clone_from(&received.0);
            note(&mut log, &clock, path, &received.0);
            continue;
        }
        let mut setpoint = received.0.clone();
        modifiers.leave(&mut setpoint);
        for message in mailbox.messages() {
            merge(&mut setpoint, message.as_ref());
        }
        // Modifiers may drop a command; the log contains it, and a replay applies the modifiers again.
        note(&mut log, &clock, path, &setpoint);
        let mut changed = setpoint.clone();
        let outcome = modifiers.command(&mut changed, &mut states, &clock);
        if outcome == ModifierOutcome::Lost {
            continue;
        }
        if outcome == ModifierOutcome::Passed {
            Contender::note(contender);
        }
        if outcome == ModifierOutcome::Passed && !take(&mut *command, changed, &setpoint) {
            if let Some(warnings) = &mut warnings {
                warnings.add(path, OUT_OF_RANGE);
            }
            continue;
        }
        received.0.clone_from(&setpoint);
        modifiers.enter(&mut received.0);
        if let Some(earlier) = &mut earlier {
            earlier.expect_command();
        }
    }
}

/// Appends a command to the log, if there is one.
fn note<C: Command>(
    log: &mut Option<ResMut<CommandLog>>,
    clock: &Clock,
    path: &ComponentPath,
    command: &C,
) {
    if let Some(log) = log {
        log.0.push(LogEntry {
            tick: clock.tick,
            action: LoggedAction::Command {
                actuator: path.0.clone(),
                value: Box::new(command.clone()),
            },
        });
    }
}

/// Applies commands that modifiers delayed until now. Returns true if there were any.
fn release<C: Command>(
    modifiers: &Modifiers,
    states: &mut ModifierStates,
    clock: &Clock,
    command: &mut C,
) -> bool {
    let mut has_any = false;
    while let Some(index) = modifiers.due(states, clock) {
        let mut later = command.clone();
        if modifiers.release(index, &mut later, states, clock) == ModifierOutcome::Passed {
            let before = command.clone();
            has_any |= take(command, later, &before);
        }
    }
    has_any
}

/// Accepts a modified command, unless modifiers moved numbers out of range that were in range before. Returns true if it is
/// accepted.
fn take<C: Command>(command: &mut C, changed: C, before: &C) -> bool {
    let is_fine = range::violation(&changed).is_none() || range::violation(before).is_some();
    if is_fine {
        *command = changed;
    }
    is_fine
}
