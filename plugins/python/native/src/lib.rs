//! The native core of the Python package: simulations in process, and the program `morse-sim` itself.
//!
//! Only the package `morse_sim` uses it; its classes have the interface for people. The map:
//! - `core`: one simulation, as Python sees it;
//! - `room`: a simulation, and what belongs to it; `lock`: calls of one thread at a time; `stop`: signals during a call;
//! - `pool`: threads that share the work of one call;
//! - `batch`: environments that advance at the same time; `link`: observations and actions of one of them; `shared`: their
//!   numbers, in memory that Python shares;
//! - `mechanism`: joints of a robot; `scene`: questions about a scene, for planners;
//! - `source`: files of a simulation; `ticks`: ticks until a signal;
//! - `sweep`: batches of runs;
//! - `kinds`: kinds of component that are written in Python;
//! - `reading`: data of sensors; `value`: readings as Python objects;
//! - `failure`: errors as Python exceptions.
mod batch;
mod core;
mod failure;
mod kinds;
mod link;
mod lock;
mod mechanism;
mod pool;
mod reading;
mod room;
mod scene;
mod shared;
mod source;
mod stop;
mod sweep;
mod ticks;
mod value;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line of the program `morse-sim` with these arguments, the first of which is the program's name. Returns
/// the exit code.
#[pyfunction]
fn program(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    let extensions = kinds::extensions();
    let run = move || morse_sim::cli::main_from(&arguments, extensions);
    py.detach(|| lock::guarded(run))
        .map_err(|text| failure::Failure::internal(text).into_error(py))
}

/// The module `morse_sim._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(program, module)?)?;
    module.add_function(wrap_pyfunction!(kinds::register_kind, module)?)?;
    module.add_class::<kinds::Context>()?;
    module.add_class::<core::Core>()?;
    module.add_class::<core::State>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<mechanism::Joints>()?;
    module.add_class::<scene::Query>()?;
    module.add_class::<shared::Numbers>()?;
    module.add_class::<sweep::Rows>()?;
    module.add_class::<sweep::Sweep>()
}
