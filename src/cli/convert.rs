//! `morse-sim convert`: writes a scene or robot in another format.
mod companions;

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args as ClapArgs, ValueEnum};
use morse_api::whole_file::write_whole;
use morse_description::write::{Asset, Content, Options, Paths, Target, Written, relocated, write};
use morse_diagnostics::{Diagnostic, printable_path, real_path};
use morse_geometry::{files, mesh};
use morse_robray as robray;

use super::{
    check::{Reading, show},
    exit, say,
};
use crate::scene::{
    assembly::WORLD,
    inertials::inertials,
    load::{LoadOptions, Loaded, load},
    model::Scene,
};

/// Convert a scene or robot between .robray, URDF, SDF and MJCF
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Scene or robot: `.robray`, `.urdf`, `.xacro`, `.sdf`, `.world`, `.xml` or `.msc`
    #[arg(value_name = "IN")]
    pub file: PathBuf,
    /// File to write; its extension is the format. `-` prints the text, in the format of `--to`
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Format to write, if the extension of OUT does not say it
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Merge frames into the links to which they are fixed
    #[arg(long)]
    pub flatten: bool,
    /// Copy meshes, with their materials and images, to a directory beside OUT; by default it refers to them where they are
    #[arg(long)]
    pub copy_assets: bool,
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
}

/// Format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The scene language
    Robray,
    /// Robot description of ROS
    Urdf,
    /// Model of Gazebo
    Sdf,
    /// Model of MuJoCo
    Mjcf,
}

impl Format {
    /// Returns the format of a file by its extension.
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "robray" => Some(Self::Robray),
            "urdf" => Some(Self::Urdf),
            "sdf" | "world" => Some(Self::Sdf),
            "xml" | "mjcf" => Some(Self::Mjcf),
            _ => None,
        }
    }
}

/// Maximum size of a copied mesh, bytes.
const LARGEST_MESH: u64 = 512 << 20;

/// Converts a file and returns the exit code: 0 for success, 2 if the file has errors, or with `--strict` if the format cannot
/// say something, 3 if a file cannot be written.
pub fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let Some(format) = args.to.or_else(|| Format::of(&args.output)) else {
        let shown = printable_path(&args.output.display().to_string());
        say(
            err,
            format_args!("error: the format of `{shown}` is unknown"),
        );
        say(
            err,
            "help: name it with `.robray`, `.urdf`, `.sdf` or `.xml`, or add `--to FORMAT`",
        );
        return exit::INPUT;
    };
    if args.flatten && format == Format::Robray {
        say(
            err,
            "error: `--flatten` is for `.urdf`, `.sdf` and `.xml`: in a `.robray` file, geometry has the pose of its frame",
        );
        return exit::INPUT;
    }
    let options = LoadOptions {
        simulated: true,
        ..args.reading.options()
    };
    let style = args.reading.style();
    let read = load(&args.file, &options)
        .and_then(|loaded| args.reading.with_unused(&args.file, &options, loaded))
        .map_err(|failed| (failed.diagnostics, failed.sources));
    let converted = read.and_then(|loaded| {
        show(&loaded.warnings, &loaded.sources, style, err).ok();
        let mut written =
            convert(args, format, &loaded).map_err(|diagnostics| (diagnostics, loaded.sources))?;
        companions::add(&mut written);
        Ok(written)
    });
    match converted {
        Ok(written) => finish(args, &written, out, err),
        Err((diagnostics, sources)) => {
            show(&diagnostics, &sources, style, err).ok();
            exit::INPUT
        }
    }
}

/// Reports what the format cannot say, and prints or stores the text.
fn finish(args: &Args, written: &Written, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let severity = if args.reading.strict {
        "error"
    } else {
        "warning"
    };
    for loss in &written.losses {
        say(err, format_args!("{severity}: {loss}"));
    }
    if args.reading.strict && !written.losses.is_empty() {
        return exit::INPUT;
    }
    if is_printed(args) {
        return match out.write_all(written.text.as_bytes()) {
            Ok(()) => exit::FINE,
            Err(_) => exit::ENVIRONMENT,
        };
    }
    if let Err(message) = store(&args.output, written) {
        say(err, format_args!("error: {message}"));
        return exit::ENVIRONMENT;
    }
    let shown = printable_path(&args.output.display().to_string());
    let lines = written.text.lines().count();
    let beside = match written.assets.len() {
        0 => String::new(),
        1 => ", and a file beside it".to_owned(),
        count => format!(", and {count} files beside it"),
    };
    say(out, format_args!("{shown}: {lines} lines{beside}"));
    exit::FINE
}

