//! `morse-sim compile`: converts a scene to one file that loads fast.
use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;
use morse_api::whole_file::write_whole;
use morse_compiled::{changed, encode, open};
use morse_diagnostics::printable_path;

use super::{
    check::{Reading, show},
    exit, say,
};
use crate::scene::{compiled::collect, load::LoadOptions};

/// Compile a scene with its meshes, hulls and images into one file that loads fast
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scene (`.robray`) or robot (`.urdf`, `.xacro`, `.xml`, `.sdf`); with `--check`, a compiled scene (`.msc`)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Compiled scene to write; by default beside the scene, with the extension `.msc`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write nothing; exit with 1 if a source of the compiled scene has changed
    #[arg(long, conflicts_with = "output")]
    pub check: bool,
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
}

/// Compiles a scene and returns the exit code: 0 for success, 1 if `--check` found a change, 2 if the scene has errors, 3 if
/// the file cannot be written.
pub fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if args.check {
        return check(&args.file, out, err);
    }
    let output = args.output.clone();
    let output = output.unwrap_or_else(|| args.file.with_extension("msc"));
    let parent = output.parent().filter(|parent| *parent != Path::new(""));
    let options = LoadOptions {
        simulated: true,
        ..args.reading.options()
    };
    let read = collect(&args.file, &options, parent.unwrap_or(Path::new(".")));
    let read = read.and_then(|(content, loaded)| {
        let loaded = args.reading.with_unused(&args.file, &options, loaded)?;
        Ok((content, loaded))
    });
    let style = args.reading.style();
    let content = match read {
        Ok((content, loaded)) => {
            show(&loaded.warnings, &loaded.sources, style, err).ok();
            content
        }
        Err(failed) => {
            show(&failed.diagnostics, &failed.sources, style, err).ok();
            return exit::INPUT;
        }
    };
    let shown = printable_path(&output.display().to_string());
    let bytes = match encode(&content) {
        Ok(bytes) => bytes,
        Err(error) => {
            say(
                err,
                format_args!("error: `{shown}` cannot be made: {error}"),
            );
            return exit::INPUT;
        }
    };
    if let Err(error) = write_whole(&output, |file| file.write_all(&bytes)) {
        say(err, format_args!("error: cannot write `{shown}`: {error}"));
        return exit::ENVIRONMENT;
    }
    let (frames, meshes) = (content.scene.frames().len(), content.meshes.len());
    say(
        out,
        format_args!(
            "{shown}: {frames} frames, {meshes} meshes, {} bytes",
            bytes.len()
        ),
    );
    exit::FINE
}

/// Reports the sources of a compiled scene that have changed.
fn check(path: &Path, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let shown = printable_path(&path.display().to_string());
    let opened = match open(path) {
        Ok(opened) => opened,
        Err(error) => {
            say(
                err,
                format_args!("error: `{shown}` cannot be used: {error}"),
            );
            return exit::INPUT;
        }
    };
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    let changed = changed(&opened.sources, directory.unwrap_or(Path::new(".")));
    for source in &changed {
        say(
            out,
            format_args!("{shown}: `{}` has changed", printable_path(source)),
        );
    }
    match changed.is_empty() {
        true => exit::FINE,
        false => exit::VERDICT,
    }
}
