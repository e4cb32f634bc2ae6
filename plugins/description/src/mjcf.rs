//! Reader of MJCF, the model descriptions of MuJoCo.
//!
//! Each body becomes a frame with its name. A joint becomes a configuration variable with its name: the last joint of a body
//! moves the frame of the body, earlier ones and those beside its origin have frames `JOINT-joint`. Each geom becomes a frame
//! that is fixed to its body, and sites and cameras with names become frames without geometry, on which sensors can be mounted.
//!
//! The reader is our own, based on `roxmltree`: the crate `mjcf-rs` has no source positions, and this reader reports all errors
//! with line and column in one pass. Semantics follow MuJoCo's XML reference and its compiler; what is different is in the
//! guide.
//!
//! In reading order: `include` makes one tree of all files, `defaults`, `compiler` and `assets` read what other elements refer
//! to, `build` converts the bodies with `joint` and `geom`, `constraints` closes loops, `collisions` permits contacts.

mod assets;
mod build;
pub mod codes;
mod collisions;
mod compiler;
mod constraints;
mod defaults;
mod geom;
mod include;
mod inertial;
mod item;
mod joint;
mod names;
mod values;

use std::{collections::BTreeSet, path::Path};

use morse_diagnostics::{Diagnostic, Sources, printable};
use morse_scene::model::Scene;

use self::{
    assets::Library,
    build::Builder,
    compiler::Compiler,
    constraints::{Bodies, close, couplings, excluded},
    defaults::Classes,
    include::Includer,
};
use crate::{
    packages::Finder,
    problems::Problems,
    urdf::{self, Assets, Circumstances, Options, Read},
    xml::{self, Element},
};

/// Sections of a model that are read.
const SECTIONS: &[&str] = &[
    "compiler",
    "default",
    "asset",
    "worldbody",
    "equality",
    "contact",
];

/// Elements of a body that are read.
const BODY_ELEMENTS: &[&str] = &[
    "inertial",
    "joint",
    "freejoint",
    "geom",
    "site",
    "camera",
    "light",
    "body",
    "frame",
];

/// Elements that are not read, each with what to do instead.
const UNREAD: &[(&str, &str)] = &[
    (
        "actuator",
        "add an actuator in the simulation file: `actuators: { \"arm\": (kind: \"joints\") }`",
    ),
    (
        "sensor",
        "add sensors in the simulation file, for example `\"imu\": (kind: \"imu\", mount: (frame: \"…\"))`",
    ),
    (
        "keyframe",
        "give the start in the simulation file: `joints: { \"…\": (position: …) }`",
    ),
    ("tendon", "tendons are not simulated"),
    ("deformable", "deformable bodies are not simulated"),
    (
        "composite",
        "write the bodies one by one, as MuJoCo's `save` does",
    ),
    ("flexcomp", "deformable bodies are not simulated"),
    ("flex", "deformable bodies are not simulated"),
    ("skin", "skins are not drawn"),
    (
        "replicate",
        "write the bodies one by one, as MuJoCo's `save` does",
    ),
    (
        "attach",
        "include the other model, or add it as a robot in the simulation file",
    ),
    ("plugin", "plugins of MuJoCo are not loaded"),
    ("extension", "plugins of MuJoCo are not loaded"),
    (
        "mocap",
        "move the body by a kinematic robot in the simulation file",
    ),
];

/// Sections without meaning for a scene.
const SILENT: &[&str] = &["option", "size", "visual", "statistic", "custom"];

/// Reads a model from a file, and adds the file to `sources`.
pub fn load(
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    let read = urdf::text(path, circumstances.overlay, sources)
        .and_then(|(source, text)| xml::parse(&text, source));
    match read {
        Ok(root) => model(root, path, options, circumstances, sources),
        Err(problem) => Read {
            scene: None,
            diagnostics: vec![*problem],
            assets: Vec::new(),
        },
    }
}

/// Converts a tree of elements to a scene.
pub fn model(
    mut root: Element,
    path: &Path,
    options: &Options,
    circumstances: Circumstances<'_>,
    sources: &mut Sources,
) -> Read {
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut problems = Problems::new(circumstances.strict);
    let mut finder = Finder::new(&options.packages, directory, circumstances.allow_paths);
    let mut includer = Includer {
        finder: &mut finder,
        overlay: circumstances.overlay,
        sources,
        problems: &mut problems,
        seen: BTreeSet::new(),
    };
    includer.expand(&mut root);
    let mut assets = Assets::new(finder, circumstances.simulated);
    let scene = match root.name.as_str() {
        "mujoco" => Some(scene(&root, options, &mut assets, &mut problems)),
        other => {
            let message = format!(
                "this is no model of MuJoCo: it begins with `<{}>`",
                printable(other)
            );
            let problem = Diagnostic::error(codes::NOT_A_MODEL, message);
            problems.push(
                problem
                    .at(root.span, "expected `<mujoco>`")
                    .help("robot descriptions of ROS, with `<robot>`, have the ending `.urdf`"),
            );
            None
        }
    };
    let is_sound = !problems.any_error();
    Read {
        scene: scene.filter(|_| is_sound),
        diagnostics: problems.finish(),
        assets: assets.found,
    }
}

fn scene(
    root: &Element,
    options: &Options,
    assets: &mut Assets<'_>,
    problems: &mut Problems,
) -> Scene {
    let mut reported = BTreeSet::new();
    for element in root.elements() {
        let name = element.name.as_str();
        let is_known = SECTIONS.contains(&name) || SILENT.contains(&name);
        if !is_known && reported.insert(name) {
            problems.push(unread(name, element, SECTIONS));
        }
    }
    let classes = Classes::of(root, problems);
    let compiler = Compiler::of(root, problems);
    let library = Library::of(root, &classes, &compiler, problems);
    let couplings = couplings(root, (&classes, &compiler), problems);
    let mut builder = Builder::new(
        (&compiler, &classes),
        (&library, &couplings),
        options.root,
        assets,
        problems,
    );
    builder.worldbodies(root);
    let (poses, sites) = (
        std::mem::take(&mut builder.poses),
        std::mem::take(&mut builder.sites),
    );
    let bodies = Bodies {
        poses: &poses,
        sites: &sites,
    };
    let pairs = excluded(root, &bodies, builder.problems);
    let (mut scene, problems) = (builder.scene, builder.problems);
    builder
        .collisions
        .permit(&pairs, root.span, &mut scene, problems);
    close(root, (&classes, &compiler), &bodies, &mut scene, problems);
    scene
}

/// Returns the warning about an element that is not read.
fn unread(name: &str, element: &Element, known: &[&str]) -> Diagnostic {
    if let Some((_, remedy)) = UNREAD.iter().find(|(unread, _)| *unread == name) {
        let message = format!("`<{name}>` is not read");
        return Diagnostic::warning(codes::NOT_TAKEN, message)
            .at(element.span, "left out")
            .help(*remedy);
    }
    let message = format!("MJCF has no element `<{}>` here", printable(name));
    let problem = Diagnostic::warning(codes::UNKNOWN_ELEMENT, message)
        .at(element.span, "not read")
        .suggest(name, known.iter().copied());
    match problem.help.is_empty() {
        true => problem.help(format!("known elements: {}", known.join(", "))),
        false => problem,
    }
}
