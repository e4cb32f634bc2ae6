//! Tree → the light of the environment.
use morse_api::lighting::{Ambient, Color, Lighting, Sky, Sun};

use super::fields::Fields;
use super::reader::Reader;
use super::tree::Node;

/// `(sun: …, ambient: …, sky: …, ground: …)`
pub(super) fn light(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Lighting> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Lighting::default();
    let light = Lighting {
        sun: fields.read(reader, "sun", sun).unwrap_or(default.sun),
        ambient: fields
            .read(reader, "ambient", ambient)
            .unwrap_or(default.ambient),
        sky: fields.read(reader, "sky", sky).unwrap_or(default.sky),
        ground: fields
            .read(reader, "ground", color)
            .unwrap_or(default.ground),
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
        color: fields.read(reader, "color", color).unwrap_or(default.color),
        strength: fields
            .read(reader, "strength", Reader::amount)
            .unwrap_or(default.strength),
    };
    fields.finish(reader);
    Some(sun)
}

fn ambient(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Ambient> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Ambient::default();
    let ambient = Ambient {
        above: fields.read(reader, "above", color).unwrap_or(default.above),
        below: fields.read(reader, "below", color).unwrap_or(default.below),
        strength: fields
            .read(reader, "strength", Reader::amount)
            .unwrap_or(default.strength),
    };
    fields.finish(reader);
    Some(ambient)
}

fn sky(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Sky> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Sky::default();
    let sky = Sky {
        zenith: fields
            .read(reader, "zenith", color)
            .unwrap_or(default.zenith),
        horizon: fields
            .read(reader, "horizon", color)
            .unwrap_or(default.horizon),
    };
    fields.finish(reader);
    Some(sky)
}

/// Red, green and blue, each from 0 to 1.
fn color(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Color> {
    let color = reader.numbers(node, name)?;
    if !color.iter().all(|part| (0.0..=1.0).contains(part)) {
        return reader.out_of_range(node, name, "three numbers from 0 to 1: red, green and blue");
    }
    Some(color)
}

/// A vector whose length can be reckoned, and is not zero.
fn direction(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<[f64; 3]> {
    let direction: [f64; 3] = reader.numbers(node, name)?;
    let length = direction.iter().fold(0.0, |sum, part| sum + part * part);
    if !length.is_normal() {
        return reader.out_of_range(node, name, "a vector towards the sun, which has a length");
    }
    Some(direction)
}
