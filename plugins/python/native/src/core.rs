//! One simulation, as Python sees it.
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use bevy::{prelude::*, reflect::structs::DynamicStruct};
use morse_api::{
    command::{ActuatorInfo, Mailbox},
    fields::{Field, Fields},
    kind::Described,
    service::{self, Status},
};
use morse_sim::{
    cli::pictures::{PictureRequest, Pictures},
    run::Watch as _,
    scenario::{Condition, Monitor},
    simulation::{AccessError, Simulation, load::robots::Spawn, state::Snapshot},
};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};
use serde_json::Value as Json;

use crate::{
    failure::Failure, lock::RoomLock, mechanism::Joints, reading, room::Room, source::Source,
    stop::Stop, ticks::advance, value,
};

/// All state of a simulation at one tick.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct State(Snapshot);

#[pymethods]
impl State {
    /// Number of ticks before the snapshot.
    #[getter]
    fn tick(&self) -> u64 {
        self.0.tick()
    }
}

/// A simulation.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Core {
    pub(crate) room: Arc<RoomLock>,
}

/// Sets a simulation to its start.
pub(crate) fn reset(room: &mut Room) -> Result<(), Failure> {
    let done = match &room.start {
        Some(start) => room.simulation.restore(start),
        None => room.simulation.reset(),
    };
    done.map_err(Failure::state)
}

/// Sends a command whose fields are an object in JSON.
pub(crate) fn command(simulation: &Simulation, path: &str, fields: &Json) -> Result<(), Failure> {
    let sender = simulation.commander(path)?;
    let mut command = DynamicStruct::default();
    for (name, value) in fields.as_object().into_iter().flatten() {
        let value = sender.info.value_from_json(name, value);
        command.insert_boxed(name.clone(), value.map_err(Failure::access)?);
    }
    sender.send(Box::new(command)).map_err(Failure::access)
}

/// Parses JSON that the package has written.
pub(crate) fn parsed(text: &str) -> Result<Json, Failure> {
    serde_json::from_str(text).map_err(Failure::access)
}

#[pymethods]
impl Core {
    #[new]
    fn new(py: Python<'_>, source: Source) -> PyResult<Self> {
        let room = Arc::new(RoomLock::new(py, source)?);
        Ok(Self { room })
    }

    fn step(&self, py: Python<'_>, ticks: u64) -> PyResult<u64> {
        self.room
            .attempt(py, move |room, stop| advance(room, ticks, stop))
    }

    /// Advances until an expression is true, by at most `ticks`. Returns whether it is.
    fn step_until(&self, py: Python<'_>, expression: String, ticks: u64) -> PyResult<bool> {
        self.room.attempt(py, move |room, stop| {
            step_until(room, &expression, ticks, stop)
        })
    }

    /// Number of ticks, simulated time (s) and ticks per second.
    fn clock(&self, py: Python<'_>) -> PyResult<(u64, f64, f64)> {
        self.room.call(py, |room, _| {
            let clock = room.simulation.clock();
            (clock.tick, clock.seconds(), clock.rate)
        })
    }

    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.room.call(py, |room, _| {
            format!("{:032x}", room.simulation.state_hash())
        })
    }

    fn read(&self, py: Python<'_>, path: String) -> PyResult<Py<PyAny>> {
        let value = self
            .room
            .attempt(py, move |room, _| reading::of(&room.simulation, &path))?;
        Ok(value::to_python(py, &value)?.unbind())
    }

    fn command(&self, py: Python<'_>, path: String, fields: String) -> PyResult<()> {
        self.room.attempt(py, move |room, _| {
            command(&room.simulation, &path, &parsed(&fields)?)
        })
    }

    /// Calls a service. If its reply takes ticks, the simulation is stepped until the reply, by at most `ticks`.
    fn call(
        &self,
        py: Python<'_>,
        path: String,
        service: String,
        arguments: String,
        ticks: u64,
    ) -> PyResult<String> {
        self.room.attempt(py, move |room, stop| {
            call(room, (&path, &service), &parsed(&arguments)?, ticks, stop)
        })
    }

    fn paths(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.room.call(py, |room, _| room.simulation.paths())
    }

    /// Kind, family and fields of a component: `(kind, family, [(name, unit, docs, type, low, high)])`.
    fn describe<'py>(&self, py: Python<'py>, path: String) -> PyResult<Bound<'py, PyDict>> {
        let description = self
            .room
            .attempt(py, move |room, _| describe(&room.simulation, &path))?;
        let dict = PyDict::new(py);
        dict.set_item("kind", description.kind)?;
        dict.set_item("family", description.family)?;
        let fields: PyResult<Vec<_>> = description
            .fields
            .0
            .iter()
            .map(|field| field_to_python(py, field))
            .collect();
        dict.set_item("fields", PyList::new(py, fields?)?)?;
        Ok(dict)
    }

    /// Joints of a robot, or of a body with joints.
    fn mechanism(&self, py: Python<'_>, name: String) -> PyResult<Joints> {
        let mechanism = self.room.attempt(py, move |room, _| {
            let text = || format!("there is no robot or body `{name}` with joints");
            let mechanism = room.simulation.mechanism(&name);
            mechanism.ok_or_else(|| Failure::access(text()))
        });
        mechanism.map(Joints::new)
    }

    /// Adds a robot. Returns the diagnostics of warnings, as a list in JSON.
    fn spawn(
        &self,
        py: Python<'_>,
        name: String,
        definition: String,
        files: BTreeMap<String, String>,
    ) -> PyResult<String> {
        let robot = Spawn {
            name,
            definition,
            files,
        };
        self.room.attempt(py, move |room, _| {
            let warnings = room.simulation.spawn(&robot)?;
            Ok(warnings.to_json().to_string())
        })
    }

    /// Removes a robot or body.
    fn delete(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.room
            .attempt(py, move |room, _| Ok(room.simulation.delete(&name)?))
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.room.attempt(py, |room, _| reset(room))
    }

    fn snapshot(&self, py: Python<'_>) -> PyResult<State> {
        let take = |room: &mut Room, _: &Stop| room.simulation.snapshot().map_err(Failure::state);
        self.room.attempt(py, take).map(State)
    }

    fn restore(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        let snapshot = state.0.clone();
        self.room.attempt(py, move |room, _| {
            room.simulation.restore(&snapshot).map_err(Failure::state)
        })
    }

    /// Warnings of the files, then of components and middlewares since the last call.
    fn warnings(&self, py: Python<'_>) -> PyResult<(String, Vec<String>)> {
        self.room.call(py, |room, _| {
            let files = room.simulation.warnings().to_json().to_string();
            (files, room.simulation.take_warnings())
        })
    }

    /// Ports on which the simulation listens: middleware, purpose and number.
    fn ports(&self, py: Python<'_>) -> PyResult<Vec<(String, String, u16)>> {
        self.room.call(py, |room, _| room.simulation.ports())
    }

    /// Values that were drawn from ranges of the file: path and value.
    fn drawn(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.room.call(py, |room, _| {
            let drawn = room.simulation.drawn().iter();
            drawn
                .map(|one| (one.path.clone(), one.value.clone()))
                .collect()
        })
    }

    /// Begins a film from now on, and returns its number.
    fn begin_film(
        &self,
        py: Python<'_>,
        file: PathBuf,
        camera: Option<String>,
        size: (u32, u32),
        follow: Option<String>,
    ) -> PyResult<u64> {
        self.room.attempt(py, move |room, _| {
            let at = None;
            let shot = PictureRequest { at, camera, file };
            let film = Pictures::film(&room.simulation, &shot, size, follow.as_deref());
            let mut film = film.map_err(Failure::access)?;
            // The first frame.
            film.tick(&mut room.simulation)
                .map_err(Failure::environment)?;
            let number = room.films.last_key_value().map_or(0, |(last, _)| last + 1);
            room.films.insert(number, film);
            Ok(number)
        })
    }

    /// Completes a film.
    fn end_film(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        self.room.attempt(py, move |room, _| {
            let film = room.films.remove(&number);
            film.map_or(Ok(()), |mut film| film.end(&mut room.simulation))
                .map_err(Failure::environment)
        })
    }

    /// Renders the whole scene: red, green, blue and alpha of each pixel, row by row.
    fn render<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let image = self.room.call(py, move |room, _| {
            morse_sim::cli::render::overview(&mut room.simulation, (width, height))
        })?;
        Ok(PyBytes::new(py, &image.pixels))
    }
}

