//! Readings as Python objects. Arrays are passed as bytes with the name of their type, from which the package makes arrays of
//! numpy without a further copy.
use morse_api::fields::DynamicValue;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};

/// Returns a value: a number, flag, text, list or dict; an array as the tuple `(type, bytes)`,
/// or `(type, bytes, columns)` if it has rows.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &DynamicValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        DynamicValue::Number(number) => number.into_pyobject(py)?.into_any(),
        DynamicValue::Integer(integer) => integer.into_pyobject(py)?.into_any(),
        DynamicValue::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        DynamicValue::Text(text) => text.into_pyobject(py)?.into_any(),
        DynamicValue::Numbers(numbers) => {
            let bytes = PyBytes::new(py, &bytes_of(numbers.iter().copied()));
            ("f64", bytes).into_pyobject(py)?.into_any()
        }
        DynamicValue::Samples(block) => {
            let samples = block.any();
            let bytes = PyBytes::new(py, samples.bytes());
            (samples.number(), bytes).into_pyobject(py)?.into_any()
        }
        DynamicValue::List(list) if let Some((numbers, columns)) = matrix(list) => {
            let bytes = PyBytes::new(py, &bytes_of(numbers));
            ("f64", bytes, columns).into_pyobject(py)?.into_any()
        }
        DynamicValue::List(list) => {
            let list: PyResult<Vec<_>> = list.iter().map(|value| to_python(py, value)).collect();
            PyList::new(py, list?)?.into_any()
        }
        DynamicValue::Map(map) => {
            let dict = PyDict::new(py);
            for (name, value) in map {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Returns all numbers of a list of rows of equal lengths, and that length.
fn matrix(list: &[DynamicValue]) -> Option<(impl Iterator<Item = f64>, usize)> {
    let rows: Option<Vec<&[f64]>> = list
        .iter()
        .map(|row| match row {
            DynamicValue::Numbers(numbers) => Some(numbers.as_slice()),
            _ => None,
        })
        .collect();
    let rows = rows?;
    let columns = rows.first()?.len();
    let is_even = columns > 0 && rows.iter().all(|row| row.len() == columns);
    is_even.then(|| (rows.into_iter().flatten().copied(), columns))
}

fn bytes_of(numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers.flat_map(f64::to_ne_bytes).collect()
}
