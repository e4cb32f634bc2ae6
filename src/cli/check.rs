//! `morse-sim check`: what is wrong with scene files, without running anything.

use std::io::Write;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::{Value, json};

use crate::scene::diagnostic::{Diagnostic, Sources, Style, render, to_json};
use crate::scene::robray::{LoadOptions, load};

/// Report all errors and warnings of scene files
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scene files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// How to read the files
    #[command(flatten)]
    pub reading: Reading,
}

/// The options of every command that reads scenes.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Reading {
    /// Take warnings for errors
    #[arg(long)]
    pub strict: bool,
    /// Refuse the extensions of the language that amino does not know
    #[arg(long)]
    pub strict_amino: bool,
    /// Trust the files in this directory too: show their text in messages, use them as meshes
    #[arg(long = "allow-path", value_name = "DIRECTORY")]
    pub allow_paths: Vec<PathBuf>,
    /// Whether messages may have colours; for the caller to set.
    #[arg(skip)]
    pub color: bool,
}

impl Reading {
    /// The same, for the reader.
    #[must_use]
    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            strict: self.strict,
            strict_amino: self.strict_amino,
            allow_paths: self.allow_paths.clone(),
            skip_mesh_check: false,
        }
    }

    /// How messages look.
    #[must_use]
    pub fn style(&self) -> Style {
        if self.color {
            Style::Colored
        } else {
            Style::Plain
        }
    }
}

/// Checks every file and returns the exit code: 0 if all of them can be used, 2 if not, 3 if the
/// result cannot be written.
pub fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    match checked(args, out, err) {
        Ok(true) => 0,
        Ok(false) => 2,
        Err(_) => 3,
    }
}

fn checked(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> std::io::Result<bool> {
    let mut fine = true;
    let mut reports = Vec::new();
    for path in &args.files {
        let (diagnostics, sources, summary) = match load(path, &args.reading.options()) {
            Ok(loaded) => {
                let frames = counted(loaded.scene.frames().len(), "frame");
                let variables = counted(loaded.scene.variables().len(), "variable");
                let summary = format!("{frames}, {variables}");
                (loaded.warnings, loaded.sources, Some(summary))
            }
            Err(failed) => (failed.diagnostics, failed.sources, None),
        };
        fine &= summary.is_some();
        if args.json {
            let diagnostics: Vec<Value> = diagnostics
                .iter()
                .map(|diagnostic| to_json(diagnostic, &sources))
                .collect();
            reports.push(json!({
                "file": path.display().to_string(),
                "ok": summary.is_some(),
                "diagnostics": diagnostics,
            }));
            continue;
        }
        show(&diagnostics, &sources, args.reading.style(), err)?;
        let name = crate::scene::diagnostic::printable_path(&path.display().to_string());
        let warnings = diagnostics.iter().filter(|found| !found.is_error()).count();
        let errors = diagnostics.len() - warnings;
        match summary {
            Some(summary) if warnings == 0 => writeln!(out, "{name}: fine ({summary})")?,
            Some(summary) => {
                writeln!(out, "{name}: {} ({summary})", counted(warnings, "warning"))?;
            }
            None => writeln!(out, "{name}: {}", counted(errors, "error"))?,
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "ok": fine, "files": reports }))?;
    }
    out.flush()?;
    Ok(fine)
}

/// Writes diagnostics with empty lines between them.
pub(super) fn show(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    style: Style,
    err: &mut dyn Write,
) -> std::io::Result<()> {
    for diagnostic in diagnostics {
        writeln!(err, "{}", render(diagnostic, sources, style))?;
    }
    err.flush()
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
