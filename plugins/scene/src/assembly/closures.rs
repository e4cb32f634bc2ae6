//! Loop closures of a layout: the bodies of their frames, and checks.
use morse_api::body::BodyKind;
use morse_diagnostics::{Diagnostic, printable};
use nalgebra::Isometry3;

use super::Layout;
use crate::model::{ClosureKind, LoopClosure, Scene};

/// Distance of the two frames at the start, m, and angle between their axes, rad, above which a closure is reported.
const APART: [f64; 2] = [1e-3, 1e-2];

/// A loop closure between two bodies.
#[derive(Clone, Copy, Debug)]
pub struct ClosureLayout {
    /// Directions that are constrained.
    pub kind: ClosureKind,
    /// Indices of the bodies in [`Layout::bodies`].
    pub bodies: [usize; 2],
    /// Pose of each frame in the frame of its body.
    pub body_from_frame: [Isometry3<f64>; 2],
}

impl Layout {
    /// Adds the loop closures of a scene. Returns an error for each that cannot be enforced.
    pub(super) fn close(&mut self, scene: &Scene) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for closure in scene.closures() {
            match self.closure(closure) {
                Ok(layout) => {
                    self.warnings.extend(self.apart(closure, &layout));
                    self.closures.push(layout);
                }
                Err(error) => errors.push(error),
            }
        }
        errors
    }

    fn closure(&self, closure: &LoopClosure) -> Result<ClosureLayout, Diagnostic> {
        let mut bodies = [0; 2];
        let mut body_from_frame = [Isometry3::identity(); 2];
        for (side, name) in closure.frames.iter().enumerate() {
            let frames = &self.frames;
            let Ok(frame) = frames.binary_search_by(|frame| frame.name.as_str().cmp(name)) else {
                let message = format!(
                    "`{}` has a frame `{}` that does not exist",
                    closure.kind.word(),
                    printable(name)
                );
                let names = frames.iter().map(|frame| frame.name.as_str());
                return Err(problem(closure, message, "unknown frame").suggest(name, names));
            };
            (bodies[side], body_from_frame[side]) =
                (frames[frame].body, frames[frame].body_from_frame);
        }
        let [one, two] = [0, 1].map(|side| printable(&closure.frames[side]));
        if bodies[0] == bodies[1] {
            let message = format!("`{one}` and `{two}` are fixed to each other already");
            return Err(problem(closure, message, "closes no loop")
                .help("name two frames with at least one joint between them, or remove it"));
        }
        let moves = |body: &usize| self.bodies[*body].kind == BodyKind::Dynamic;
        if !bodies.iter().any(moves) {
            let message = format!("neither `{one}` nor `{two}` is moved by forces");
            return Err(problem(closure, message, "cannot be enforced").help(
                "make a body dynamic: `bodies: { \"NAME\": () }`, or a joint that is not kinematic",
            ));
        }
        Ok(ClosureLayout {
            kind: closure.kind,
            bodies,
            body_from_frame,
        })
    }

    /// Returns a warning if the frames are apart at the start.
    fn apart(&self, closure: &LoopClosure, layout: &ClosureLayout) -> Option<Diagnostic> {
        let [one, two] =
            [0, 1].map(|side| self.bodies[layout.bodies[side]].pose * layout.body_from_frame[side]);
        let distance = (one.translation.vector - two.translation.vector).norm();
        let angle = match layout.kind {
            ClosureKind::Connect => 0.0,
            ClosureKind::Weld => one.rotation.angle_to(&two.rotation),
        };
        if distance <= APART[0] && angle <= APART[1] {
            return None;
        }
        let [one, two] = [0, 1].map(|side| printable(&closure.frames[side]));
        let turned = if angle > APART[1] {
            format!(" and {angle:.3} rad")
        } else {
            String::new()
        };
        let message = format!("`{one}` and `{two}` are {distance:.4} m{turned} apart at the start");
        Some(
            warning(closure, message)
                .note("they are pulled together in the first steps")
                .help("set the start positions of the joints between them, or move the frames"),
        )
    }
}

fn problem(closure: &LoopClosure, message: String, label: &str) -> Diagnostic {
    located(Diagnostic::error("scene::closure", message), closure, label)
}

fn warning(closure: &LoopClosure, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::warning("scene::closure", message);
    located(diagnostic, closure, "apart at the start")
}

fn located(diagnostic: Diagnostic, closure: &LoopClosure, label: &str) -> Diagnostic {
    match closure.source.0 {
        Some(span) => diagnostic.at(span, label),
        None => diagnostic,
    }
}
