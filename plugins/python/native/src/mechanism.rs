//! Joints of a robot for controllers, as a copy of their present state.
use std::sync::{Mutex, MutexGuard, PoisonError};

use morse_sim::simulation::Mechanism;
use pyo3::prelude::*;

use crate::failure::Failure;

/// A matrix: its numbers row by row, and the number of columns.
pub(crate) type Matrix = (Vec<f64>, usize);

/// Joints of a robot.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Joints(Mutex<Mechanism>);

impl Joints {
    pub(crate) fn new(mechanism: Mechanism) -> Self {
        Self(Mutex::new(mechanism))
    }

    fn mechanism(&self) -> MutexGuard<'_, Mechanism> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the number of values of a vector, and that they are finite.
    fn check(py: Python<'_>, noun: &str, values: &[f64], count: usize) -> PyResult<()> {
        let actual = values.len();
        let text = if actual != count {
            format!("expected {count} {noun}, found {actual}")
        } else if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        } else {
            format!("expected finite {noun}")
        };
        Err(Failure::access(text).into_error(py))
    }

    fn no_link(&self, py: Python<'_>, link: &str) -> PyErr {
        let mechanism = self.mechanism();
        let known = mechanism.links().join(", ");
        Failure::access(format!("there is no link `{link}`; there are: {known}")).into_error(py)
    }
}

#[pymethods]
impl Joints {
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.mechanism().coordinates().to_vec()
    }

    #[getter]
    fn links(&self) -> Vec<String> {
        self.mechanism().links().to_vec()
    }

    #[getter]
    fn positions(&self) -> Vec<f64> {
        self.mechanism().positions()
    }

    #[getter]
    fn velocities(&self) -> Vec<f64> {
        self.mechanism().velocities().to_vec()
    }

    fn set(&self, py: Python<'_>, positions: Vec<f64>, velocities: Vec<f64>) -> PyResult<()> {
        let mut mechanism = self.mechanism();
        let variables = mechanism.positions().len();
        Self::check(py, "positions", &positions, variables)?;
        let coordinates = mechanism.coordinates().len();
        Self::check(py, "velocities", &velocities, coordinates)?;
        mechanism.set(&positions, &velocities);
        Ok(())
    }

    fn mass_matrix(&self) -> Matrix {
        let matrix = self.mechanism().mass_matrix();
        // It is symmetric.
        (matrix.iter().copied().collect(), matrix.ncols())
    }

    fn bias(&self) -> Vec<f64> {
        self.mechanism().bias()
    }

    fn gravity(&self) -> Vec<f64> {
        self.mechanism().gravity()
    }

    fn inverse_dynamics(&self, py: Python<'_>, accelerations: Vec<f64>) -> PyResult<Vec<f64>> {
        let mut mechanism = self.mechanism();
        let count = mechanism.coordinates().len();
        Self::check(py, "accelerations", &accelerations, count)?;
        Ok(mechanism.inverse_dynamics(&accelerations))
    }

    fn forward_dynamics(&self, py: Python<'_>, efforts: Vec<f64>) -> PyResult<Vec<f64>> {
        let mut mechanism = self.mechanism();
        let count = mechanism.coordinates().len();
        Self::check(py, "efforts", &efforts, count)?;
        Ok(mechanism.forward_dynamics(&efforts))
    }

    /// Jacobian of a point of a link.
    fn jacobian(&self, py: Python<'_>, link: &str, point: [f64; 3]) -> PyResult<Matrix> {
        Self::check(py, "coordinates", &point, 3)?;
        let matrix = self.mechanism().jacobian(link, &point.into());
        let matrix = matrix.ok_or_else(|| self.no_link(py, link))?;
        let transposed = matrix.transpose();
        Ok((transposed.iter().copied().collect(), matrix.ncols()))
    }

    /// Position of a link, and its rotation as a quaternion x, y, z, w.
    fn pose(&self, py: Python<'_>, link: &str) -> PyResult<([f64; 3], [f64; 4])> {
        let pose = self.mechanism().pose(link);
        let pose = pose.ok_or_else(|| self.no_link(py, link))?;
        Ok((pose.translation.vector.into(), pose.rotation.coords.into()))
    }

    fn center_of_mass(&self) -> (f64, [f64; 3]) {
        let (mass, center) = self.mechanism().center_of_mass();
        (mass, center.coords.into())
    }
}
