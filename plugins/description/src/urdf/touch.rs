//! Collisions that the contact sensors of a robot count.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::model::{Frame, Scene};

use super::codes;
use crate::{components::list, problems::Problems};

/// Returns the setting `parts` of a contact sensor: the frames of the collisions of its link, since the body includes links
/// that are fixed to it. Reports a sensor that names fewer collisions than its link has; `named` are their number and the
/// source position.
pub(super) fn counted(
    scene: &Scene,
    link: &str,
    (named, span): (usize, Span),
    problems: &mut Problems,
) -> String {
    let prefix = format!("{link}-collision");
    let is_own = |frame: &&Frame| {
        let is_piece = frame.parent.as_deref() == Some(link) && frame.name.starts_with(&prefix);
        frame.name == link || is_piece
    };
    let (mut names, mut count) = (Vec::new(), 0);
    for frame in scene.frames().iter().filter(is_own) {
        let collisions = frame.geometry.iter().filter(|one| one.collision).count();
        if collisions > 0 {
            names.push(frame.name.clone());
            count += collisions;
        }
    }
    if (1..count).contains(&named) {
        let message = "a contact sensor counts all collisions of its link";
        let diagnostic = Diagnostic::warning(codes::COMPONENT, message).at(span, "here");
        problems.push(diagnostic.help("give the collision a link of its own, on a fixed joint"));
    }
    match names.is_empty() {
        true => String::new(),
        false => format!(", parts: [{}]", list(&names)),
    }
}
