//! Fields of settings, data and commands that a class of Python declares, described as those of a Rust struct.
use std::sync::{Mutex, PoisonError};

use bevy::reflect::{
    NamedField, PartialReflect, Reflect, TypeInfo, TypePath, attributes::CustomAttributes,
    structs::StructInfo,
};
use morse_api::{fields::Unit, range::ValueRange};
use pyo3::{exceptions::PyTypeError, prelude::*};
use serde::{Deserialize, Serialize};

/// Value of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Value {
    /// A number.
    Number(f64),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Flag(bool),
    /// Text.
    Text(String),
    /// A vector of three numbers.
    Vector([f64; 3]),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of texts.
    Texts(Vec<String>),
}

/// Calls a macro-like closure body with the content of a value, whatever its type.
macro_rules! content {
    ($value:expr, $content:ident => $body:expr) => {
        match $value {
            Value::Number($content) => $body,
            Value::Integer($content) => $body,
            Value::Flag($content) => $body,
            Value::Text($content) => $body,
            Value::Vector($content) => $body,
            Value::Numbers($content) => $body,
            Value::Texts($content) => $body,
        }
    };
}

impl Value {
    pub(crate) fn as_reflect(&self) -> &dyn PartialReflect {
        content!(self, content => content)
    }

    pub(crate) fn as_reflect_mut(&mut self) -> &mut dyn PartialReflect {
        content!(self, content => content)
    }

    /// Describes a field with values of this type.
    fn field(&self, name: &'static str) -> NamedField {
        fn of<T: PartialReflect + bevy::reflect::MaybeTyped + TypePath>(
            _: &T,
            name: &'static str,
        ) -> NamedField {
            NamedField::new::<T>(name)
        }
        content!(self, content => of(content, name))
    }

    /// Name of the type in messages.
    fn noun(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Integer(_) => "an integer",
            Self::Flag(_) => "`True` or `False`",
            Self::Text(_) => "a text",
            Self::Vector(_) => "three numbers",
            Self::Numbers(_) => "a list of numbers",
            Self::Texts(_) => "a list of texts",
        }
    }

    /// Converts an object of Python to a value of the same type as this one.
    pub(crate) fn convert(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let list = || match object.getattr("tolist") {
            Ok(tolist) => tolist.call0(),
            Err(_) => Ok(object.clone()),
        };
        let value = match self {
            Self::Number(_) => object.extract().map(Self::Number),
            Self::Integer(_) => object.extract().map(Self::Integer),
            Self::Flag(_) => object.extract().map(Self::Flag),
            Self::Text(_) => object.extract().map(Self::Text),
            Self::Vector(_) => list().and_then(|list| Ok(Self::Vector(list.extract()?))),
            Self::Numbers(_) => list().and_then(|list| Ok(Self::Numbers(list.extract()?))),
            Self::Texts(_) => object.extract().map(Self::Texts),
        };
        value.map_err(|cause: PyErr| {
            let py = object.py();
            let shown = object.repr().map_or_else(
                |_| "an object".to_owned(),
                |repr| shortened(&repr.to_string()),
            );
            let text = format!("`{name}`: expected {}, found {shown}", self.noun());
            let error = PyTypeError::new_err(text);
            error.set_cause(py, Some(cause));
            error
        })
    }

    /// Returns the value as an object of Python.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Number(number) => number.into_pyobject(py)?.into_any(),
            Self::Integer(integer) => integer.into_pyobject(py)?.into_any(),
            Self::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            Self::Text(text) => text.into_pyobject(py)?.into_any(),
            Self::Vector([x, y, z]) => (x, y, z).into_pyobject(py)?.into_any(),
            Self::Numbers(numbers) => numbers.into_pyobject(py)?.into_any(),
            Self::Texts(texts) => texts.into_pyobject(py)?.into_any(),
        })
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Declaration of a field in Python.
#[derive(FromPyObject)]
pub(crate) struct Declared {
    #[pyo3(item)]
    name: String,
    /// Name of the type.
    #[pyo3(item)]
    form: String,
    #[pyo3(item)]
    default: Py<PyAny>,
    #[pyo3(item)]
    unit: Option<String>,
    #[pyo3(item)]
    docs: String,
    /// Least and greatest number.
    #[pyo3(item)]
    range: Option<(f64, f64)>,
}

impl Declared {
    fn default(&self, py: Python<'_>) -> PyResult<Value> {
        let like = match self.form.as_str() {
            "number" => Value::Number(0.0),
            "integer" => Value::Integer(0),
            "flag" => Value::Flag(false),
            "text" => Value::Text(String::new()),
            "vector" => Value::Vector([0.0; 3]),
            "numbers" => Value::Numbers(Vec::new()),
            _ => Value::Texts(Vec::new()),
        };
        like.convert(&self.name, self.default.bind(py))
    }

    fn field(&self, value: &Value) -> NamedField {
        let mut attributes = CustomAttributes::default();
        if let Some(unit) = &self.unit {
            attributes = attributes.with_attribute(Unit(kept(unit)));
        }
        if let Some((low, high)) = self.range {
            attributes = attributes.with_attribute(ValueRange(low, high));
        }
        value
            .field(kept(&self.name))
            .with_docs(Some(kept(&self.docs)))
            .with_custom_attributes(attributes)
    }
}

/// Keeps a text for as long as the process lives, as descriptions of kinds require. Each registration of a class costs some
/// hundred bytes.
pub(crate) fn kept(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

/// Fields of a class, with their defaults.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Index in the list of all shapes of the process.
    pub(crate) id: usize,
    pub(crate) info: &'static TypeInfo,
    pub(crate) names: &'static [&'static str],
    pub(crate) defaults: Vec<Value>,
}

static SHAPES: Mutex<Vec<&'static Shape>> = Mutex::new(Vec::new());

impl Shape {
    /// Returns the shape of a struct that `T` stands for.
    pub(crate) fn new<T: Reflect + TypePath>(
        py: Python<'_>,
        docs: &str,
        declared: &[Declared],
    ) -> PyResult<&'static Self> {
        let defaults: PyResult<Vec<Value>> = declared.iter().map(|each| each.default(py)).collect();
        let defaults = defaults?;
        let fields = declared.iter().zip(&defaults);
        let fields: Vec<NamedField> = fields.map(|(each, value)| each.field(value)).collect();
        let names = fields.iter().map(NamedField::name).collect();
        let info = StructInfo::new::<T>(&fields).with_docs(Some(kept(docs)));
        let mut shapes = SHAPES.lock().unwrap_or_else(PoisonError::into_inner);
        let shape: &'static Self = Box::leak(Box::new(Self {
            id: shapes.len(),
            info: Box::leak(Box::new(TypeInfo::Struct(info))),
            names: Vec::leak(names),
            defaults,
        }));
        shapes.push(shape);
        Ok(shape)
    }

    /// Returns a shape of this process by its index.
    pub(crate) fn by_id(id: usize) -> Option<&'static Self> {
        let shapes = SHAPES.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.get(id).copied()
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| *known == name)
    }
}
