//! `morse-sim fmt`: formats scene and simulation files in place.
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use morse_api::whole_file::write_whole;
use morse_diagnostics::{Style, printable_path};
use morse_robray as robray;
use morse_simulation_file as simulation;

use super::check::show;

/// Format scene and simulation files
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scene and simulation files; `-` reads a scene from stdin and prints it
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; exit with 1 if a file is not formatted
    #[arg(long)]
    pub check: bool,
    /// True if messages may have colours; set by the caller.
    #[arg(skip)]
    pub color: bool,
}

/// Maximum size of a file, bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Result for a file, ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Fine = 0,
    Unformatted = 1,
    Unreadable = 2,
    Unwritable = 3,
}

/// Formats every file and returns the exit code: 0 for success, 1 if `--check` found a file that is not formatted, 2 if a
/// file cannot be read or has a syntax error, 3 if a file cannot be written.
pub fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut worst = Outcome::Fine;
    for path in &args.files {
        let outcome = file(path, args, out, err).unwrap_or(Outcome::Unwritable);
        worst = worst.max(outcome);
    }
    worst as u8
}

fn file(
    path: &Path,
    args: &Args,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Outcome> {
    let shown = printable_path(&path.display().to_string());
    let text = match read(path) {
        Ok(text) => text,
        Err(reason) => {
            writeln!(err, "error: cannot read `{shown}`: {reason}")?;
            return Ok(Outcome::Unreadable);
        }
    };
    let is_simulation = path.extension().is_some_and(|extension| extension == "ron");
    let format = if is_simulation {
        simulation::format
    } else {
        robray::format
    };
    let formatted = match format(&text, path) {
        Ok(formatted) => formatted,
        Err(failed) => {
            let style = if args.color {
                Style::Colored
            } else {
                Style::Plain
            };
            show(&failed.diagnostics, &failed.sources, style, err)?;
            return Ok(Outcome::Unreadable);
        }
    };
    if args.check {
        if formatted == text {
            return Ok(Outcome::Fine);
        }
        writeln!(out, "{shown}: not formatted")?;
        return Ok(Outcome::Unformatted);
    }
    if path == Path::new("-") {
        out.write_all(formatted.as_bytes())?;
    } else if formatted != text
        && let Err(reason) = write_whole(path, |file| file.write_all(formatted.as_bytes()))
    {
        writeln!(err, "error: cannot write `{shown}`: {reason}")?;
        return Ok(Outcome::Unwritable);
    }
    Ok(Outcome::Fine)
}

fn read(path: &Path) -> Result<String, String> {
    let reader: Box<dyn std::io::Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        let metadata = path.metadata().map_err(|error| error.to_string())?;
        if !metadata.is_file() {
            return Err("it is not a regular file".into());
        }
        Box::new(std::fs::File::open(path).map_err(|error| error.to_string())?)
    };
    let mut bytes = Vec::new();
    let mut limited = std::io::Read::take(reader, LARGEST + 1);
    std::io::Read::read_to_end(&mut limited, &mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("files are limited to 64 MiB".into());
    }
    let text =
        String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 text: {error}"))?;
    if text.contains('\0') {
        return Err("it is not a text file: it holds NUL".into());
    }
    Ok(text)
}