fn is_printed(args: &Args) -> bool {
    args.output == Path::new("-")
}

/// Returns the text of a scene in a format, with the files beside it.
fn convert(args: &Args, format: Format, loaded: &Loaded) -> Result<Written, Vec<Diagnostic>> {
    let scene = &*without_empty_world(&loaded.scene);
    let paths = paths(args);
    let target = match format {
        Format::Robray => {
            let (scene, assets, lost) = relocated(scene, paths);
            let text = robray::write(&scene).map_err(|error| vec![unwritable(&error)])?;
            let lost = lost.into_iter();
            let losses =
                lost.map(|frame| format!("a mesh of `{frame}` has to be written beside the scene"));
            return Ok(Written {
                text,
                assets,
                losses: losses.collect(),
            });
        }
        Format::Urdf => Target::Urdf,
        Format::Sdf => Target::Sdf,
        Format::Mjcf => Target::Mjcf,
    };
    scene.check().map_err(|error| vec![unwritable(&error)])?;
    let name = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let options = Options {
        paths,
        flatten: args.flatten,
    };
    Ok(write(scene, target, &name, &inertials(scene)?, options))
}

/// Returns the scene without its frame `world`, if nothing is attached to that, as to the world of most robots of MuJoCo: a
/// robot with the frame would be immovable, or have two roots.
fn without_empty_world(scene: &Scene) -> Cow<'_, Scene> {
    let is_empty = scene
        .frame(WORLD)
        .is_some_and(|world| world.parent.is_none() && world.geometry.is_empty());
    let family = scene.family(WORLD);
    let is_named = scene
        .closures()
        .iter()
        .flat_map(|closure| &closure.frames)
        .chain(
            scene
                .allowed_collisions()
                .iter()
                .flat_map(|(one, other)| [one, other]),
        )
        .any(|name| name == WORLD);
    if !is_empty || is_named || family.len() > 1 || scene.frames().len() == 1 {
        return Cow::Borrowed(scene);
    }
    let mut scene = scene.clone();
    scene.remove_frames(&family);
    Cow::Owned(scene)
}

fn unwritable(error: &dyn std::error::Error) -> Diagnostic {
    Diagnostic::error(
        "convert::scene",
        format!("the scene cannot be written: {error}"),
    )
}

fn paths(args: &Args) -> Paths {
    if is_printed(args) {
        return Paths {
            directory: real_path(Path::new(".")),
            assets: None,
            copy: false,
            uris: false,
        };
    }
    let directory = args
        .output
        .parent()
        .filter(|parent| *parent != Path::new(""));
    let stem = args
        .output
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    Paths {
        directory: real_path(directory.unwrap_or(Path::new("."))),
        assets: Some(format!("{stem}_meshes")),
        copy: args.copy_assets,
        uris: false,
    }
}

/// Writes a description with the files beside it; the error is a message.
fn store(output: &Path, written: &Written) -> Result<(), String> {
    let directory = output.parent().unwrap_or(Path::new(""));
    for asset in &written.assets {
        let path = directory.join(&asset.name);
        let stored = content(asset).and_then(|bytes| {
            let parent = path.parent().unwrap_or(directory);
            std::fs::create_dir_all(parent)?;
            write_whole(&path, |file| file.write_all(&bytes))
        });
        stored.map_err(|error| failed(&path, &error))?;
    }
    let stored = write_whole(output, |file| file.write_all(written.text.as_bytes()));
    stored.map_err(|error| failed(output, &error))
}

fn failed(path: &Path, error: &io::Error) -> String {
    let shown = printable_path(&path.display().to_string());
    format!("cannot write `{shown}`: {error}")
}

fn content(asset: &Asset) -> io::Result<Vec<u8>> {
    match &asset.content {
        Content::Text(text) => Ok(text.clone().into_bytes()),
        Content::Copy(path) => {
            let bytes = files::bytes(path, LARGEST_MESH).map_err(io::Error::other)?;
            Ok(bytes.into_owned())
        }
        Content::Obj(path) => {
            let triangles = mesh::read(path).map_err(io::Error::other)?;
            let mut text = String::new();
            for [x, y, z] in &triangles.vertices {
                writeln!(text, "v {x:?} {y:?} {z:?}").ok();
            }
            for face in &triangles.faces {
                let [one, two, three] = face.map(|at| at + 1);
                writeln!(text, "f {one} {two} {three}").ok();
            }
            Ok(text.into_bytes())
        }
    }
}
