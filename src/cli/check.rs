//! `morse-sim check`: reports errors and warnings of files, without running anything.
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use morse_description::urdf::{self, Asset};
use morse_diagnostics::{
    Diagnostic, Failed, Severity, Sources, Style, printable_path, render, report::Report,
};
use morse_scene::{assets, model::Scene};
use serde_json::json;

use super::{exit, memory::MemoryArgument, robot_arguments::RobotArguments};
use crate::scene::load::{LoadOptions, Loaded, load as load_scene};
use crate::simulation::load::{self, Descriptions, Options};
use crate::simulation::{Extensions, Simulation, kinds};

/// Report all errors and warnings of scene and simulation files
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scenes (`.robray`), robots (`.urdf`, `.xml`, `.sdf`) and simulation files (`.ron`)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
    /// Memory limit of robots and sensors
    #[command(flatten)]
    pub memory: MemoryArgument,
}

/// Options of all commands that read scenes.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Reading {
    /// Treat warnings as errors
    #[arg(long)]
    pub strict: bool,
    /// Reject the extensions of the language that amino does not support
    #[arg(long)]
    pub strict_amino: bool,
    /// Trust the files in this directory too: quote them in messages, use them as meshes
    #[arg(long = "allow-path", value_name = "DIRECTORY")]
    pub allow_paths: Vec<PathBuf>,
    /// Robot descriptions
    #[command(flatten)]
    pub robots: RobotArguments,
    /// True if messages may have colours; set by the caller.
    #[arg(skip)]
    pub color: bool,
}

impl Reading {
    /// Returns the options for reading scenes.
    #[must_use]
    pub fn options(&self) -> LoadOptions {
        let robots = self.robots.descriptions();
        LoadOptions {
            strict: self.strict,
            strict_amino: self.strict_amino,
            allow_paths: self.allow_paths.clone(),
            shipped: assets::SHIPPED,
            urdf: urdf::Options {
                root: robots.root,
                packages: robots.packages,
                xacro: robots.xacro,
                joint_frames: false,
                is_alone: false,
            },
            convex_parts: robots.convex_parts,
            collada_up_axis: robots.collada_up_axis,
            ..LoadOptions::default()
        }
    }

    /// Adds warnings of options that had no effect on a scene, which is read without a simulation file. With `--strict` they are
    /// errors.
    pub(super) fn with_unused(
        &self,
        path: &Path,
        options: &LoadOptions,
        mut loaded: Loaded,
    ) -> Result<Loaded, Box<Failed>> {
        let descriptions = Descriptions {
            root: options.urdf.root,
            xacro: options.urdf.xacro.clone(),
            ..Descriptions::default()
        };
        let mut unused = descriptions.without_effect(load::is_description(path));
        if self.strict && !unused.is_empty() {
            for one in &mut unused {
                one.severity = Severity::Error;
            }
            return Err(Box::new(Failed {
                diagnostics: unused,
                sources: loaded.sources,
            }));
        }
        loaded.warnings.extend(unused);
        Ok(loaded)
    }

    /// Returns the options for reading simulation files.
    #[must_use]
    pub fn load_options(&self) -> Options {
        Options {
            strict: self.strict,
            strict_amino: self.strict_amino,
            allow_paths: self.allow_paths.clone(),
            // The report is about the file itself.
            descriptions: Descriptions {
                no_floor: true,
                ..self.robots.descriptions()
            },
            ..Options::default()
        }
    }

    /// Returns the style of messages.
    #[must_use]
    pub fn style(&self) -> Style {
        if self.color {
            Style::Colored
        } else {
            Style::Plain
        }
    }
}

/// Checks every file and returns the exit code: 0 if all are valid, 2 if not, 3 if the result cannot be written.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    match checked(args, extensions, out, err) {
        Ok(true) => exit::FINE,
        Ok(false) => exit::INPUT,
        Err(_) => 3,
    }
}

fn checked(
    args: &Args,
    extensions: Extensions,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let mut fine = true;
    let mut reports = Vec::new();
    for path in &args.files {
        let (report, summary, assets) = look_at(path, args, extensions);
        fine &= summary.is_some();
        if args.json {
            let mut object = json!({
                "file": path.display().to_string(),
                "ok": summary.is_some(),
                "diagnostics": report.to_json(),
            });
            if !assets.is_empty() {
                object["assets"] = assets.iter().map(asset_as_json).collect();
            }
            reports.push(object);
            continue;
        }
        write!(err, "{}", report.render(args.reading.style()))?;
        err.flush()?;
        let name = printable_path(&path.display().to_string());
        let (errors, warnings) = report.counts();
        match summary {
            Some(summary) if warnings == 0 => writeln!(out, "{name}: fine ({summary})")?,
            Some(summary) => {
                writeln!(out, "{name}: {} ({summary})", counted(warnings, "warning"))?;
            }
            None => writeln!(out, "{name}: {}", counted(errors, "error"))?,
        }
        for asset in &assets {
            list(asset, out)?;
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "ok": fine, "files": reports }))?;
    }
    out.flush()?;
    Ok(fine)
}

/// Writes the path of a file of a robot description.
fn list(asset: &Asset, out: &mut dyn Write) -> std::io::Result<()> {
    let written = printable_path(&asset.written);
    let what = asset.what;
    match &asset.path {
        Some(path) => {
            let path = printable_path(&path.display().to_string());
            writeln!(out, "  {what} {written}: {path}")
        }
        None => writeln!(out, "  {what} {written}: missing"),
    }
}

fn asset_as_json(asset: &Asset) -> serde_json::Value {
    let shown = |path: &PathBuf| path.display().to_string();
    json!({
        "what": asset.what,
        "written": asset.written,
        "found": asset.path.as_ref().map(shown),
        "looked_for": asset.looked.iter().map(shown).collect::<Vec<String>>(),
    })
}

/// Returns errors and warnings of a file, a summary of its contents if it is valid, and the files of robot descriptions:
/// everything that a run reports before its first tick.
fn look_at(
    path: &Path,
    args: &Args,
    extensions: Extensions,
) -> (Report, Option<String>, Vec<Asset>) {
    let options = Options {
        memory: args.memory.budget(),
        ..args.reading.load_options()
    };
    let plan = match load::load(path, &options, &kinds(extensions)) {
        Ok(plan) => plan,
        Err(report) => return (*report, None, assets_of(path, args)),
    };
    let assets = plan.assets.clone();
    let robots = counted(plan.assembly.robots.len(), "robot");
    let contents = contents(&plan.assembly.scene);
    let is_scene = path.extension().is_none_or(|extension| extension != "ron");
    let summary = match is_scene && plan.assembly.robots.is_empty() {
        true => contents,
        false => format!("{contents}, {robots}"),
    };
    match Simulation::try_out(plan, extensions) {
        Ok(warnings) => (warnings, Some(summary), assets),
        Err(report) => (*report, None, assets),
    }
}

/// Returns the files of a robot that cannot be run.
fn assets_of(path: &Path, args: &Args) -> Vec<Asset> {
    let read = load_scene(path, &args.reading.options());
    read.map_or_else(|_| Vec::new(), |loaded| loaded.assets)
}

fn contents(scene: &Scene) -> String {
    let frames = counted(scene.frames().len(), "frame");
    let variables = counted(scene.variables().len(), "variable");
    format!("{frames}, {variables}")
}

/// Writes diagnostics, separated by empty lines.
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
