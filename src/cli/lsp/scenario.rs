//! Other files with the extension of simulation files: scenarios, and those of other programs.
use std::path::Path;
use std::sync::Arc;

use morse_diagnostics::{Overlay, Sources, nearest, report::Report};
use morse_simulation_file::{read_scenario, root_name};

/// Names of the values that this program reads.
const ROOTS: [&str; 2] = ["Simulation", "Scenario"];

/// Checks a file if it is a scenario. A file of another program is fine.
pub(super) fn check(path: &Path, overlay: &Overlay) -> Option<Report> {
    if path.extension()? != "ron" {
        return None;
    }
    let bytes = overlay.read_bytes(path).ok()?;
    let name = std::str::from_utf8(&bytes).ok().and_then(root_name)?;
    if !ROOTS.contains(&name) && nearest(name, ROOTS).is_none() {
        return Some(Report::default());
    }
    let is_scenario = name == "Scenario";
    if !is_scenario {
        return None;
    }
    let mut sources = Sources::default();
    let read = read_scenario(&path.display().to_string(), &bytes, &mut sources);
    let mut report = Report::default();
    report.add(read.err().unwrap_or_default(), &Arc::new(sources));
    Some(report)
}
