//! Numbers that the threads of simulations and Python share without copies.
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use pyo3::{prelude::*, types::PyDict};

/// A matrix of numbers. Python sees it as an array of numpy on the same memory, by numpy's array interface; the array owns a
/// reference to it.
///
/// The cells are atomic because Python may read them at any time; the results of a call are complete when it returns.
#[pyclass(frozen, module = "morse_sim._native")]
#[derive(Clone)]
pub(crate) struct Numbers {
    cells: Arc<[AtomicU64]>,
    rows: usize,
    columns: usize,
}

impl Numbers {
    /// A matrix of zeros.
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let cells = (0..rows * columns).map(|_| AtomicU64::new(0)).collect();
        Self {
            cells,
            rows,
            columns,
        }
    }

    /// Writes a row from its start.
    pub(crate) fn write(&self, row: usize, numbers: &[f64]) {
        for (cell, number) in self.row(row).iter().zip(numbers) {
            cell.store(number.to_bits(), Ordering::Relaxed);
        }
    }

    /// Returns a number; zero outside of the matrix.
    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        let cell = self.row(row).get(column);
        cell.map_or(0.0, |cell| f64::from_bits(cell.load(Ordering::Relaxed)))
    }

    fn row(&self, row: usize) -> &[AtomicU64] {
        let start = row * self.columns;
        self.cells
            .get(start..start + self.columns)
            .unwrap_or_default()
    }
}

#[pymethods]
impl Numbers {
    /// Description of the memory for numpy, version 3 of its array interface.
    #[getter(__array_interface__)]
    fn array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let order = if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        };
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("shape", (self.rows, self.columns))?;
        dict.set_item("typestr", format!("{order}f8"))?;
        dict.set_item("data", (self.cells.as_ptr().addr(), false))?;
        Ok(dict)
    }
}
