//! Reader of URDF, the robot descriptions of ROS (1.0 to 1.2).
//!
//! [`load`] reads a file with all files that it names. Each link becomes a frame with its name, also at a fixed joint, so
//! that sensors can be mounted on it; each movable joint becomes a configuration variable with its name. Geometry with its
//! own `<origin>` becomes a frame `LINK-visual` or `LINK-collision`, with the names that amino uses.
//!
//! The reader is our own, based on `roxmltree`: the crate `urdf-rs` stops at the first error without a position, and this
//! reader reports all errors with line and column in one pass.
//!
//! In reading order: `read` converts elements to a `Robot`, `tree` links it to a tree, `build` creates the scene, `gazebo`
//! makes a simulation file of the elements for other programs.

mod assets;
mod build;
pub mod codes;
mod fields;
mod gazebo;
mod read;
mod repair;
mod robot;
mod touch;
mod tree;

use std::{path::Path, sync::Arc};

use morse_diagnostics::{
    Diagnostic, Overlay, SourceId, Sources, Span, nearest_file, printable_path,
};
use morse_scene::{formats::Format, model::Scene};

pub use assets::Asset;
pub(crate) use assets::Assets;
pub use build::Root;

use crate::{
    packages::{Finder, Packages},
    problems::Problems,
    xacro, xml,
};

/// Options for reading a description.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Attachment of the root link.
    pub root: Root,
    /// Locations of packages.
    pub packages: Packages,
    /// Options of the macro processor.
    pub xacro: xacro::Options,
    /// True if each joint gets a frame on its child link, with the name that amino uses.
    pub joint_frames: bool,
    /// True if the description runs by itself: sensors, plugins and motors become a simulation file. Otherwise a warning has
    /// their entries.
    pub is_alone: bool,
}

/// Result of a reader: the robot, or the diagnostics of its errors.
#[derive(Debug, Default)]
pub struct Read {
    /// The robot; `None` after an error.
    pub scene: Option<Scene>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Meshes and textures, in the order of the text.
    pub assets: Vec<Asset>,
    /// Simulation file with the sensors and actuators of the description; empty if there are none.
    pub components: String,
    /// True if the file describes a world with all that belongs into it, and not a robot.
    pub is_world: bool,
}

/// Options of a load that all formats share.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// True if warnings are errors.
    pub strict: bool,
    /// True if a robot that cannot be simulated is an error.
    pub simulated: bool,
    /// Directories whose files may be read, in addition to the directory of the file and the current one.
    pub allow_paths: &'a [std::path::PathBuf],
    /// Texts that replace those of files on the disk.
    pub overlay: &'a Overlay,
}

/// Reads a description from a file and adds the file to `sources`.
pub fn load(
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    match text(path, circumstances.overlay, sources) {
        Ok((source, text)) if Format::of(path) == Format::Xacro => {
            expanded(source, &text, path, options, circumstances, sources)
        }
        Ok((source, text)) => parse(source, &text, path, options, circumstances),
        Err(diagnostic) => Read {
            scene: None,
            diagnostics: vec![*diagnostic],
            ..Read::default()
        },
    }
}

/// Reads a description from a text among the sources. File names are relative to the directory of `path`.
#[must_use]
pub fn parse(
    source: SourceId,
    text: &str,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
) -> Read {
    match xml::parse_repaired(text, source) {
        Ok((root, repaired)) => {
            let mut read = robot(&root, path, options, circumstances);
            let mut problems = Problems::new(circumstances.strict);
            repaired.into_iter().for_each(|one| problems.push(one));
            let is_sound = !problems.any_error();
            read.scene = read.scene.filter(|_| is_sound);
            read.diagnostics.splice(0..0, problems.finish());
            read
        }
        Err(diagnostic) => Read {
            scene: None,
            diagnostics: vec![*diagnostic],
            ..Read::default()
        },
    }
}

/// Reads a description with macros from a text among the sources; adds the included files to them.
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
    // After an error further checks would report consequences of it.
    if problems.any_error() {
        return Read {
            scene: None,
            diagnostics: problems.finish(),
            ..Read::default()
        };
    }
    robot(&root, path, options, circumstances)
}

/// Converts a tree of elements to a robot.
#[must_use]
pub fn robot(
    root: &xml::Element,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
) -> Read {
    let directory = path.parent().unwrap_or(Path::new(""));
    let finder = Finder::new(&options.packages, directory, circumstances.allow_paths);
    let mut assets = Assets::new(finder, circumstances.simulated);
    let mut problems = Problems::new(circumstances.strict);
    let robot = read::robot(root, &mut problems);
    let tree = robot
        .as_ref()
        .and_then(|robot| Some((robot, tree::tree(robot, &mut problems)?)));
    let built = tree.map(|(robot, tree)| {
        let scene = build::build(
            robot,
            &tree,
            options.root,
            options.joint_frames,
            &mut assets,
            &mut problems,
        );
        let is_alone = options.is_alone;
        let components = gazebo::components(root, &tree, &scene, is_alone, &mut problems);
        (scene, components)
    });
    let (scene, components) = built.unzip();
    if let Some(frame) = scene.as_ref().and_then(Scene::infinite_frame) {
        let message = format!("`{}` is infinitely far away", printable_path(&frame.name));
        let mut diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
        if let Some(span) = frame.source.0 {
            diagnostic = diagnostic.at(span, "its position is not finite");
        }
        problems.push(diagnostic.help("check the origins of the joints above it"));
    }
    let is_sound = !problems.any_error();
    Read {
        scene: scene.filter(|_| is_sound),
        diagnostics: problems.finish(),
        assets: assets.list,
        components: components.unwrap_or_default(),
        is_world: false,
    }
}

/// Reads the text of a file.
pub(crate) fn text(
    path: &Path,
    overlay: &Overlay,
    sources: &mut Sources,
) -> Result<(SourceId, Arc<str>), Box<Diagnostic>> {
    let name = path.display().to_string();
    let bytes = overlay.read_bytes(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", printable_path(&name));
        let near = nearest_file(path, &name).filter(|_| !path.exists());
        let help = match near {
            Some(near) => format!("did you mean `{}`?", printable_path(&near)),
            None => "check the path, and that it is a file you may read".to_owned(),
        };
        Box::new(Diagnostic::error(crate::codes::CANNOT_READ, message).help(help))
    })?;
    decoded(bytes, &name, sources)
}

/// Decodes bytes to text and adds it to the sources.
pub(crate) fn decoded(
    bytes: Vec<u8>,
    name: &str,
    sources: &mut Sources,
) -> Result<(SourceId, Arc<str>), Box<Diagnostic>> {
    if bytes.len() > LARGEST_FILE {
        let message = "the file is larger than 64 MiB";
        let diagnostic = Diagnostic::error(crate::codes::TOO_LARGE, message);
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
            let diagnostic = Diagnostic::error(crate::codes::NOT_TEXT, "this is not a text file");
            let diagnostic = diagnostic.at(end, "this is not UTF-8");
            Err(Box::new(diagnostic.help("save it as UTF-8 text")))
        }
    }
}

/// Maximum size of a file, bytes.
const LARGEST_FILE: usize = 64 << 20;
