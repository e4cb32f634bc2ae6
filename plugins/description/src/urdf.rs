//! URDF, the robot descriptions of ROS (1.0 to 1.2): text to scene.
//!
//! [`load`] reads a file with all that it names. Each link becomes a frame of its name, also where it hangs on a fixed
//! joint, so that it can carry sensors; each joint that moves becomes a configuration variable of its name. What stands at
//! an `<origin>` of its own becomes a frame `LINK-visual` or `LINK-collision`, as amino names them.
//!
//! The reader is our own, on `roxmltree`: the crate `urdf-rs` gives up at the first mistake and cannot say where it is,
//! and here everything that is wrong has a line and a column, in one pass.
//!
//! In reading order: `read` makes a `Robot` of elements, `tree` puts it together, `build` makes the scene.

mod assets;
mod build;
pub mod codes;
mod fields;
mod read;
mod robot;
mod tree;

use std::{path::Path, sync::Arc};

use morse_diagnostics::{
    Diagnostic, SourceId, Sources, Span, nearest_file, printable_path, read_bytes,
};
use morse_scene::{formats::Format, model::Scene};

pub use assets::Asset;
pub use build::Root;

use crate::{
    packages::{Finder, Packages},
    problems::Problems,
    xacro, xml,
};

/// Options for reading a description.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Motion of the root link.
    pub root: Root,
    /// Sources of packages.
    pub packages: Packages,
    /// Options for macros.
    pub xacro: xacro::Options,
    /// Add a frame for each joint, on its child, as amino names them.
    pub joint_frames: bool,
}

/// A robot that was read, or the part of it that could be.
#[derive(Debug)]
pub struct Read {
    /// The robot; nothing where there is an error.
    pub scene: Option<Scene>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Meshes and images, in the order of the text.
    pub assets: Vec<Asset>,
}

/// Circumstances of a reading that all formats share.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// Take warnings for errors.
    pub strict: bool,
    /// A robot that cannot be simulated is an error.
    pub simulated: bool,
    /// Directories whose files may be read, besides that of the file and the current one.
    pub allow_paths: &'a [std::path::PathBuf],
}

/// Reads a description from a file, which is added to `sources`.
pub fn load(
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    match text(path, sources) {
        Ok((source, text)) if Format::of(path) == Format::Xacro => {
            expanded(source, &text, path, options, circumstances, sources)
        }
        Ok((source, text)) => parse(source, &text, path, options, circumstances),
        Err(diagnostic) => Read {
            scene: None,
            diagnostics: vec![*diagnostic],
            assets: Vec::new(),
        },
    }
}

/// Reads a text that is among the sources. `path` is where it comes from: files are looked for from its directory.
#[must_use]
pub fn parse(
    source: SourceId,
    text: &str,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
) -> Read {
    match xml::parse(text, source) {
        Ok(root) => robot(&root, path, options, circumstances),
        Err(diagnostic) => Read {
            scene: None,
            diagnostics: vec![*diagnostic],
            assets: Vec::new(),
        },
    }
}

/// Reads a text with macros that is among the sources; files that it includes are added to these.
pub fn expanded(
    source: SourceId,
    text: &str,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    let mut problems = Problems::new(circumstances.strict);
    let root = match xml::parse(text, source) {
        Ok(root) => xacro::expand(
            &root,
            path,
            (&options.xacro, &options.packages),
            circumstances.allow_paths,
            sources,
            &mut problems,
        ),
        Err(diagnostic) => {
            problems.push(*diagnostic);
            xml::Element {
                name: String::new(),
                span: Span::new(source, 0..0),
                attributes: Vec::new(),
                content: Vec::new(),
            }
        }
    };
    // What a mistake leaves behind would only be wrong again.
    if problems.any_error() {
        return Read {
            scene: None,
            diagnostics: problems.finish(),
            assets: Vec::new(),
        };
    }
    robot(&root, path, options, circumstances)
}

/// Makes a robot of a tree of elements.
#[must_use]
pub fn robot(
    root: &xml::Element,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
) -> Read {
    let directory = path.parent().unwrap_or(Path::new(""));
    let finder = Finder::new(&options.packages, directory, circumstances.allow_paths);
    let mut assets = assets::Assets::new(finder, circumstances.simulated);
    let mut problems = Problems::new(circumstances.strict);
    let robot = read::robot(root, &mut problems);
    let tree = robot
        .as_ref()
        .and_then(|robot| Some((robot, tree::tree(robot, &mut problems)?)));
    let scene = tree.map(|(robot, tree)| {
        build::build(
            robot,
            &tree,
            options.root,
            options.joint_frames,
            &mut assets,
            &mut problems,
        )
    });
    if let Some(frame) = scene.as_ref().and_then(Scene::infinite_frame) {
        let message = format!("`{}` is infinitely far away", printable_path(&frame.name));
        let mut diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
        if let Some(span) = frame.source.0 {
            diagnostic = diagnostic.at(span, "its place is no finite number");
        }
        problems.push(diagnostic.help("check the origins of the joints above it"));
    }
    let is_sound = !problems.any_error();
    Read {
        scene: scene.filter(|_| is_sound),
        diagnostics: problems.finish(),
        assets: assets.found,
    }
}

/// The text of a file.
fn text(path: &Path, sources: &mut Sources) -> Result<(SourceId, Arc<str>), Box<Diagnostic>> {
    let name = path.display().to_string();
    let bytes = read_bytes(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", printable_path(&name));
        let near = nearest_file(path, &name).filter(|_| !path.exists());
        let help = match near {
            Some(near) => format!("did you mean `{}`?", printable_path(&near)),
            None => "check the path, and that it is a file you may read".to_owned(),
        };
        Box::new(Diagnostic::error(codes::CANNOT_READ, message).help(help))
    })?;
    decoded(bytes, &name, sources)
}

/// Text of bytes, which is added to the sources.
pub(crate) fn decoded(
    bytes: Vec<u8>,
    name: &str,
    sources: &mut Sources,
) -> Result<(SourceId, Arc<str>), Box<Diagnostic>> {
    if bytes.len() > LARGEST_FILE {
        let message = "the file is larger than 64 MiB";
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message);
        return Err(Box::new(diagnostic.help(
            "a robot description names its meshes, it does not hold them",
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text: Arc<str> = text.into();
            Ok((sources.add(name, Arc::clone(&text)), text))
        }
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            let source = sources.add(name, String::from_utf8(bytes).unwrap_or_default());
            let end = Span::new(source, valid..valid);
            let diagnostic = Diagnostic::error(codes::NOT_TEXT, "this is not a text file");
            let diagnostic = diagnostic.at(end, "this is not UTF-8");
            Err(Box::new(diagnostic.help("save it as UTF-8 text")))
        }
    }
}

/// Bytes.
const LARGEST_FILE: usize = 64 << 20;
