//! Observations and actions of an environment, bound to one simulation: names are resolved once, and not per step.
use std::any::TypeId;

use bevy::{
    ecs::entity::Entity,
    prelude::World,
    reflect::{
        PartialReflect,
        structs::{DynamicStruct, Struct},
    },
};
use morse_api::{
    command::CommandSender,
    fields::{DynamicValue, Field, Fields, Value},
    kind::{Described, Kinds},
    samples::Block,
    sensor::Exported,
    service,
    tick::Clock,
};
use morse_sim::{
    scenario::{Condition, Monitor},
    simulation::{AccessError, Simulation},
};
use pyo3::prelude::*;

use crate::{failure::Failure, shared::Numbers};

/// Names of an environment's observations, actions and end.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) struct Task {
    /// Fields of sensors to read, with an index if it is one of the field's numbers.
    #[pyo3(item)]
    read: Vec<(String, String, Option<usize>)>,
    /// Fields of commands, with an index if the field is a list.
    #[pyo3(item)]
    act: Vec<(String, String, Option<usize>)>,
    /// Expressions that end an episode.
    #[pyo3(item)]
    terminated: Vec<String>,
    /// Ticks of one action.
    #[pyo3(item)]
    pub(crate) ticks: u64,
}

impl Task {
    /// Number of expressions that end an episode.
    pub(crate) fn ends(&self) -> usize {
        self.terminated.len()
    }

    /// Number of numbers of an action.
    pub(crate) fn action_size(&self) -> usize {
        self.act.len()
    }
}

/// A task with names resolved in a simulation.
pub(crate) struct Link {
    readers: Vec<Reader>,
    commanders: Vec<Commander>,
    monitor: Monitor,
    /// Texts of the expressions that end an episode, and names of their verdicts.
    ends: Vec<String>,
    /// Numbers of the last observation.
    row: Vec<f64>,
}

impl Link {
    /// Resolves the names.
    pub(crate) fn new(simulation: &Simulation, task: &Task) -> Result<Self, Failure> {
        let readers = task.read.iter().map(|name| Reader::new(simulation, name));
        let conditions = task.terminated.iter().map(|text| {
            let condition = Condition::reach(text)
                .map_err(|error| Failure::access(format!("condition `{text}`: {error}")))?;
            Ok((text.clone(), condition))
        });
        let conditions: Vec<_> = conditions.collect::<Result<_, Failure>>()?;
        Ok(Self {
            readers: readers.collect::<Result<_, _>>()?,
            commanders: commanders(simulation, &task.act)?,
            monitor: Monitor::new(simulation, conditions).map_err(Failure::access)?,
            ends: task.terminated.clone(),
            row: Vec::new(),
        })
    }

    /// Reads the fields, and returns the number of numbers of each.
    pub(crate) fn sizes(&mut self, simulation: &Simulation) -> Result<Vec<usize>, Failure> {
        self.row.clear();
        let mut sizes = Vec::new();
        for reader in &self.readers {
            let before = self.row.len();
            if !reader.read(simulation, &mut self.row)? {
                return Err(reader.has_no_length());
            }
            sizes.push(self.row.len() - before);
        }
        Ok(sizes)
    }

    /// Writes the fields into a row: NaN for those of sensors that have exported nothing yet.
    pub(crate) fn observe(
        &mut self,
        simulation: &Simulation,
        sizes: &[usize],
        (rows, row): (&Numbers, usize),
    ) -> Result<(), Failure> {
        self.row.clear();
        for (reader, size) in self.readers.iter().zip(sizes) {
            let before = self.row.len();
            if !reader.read(simulation, &mut self.row)? {
                self.row.resize(before + size, f64::NAN);
            }
            let count = self.row.len() - before;
            if count != *size {
                let text = format!(
                    "`{}` has {count} numbers now, and had {size} at the start: fields of an observation have a constant length",
                    reader.name
                );
                return Err(Failure::access(text));
            }
        }
        rows.write(row, &self.row);
        Ok(())
    }

