//! Terms of expressions, bound to the data of a simulation: names are looked up once.
use bevy::{
    prelude::{Entity, World},
    reflect::{PartialReflect, ReflectRef, structs::Struct},
};
use morse_api::{
    body::BodyState,
    fields::{DynamicValue, Value, key_text, view},
    kind::{Described, Kinds},
    service,
};
use morse_scene::{
    diagnostic::{nearest, printable},
    simulation::{Place, Term},
};
use nalgebra::Point3;

use crate::simulation::Simulation;

/// Reason why a name means nothing in a simulation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BindError(pub(super) String);

/// A value of a tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Number(f64),
    Flag(bool),
    Text(String),
}

impl Scalar {
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Flag(_) => "`true` or `false`",
            Self::Text(_) => "a text",
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", rounded(*number)),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Text(text) => write!(f, "'{}'", printable(text)),
        }
    }
}

/// Six digits are enough to tell a person.
fn rounded(number: f64) -> String {
    let plain = format!("{number}");
    if plain.len() <= 9 || !number.is_finite() {
        return plain;
    }
    let decimals = match number.abs() {
        size if !(1e-4..1e9).contains(&size) => return format!("{number:.5e}"),
        size if size >= 1e4 => 2,
        size if size >= 1.0 => 5,
        _ => 6,
    };
    format!("{number:.decimals$}")
}

/// A term whose names were found.
pub(super) enum Probe {
    Constant(Scalar),
    Data(DataProbe),
    Distance(PlaceProbe, PlaceProbe),
}

/// A field of a sensor's exported data, or a part of it; or a coordinate of a body.
pub(super) enum DataProbe {
    Field {
        sensor: SensorProbe,
        /// Place in the data.
        index: usize,
        /// Indices and names within it.
        steps: Vec<String>,
    },
    Body {
        entity: Entity,
        axis: usize,
    },
}

/// The way to a sensor's exported data.
#[derive(Clone, Copy)]
pub(super) struct SensorProbe {
    entity: Entity,
    modified: fn(&World, Entity) -> Option<&dyn Struct>,
}

impl SensorProbe {
    fn data(self, world: &World) -> Option<&dyn Struct> {
        (self.modified)(world, self.entity)
    }
}

pub(super) enum PlaceProbe {
    Point(Point3<f64>),
    Body(Entity),
    Axes(SensorProbe, [usize; 3]),
    Vector(Box<DataProbe>),
}

/// Failure to find a part of a value.
enum Lack {
    /// There is no such part in any tick.
    Never(String),
    /// There is none in this tick: a list may be longer in another one.
    Now(String),
}

impl Probe {
    pub(super) fn new(simulation: &Simulation, term: &Term) -> Result<Self, BindError> {
        Ok(match term {
            Term::Number(number) => Self::Constant(Scalar::Number(*number)),
            Term::Flag(flag) => Self::Constant(Scalar::Flag(*flag)),
            Term::Text(text) => Self::Constant(Scalar::Text(text.clone())),
            Term::Data(path) => Self::Data(data_probe(simulation, path)?),
            Term::Distance(one, other) => Self::Distance(
                place_probe(simulation, one)?,
                place_probe(simulation, other)?,
            ),
        })
    }

    /// The value in this tick.
    pub(super) fn read(&self, world: &World) -> Result<Scalar, String> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Data(data) => data.read(world),
            Self::Distance(one, other) => {
                let distance = nalgebra::distance(&one.read(world)?, &other.read(world)?);
                Ok(Scalar::Number(distance))
            }
        }
    }
}

impl DataProbe {
    fn read(&self, world: &World) -> Result<Scalar, String> {
        match self {
            Self::Body { entity, axis } => {
                let body = world.get::<BodyState>(*entity);
                let coordinate =
                    body.and_then(|body| body.pose.translation.vector.get(*axis).copied());
                let coordinate = coordinate.ok_or_else(|| "the body is gone".to_owned())?;
                Ok(Scalar::Number(coordinate))
            }
            Self::Field { steps, .. } => {
                let value = self.value(world).ok_or("there is no data")?;
                part(value, steps).map_err(|lack| match lack {
                    Lack::Never(why) | Lack::Now(why) => why,
                })
            }
        }
    }

