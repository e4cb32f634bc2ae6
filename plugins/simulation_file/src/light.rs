//! Reader of the light of the environment.
use morse_api::lighting::{Ambient, Color, Lighting, PointLamp, Sky, Sun};

use super::fields::Fields;
use super::ranges::{self, Number};
use super::reader::Reader;
use super::tree::Node;

/// Reads `(sun: …, ambient: …, lamps: …, sky: …, ground: …)`.
pub(super) fn light(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Lighting> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Lighting::default();
    let light = Lighting {
        sun: fields.read(reader, "sun", sun).unwrap_or(default.sun),
        ambient: fields
            .read(reader, "ambient", ambient)
            .unwrap_or(default.ambient),
        lamps: fields
            .read(reader, "lamps", |reader, node, name| {
                let lamps = reader.entries(node, name).into_iter();
                let lamps = lamps.filter_map(|(name, node)| {
                    Some((name.value.clone(), lamp(reader, node, &name)?))
                });
                Some(lamps.collect())
            })
            .unwrap_or_default(),
        sky: fields.read(reader, "sky", sky).unwrap_or(default.sky),
        ground: color(reader, &mut fields, &ranges::GROUND_COLOR).unwrap_or(default.ground),
    };
    fields.finish(reader);
    Some(light)
}

fn sun(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Sun> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Sun::default();
    let sun = Sun {
        direction: fields
            .read(reader, "direction", direction)
            .unwrap_or(default.direction),
        color: color(reader, &mut fields, &ranges::SUN_COLOR).unwrap_or(default.color),
        strength: fields
            .number(reader, &ranges::SUN_STRENGTH)
            .unwrap_or(default.strength),
    };
    fields.finish(reader);
    Some(sun)
}

fn ambient(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Ambient> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Ambient::default();
    let ambient = Ambient {
        above: color(reader, &mut fields, &ranges::ABOVE_COLOR).unwrap_or(default.above),
        below: color(reader, &mut fields, &ranges::BELOW_COLOR).unwrap_or(default.below),
        strength: fields
            .number(reader, &ranges::AMBIENT_STRENGTH)
            .unwrap_or(default.strength),
    };
    fields.finish(reader);
    Some(ambient)
}

fn lamp(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<PointLamp> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = PointLamp::default();
    let help = "add `translation: (0, 0, 3)`, in metres";
    let position = fields.need(
        reader,
        ranges::LAMP_POSITION.name(),
        help,
        |reader, node, name| reader.numbers(node, name, &ranges::LAMP_POSITION),
    );
    let lamp = PointLamp {
        position: position.unwrap_or_default(),
        color: color(reader, &mut fields, &ranges::LAMP_COLOR).unwrap_or(default.color),
        distance: fields
            .number(reader, &ranges::LAMP_DISTANCE)
            .unwrap_or(default.distance),
        strength: fields
            .number(reader, &ranges::LAMP_STRENGTH)
            .unwrap_or(default.strength),
    };
    fields.finish(reader);
    position.map(|_| lamp)
}

fn sky(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Sky> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Sky::default();
    let sky = Sky {
        zenith: color(reader, &mut fields, &ranges::ZENITH_COLOR).unwrap_or(default.zenith),
        horizon: color(reader, &mut fields, &ranges::HORIZON_COLOR).unwrap_or(default.horizon),
    };
    fields.finish(reader);
    Some(sky)
}

/// Reads a colour: red, green and blue, each from 0 to 1.
fn color(reader: &mut Reader<'_>, fields: &mut Fields<'_>, field: &Number) -> Option<Color> {
    fields.read(reader, field.name(), |reader, node, name| {
        reader.numbers(node, name, field)
    })
}

/// Reads a direction: a vector whose length is finite and not zero.
fn direction(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<[f64; 3]> {
    let direction: [f64; 3] = reader.numbers(node, name, &ranges::SUN_DIRECTION)?;
    let length = direction.iter().fold(0.0, |sum, value| sum + value * value);
    if !length.is_normal() {
        return reader.out_of_range(node, name, "a vector towards the sun, which has a length");
    }
    Some(direction)
}