    /// Sends the action in a row.
    pub(crate) fn command(&self, actions: &Numbers, row: usize) -> Result<(), Failure> {
        self.commanders
            .iter()
            .try_for_each(|commander| commander.send(actions, row))
    }

    /// Evaluates the end of the episode after a tick.
    pub(crate) fn look(&mut self, simulation: &Simulation) {
        self.monitor.look(simulation);
    }

    /// Appends 1 for each expression that has become true, and otherwise 0.
    pub(crate) fn ended(&self, outcome: &mut Vec<f64>) -> Result<(), Failure> {
        let decided = self.monitor.decided();
        if let Some(wrong) = decided.iter().find(|verdict| !verdict.passed) {
            return Err(Failure::access(wrong));
        }
        let is_decided = |end: &String| decided.iter().any(|verdict| verdict.name == *end);
        let flags = self.ends.iter().map(is_decided);
        outcome.extend(flags.map(|flag| f64::from(u8::from(flag))));
        Ok(())
    }
}

/// A field of a sensor's exported data.
struct Reader {
    /// Path and field, for errors.
    name: String,
    entity: Entity,
    modified: fn(&World, Entity) -> Option<&dyn Struct>,
    selected: Selected,
    /// Index of the only one of the field's numbers that is read.
    index: Option<usize>,
}

/// Position of a field in the data of a sensor.
enum Selected {
    /// Time of the measurement, s.
    Timestamp,
    /// A field of the struct.
    Field(Field),
    /// A name that the data determine, such as the name of a joint.
    Entry(Fields, String),
}

impl Reader {
    fn new(
        simulation: &Simulation,
        (path, name, index): &(String, String, Option<usize>),
    ) -> Result<Self, Failure> {
        // The error has the nearest path.
        let data = match simulation.read_any(path) {
            Err(AccessError::NothingYet { .. }) => None,
            data => Some(data?),
        };
        let world = simulation.world();
        let sensor = service::find(world, path).and_then(|entity| {
            let info = &world.get::<Described>(entity)?.0;
            let kind = world.resource::<Kinds>().sensors.get(info.kind)?;
            Some((entity, info, kind.modified))
        });
        let (entity, info, modified) =
            sensor.ok_or_else(|| Failure::access(format!("`{path}` is no sensor")))?;
        let entries = || {
            data.map_or_else(<_>::default, |data| {
                DynamicValue::of_data(&info.fields, data)
            })
        };
        let is_named = |field: &&Field| {
            let value = data.and_then(|data| field.view(data));
            matches!(value, Some(Value::Named(_)))
        };
        let field = info.fields.get(name).filter(|field| !is_named(field));
        let selected = match field {
            _ if name == "timestamp" => Selected::Timestamp,
            Some(field) => Selected::Field(field.clone()),
            // Without data, the names are unknown: they are resolved when there are some.
            None if data.is_none() || entry(&entries(), name).is_some() => {
                Selected::Entry(info.fields.clone(), name.clone())
            }
            None => {
                let known = match entries() {
                    DynamicValue::Map(map) => map.into_iter().map(|(name, _)| name).collect(),
                    _ => Vec::new(),
                };
                let text = format!(
                    "`{path}` has no field `{name}`; there are: {}",
                    known.join(", ")
                );
                return Err(Failure::access(text));
            }
        };
        Ok(Self {
            name: format!("{path}.{}", selected.name()),
            entity,
            modified,
            selected,
            index: *index,
        })
    }

    /// Appends the numbers of the field. Returns false if the sensor has exported nothing yet.
    fn read(&self, simulation: &Simulation, row: &mut Vec<f64>) -> Result<bool, Failure> {
        let world = simulation.world();
        let Some(data) = (self.modified)(world, self.entity) else {
            return Ok(false);
        };
        let before = row.len();
        let is_number = match &self.selected {
            Selected::Timestamp => {
                let tick = world.get::<Exported>(self.entity).map_or(0, |tick| tick.0);
                let clock = Clock {
                    tick,
                    ..simulation.clock()
                };
                row.push(clock.seconds());
                true
            }
            Selected::Field(field) => field.view(data).is_some_and(|value| flatten(value, row)),
            Selected::Entry(fields, name) => {
                let entries = DynamicValue::of_data(fields, data);
                entry(&entries, name).is_some_and(|value| flatten_dynamic(value, row))
            }
        };
        if !is_number {
            return Err(Failure::access(format!(
                "`{}` has no numbers, so it cannot be observed",
                self.name
            )));
        }
        self.keep_one(before, row)?;
        Ok(true)
    }

