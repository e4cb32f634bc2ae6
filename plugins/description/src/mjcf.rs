//! Reader of MJCF, the models of MuJoCo.
//!
//! [`load`] reads a file with all files that it includes. Each body becomes a frame with its name, and each hinge and slide a
//! configuration variable with its name, whose value is MuJoCo's `qpos`. A ball joint becomes three hinges `NAME.x`,
//! `NAME.y` and `NAME.z`. Geoms, sites and cameras become frames on their body.
//!
//! The reader is our own, as that of URDF: errors have line and column, and all of them are reported in one pass.
//!
//! In reading order: `include`, `replicate` and `defaults` complete the elements, `compiler` has the settings, `looks`, `geom`, `joint`
//! and `pose` read elements, `solid` and `shell` compute inertia, `build` creates the scene, `keyframe`, `motor` and `sensor` make a
//! simulation file, `option` has its gravity, `ignored` reports the rest.

mod build;
pub mod codes;
mod compiler;
mod coupling;
mod defaults;
mod fields;
mod geom;
mod heights;
mod ignored;
mod include;
mod joint;
mod keyframe;
mod looks;
mod motor;
mod option;
mod pose;
mod replicate;
mod sensor;
mod shell;
mod solid;
mod source;
mod tendon;

use std::{collections::BTreeSet, path::Path};

use morse_diagnostics::{Diagnostic, SourceId, Sources, printable, printable_path};
use morse_scene::model::Scene;

pub use solid::Surface;

use crate::{
    packages::{Finder, Packages, Roots},
    problems::Problems,
    urdf::{Assets, Circumstances, Read, Root, text},
    xml::{self, Element},
};

/// Options for reading a model.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `Fixed` if the model is a robot on a base: a free joint of its first body is then fixed, and the world's own geoms
    /// are left out.
    pub root: Root,
    /// True if the model runs by itself: sensors, actuators, springs and the keyframe become a simulation file. Otherwise a
    /// warning has their entries.
    pub is_alone: bool,
    /// Reads the triangles of a mesh, for its mass.
    pub surface: fn(&Path) -> Result<Surface, String>,
    /// Returns the convex hull of points; `None` if it has no volume.
    pub hull: fn(&[[f64; 3]]) -> Option<Surface>,
}

/// Reads a model from a file and adds the file to `sources`.
pub fn load(
    path: &Path,
    options: Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    match text(path, circumstances.overlay, sources) {
        Ok((source, text)) => parse(source, &text, path, options, circumstances, sources),
        Err(diagnostic) => refused(*diagnostic),
    }
}

/// Reads a model from a text among the sources; adds the included files to them. File names are relative to the directory
/// of `path`.
pub fn parse(
    source: SourceId,
    text: &str,
    path: &Path,
    options: Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    let mut root = match xml::parse(text, source) {
        Ok(root) => root,
        Err(diagnostic) => return refused(*diagnostic),
    };
    if root.name != "mujoco" {
        let message = format!("`<{}>` is no model of MuJoCo", printable(&root.name));
        let help = match root.name.as_str() {
            "robot" => "this is a robot description of ROS: name the file `.urdf`",
            "mujocoinclude" => "this file is included by others: name one of these",
            _ => "a model begins with `<mujoco>`",
        };
        let diagnostic = Diagnostic::error(codes::NOT_A_MODEL, message);
        return refused(diagnostic.at(root.span, "expected `<mujoco>`").help(help));
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut problems = Problems::new(circumstances.strict);
    include::Includes {
        directory,
        roots: Roots::new(directory, circumstances.allow_paths),
        sources,
        problems: &mut problems,
        known: path.canonicalize().into_iter().collect::<BTreeSet<_>>(),
    }
    .resolve(&mut root, 0);
    // After an error further checks would report consequences of it.
    if problems.any_error() {
        return Read {
            scene: None,
            diagnostics: problems.finish(),
            ..Read::default()
        };
    }
    replicate::expand(&mut root, &mut problems);
    model(&root, directory, options, circumstances, problems)
}

/// Converts a tree of elements to a scene.
fn model(
    root: &Element,
    directory: &Path,
    options: Options,
    circumstances: Circumstances<'_>,
    mut problems: Problems,
) -> Read {
    let packages = Packages::default();
    let finder = Finder::new(&packages, directory, circumstances.allow_paths);
    let mut assets = Assets::new(finder, circumstances.simulated);
    ignored::Ignored::report(root, &mut problems);
    let (scene, components) = build::build(root, options, &mut assets, &mut problems);
    if let Some(frame) = scene.infinite_frame() {
        let message = format!("`{}` is infinitely far away", printable_path(&frame.name));
        let mut diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
        if let Some(span) = frame.source.0 {
            diagnostic = diagnostic.at(span, "its position is not finite");
        }
        problems.push(diagnostic.help("check the positions of the bodies above it"));
    }
    let is_sound = !problems.any_error();
    Read {
        scene: Some(scene).filter(|_: &Scene| is_sound),
        diagnostics: problems.finish(),
        assets: assets.list,
        components,
        is_world: false,
    }
}

fn refused(diagnostic: Diagnostic) -> Read {
    Read {
        scene: None,
        diagnostics: vec![diagnostic],
        ..Read::default()
    }
}
