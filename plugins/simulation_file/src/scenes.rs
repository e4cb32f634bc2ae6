//! Merges further scene files into the scene, each under a prefix.
use std::rc::Rc;

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::Scene;

use crate::{
    Simulation, Spanned,
    model::{Named, Part},
};

/// Reads a scene file; `None` if it could not be read, which was reported.
pub(super) type Load<'a> =
    dyn FnMut(&Spanned<String>) -> Result<Option<Rc<Scene>>, Box<Diagnostic>> + 'a;

/// Merges all `scenes` of a simulation file into its scene: the frames, joint variables, allowed pairs and loop closures of
/// `left` begin with `left.`. A scene may be mounted on a frame of another one.
pub(super) fn merge_scenes(
    simulation: &Simulation,
    scene: &mut Scene,
    errors: &mut Vec<Diagnostic>,
    load: &mut Load<'_>,
) {
    let mut waiting = Vec::new();
    for (name, part) in &simulation.scenes {
        if simulation.robots.contains_key(name.as_str()) {
            let message = format!(
                "`{}` is the name of a scene and of a robot",
                printable(name)
            );
            let error = Diagnostic::error("scene::merge", message)
                .help("give the scene another name: it is the prefix of its frames");
            errors.push(located(error, name));
            continue;
        }
        match load(&part.model) {
            Ok(Some(loaded)) => waiting.push((name, part, loaded)),
            // Reported where it was first named.
            Ok(None) => {}
            Err(error) => errors.push(*error),
        }
    }
    while let Some(index) = waiting
        .iter()
        .position(|(_, part, _)| is_ready(part, scene))
    {
        let (name, part, loaded): (_, _, Rc<Scene>) = waiting.remove(index);
        let parent = part.frame.as_ref().map(|frame| frame.value.as_str());
        if let Err(error) = scene.mount(&loaded, name, parent, part.at) {
            let message = format!("the scene `{}` cannot be merged: {error}", printable(name));
            let error = Diagnostic::error("scene::merge", message);
            errors.push(located(error, &part.model));
        }
    }
    let unknown = waiting
        .iter()
        .filter_map(|(_, part, _)| part.frame.as_ref());
    errors.extend(unknown.map(|frame| unknown_frame(frame, scene, &simulation.scenes)));
}

/// Returns true if the frame on which a scene is mounted exists.
fn is_ready(part: &Part, scene: &Scene) -> bool {
    let frame = part.frame.as_ref();
    frame.is_none_or(|frame| scene.frame(frame).is_some())
}

fn unknown_frame(frame: &Spanned<String>, scene: &Scene, scenes: &Named<Part>) -> Diagnostic {
    let frames = scene.frames().iter().map(|frame| frame.name.as_str());
    let message = format!("the scene has no frame `{}`", printable(frame));
    let error = Diagnostic::error("scene::unknown-name", message).suggest(frame, frames);
    let prefix = frame.split('.').next().unwrap_or_default();
    let start = format!("{prefix}.");
    let is_merged = scene
        .frames()
        .iter()
        .any(|known| known.name.starts_with(&start));
    let error = match scenes.contains_key(prefix) && !is_merged {
        true => error.note("scenes cannot be mounted on each other in a circle, nor on themselves"),
        false => error,
    };
    located(error, frame)
}

/// Returns an error at the position of a text in the file.
pub(super) fn located(error: Diagnostic, written: &Spanned<String>) -> Diagnostic {
    match written.span {
        Some(span) => error.at(span, ""),
        None => error,
    }
}
