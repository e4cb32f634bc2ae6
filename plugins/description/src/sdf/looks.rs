//! Reader of materials.

use morse_scene::{bounds::Bounds, model::Geometry};

use super::fields::{self, Written};
use crate::{problems::Problems, xml::Element};

/// Colours of materials that Gazebo's scripts define, by the names after `Gazebo/`.
const SCRIPTS: [(&str, [f64; 3]); 21] = [
    ("Grey", [0.7, 0.7, 0.7]),
    ("Gray", [0.7, 0.7, 0.7]),
    ("DarkGrey", [0.175, 0.175, 0.175]),
    ("DarkGray", [0.175, 0.175, 0.175]),
    ("LightGrey", [0.8, 0.8, 0.8]),
    ("White", [1.0, 1.0, 1.0]),
    ("FlatBlack", [0.1, 0.1, 0.1]),
    ("Black", [0.0, 0.0, 0.0]),
    ("DarkRed", [0.5, 0.0, 0.0]),
    ("Red", [1.0, 0.0, 0.0]),
    ("RedBright", [0.87, 0.26, 0.07]),
    ("Green", [0.0, 1.0, 0.0]),
    ("DarkGreen", [0.0, 0.5, 0.0]),
    ("Blue", [0.0, 0.0, 1.0]),
    ("SkyBlue", [0.13, 0.44, 0.7]),
    ("DarkBlue", [0.0, 0.0, 0.5]),
    ("Yellow", [1.0, 1.0, 0.0]),
    ("DarkYellow", [0.7, 0.7, 0.0]),
    ("Orange", [1.0, 0.5, 0.06]),
    ("Purple", [1.0, 0.0, 1.0]),
    ("Wood", [0.6, 0.45, 0.27]),
];

/// Appearance of a visual.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    color: Option<[f64; 4]>,
    specular: Option<[f64; 3]>,
    shininess: Option<f64>,
    /// Image of the surface.
    pub(super) image: Option<Written>,
}

/// Reads the material of a visual.
pub(super) fn read(visual: &Element, problems: &mut Problems) -> Option<Look> {
    let material = fields::only(visual, "material", problems)?;
    let mut color = |name| color(material, name, problems);
    let diffuse = color("diffuse");
    let ambient = color("ambient");
    let [red, green, blue, _] = color("specular").unwrap_or_default();
    let script = material
        .named("script")
        .flat_map(|script| script.named("name"));
    let mut script = script.filter_map(|name| named(&name.text()));
    let shininess = fields::number(material, "shininess", Bounds::between(0.0, 1e6), problems);
    let metal = material.named("pbr").flat_map(Element::elements);
    let mut maps = metal.flat_map(|metal| metal.named("albedo_map"));
    Some(Look {
        color: diffuse.or(ambient).or_else(|| script.next()),
        specular: Some([red, green, blue]),
        shininess: shininess.filter(|shininess| *shininess >= 1e-3),
        image: maps
            .next()
            .map(fields::written)
            .filter(|map| !map.text.is_empty()),
    })
}

/// Returns the colour of a material of Gazebo's scripts.
fn named(name: &str) -> Option<[f64; 4]> {
    let name = name.strip_prefix("Gazebo/")?;
    let script = SCRIPTS.iter().find(|(known, _)| *known == name);
    script.map(|(_, [red, green, blue])| [*red, *green, *blue, 1.0])
}

/// Returns red, green, blue and opacity, which is 1 by default.
fn color(material: &Element, name: &str, problems: &mut Problems) -> Option<[f64; 4]> {
    let child = fields::only(material, name, problems)?;
    let numbers = fields::numbers(child, [3, 4], Bounds::within(1e6), problems)?;
    let channel = |index: usize| {
        numbers
            .get(index)
            .map_or(1.0, |channel| channel.clamp(0.0, 1.0))
    };
    Some([channel(0), channel(1), channel(2), channel(3)])
}

impl Look {
    /// Sets the appearance of a geometry.
    pub(super) fn paint(&self, geometry: &mut Geometry) {
        if let Some([red, green, blue, alpha]) = self.color {
            geometry.color = [red, green, blue];
            geometry.alpha = alpha;
        } else if self.image.is_some() {
            geometry.color = [1.0; 3];
        }
        geometry.specular = self.specular.unwrap_or(geometry.specular);
        geometry.shininess = self.shininess;
    }
}