    fn value<'w>(&self, world: &'w World) -> Option<&'w dyn PartialReflect> {
        match self {
            Self::Field { sensor, index, .. } => sensor.data(world)?.field_at(*index),
            Self::Body { .. } => None,
        }
    }
}

impl PlaceProbe {
    fn read(&self, world: &World) -> Result<Point3<f64>, String> {
        let gone = || "the position is gone".to_owned();
        match self {
            Self::Point(point) => Ok(*point),
            Self::Body(entity) => {
                let body = world.get::<BodyState>(*entity).ok_or_else(gone)?;
                Ok(body.pose.translation.vector.into())
            }
            Self::Axes(sensor, places) => {
                let data = sensor.data(world).ok_or_else(gone)?;
                let mut point = Point3::origin();
                for (coordinate, place) in point.iter_mut().zip(places) {
                    match data.field_at(*place).map(view) {
                        Some(Value::Number(number)) => *coordinate = number,
                        _ => return Err(gone()),
                    }
                }
                Ok(point)
            }
            Self::Vector(data) => match data.value(world).map(view) {
                Some(Value::Numbers(&[x, y, z])) => Ok(Point3::new(x, y, z)),
                _ => Err("it is no position of three numbers".to_owned()),
            },
        }
    }
}

/// The sensor of that path.
fn sensor_probe(world: &World, path: &str) -> Option<SensorProbe> {
    let entity = service::find(world, path)?;
    let described = world.get::<Described>(entity)?;
    let kind = world.resource::<Kinds>().sensors.get(described.0.kind)?;
    Some(SensorProbe {
        entity,
        modified: kind.modified,
    })
}

/// The longest beginning of a dotted path for which something is found, with what is left of the path.
fn split<T>(path: &str, find: impl Fn(&str) -> Option<T>) -> Option<(T, &str, &str)> {
    let mut ends: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    ends.push(path.len());
    ends.into_iter().rev().find_map(|end| {
        let head = path.get(..end)?;
        let rest = path.get(end + 1..).unwrap_or_default();
        Some((find(head)?, head, rest))
    })
}

fn data_probe(simulation: &Simulation, path: &str) -> Result<DataProbe, BindError> {
    let world = simulation.world();
    let Some((sensor, head, rest)) = split(path, |path| sensor_probe(world, path)) else {
        return body_probe(simulation, path);
    };
    let described = world.get::<Described>(sensor.entity);
    let fields = described.map(|described| &described.0.fields);
    let fields = fields.map_or(&[][..], |fields| &fields.0);
    let (name, inner) = rest.split_once('.').unwrap_or((rest, ""));
    let steps = |inner: &str| -> Vec<String> {
        let steps = inner.split('.').filter(|step| !step.is_empty());
        steps.map(str::to_owned).collect()
    };
    let mut found = fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| (field.index, steps(inner)));
    if found.is_none() {
        // Numbers whose names the scene gives, and entries of flat maps, stand beside the fields.
        let data = sensor.data(world);
        found = fields.iter().find_map(|field| {
            let value = data?.field_at(field.index)?;
            let is_beside = match view(value) {
                Value::Named(named) => named.get(name).is_some(),
                _ => field.is_flat,
            };
            is_beside.then(|| (field.index, steps(rest)))
        });
    }
    let Some((index, steps)) = found else {
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let near = nearest(name, known.iter().copied());
        let near = near.map(|near| format!("; did you mean `{head}.{near}`?"));
        let what = match name {
            "" => format!("`{head}` is a whole component: name one of its fields"),
            _ => format!("`{head}` has no field `{}`", printable(name)),
        };
        return Err(BindError(format!(
            "{what}; it has: {}{}",
            known.join(", "),
            near.unwrap_or_default()
        )));
    };
    let probe = DataProbe::Field {
        sensor,
        index,
        steps,
    };
    if let (DataProbe::Field { steps, .. }, Some(value)) = (&probe, probe.value(world))
        && let Err(Lack::Never(why)) = part(value, steps)
    {
        return Err(BindError(format!("`{}`: {why}", printable(path))));
    }
    Ok(probe)
}

