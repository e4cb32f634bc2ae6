//! Diagnostics of one or several loads, with the source texts that are needed to show them.
use std::{fmt, sync::Arc};

use crate::{Diagnostic, Severity, Sources, Style, render, to_json};

/// Failure to read a scene.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Errors and warnings, in the order of their detection; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The source files, for the output of the diagnostics.
    pub sources: Sources,
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(
                formatter,
                "{}",
                render(diagnostic, &self.sources, Style::Plain)
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Failed {}

/// Diagnostics of several loads, each with the source texts to which its spans refer.
#[derive(Clone, Debug, Default)]
pub struct Report {
    entries: Vec<(Diagnostic, Arc<Sources>)>,
}

impl Report {
    /// Adds diagnostics whose spans refer to these source texts.
    pub fn add(
        &mut self,
        diagnostics: impl IntoIterator<Item = Diagnostic>,
        sources: &Arc<Sources>,
    ) {
        self.entries.extend(
            diagnostics
                .into_iter()
                .map(|diagnostic| (diagnostic, sources.clone())),
        );
    }

    /// Adds all diagnostics of another load.
    pub fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Returns the diagnostics, each with its source texts, in the order of their detection.
    pub fn entries(&self) -> impl Iterator<Item = (&Diagnostic, &Arc<Sources>)> {
        self.entries
            .iter()
            .map(|(diagnostic, sources)| (diagnostic, sources))
    }

    /// Adds the diagnostics of a scene file that could not be read.
    pub fn add_failed(&mut self, failed: Failed) {
        self.add(failed.diagnostics, &Arc::new(failed.sources));
    }

    /// Returns the report with its warnings turned into errors.
    #[must_use]
    pub fn into_errors(mut self) -> Self {
        for (diagnostic, _) in &mut self.entries {
            diagnostic.severity = Severity::Error;
        }
        self
    }

    /// Returns true if the report contains an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.entries
            .iter()
            .any(|(diagnostic, _)| diagnostic.is_error())
    }

    /// Returns the codes of the errors.
    pub fn error_codes(&self) -> impl Iterator<Item = &'static str> {
        let errors = self
            .entries
            .iter()
            .filter(|(diagnostic, _)| diagnostic.is_error());
        errors.map(|(diagnostic, _)| diagnostic.code)
    }

    /// Returns true if the report contains no diagnostic.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the numbers of errors and warnings.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let errors = self
            .entries
            .iter()
            .filter(|(diagnostic, _)| diagnostic.is_error())
            .count();
        (errors, self.entries.len() - errors)
    }

    /// Formats the diagnostics as text, in the order of their detection, with an empty line after each.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        self.entries
            .iter()
            .map(|(diagnostic, sources)| render(diagnostic, sources, style) + "\n")
            .collect()
    }

    /// Returns the diagnostics as a JSON array of objects.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        self.entries
            .iter()
            .map(|(diagnostic, sources)| to_json(diagnostic, sources))
            .collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Style::Plain))
    }
}

impl std::error::Error for Report {}
