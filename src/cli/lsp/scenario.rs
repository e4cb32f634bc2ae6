//! Scenario files, which have the extension of simulation files.
use std::path::Path;
use std::sync::Arc;

use morse_diagnostics::{Overlay, Sources, report::Report};
use morse_simulation_file::{read_scenario, root_name};

/// Checks a file if it is a scenario.
pub(super) fn check(path: &Path, overlay: &Overlay) -> Option<Report> {
    if path.extension()? != "ron" {
        return None;
    }
    let bytes = overlay.read_bytes(path).ok()?;
    let is_scenario =
        std::str::from_utf8(&bytes).is_ok_and(|text| root_name(text) == Some("Scenario"));
    if !is_scenario {
        return None;
    }
    let mut sources = Sources::default();
    let read = read_scenario(&path.display().to_string(), &bytes, &mut sources);
    let mut report = Report::default();
    report.add(read.err().unwrap_or_default(), &Arc::new(sources));
    Some(report)
}
