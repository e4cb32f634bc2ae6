//! Reader of the viewer's initial view.
use morse_api::world_view::{Lens, LookAt};

use super::environment::View;
use super::fields::Fields;
use super::problem::error;
use super::ranges;
use super::reader::Reader;
use super::tree::Node;

/// Reads `(eye: …, look: …, angle: …, near: …, far: …, selected: …)`.
pub(super) fn view(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<View> {
    let mut fields = Fields::open(reader, node, name)?;
    let eye = fields.vector(reader, &ranges::VIEW_EYE);
    let look = fields.vector(reader, &ranges::VIEW_LOOK);
    let lens = Lens {
        angle: fields.number(reader, &ranges::VIEW_ANGLE),
        near: fields.number(reader, &ranges::VIEW_NEAR),
        far: fields.number(reader, &ranges::VIEW_FAR),
    };
    let mut refuse = |message: &str, help: &str| {
        let problem = error("simulation::conflict", node.span, message);
        reader.problems.push(problem.help(help));
    };
    match (eye, look) {
        (Some(eye), Some(look)) if eye == look => refuse(
            "`eye` and `look` are the same point",
            "look at another point",
        ),
        (Some(_), None) | (None, Some(_)) => refuse(
            "a view has an `eye` and a point to `look` at",
            "write both, or none of them",
        ),
        _ => {}
    }
    if let (Some(near), Some(far)) = (lens.near, lens.far)
        && near >= far
    {
        refuse("`near` is not nearer than `far`", "exchange them");
    }
    let view = View {
        look: eye.zip(look).map(|(eye, target)| LookAt {
            eye: eye.into(),
            target: target.into(),
        }),
        lens,
        selected: fields.read(reader, "selected", Reader::text),
    };
    fields.finish(reader);
    Some(view)
}