    /// Removes the numbers of the field, which begin at an index of the row, except the one that is read.
    fn keep_one(&self, before: usize, row: &mut Vec<f64>) -> Result<(), Failure> {
        let Some(index) = self.index else {
            return Ok(());
        };
        let numbers = row.get(before..).unwrap_or_default();
        let Some(number) = numbers.get(index).copied() else {
            return Err(Failure::access(format!(
                "`{0}.{index}`: `{0}` has {1} numbers, counted from 0",
                self.name,
                numbers.len()
            )));
        };
        row.truncate(before);
        row.push(number);
        Ok(())
    }
}

impl Reader {
    /// Returns the error of a field whose sensor has exported nothing when the environment is made.
    fn has_no_length(&self) -> Failure {
        Failure::access(format!(
            "`{}` has no data yet, so that the length of an observation is unknown; if a modifier drops the first measurement, \
             give it `missing: last` or `missing: nan`",
            self.name
        ))
    }
}

impl Selected {
    fn name(&self) -> &str {
        match self {
            Self::Timestamp => "timestamp",
            Self::Field(field) => field.name,
            Self::Entry(_, name) => name,
        }
    }
}

fn entry<'v>(value: &'v DynamicValue, name: &str) -> Option<&'v DynamicValue> {
    let DynamicValue::Map(map) = value else {
        return None;
    };
    let entry = map.iter().find(|(known, _)| known == name);
    entry.map(|(_, value)| value)
}

/// Appends all numbers of a value, in order. Returns false if some of it is no number.
fn flatten(value: Value<'_>, row: &mut Vec<f64>) -> bool {
    match value {
        Value::Number(number) => row.push(number),
        Value::Integer(integer) => row.push(integer as f64),
        Value::Flag(flag) => row.push(f64::from(u8::from(flag))),
        Value::Numbers(numbers) => row.extend_from_slice(numbers),
        Value::Triples(triples) => row.extend_from_slice(triples.as_flattened()),
        Value::Samples(samples) => samples_of(&samples.block(), row),
        Value::Dynamic(value) => return flatten_dynamic(value, row),
        Value::Named(named) => row.extend_from_slice(&named.values),
        Value::Other(other) => return flatten_dynamic(&DynamicValue::of(other), row),
        Value::Text(_) | Value::Texts(_) => return false,
    }
    true
}

fn flatten_dynamic(value: &DynamicValue, row: &mut Vec<f64>) -> bool {
    match value {
        DynamicValue::Number(number) => row.push(*number),
        DynamicValue::Integer(integer) => row.push(*integer as f64),
        DynamicValue::Flag(flag) => row.push(f64::from(u8::from(*flag))),
        DynamicValue::Numbers(numbers) => row.extend_from_slice(numbers),
        DynamicValue::Samples(block) => samples_of(block, row),
        DynamicValue::List(list) => return list.iter().all(|value| flatten_dynamic(value, row)),
        DynamicValue::Map(map) => return map.iter().all(|(_, value)| flatten_dynamic(value, row)),
        DynamicValue::Text(_) => return false,
    }
    true
}

fn samples_of(block: &Block, row: &mut Vec<f64>) {
    match block {
        Block::U8(samples) => row.extend(samples.values().iter().copied().map(f64::from)),
        Block::U16(samples) => row.extend(samples.values().iter().copied().map(f64::from)),
        Block::F32(samples) => row.extend(samples.values().iter().copied().map(f64::from)),
    }
}

