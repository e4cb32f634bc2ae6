//! Fields of any component's data as objects of Python, for modifiers.
use std::any::TypeId;

use bevy::reflect::{PartialReflect, structs::Struct};
use morse_api::{
    fields::{DynamicValue, Field},
    samples::{Sample, Samples},
};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::value;

/// Returns a field as an object of Python; lists of numbers, points and pixels are arrays of numpy.
pub(super) fn to_python<'py>(
    py: Python<'py>,
    field: &Field,
    data: &dyn Struct,
) -> PyResult<Bound<'py, PyAny>> {
    let content = data.field_at(field.index).map(DynamicValue::of);
    let object = value::to_python(py, &content.unwrap_or_default())?;
    py.import("morse_sim.kinds")?
        .getattr("_own")?
        .call1((object,))
}

/// Writes an object of Python to a field. Fields of other types cannot be changed.
pub(super) fn write(
    field: &Field,
    data: &mut dyn Struct,
    object: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let Some(content) = data.field_at_mut(field.index) else {
        return Ok(());
    };
    write_to(field.type_id, content, object).map_err(|cause| {
        let text = format!(
            "`modify` wrote {} to `{}`: expected {}",
            object
                .repr()
                .map_or_else(|_| "an object".to_owned(), |text| text.to_string()),
            field.name,
            field.type_name
        );
        let error = PyTypeError::new_err(text);
        error.set_cause(object.py(), Some(cause));
        error
    })
}

fn write_to(
    type_id: TypeId,
    content: &mut dyn PartialReflect,
    object: &Bound<'_, PyAny>,
) -> PyResult<()> {
    macro_rules! extracted {
        ($($type:ty),+ $(,)?) => {
            $(if type_id == TypeId::of::<$type>() {
                if let Some(content) = content.try_downcast_mut::<$type>() {
                    *content = listed(object)?.extract()?;
                }
                return Ok(());
            })+
        };
    }
    extracted! {
        f64, f32, bool, String, u8, u16, u32, u64, i32, i64, usize,
        [f64; 2], [f64; 3], [f64; 4], Vec<f64>, Vec<[f64; 3]>, Vec<String>,
    }
    macro_rules! sampled {
        ($($type:ty),+) => {
            $(if let Some(samples) = content.try_downcast_mut::<Samples<$type>>() {
                return write_samples(samples, object);
            })+
        };
    }
    sampled!(u8, u16, f32);
    Ok(())
}

/// Returns an array as a list, which has the numbers in the types of Python.
fn listed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match object.getattr("tolist") {
        Ok(tolist) => tolist.call0(),
        Err(_) => Ok(object.clone()),
    }
}

/// Writes pixels or points. Their number is constant.
fn write_samples<T: Sample + for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(
    samples: &mut Samples<T>,
    object: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let flat = listed(&object.call_method0("ravel")?)?;
    let numbers: Vec<T> = flat.extract()?;
    if numbers.len() != samples.values().len() {
        let text = format!("expected {} samples", samples.values().len());
        return Err(PyTypeError::new_err(text));
    }
    samples.edit(|own| own.copy_from_slice(&numbers));
    Ok(())
}
