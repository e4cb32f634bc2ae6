//! Reader of further models that are mounted on a robot.
use super::fields::Fields;
use super::model::Part;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::Node;

/// Reads `(model: …, frame: …, at: …)`.
pub(super) fn part(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Part> {
    let mut fields = Fields::open(reader, node, name)?;
    let model = fields.take("model");
    if model.is_none() {
        fields.missing(reader, "model", "add `model: \"….robray\"`");
    }
    let part = Part {
        model: model
            .and_then(|model| reader.text(&model.value, "model"))
            .unwrap_or_default(),
        frame: fields.read(reader, "frame", Reader::text),
        at: fields.read(reader, "at", Reader::pose).unwrap_or_default(),
    };
    fields.finish(reader);
    Some(part)
}
