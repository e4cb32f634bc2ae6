//! Terms of expressions, bound to the data of a simulation: names are resolved once.
use bevy::{
    prelude::{Entity, World},
    reflect::{PartialReflect, structs::Struct},
};
use morse_api::{
    body::BodyState,
    fields::{Value, view},
    kind::{Described, Kinds},
    service,
};
use morse_diagnostics::{nearest, printable};
use morse_simulation_file::{Position, Term};
use nalgebra::Point3;

use super::value::{Lack, Scalar, scalar_at};
use crate::simulation::Simulation;

/// Reason why a name cannot be resolved in a simulation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BindError(pub(super) String);

/// A term with resolved names.
pub(super) enum Probe {
    Constant(Scalar),
    Data(DataProbe),
    Distance(PositionProbe, PositionProbe),
}

/// A field of a sensor's exported data, or a component of it; or a coordinate of a body.
pub(super) enum DataProbe {
    Field {
        sensor: SensorProbe,
        /// Index in the data.
        index: usize,
        /// Indices and names within the field.
        steps: Vec<String>,
    },
    Body {
        entity: Entity,
        axis: usize,
    },
}

/// Data of a sensor to evaluate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The last exported data; `None` before the first export.
    Exported,
    /// Data of the same form, which exist from the start.
    Form,
}

/// Access to a sensor's exported data.
#[derive(Clone, Copy)]
pub(super) struct SensorProbe {
    entity: Entity,
    local: fn(&World, Entity) -> Option<&dyn Struct>,
    modified: fn(&World, Entity) -> Option<&dyn Struct>,
}

impl SensorProbe {
    fn data(self, world: &World, source: Source) -> Option<&dyn Struct> {
        match source {
            Source::Exported => (self.modified)(world, self.entity),
            Source::Form => (self.local)(world, self.entity),
        }
    }
}

pub(super) enum PositionProbe {
    Point(Point3<f64>),
    Body(Entity),
    Axes(SensorProbe, [usize; 3]),
    Vector(Box<DataProbe>),
}

impl Probe {
    pub(super) fn new(simulation: &Simulation, term: &Term) -> Result<Self, BindError> {
        Ok(match term {
            Term::Number(number) => Self::Constant(Scalar::Number(*number)),
            Term::Flag(flag) => Self::Constant(Scalar::Flag(*flag)),
            Term::Text(text) => Self::Constant(Scalar::Text(text.clone())),
            Term::Data(path) => Self::Data(data_probe(simulation, path)?),
            Term::Distance(one, other) => Self::Distance(
                position_probe(simulation, one)?,
                position_probe(simulation, other)?,
            ),
        })
    }

    /// Returns the value in this tick.
    pub(super) fn read(&self, world: &World) -> Result<Scalar, String> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Data(data) => data.read(world, Source::Exported),
            Self::Distance(one, other) => {
                let distance = nalgebra::distance(&one.read(world)?, &other.read(world)?);
                Ok(Scalar::Number(distance))
            }
        }
    }

    /// Returns a value of the same type, if the type is determined before the first tick.
    pub(super) fn form(&self, world: &World) -> Option<Scalar> {
        match self {
            Self::Constant(value) => Some(value.clone()),
            Self::Data(data) => data.read(world, Source::Form).ok(),
            Self::Distance(..) => Some(Scalar::Number(0.0)),
        }
    }

    /// Returns true if its sensor has exported nothing yet.
    pub(super) fn is_awaited(&self, world: &World) -> bool {
        let is_awaited = |sensor: &SensorProbe| sensor.data(world, Source::Exported).is_none();
        let follows_awaited = |probe: &PositionProbe| match probe {
            PositionProbe::Axes(sensor, _) => is_awaited(sensor),
            PositionProbe::Vector(data) => data.sensor().is_some_and(is_awaited),
            PositionProbe::Point(_) | PositionProbe::Body(_) => false,
        };
        match self {
            Self::Constant(_) => false,
            Self::Data(data) => data.sensor().is_some_and(is_awaited),
            Self::Distance(one, other) => follows_awaited(one) || follows_awaited(other),
        }
    }
}

impl DataProbe {
    fn sensor(&self) -> Option<&SensorProbe> {
        match self {
            Self::Field { sensor, .. } => Some(sensor),
            Self::Body { .. } => None,
        }
    }

