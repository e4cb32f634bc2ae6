//! State of objects of Python, in a form that is hashed, saved and restored: equal values have equal bytes.
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};
use serde::{Deserialize, Serialize};

/// Maximum depth of lists and dicts, so that a list that contains itself is an error.
const DEPTH: usize = 64;

/// A value of Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Tree {
    None,
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Tree>),
    Tuple(Vec<Tree>),
    /// Entries in the order of their insertion.
    Map(Vec<(Tree, Tree)>),
    /// An array of numpy: name of its type, lengths and content.
    Array(String, Vec<usize>, Vec<u8>),
}

impl Tree {
    /// Converts a value of Python. The error names the entry that cannot be saved.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::at(value, &mut Vec::new())
    }

    fn at(value: &Bound<'_, PyAny>, path: &mut Vec<String>) -> PyResult<Self> {
        if path.len() > DEPTH {
            let text = format!("state is nested more than {DEPTH} times");
            return Err(PyTypeError::new_err(text));
        }
        if value.is_none() {
            return Ok(Self::None);
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            return Ok(Self::Flag(flag.is_true()));
        }
        if value.cast::<PyInt>().is_ok() {
            let integer = value.extract();
            return integer
                .map(Self::Integer)
                .map_err(|_large| wrong(value, path));
        }
        if value.cast::<PyFloat>().is_ok() {
            return Ok(Self::Number(value.extract()?));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Self::Text(text.extract()?));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if let Ok(list) = value.cast::<PyList>() {
            return Self::each(list.iter(), path).map(Self::List);
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return Self::each(tuple.iter(), path).map(Self::Tuple);
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let entries = dict.iter().map(|(key, value)| {
                path.push(key.to_string());
                let entry = Self::at(&key, path).and_then(|key| Ok((key, Self::at(&value, path)?)));
                path.pop();
                entry
            });
            return entries.collect::<PyResult<_>>().map(Self::Map);
        }
        Self::array(value).ok_or_else(|| wrong(value, path))
    }

    fn each<'py>(
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        path: &mut Vec<String>,
    ) -> PyResult<Vec<Self>> {
        let items = items.enumerate().map(|(index, item)| {
            path.push(index.to_string());
            let item = Self::at(&item, path);
            path.pop();
            item
        });
        items.collect()
    }

    /// Converts an array or a number of numpy. An array of objects is none of numbers.
    fn array(value: &Bound<'_, PyAny>) -> Option<Self> {
        let dtype = value.getattr("dtype").ok()?;
        if dtype.getattr("hasobject").ok()?.is_truthy().ok()? {
            return None;
        }
        Some(Self::Array(
            dtype.getattr("str").ok()?.extract().ok()?,
            value.getattr("shape").ok()?.extract().ok()?,
            value.call_method0("tobytes").ok()?.extract().ok()?,
        ))
    }

    /// Returns the value as an object of Python.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = |items: &[Self]| -> PyResult<Vec<_>> {
            items.iter().map(|item| item.to_python(py)).collect()
        };
        Ok(match self {
            Self::None => py.None().into_bound(py),
            Self::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            Self::Integer(integer) => integer.into_pyobject(py)?.into_any(),
            Self::Number(number) => number.into_pyobject(py)?.into_any(),
            Self::Text(text) => text.into_pyobject(py)?.into_any(),
            Self::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            Self::List(items) => PyList::new(py, all(items)?)?.into_any(),
            Self::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
            Self::Map(entries) => {
                let dict = PyDict::new(py);
                for (key, value) in entries {
                    dict.set_item(key.to_python(py)?, value.to_python(py)?)?;
                }
                dict.into_any()
            }
            Self::Array(dtype, shape, bytes) => {
                let numpy = py.import("numpy")?;
                let flat = numpy.call_method1("frombuffer", (PyBytes::new(py, bytes), dtype))?;
                let array = flat.call_method1("reshape", (PyTuple::new(py, shape)?,))?;
                // A number of numpy has no lengths.
                match shape.is_empty() {
                    true => array.get_item(PyTuple::empty(py))?,
                    false => array.call_method0("copy")?,
                }
            }
        })
    }
}

fn wrong(value: &Bound<'_, PyAny>, path: &[String]) -> PyErr {
    let class = value.get_type();
    let class = class.name().map_or_else(
        |_| "an object".to_owned(),
        |name| format!("of the type `{name}`"),
    );
    PyTypeError::new_err(format!(
        "`{}` is {class}, which cannot be saved: use numbers, texts, lists, dicts and arrays, keep constants in the class, or \
         define `__getstate__` and `__setstate__`",
        path.join(".")
    ))
}
