//! Reader of loop closures.
use morse_scene::{
    assembly::Assembly,
    model::{ClosureKind, LoopClosure, Origin},
};

use super::fields::Fields;
use super::model::{Closure, Named};
use super::reader::Reader;
use super::span::Spanned;
use super::tree::Node;

/// Reads `(kind: connect, frames: ("one", "other"))`.
pub(super) fn closure(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Closure> {
    let mut fields = Fields::open(reader, node, name)?;
    let help = "add `kind: connect` (the origins of the frames coincide) or `kind: weld`";
    let kind = fields.need(reader, "kind", help, |reader, node, name| {
        reader.choice(node, name, &ClosureKind::WORDS)
    });
    let help = "add `frames: (\"one\", \"other\")`";
    let frames = fields.need(reader, "frames", help, pair);
    fields.finish(reader);
    Some(Closure {
        kind: kind?,
        frames: frames?,
    })
}

fn pair(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<[Spanned<String>; 2]> {
    match node.items() {
        Some([one, other]) => {
            let [one, other] = [one, other].map(|item| reader.text(item, name));
            Some([one?, other?])
        }
        _ => reader.refuse(node, name, "two frames in `( )`"),
    }
}

/// Adds the closures of a simulation file to those of its scene and of the models.
pub(super) fn close(assembly: &mut Assembly, closures: &Named<Closure>) {
    for (name, closure) in closures {
        assembly.scene.add_closure(LoopClosure {
            kind: closure.kind,
            frames: [0, 1].map(|index| closure.frames[index].value.clone()),
            source: Origin(name.span),
        });
    }
}