/// The fields of one actuator's command that an action contains.
struct Commander {
    sender: CommandSender,
    fields: Vec<Acted>,
}

/// A field of a command, with the columns of its numbers in the action.
struct Acted {
    name: String,
    type_id: TypeId,
    columns: Vec<usize>,
}

impl Commander {
    fn send(&self, actions: &Numbers, row: usize) -> Result<(), Failure> {
        let mut command = DynamicStruct::default();
        for field in &self.fields {
            let numbers = field.columns.iter().map(|column| actions.get(row, *column));
            // The type was checked when the names were resolved.
            if let Some(value) = value(field.type_id, numbers.collect()) {
                command.insert_boxed(field.name.clone(), value);
            }
        }
        self.sender.send(Box::new(command)).map_err(Failure::access)
    }
}

/// Returns numbers as a value of a field's type; `None` if they do not fit.
fn value(type_id: TypeId, numbers: Vec<f64>) -> Option<Box<dyn PartialReflect>> {
    fn array<const N: usize>(numbers: Vec<f64>) -> Option<Box<dyn PartialReflect>>
    where
        [f64; N]: PartialReflect,
    {
        let array: [f64; N] = numbers.try_into().ok()?;
        Some(Box::new(array))
    }
    match type_id {
        id if id == TypeId::of::<f64>() => {
            let [number] = numbers.try_into().ok()?;
            Some(Box::new(number))
        }
        id if id == TypeId::of::<Vec<f64>>() => Some(Box::new(numbers)),
        id if id == TypeId::of::<[f64; 2]>() => array::<2>(numbers),
        id if id == TypeId::of::<[f64; 3]>() => array::<3>(numbers),
        id if id == TypeId::of::<[f64; 4]>() => array::<4>(numbers),
        _ => None,
    }
}

/// Groups the fields of an action by actuator and field, in the order of their first mention.
fn commanders(
    simulation: &Simulation,
    act: &[(String, String, Option<usize>)],
) -> Result<Vec<Commander>, Failure> {
    let mut commanders: Vec<Commander> = Vec::new();
    for (column, (path, name, index)) in act.iter().enumerate() {
        let sender = simulation.commander(path)?;
        let known = commanders
            .iter()
            .position(|known| known.sender.info.path == sender.info.path);
        let commander = match known.and_then(|known| commanders.get_mut(known)) {
            Some(commander) => commander,
            None => commanders.push_mut(Commander {
                sender,
                fields: Vec::new(),
            }),
        };
        commander.add(name, *index, column)?;
    }
    for commander in &commanders {
        for field in &commander.fields {
            if value(field.type_id, vec![0.0; field.columns.len()]).is_none() {
                let path = &commander.sender.info.path;
                let text = format!(
                    "`{path}.{}` does not take {} numbers",
                    field.name,
                    field.columns.len()
                );
                return Err(Failure::access(text));
            }
        }
    }
    Ok(commanders)
}

impl Commander {
    /// Adds a number of a field.
    fn add(&mut self, name: &str, index: Option<usize>, column: usize) -> Result<(), Failure> {
        let info = &self.sender.info;
        let Some(field) = info.fields.get(name) else {
            let known: Vec<&str> = info.fields.0.iter().map(|field| field.name).collect();
            let text = format!(
                "`{}` has no field `{name}`; there are: {}",
                info.path,
                known.join(", ")
            );
            return Err(Failure::access(text));
        };
        let acted = self.fields.iter().position(|known| known.name == name);
        let acted = match acted.and_then(|acted| self.fields.get_mut(acted)) {
            Some(acted) => acted,
            None => self.fields.push_mut(Acted {
                name: name.to_owned(),
                type_id: field.type_id,
                columns: Vec::new(),
            }),
        };
        if index.unwrap_or_default() != acted.columns.len() {
            let text = format!(
                "`{}.{name}`: expected the numbers of a list in order, from `{name}.0` on, each once",
                info.path
            );
            return Err(Failure::access(text));
        }
        acted.columns.push(column);
        Ok(())
    }
}