/// A coordinate of a body or robot.
fn body_probe(simulation: &Simulation, path: &str) -> Result<DataProbe, BindError> {
    let axes = ["x", "y", "z"];
    let (name, axis) = path.rsplit_once('.').unwrap_or((path, ""));
    let axis = axes.iter().position(|known| *known == axis);
    match (body(simulation, name), axis) {
        (Some(entity), Some(axis)) => Ok(DataProbe::Body { entity, axis }),
        (Some(_), None) => Err(BindError(format!(
            "of the body `{name}` there are `{name}.x`, `{name}.y` and `{name}.z`"
        ))),
        (None, _) => Err(unknown(simulation, path)),
    }
}

fn body(simulation: &Simulation, name: &str) -> Option<Entity> {
    let scene = simulation.scene();
    let entity = scene.bodies.get(name).or_else(|| scene.robots.get(name))?;
    // A robot may have no body of its own.
    simulation.world().get::<BodyState>(*entity)?;
    Some(*entity)
}

/// Neither a sensor nor a body: with the nearest of their names.
fn unknown(simulation: &Simulation, path: &str) -> BindError {
    let world = simulation.world();
    let mut names = simulation.paths();
    names.retain(|name| sensor_probe(world, name).is_some());
    let scene = simulation.scene();
    names.extend(scene.robots.keys().chain(scene.bodies.keys()).cloned());
    let head = path.rsplit_once('.').map_or(path, |(head, _)| head);
    let known = || names.iter().map(String::as_str);
    let near = nearest(path, known()).or_else(|| nearest(head, known()));
    let near = near.map(|near| format!("; did you mean `{near}`?"));
    BindError(format!(
        "there is no sensor or body `{}`{}",
        printable(head),
        near.unwrap_or_default()
    ))
}

fn place_probe(simulation: &Simulation, place: &Place) -> Result<PlaceProbe, BindError> {
    let name = match place {
        Place::Point(point) => return Ok(PlaceProbe::Point(Point3::from(*point))),
        Place::Named(name) => name,
    };
    let world = simulation.world();
    if let Some(sensor) = sensor_probe(world, name) {
        let described = world.get::<Described>(sensor.entity);
        let places = described.and_then(|described| described.0.fields.position().ok());
        return match places {
            Some(places) => Ok(PlaceProbe::Axes(sensor, places)),
            None => Err(BindError(format!(
                "`{name}` measures no position: it has no `x`, `y` and `z` in the scene"
            ))),
        };
    }
    if let Some(entity) = body(simulation, name) {
        return Ok(PlaceProbe::Body(entity));
    }
    let data = match data_probe(simulation, name) {
        Ok(data) => data,
        Err(_) if split(name, |path| sensor_probe(world, path)).is_none() => {
            return Err(unknown(simulation, name));
        }
        // The field is there, but is more than one value.
        Err(error) => match vector_probe(world, name) {
            Some(data) => data,
            None => return Err(error),
        },
    };
    match data.value(world).map(view) {
        Some(Value::Numbers([_, _, _])) => Ok(PlaceProbe::Vector(Box::new(data))),
        _ => Err(BindError(format!(
            "`{name}` is no position of three numbers"
        ))),
    }
}

/// A whole field.
fn vector_probe(world: &World, path: &str) -> Option<DataProbe> {
    let (sensor, _, name) = split(path, |path| sensor_probe(world, path))?;
    let index = world
        .get::<Described>(sensor.entity)?
        .0
        .fields
        .get(name)?
        .index;
    Some(DataProbe::Field {
        sensor,
        index,
        steps: Vec::new(),
    })
}

