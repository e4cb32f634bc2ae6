//! Many simulations of the same files, each in its own thread, stepped at once.
use morse_api::fields::DynamicValue;
use pyo3::{prelude::*, types::PyList};

use crate::{
    core::{self, Source},
    failure::Failure,
    value,
    worker::{Room, Worker},
};

/// Sensor data that are returned after each step: path and field.
type Wanted = Vec<(String, String)>;

/// Simulations that are stepped together.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Batch {
    workers: Vec<Worker>,
    wanted: Wanted,
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, sources: Vec<Source>, wanted: Wanted) -> PyResult<Self> {
        let start = |source: Source| Worker::start(py, move || source.build());
        let workers: PyResult<Vec<_>> = sources.into_iter().map(start).collect();
        Ok(Self {
            workers: workers?,
            wanted,
        })
    }

    /// For each simulation: resets it if its entry of `resets` is true, else sends the commands (an object in JSON of path to
    /// fields) and advances by some ticks. Returns the wanted fields of each simulation as `(type, bytes)`.
    fn step<'py>(
        &self,
        py: Python<'py>,
        commands: Vec<String>,
        resets: Vec<bool>,
        ticks: u64,
    ) -> PyResult<Bound<'py, PyList>> {
        if commands.len() != self.workers.len() || resets.len() != self.workers.len() {
            let text = format!(
                "expected commands and resets for {} simulations",
                self.workers.len()
            );
            return Err(Failure::access(text).into_error(py));
        }
        let each = self.workers.iter().zip(commands).zip(resets);
        let calls: PyResult<Vec<_>> = each
            .map(|((worker, commands), is_reset)| {
                let wanted = self.wanted.clone();
                worker.send(py, move |room, stop| {
                    if is_reset {
                        core::reset(room)?;
                        core::advance(room, 1, stop)?;
                    } else {
                        send(room, &commands)?;
                        core::advance(room, ticks, stop)?;
                    }
                    observation(room, &wanted)
                })
            })
            .collect();
        let rows = PyList::empty(py);
        for call in calls? {
            let numbers = call.wait(py)?.map_err(|failure| failure.into_error(py))?;
            rows.append(value::numbers_to_python(py, &numbers)?)?;
        }
        Ok(rows)
    }
}

fn send(room: &Room, commands: &str) -> Result<(), Failure> {
    for (path, fields) in core::parsed(commands)?.as_object().into_iter().flatten() {
        core::command(&room.simulation, path, fields)?;
    }
    Ok(())
}

/// Returns the numbers of the wanted fields, one after the other.
fn observation(room: &Room, wanted: &Wanted) -> Result<Vec<f64>, Failure> {
    let mut numbers = Vec::new();
    for (path, field) in wanted {
        let reading = core::read(&room.simulation, path)?;
        let DynamicValue::Map(fields) = &reading else {
            continue;
        };
        let found = fields.iter().find(|(name, _)| name == field);
        let (_, value) =
            found.ok_or_else(|| Failure::access(format!("`{path}` has no field `{field}`")))?;
        if !flatten(value, &mut numbers) {
            let text = format!("`{path}.{field}` is not made of numbers");
            return Err(Failure::access(text));
        }
    }
    Ok(numbers)
}

/// Adds all numbers of a value. Returns false if it contains anything else.
fn flatten(value: &DynamicValue, numbers: &mut Vec<f64>) -> bool {
    match value {
        DynamicValue::Number(number) => numbers.push(*number),
        #[expect(
            clippy::cast_precision_loss,
            reason = "observations are floating-point numbers"
        )]
        DynamicValue::Integer(integer) => numbers.push(*integer as f64),
        DynamicValue::Flag(flag) => numbers.push(f64::from(u8::from(*flag))),
        DynamicValue::Numbers(own) => numbers.extend(own),
        DynamicValue::List(list) => return list.iter().all(|value| flatten(value, numbers)),
        DynamicValue::Map(map) => return map.iter().all(|(_, value)| flatten(value, numbers)),
        DynamicValue::Text(_) | DynamicValue::Samples(_) => return false,
    }
    true
}