    fn read(&self, world: &World, source: Source) -> Result<Scalar, String> {
        match self {
            Self::Body { entity, axis } => {
                let body = world.get::<BodyState>(*entity);
                let coordinate =
                    body.and_then(|body| body.pose.translation.vector.get(*axis).copied());
                let coordinate = coordinate.ok_or_else(|| "the body is gone".to_owned())?;
                Ok(Scalar::Number(coordinate))
            }
            Self::Field { steps, .. } => {
                let value = self.value(world, source);
                let value = value.ok_or("nothing has been exported yet")?;
                scalar_at(value, steps).map_err(|lack| match lack {
                    Lack::Never(why) | Lack::Now(why) => why,
                })
            }
        }
    }

    fn value<'w>(&self, world: &'w World, source: Source) -> Option<&'w dyn PartialReflect> {
        match self {
            Self::Field { sensor, index, .. } => sensor.data(world, source)?.field_at(*index),
            Self::Body { .. } => None,
        }
    }
}

impl PositionProbe {
    fn read(&self, world: &World) -> Result<Point3<f64>, String> {
        let gone = || "the position is gone".to_owned();
        match self {
            Self::Point(point) => Ok(*point),
            Self::Body(entity) => {
                let body = world.get::<BodyState>(*entity).ok_or_else(gone)?;
                Ok(body.pose.translation.vector.into())
            }
            Self::Axes(sensor, indices) => {
                let data = sensor.data(world, Source::Exported).ok_or_else(gone)?;
                let mut point = Point3::origin();
                for (coordinate, index) in point.iter_mut().zip(indices) {
                    match data.field_at(*index).map(view) {
                        Some(Value::Number(number)) => *coordinate = number,
                        _ => return Err(gone()),
                    }
                }
                Ok(point)
            }
            Self::Vector(data) => match data.value(world, Source::Exported).map(view) {
                Some(Value::Numbers(&[x, y, z])) => Ok(Point3::new(x, y, z)),
                _ => Err("it is no position of three numbers".to_owned()),
            },
        }
    }
}

/// Returns the sensor of that path.
fn sensor_probe(world: &World, path: &str) -> Option<SensorProbe> {
    let entity = service::find(world, path)?;
    let described = world.get::<Described>(entity)?;
    let kind = world.resource::<Kinds>().sensors.get(described.0.kind)?;
    Some(SensorProbe {
        entity,
        local: kind.local,
        modified: kind.modified,
    })
}

/// Returns the result for the longest prefix of a dotted path for which `find` succeeds, with the prefix and the rest.
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
    let mut selected = fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| (field.index, steps(inner)));
    if selected.is_none() {
        // Named numbers, and entries of flat maps, are on the level of the fields.
        let data = sensor.data(world, Source::Form);
        selected = fields.iter().find_map(|field| {
            let value = data?.field_at(field.index)?;
            let is_beside = match view(value) {
                Value::Named(named) => named.get(name).is_some(),
                _ => field.is_flat,
            };
            is_beside.then(|| (field.index, steps(rest)))
        });
    }
    let Some((index, steps)) = selected else {
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
    if let (DataProbe::Field { steps, .. }, Some(value)) =
        (&probe, probe.value(world, Source::Form))
        && let Err(Lack::Never(why)) = scalar_at(value, steps)
    {
        return Err(BindError(format!("`{}`: {why}", printable(path))));
    }
    Ok(probe)
}

/// Returns a coordinate of a body or robot.
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

/// Returns the error of a name that is neither a sensor nor a body, with the nearest names.
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

fn position_probe(
    simulation: &Simulation,
    position: &Position,
) -> Result<PositionProbe, BindError> {
    let name = match position {
        Position::Point(point) => return Ok(PositionProbe::Point(Point3::from(*point))),
        Position::Named(name) => name,
    };
    let world = simulation.world();
    if let Some(sensor) = sensor_probe(world, name) {
        let described = world.get::<Described>(sensor.entity);
        let indices = described.and_then(|described| described.0.fields.position().ok());
        return match indices {
            Some(indices) => Ok(PositionProbe::Axes(sensor, indices)),
            None => Err(BindError(format!(
                "`{name}` measures no position: it has no `x`, `y` and `z` in the scene"
            ))),
        };
    }
    if let Some(entity) = body(simulation, name) {
        return Ok(PositionProbe::Body(entity));
    }
    let data = match data_probe(simulation, name) {
        Ok(data) => data,
        Err(_) if split(name, |path| sensor_probe(world, path)).is_none() => {
            return Err(unknown(simulation, name));
        }
        // The field exists, but has more than one value.
        Err(error) => match vector_probe(world, name) {
            Some(data) => data,
            None => return Err(error),
        },
    };
    match data.value(world, Source::Form).map(view) {
        Some(Value::Numbers([_, _, _])) => Ok(PositionProbe::Vector(Box::new(data))),
        _ => Err(BindError(format!(
            "`{name}` is no position of three numbers"
        ))),
    }
}

/// Returns a whole field.
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