fn call(
    room: &mut Room,
    (path, service): (&str, &str),
    arguments: &Json,
    ticks: u64,
    stop: &Stop,
) -> Result<String, Failure> {
    let call = room.simulation.call(path, service, arguments);
    for tick in 0..=ticks {
        if let Some(reply) = call.reply() {
            return match reply.status {
                Status::Success => Ok(reply.value.to_string()),
                Status::Failed | Status::Preempted => Err(Failure::service(match reply.value {
                    Json::String(text) => text,
                    Json::Null => format!("`{service}` of `{path}` was interrupted"),
                    value => value.to_string(),
                })),
            };
        }
        if tick < ticks && advance(room, 1, stop)? == 0 {
            break;
        }
    }
    room.simulation.cancel(&call);
    let text = format!("`{service}` of `{path}` did not answer within {ticks} ticks");
    Err(Failure::service(text))
}

fn step_until(room: &mut Room, expression: &str, ticks: u64, stop: &Stop) -> Result<bool, Failure> {
    let condition = Condition::reach(expression)
        .map_err(|error| Failure::access(format!("condition `{expression}`: {error}")))?;
    let named = [(expression.to_owned(), condition)];
    let mut monitor = Monitor::new(&room.simulation, named).map_err(Failure::access)?;
    // It may be true already, without a tick.
    for made in 0..=ticks {
        monitor.look(&room.simulation);
        if let Some(verdict) = monitor.decided().first() {
            return match verdict.passed {
                true => Ok(true),
                false => Err(Failure::access(verdict)),
            };
        }
        if made == ticks || advance(room, 1, stop)? == 0 {
            break;
        }
    }
    Ok(false)
}

/// Kind, family and fields of a component.
struct Description {
    kind: &'static str,
    family: &'static str,
    fields: Fields,
}

fn describe(simulation: &Simulation, path: &str) -> Result<Description, Failure> {
    let world = simulation.world();
    let Some(entity) = service::find(world, path) else {
        // The error of a command has the nearest path.
        let error: Option<AccessError> = simulation.commander(path).err();
        return Err(error.map_or_else(|| Failure::access(path), Failure::from));
    };
    if let Some(Described(info)) = world.get::<Described>(entity) {
        return Ok(Description {
            kind: info.kind,
            family: "sensor",
            fields: info.fields.clone(),
        });
    }
    if world.get::<Mailbox>(entity).is_some() {
        let sender = simulation.commander(path)?;
        let info: &ActuatorInfo = &sender.info;
        return Ok(Description {
            kind: info.kind,
            family: "actuator",
            fields: info.fields.clone(),
        });
    }
    Ok(Description {
        kind: "",
        family: "part",
        fields: Fields::default(),
    })
}

fn field_to_python<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyAny>> {
    let tuple = (
        field.name,
        field.unit,
        field.docs,
        field.type_name,
        field.range.0,
        field.range.1,
    );
    Ok(tuple.into_pyobject(py)?.into_any())
}
