//! Questions about a scene at a configuration, for planners.
use std::{
    path::PathBuf,
    sync::{PoisonError, RwLock},
};

use morse_sim::scene::{
    load::{LoadOptions, load, parse_str},
    query::{QueryError, SceneQuery},
    report::Report,
};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use pyo3::prelude::*;

use crate::{failure::Failure, lock::guarded, mechanism::Matrix};

/// A scene that answers questions at configurations.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Query(RwLock<SceneQuery>);

/// Two frames that overlap, and the depth, m.
type Overlap = (String, String, f64);

impl Query {
    /// Calls a function without the interpreter's lock.
    fn call<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&SceneQuery) -> Result<R, QueryError> + Send,
    ) -> PyResult<R> {
        let call = || call(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        attempt(py, || call().map_err(Failure::access))
    }

    fn change<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut SceneQuery) -> Result<R, QueryError> + Send,
    ) -> PyResult<R> {
        let call = || call(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
        attempt(py, || call().map_err(Failure::access))
    }
}

/// Calls a function without the interpreter's lock; its failure or panic becomes an exception.
fn attempt<R: Send>(
    py: Python<'_>,
    call: impl FnOnce() -> Result<R, Failure> + Send,
) -> PyResult<R> {
    match py.detach(|| guarded(call)) {
        Ok(result) => result.map_err(|failure| failure.into_error(py)),
        Err(panic) => Err(Failure::internal(panic).into_error(py)),
    }
}

#[pymethods]
impl Query {
    /// Reads a scene file, or a text whose files are searched in `directory`.
    #[new]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        text: Option<String>,
        directory: PathBuf,
    ) -> PyResult<Self> {
        attempt(py, || {
            let options = LoadOptions::default();
            let loaded = match (&path, &text) {
                (Some(path), _) => load(path, &options),
                (None, text) => {
                    let text = text.as_deref().unwrap_or_default();
                    parse_str(text, "<text>", &directory, &options)
                }
            };
            let loaded = loaded.map_err(|failed| {
                let mut report = Box::<Report>::default();
                report.add_failed(*failed);
                Failure::from(report)
            })?;
            let query = SceneQuery::new(&loaded.scene).map_err(Failure::access)?;
            Ok(Self(RwLock::new(query)))
        })
    }

    #[getter]
    fn variables(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.call(py, |query| Ok(query.variables().to_vec()))
    }

    /// Lower and upper limit of each variable.
    #[getter]
    fn limits(&self, py: Python<'_>) -> PyResult<Vec<[f64; 2]>> {
        self.call(py, |query| Ok(query.limits().to_vec()))
    }

    /// Pairs of frames that may overlap.
    #[getter]
    fn allowed(&self, py: Python<'_>) -> PyResult<Vec<[String; 2]>> {
        self.call(py, |query| Ok(query.allowed()))
    }

    /// Position of a frame, and its rotation as a quaternion x, y, z, w.
    fn pose(
        &self,
        py: Python<'_>,
        frame: String,
        values: Vec<f64>,
    ) -> PyResult<([f64; 3], [f64; 4])> {
        let pose = self.call(py, move |query| query.pose(&frame, &values))?;
        Ok((pose.translation.vector.into(), pose.rotation.coords.into()))
    }

    /// Jacobian of a frame, row by row, and its number of columns.
    fn jacobian(&self, py: Python<'_>, frame: String, values: Vec<f64>) -> PyResult<Matrix> {
        let matrix = self.call(py, move |query| query.jacobian(&frame, &values))?;
        let transposed = matrix.transpose();
        Ok((transposed.iter().copied().collect(), matrix.ncols()))
    }

    fn distance(
        &self,
        py: Python<'_>,
        one: String,
        other: String,
        values: Vec<f64>,
    ) -> PyResult<Option<f64>> {
        self.call(py, move |query| query.distance(&one, &other, &values))
    }

    fn collisions(&self, py: Python<'_>, values: Vec<f64>) -> PyResult<Vec<Overlap>> {
        let collisions = self.call(py, move |query| query.collisions(&values))?;
        let collisions = collisions.into_iter().map(|collision| {
            let [one, other] = collision.frames;
            (one, other, collision.depth)
        });
        Ok(collisions.collect())
    }

    /// Configuration near `start` at which a frame has a pose.
    fn inverse(
        &self,
        py: Python<'_>,
        frame: String,
        position: [f64; 3],
        rotation: [f64; 4],
        start: Vec<f64>,
    ) -> PyResult<Vec<f64>> {
        let [x, y, z, w] = rotation;
        let rotation = Quaternion::new(w, x, y, z);
        let is_unit = (rotation.norm() - 1.0).abs() < 1e-6;
        if !is_unit || position.iter().any(|number| !number.is_finite()) {
            let text = "expected finite numbers and a quaternion of length 1";
            return Err(Failure::access(text).into_error(py));
        }
        let pose = Isometry3::from_parts(
            Translation3::from(position),
            UnitQuaternion::from_quaternion(rotation),
        );
        self.call(py, move |query| query.inverse(&frame, &pose, &start))
    }

    fn allow_at(&self, py: Python<'_>, values: Vec<f64>) -> PyResult<()> {
        self.change(py, move |query| query.allow_at(&values))
    }

    fn allow_sampled(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Vec<[String; 2]>> {
        self.change(py, move |query| Ok(query.allow_sampled(count, seed)))
    }
}
