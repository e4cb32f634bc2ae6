//! Readings as Python objects. Arrays are passed as bytes with the name of their type, from which the package makes arrays of
//! numpy without a further copy.
use morse_api::fields::DynamicValue;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};

/// Returns a value: a number, flag, text, list or dict; an array as the tuple `(type, bytes)`.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &DynamicValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        DynamicValue::Number(number) => number.into_pyobject(py)?.into_any(),
        DynamicValue::Integer(integer) => integer.into_pyobject(py)?.into_any(),
        DynamicValue::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        DynamicValue::Text(text) => text.into_pyobject(py)?.into_any(),
        DynamicValue::Numbers(numbers) => numbers_to_python(py, numbers)?,
        DynamicValue::Samples(block) => {
            let samples = block.any();
            let bytes = PyBytes::new(py, samples.bytes());
            (samples.number(), bytes).into_pyobject(py)?.into_any()
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

/// Returns numbers as the tuple `("f64", bytes)`.
pub(crate) fn numbers_to_python<'py>(
    py: Python<'py>,
    numbers: &[f64],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    let array = ("f64", PyBytes::new(py, &bytes));
    Ok(array.into_pyobject(py)?.into_any())
}
