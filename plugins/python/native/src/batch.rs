//! Many simulations, each in its own thread, that advance at the same time.
use pyo3::prelude::*;

use crate::core::{self, Core};

/// Advances each simulation by some ticks, all at the same time. Returns when the last one has finished.
#[pyfunction]
pub(crate) fn step_together(
    py: Python<'_>,
    cores: Vec<PyRef<'_, Core>>,
    ticks: u64,
) -> PyResult<()> {
    let send = |core: PyRef<'_, Core>| {
        let advance = move |room: &mut _, stop: &_| core::advance(room, ticks, stop);
        core.worker.send(py, advance)
    };
    let calls: PyResult<Vec<_>> = cores.into_iter().map(send).collect();
    for call in calls? {
        call.wait(py)?.map_err(|failure| failure.into_error(py))?;
    }
    Ok(())
}
