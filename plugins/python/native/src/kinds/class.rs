//! Classes of Python, and their objects: one for each component.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{component::ComponentPath, fault::Fault};
use pyo3::{prelude::*, types::PyDict};

use super::{
    record::{Record, Role, Setting},
    shape::Shape,
    tree::Tree,
};

/// A class of Python that was registered as a kind.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) kind: &'static str,
    pub(crate) class: Py<PyAny>,
    pub(crate) settings: &'static Shape,
    /// Data of a sensor, or command of an actuator.
    pub(crate) data: &'static Shape,
    pub(crate) frequency: Option<f64>,
    pub(crate) moves_robot: bool,
    /// Fields that a modifier requires.
    pub(crate) fields: Vec<String>,
}

/// Settings of a component.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) class: Arc<Class>,
    pub(crate) record: Record<Setting>,
}

/// The object of a component, or the reason why there is none.
#[derive(Component, Clone)]
pub(crate) struct Object(pub(crate) Result<Arc<Instance>, String>);

/// An object of a class.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) class: Arc<Class>,
    object: Py<PyAny>,
}

/// Message of a component that is used while the interpreter ends.
const NO_INTERPRETER: &str = "Python has ended";

impl Settings {
    /// Makes the object of a component.
    pub(crate) fn make(&self) -> Result<Arc<Instance>, String> {
        let made = Python::try_attach(|py| {
            let made = self.make_in(py).map(Bound::unbind);
            made.map_err(|error| explained(py, &error))
        });
        let object = made.unwrap_or_else(|| Err(NO_INTERPRETER.to_owned()))?;
        Ok(Arc::new(Instance {
            class: self.class.clone(),
            object,
        }))
    }

    fn make_in<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = dict(py, &self.record)?;
        let data = dict(py, &Record::<Setting>::new(self.class.data))?;
        helper(py, "_make", (&self.class.class, settings, data))
    }
}

fn dict<'py, R: Role>(py: Python<'py>, record: &Record<R>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in record.iter() {
        dict.set_item(name, value.to_python(py)?)?;
    }
    Ok(dict)
}

impl Instance {
    /// Calls a function with the object. An exception becomes the fault of the component.
    pub(crate) fn call<R>(
        &self,
        path: &str,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>,
    ) -> Result<R, Fault> {
        let kind = self.class.kind;
        let called = Python::try_attach(|py| {
            call(self.object.bind(py)).map_err(|error| {
                let why = explained(py, &error);
                Fault::new(format!("`{path}` of the kind `{kind}` failed: {why}")).cause(error)
            })
        });
        called.unwrap_or_else(|| Err(Fault::new(format!("`{path}`: {NO_INTERPRETER}"))))
    }

    /// Writes the values of a record to the attributes of the object.
    pub(crate) fn write<R: Role>(object: &Bound<'_, PyAny>, record: &Record<R>) -> PyResult<()> {
        for (name, value) in record.iter() {
            object.setattr(name, value.to_python(object.py())?)?;
        }
        Ok(())
    }

    /// Reads the values of a record from the attributes of the object.
    pub(crate) fn read<R: Role>(object: &Bound<'_, PyAny>, record: &mut Record<R>) -> PyResult<()> {
        let values: PyResult<Vec<_>> = record
            .iter()
            .map(|(name, value)| value.convert(name, &object.getattr(name)?))
            .collect();
        record.values = values?;
        Ok(())
    }

    /// Returns the state of the object.
    pub(crate) fn state(object: &Bound<'_, PyAny>) -> PyResult<Tree> {
        Tree::of(&helper(object.py(), "_state", (object,))?)
    }

    /// Sets the state of the object.
    pub(crate) fn restore(object: &Bound<'_, PyAny>, state: &Tree) -> PyResult<()> {
        let state = state.to_python(object.py())?;
        helper(object.py(), "_restore", (object, state)).map(drop)
    }
}

/// Calls a function of the package.
fn helper<'py, A: pyo3::call::PyCallArgs<'py>>(
    py: Python<'py>,
    name: &str,
    arguments: A,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("morse_sim.kinds")?
        .getattr(name)?
        .call1(arguments)
}

/// Returns an exception with the file and line where it was raised.
pub(crate) fn explained(py: Python<'_>, error: &PyErr) -> String {
    // Unlike `value`, this has the traceback.
    let value = error.clone_ref(py).into_value(py);
    let text = helper(py, "_explained", (value,));
    let text = text.and_then(|text| text.extract());
    text.unwrap_or_else(|_| error.to_string())
}

/// Returns the path of a component.
pub(crate) fn path_of(world: &World, entity: Entity) -> String {
    let path = world.get::<ComponentPath>(entity);
    path.map_or_else(String::new, ToString::to_string)
}
