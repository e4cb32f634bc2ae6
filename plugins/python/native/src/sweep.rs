//! Batches of runs, of which any process can make any run.
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use morse_sim::cli::{
    batch::{Batch, Settings, Table},
    check::Reading,
};
use pyo3::prelude::*;

use crate::{failure::Failure, kinds::extensions, lock::guarded};

/// A batch file that was read and checked.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Sweep(Batch);

#[pymethods]
impl Sweep {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, timeout: Option<f64>) -> PyResult<Self> {
        let settings = Settings {
            timeout,
            reading: Reading::default(),
            ..Settings::default()
        };
        let load = || Batch::load(&path, &settings, extensions());
        let batch = py.detach(|| guarded(load));
        let batch = batch.map_err(|panic| Failure::internal(panic).into_error(py))?;
        batch
            .map(Self)
            .map_err(|report| Failure::from(report).into_error(py))
    }

    /// Number of runs.
    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }

    /// Hash of all files: two batches with equal hashes have equal rows.
    #[getter]
    fn digest(&self) -> &str {
        self.0.digest()
    }

    /// Makes a run and returns its row, an object in JSON.
    fn run(&self, py: Python<'_>, index: usize) -> PyResult<String> {
        let run = || self.0.run(index, extensions()).to_string();
        py.detach(|| guarded(run))
            .map_err(|panic| Failure::internal(panic).into_error(py))
    }

    /// Opens the table of the results.
    fn table(&self, py: Python<'_>, path: PathBuf) -> PyResult<Rows> {
        let table = Table::open(&path, self.0.digest(), self.0.count());
        let table = table.map_err(|why| Failure::environment(why).into_error(py))?;
        Ok(Rows(Mutex::new(Some(table))))
    }
}

/// A table of results, open for further rows.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Rows(Mutex<Option<Table>>);

#[pymethods]
impl Rows {
    /// Runs that have a row.
    #[getter]
    fn done(&self) -> Vec<usize> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let done = table.as_ref().map(|table| table.done().iter().copied());
        done.into_iter().flatten().collect()
    }

    /// True if an incomplete last line was removed.
    #[getter]
    fn is_torn(&self) -> bool {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.as_ref().is_some_and(Table::is_torn)
    }

    fn append(&self, py: Python<'_>, run: usize, row: &str) -> PyResult<()> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |text: String| Failure::environment(text).into_error(py);
        let table = table
            .as_mut()
            .ok_or_else(|| failed("the table is closed".to_owned()))?;
        table
            .append(run, row)
            .map_err(|error| failed(error.to_string()))
    }

    fn close(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
