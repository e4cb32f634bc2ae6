//! Errors of the simulator as exceptions of the package `morse_sim.errors`.
use morse_api::fault::Fault;
use morse_sim::{
    scene::report::Report,
    simulation::{AccessError, BuildError},
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// An error on its way from a simulation to Python.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Name of the class in `morse_sim.errors`.
    class: &'static str,
    text: String,
    /// Diagnostics as a list in JSON.
    diagnostics: Option<String>,
    /// The exception of a component that is written in Python.
    cause: Option<Box<PyErr>>,
}

impl Failure {
    fn new(class: &'static str, text: impl ToString) -> Self {
        Self {
            class,
            text: text.to_string(),
            diagnostics: None,
            cause: None,
        }
    }

    /// The environment: a file, a port, a thread.
    pub(crate) fn environment(text: impl ToString) -> Self {
        Self::new("EnvironmentFault", text)
    }

    /// A call that is refused: a wrong path, field or number.
    pub(crate) fn access(text: impl ToString) -> Self {
        Self::new("AccessError", text)
    }

    /// A service that failed, or did not answer in time.
    pub(crate) fn service(text: impl ToString) -> Self {
        Self::new("ServiceFailed", text)
    }

    /// Snapshots and resets that are impossible.
    pub(crate) fn state(text: impl ToString) -> Self {
        Self::new("StateError", text)
    }

    /// A panic. The simulation cannot be used any more.
    pub(crate) fn internal(text: impl ToString) -> Self {
        Self::new("InternalError", text)
    }

    /// Use after the end of a simulation, or in another process.
    pub(crate) fn closed(text: impl ToString) -> Self {
        Self::new("ClosedError", text)
    }

    /// Errors of files, with their diagnostics.
    fn from_report(report: &Report) -> Self {
        Self {
            class: "SceneError",
            text: report.to_string().trim_end().to_owned(),
            diagnostics: Some(report.to_json().to_string()),
            cause: None,
        }
    }

    /// A component that failed; the tick is complete, so that the simulation can be used.
    pub(crate) fn component(fault: Fault) -> Self {
        let cause = fault.cause.and_then(|cause| cause.downcast().ok());
        Self {
            cause,
            ..Self::new("ComponentFault", fault.text)
        }
    }

    /// Returns the exception.
    pub(crate) fn into_error(self, py: Python<'_>) -> PyErr {
        let make = || {
            let class = py.import("morse_sim.errors")?.getattr(self.class)?;
            class.call1((self.text.as_str(), self.diagnostics.as_deref()))
        };
        match make() {
            Ok(exception) => {
                let error = PyErr::from_value(exception);
                error.set_cause(py, self.cause.map(|cause| *cause));
                error
            }
            Err(cause) => PyRuntimeError::new_err(format!("{} ({cause})", self.text)),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match &error {
            BuildError::Scene(report) => Self::from_report(report),
            BuildError::Middleware(failure) => Self::environment(failure),
        }
    }
}

impl From<Box<Report>> for Failure {
    fn from(report: Box<Report>) -> Self {
        Self::from_report(&report)
    }
}

impl From<AccessError> for Failure {
    fn from(error: AccessError) -> Self {
        Self::access(error)
    }
}
