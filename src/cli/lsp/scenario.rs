//! Other files with the extension of simulation files: scenarios, batches, and those of other programs.
use std::path::Path;
use std::sync::Arc;

use morse_diagnostics::{Overlay, Sources, nearest, report::Report};
use morse_simulation_file::{read_batch, read_scenario, root_name};

/// Names of the values that this program reads.
const ROOTS: [&str; 3] = ["Simulation", "Scenario", "Batch"];

/// Checks a file if it is a scenario or a batch. A file of another program is fine.
pub(super) fn check(path: &Path, overlay: &Overlay) -> Option<Report> {
    if path.extension()? != "ron" {
        return None;
    }
    let bytes = overlay.read_bytes(path).ok()?;
    let name = std::str::from_utf8(&bytes).ok().and_then(root_name)?;
    if !ROOTS.contains(&name) && nearest(name, ROOTS).is_none() {
        return Some(Report::default());
    }
    let (shown, mut sources) = (path.display().to_string(), Sources::default());
    let mistakes = match name {
        "Scenario" => read_scenario(&shown, &bytes, &mut sources).err(),
        "Batch" => read_batch(&shown, &bytes, &mut sources).err(),
        _ => return None,
    };
    let mut report = Report::default();
    report.add(mistakes.unwrap_or_default(), &Arc::new(sources));
    Some(report)
}
