//! Reader of objects, their properties, and zones.

use nalgebra::Vector3;

use super::component::middleware_names;
use super::fields::Fields;
use super::model::{Object, Properties, Property, Zone};
use super::ranges;
use super::read::named;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::{Kind, Node};

/// Default type of an object.
const OBJECT: &str = "Object";

/// Types of values that a property may have, for messages.
const WANTED: &str = "`true` or `false`, a number, a text or a list of numbers";

/// Reads `(label: …, description: …, type: …, graspable: …, properties: { … }, services: [ … ])`.
pub(super) fn object(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &Spanned<String>,
) -> Option<Object> {
    let mut fields = Fields::open(reader, node, name)?;
    let label = fields.read(reader, "label", Reader::text);
    let description = fields.read(reader, "description", Reader::text);
    let kind = fields.read(reader, "type", Reader::text);
    let graspable = fields.read(reader, "graspable", Reader::boolean);
    let properties = fields.read(reader, "properties", properties);
    let services = fields.read(reader, "services", middleware_names);
    fields.finish(reader);
    Some(Object {
        label: label.map(|label| label.value),
        description: description.map_or_else(String::new, |text| text.value),
        kind: kind.map_or_else(|| OBJECT.to_owned(), |kind| kind.value),
        graspable: graspable.unwrap_or_default(),
        properties: properties.unwrap_or_default(),
        services: services.unwrap_or_default(),
    })
}

/// Reads `{ "Fire": 200, "Injured": true, … }`.
pub(super) fn properties(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Properties> {
    Some(named(reader, node, name, property))
}

fn property(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Property> {
    match &node.kind {
        Kind::Bool(value) => Some(Property::Flag(*value)),
        Kind::Integer(_) | Kind::Float(_) => {
            let number = reader.number(node, name, &ranges::PROPERTY);
            number.map(Property::Number)
        }
        Kind::Text(_) => reader
            .text(node, name)
            .map(|text| Property::Text(text.value)),
        Kind::Word(_) if node.span.source != reader.file => reader
            .text(node, name)
            .map(|text| Property::Text(text.value)),
        Kind::List(items) | Kind::Tuple(None, items) => {
            let numbers = items
                .iter()
                .map(|item| reader.number(item, name, &ranges::PROPERTY));
            numbers.collect::<Option<_>>().map(Property::Numbers)
        }
        Kind::Word(_)
        | Kind::Character(_)
        | Kind::Tuple(Some(_), _)
        | Kind::Struct(..)
        | Kind::Map(_) => reader.refuse(node, name, WANTED),
    }
}

/// Reads `(type: "Charging", at: (translation: …), size: (a, b, c))`.
pub(super) fn zone(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Zone> {
    let mut fields = Fields::open(reader, node, name)?;
    let help = "add `type: \"…\"`, what the zone is for, such as \"Charging\"";
    let kind = fields.need(reader, "type", help, Reader::text);
    let center = fields.read(reader, "at", zone_position);
    let help = "add `size: (a, b, c)`, half of its sides, in metres";
    let half = fields.need(reader, "size", help, half_sides);
    fields.finish(reader);
    Some(Zone {
        kind: kind?.value,
        center: center.unwrap_or_default(),
        half: half?,
    })
}

/// Reads a pose without a rotation: zones are parallel to the axes of the scene.
fn zone_position(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Vector3<f64>> {
    let mut fields = Fields::open(reader, node, name)?;
    let translation = fields.vector(reader, &ranges::ZONE_POSITION);
    fields.finish(reader);
    translation
}

fn half_sides(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Vector3<f64>> {
    reader.vector(node, name, &ranges::ZONE_SIZE)
}
