//! Reader of SDF (`SDFormat` 1.4 to 1.11), the worlds and models of Gazebo.
//!
//! [`load`] reads a file with all models that it includes. Each link becomes a frame, and each joint with an axis a
//! configuration variable with its name. Names in a world begin with the name of the model: `robot::arm`; those of a file
//! with one model have no prefix. A model is a frame, too, above its links.
//!
//! In reading order: `version` and `include` complete the elements, `document` collects links, joints and frames and
//! computes their poses, `joint`, `geometry` and `looks` read elements, `tree` connects the links, `build` creates the
//! scene, `sensor`, `plugin`, `light` and `environment` make a simulation file, `ignored` reports the rest by the
//! table of elements in `content`.

mod build;
pub mod codes;
mod component;
mod content;
mod document;
mod environment;
pub(crate) mod fields;
mod geometry;
pub(crate) mod ignored;
mod include;
mod joint;
mod light;
mod looks;
mod noise;
pub(crate) mod plugin;
pub(crate) mod sensor;
mod tree;
mod version;
mod walls;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, SourceId, Sources, printable_path};
use morse_scene::model::Scene;

use crate::{
    mjcf::Surface,
    packages::Packages,
    problems::Problems,
    urdf::{Circumstances, Read, Root, text},
    xml::{self, Element},
};
use version::File;

/// Options for reading a description.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Attachment of the model of a file with one model.
    pub root: Root,
    /// Locations of models and packages.
    pub packages: &'a Packages,
    /// True if the description runs by itself: sensors and plugins become a simulation file. Otherwise a warning has their
    /// entries, and the pose of a fixed model is left out: the frame to which it is fixed determines it.
    pub is_alone: bool,
    /// Reads the heights of an image as a mesh, row by row, for walls.
    pub surface: fn(&Path) -> Result<Surface, String>,
}

/// Reads a world or model from a file and adds the file to `sources`.
pub fn load(
    path: &Path,
    options: Options<'_>,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    match text(path, circumstances.overlay, sources) {
        Ok((source, text)) => parse(source, &text, path, options, circumstances, sources),
        Err(diagnostic) => refused(vec![*diagnostic]),
    }
}

/// Reads a world or model from a text among the sources; adds the included files to them. File names are relative to the
/// directory of `path`.
pub fn parse(
    source: SourceId,
    text: &str,
    path: &Path,
    options: Options<'_>,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    let mut root = match xml::parse(text, source) {
        Ok(root) => root,
        Err(diagnostic) => return refused(vec![*diagnostic]),
    };
    let mut problems = Problems::new(circumstances.strict);
    let Some(version) = version::read(&root, &mut problems) else {
        return refused(problems.finish());
    };
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut allowed = circumstances.allow_paths.to_vec();
    allowed.push(match directory.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => directory.clone(),
    });
    let mut includes = include::Includes {
        packages: options.packages,
        allowed: allowed.clone(),
        overlay: circumstances.overlay,
        sources,
        problems: &mut problems,
        files: BTreeMap::from([(source, File { directory, version })]),
        finders: BTreeMap::new(),
        open: path.canonicalize().into_iter().collect(),
        known: BTreeMap::new(),
        inclusions: 0,
        elements: 0,
    };
    includes.resolve(&mut root, 0);
    let files = includes.files;
    if !problems.any_error() {
        return description(&root, &files, &allowed, options, circumstances, problems);
    }
    let mut diagnostics = problems.finish();
    let others = Problems::new(circumstances.strict);
    let others = description(&root, &files, &allowed, options, circumstances, others).diagnostics;
    // Names of models that could not be included are unknown in consequence.
    let is_own = |diagnostic: &Diagnostic| diagnostic.code != codes::UNKNOWN_NAME;
    diagnostics.extend(others.into_iter().filter(is_own));
    refused(diagnostics)
}

/// Converts a tree of elements to a scene.
fn description(
    root: &Element,
    files: &BTreeMap<SourceId, File>,
    allowed: &[PathBuf],
    options: Options<'_>,
    circumstances: Circumstances<'_>,
    mut problems: Problems,
) -> Read {
    let mut worlds = root.named("world");
    let (first, second) = (worlds.next(), worlds.next());
    if let Some(second) = second {
        let diagnostic = Diagnostic::warning(codes::IGNORED, "the first world is read")
            .at(second.span, "left out")
            .help("write each world into a file of its own");
        problems.push(diagnostic);
    }
    let models = root.named("model").count();
    if first.is_none() && models == 0 {
        let diagnostic = Diagnostic::error(codes::NOT_A_MODEL, "there is no world and no model")
            .at(root.span, "expected `<world>` or `<model>`")
            .help("add `<model name=\"robot\"><link name=\"base\"/></model>`");
        problems.push(diagnostic);
        return refused(problems.finish());
    }
    let mut said = ignored::Said::default();
    ignored::report(root, options.is_alone, &mut problems);
    let is_world = first.is_some();
    let is_single = first.is_none() && models == 1;
    let world = first.unwrap_or(root);
    let mut document = document::Document::collect(world, is_single, files, &mut problems);
    if document.is_too_large {
        return refused(problems.finish());
    }
    if is_single && options.root == Root::Fixed && !options.is_alone {
        document.drop_pose(&mut problems);
    }
    document.resolve(&mut problems);
    let tree = tree::Tree::read(&document, &mut problems);
    let (environment, has_origin) =
        environment::read(world, &document, options.is_alone, &mut problems);
    let builder = build::Builder {
        has_components: options.is_alone,
        environment,
        has_origin,
        document: &document,
        tree: &tree,
        packages: options.packages,
        surface: options.surface,
        allowed,
        simulated: circumstances.simulated,
        is_single,
        root: options.root,
        problems: &mut problems,
        said: &mut said,
    };
    let (scene, assets, components) = builder.build();
    refuse_infinite(&scene, &mut problems);
    let is_sound = !problems.any_error();
    Read {
        scene: Some(scene).filter(|_| is_sound),
        diagnostics: problems.finish(),
        assets,
        components,
        is_world,
    }
}

/// Reports a frame whose position is not finite.
fn refuse_infinite(scene: &Scene, problems: &mut Problems) {
    if let Some(frame) = scene.infinite_frame() {
        let message = format!("`{}` is infinitely far away", printable_path(&frame.name));
        let mut diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
        if let Some(span) = frame.source.0 {
            diagnostic = diagnostic.at(span, "its position is not finite");
        }
        problems.push(diagnostic.help("check the poses of the models around it"));
    }
}

fn refused(diagnostics: Vec<Diagnostic>) -> Read {
    Read {
        scene: None,
        diagnostics,
        ..Read::default()
    }
}