/// A part of a value: one number, flag or text.
fn part(value: &dyn PartialReflect, steps: &[String]) -> Result<Scalar, Lack> {
    let Some((step, rest)) = steps.split_first() else {
        return whole(value);
    };
    let no_part = || Lack::Never(format!("there is no part `{}`", printable(step)));
    match view(value) {
        Value::Numbers(numbers) => {
            let is_fixed = matches!(value.reflect_ref(), ReflectRef::Array(_));
            item(numbers, step, is_fixed).map(|number| Scalar::Number(*number))
        }
        Value::Triples(triples) => {
            let is_fixed = matches!(value.reflect_ref(), ReflectRef::Array(_));
            part(item(triples, step, is_fixed)?, rest)
        }
        Value::Texts(texts) => item(texts, step, false).map(|text| Scalar::Text(text.clone())),
        Value::Named(named) => named.get(step).map(Scalar::Number).ok_or_else(no_part),
        Value::Dynamic(dynamic) => dynamic_part(dynamic, steps),
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Struct(parts) => part(parts.field(step).ok_or_else(no_part)?, rest),
            ReflectRef::Map(parts) => {
                let entry = parts.iter().find(|(key, _)| key_text(*key) == *step);
                let missing = || Lack::Now(format!("there is no entry `{}`", printable(step)));
                part(entry.ok_or_else(missing)?.1, rest)
            }
            ReflectRef::List(list) => {
                let found = index(step)?.and_then(|index| list.get(index));
                part(found.ok_or_else(|| too_short(step, list.len()))?, rest)
            }
            ReflectRef::Array(list) => {
                let found = index(step)?.and_then(|index| list.get(index));
                part(found.ok_or_else(no_part)?, rest)
            }
            _ => Err(no_part()),
        },
        Value::Number(_) | Value::Integer(_) | Value::Flag(_) | Value::Text(_) => Err(no_part()),
        Value::Samples(_) => Err(Lack::Never("pixels and points have no parts here".into())),
    }
}

/// A value that is one number, flag or text already.
fn whole(value: &dyn PartialReflect) -> Result<Scalar, Lack> {
    let several = |what: &str| {
        Err(Lack::Never(format!(
            "it is {what}: add an index or a name, as in `.0`"
        )))
    };
    match view(value) {
        Value::Number(number) => Ok(Scalar::Number(number)),
        Value::Integer(number) => Ok(Scalar::Number(number as f64)),
        Value::Flag(flag) => Ok(Scalar::Flag(flag)),
        Value::Text(text) => Ok(Scalar::Text(text.to_owned())),
        Value::Dynamic(dynamic) => dynamic_part(dynamic, &[]),
        Value::Numbers(numbers) => several(&format!("a list of {} numbers", numbers.len())),
        Value::Triples(_) | Value::Texts(_) => several("a list"),
        Value::Named(_) => several("numbers by name"),
        Value::Samples(_) => several("an image or a cloud"),
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Enum(word) if word.field_len() == 0 => {
                Ok(Scalar::Text(word.variant_name().to_owned()))
            }
            _ => several("made of several parts"),
        },
    }
}

fn dynamic_part(value: &DynamicValue, steps: &[String]) -> Result<Scalar, Lack> {
    let missing = |step: &str| Lack::Now(format!("there is no part `{}`", printable(step)));
    match (value, steps.split_first()) {
        (DynamicValue::Number(number), None) => Ok(Scalar::Number(*number)),
        (DynamicValue::Integer(number), None) => Ok(Scalar::Number(*number as f64)),
        (DynamicValue::Flag(flag), None) => Ok(Scalar::Flag(*flag)),
        (DynamicValue::Text(text), None) => Ok(Scalar::Text(text.clone())),
        (DynamicValue::Numbers(numbers), Some((step, []))) => {
            item(numbers, step, false).map(|number| Scalar::Number(*number))
        }
        (DynamicValue::List(list), Some((step, rest))) => {
            dynamic_part(item(list, step, false)?, rest)
        }
        (DynamicValue::Map(entries), Some((step, rest))) => {
            let entry = entries.iter().find(|(name, _)| name == step);
            dynamic_part(&entry.ok_or_else(|| missing(step))?.1, rest)
        }
        (_, Some((step, _))) => Err(missing(step)),
        (_, None) => Err(Lack::Now("it is made of several parts".to_owned())),
    }
}

fn index(step: &str) -> Result<Option<usize>, Lack> {
    match step.parse() {
        Ok(index) => Ok(Some(index)),
        Err(_) => Err(Lack::Never(format!(
            "it is a list: an index is wanted instead of `{}`, counted from 0",
            printable(step)
        ))),
    }
}

fn item<'l, T>(list: &'l [T], step: &str, is_fixed: bool) -> Result<&'l T, Lack> {
    let found = index(step)?.and_then(|index| list.get(index));
    found.ok_or_else(|| match (is_fixed, too_short(step, list.len())) {
        (true, Lack::Now(why) | Lack::Never(why)) => Lack::Never(why),
        (false, lack) => lack,
    })
}

fn too_short(step: &str, count: usize) -> Lack {
    Lack::Now(format!(
        "there is no part {step}: it has {count}, counted from 0"
    ))
}
