//! Reader of the lights of a world, as the light of a simulation file.

use morse_diagnostics::Diagnostic;
use morse_scene::bounds::Bounds;
use nalgebra::{Isometry3, Vector3};

use super::{
    codes,
    document::{Document, WORLD},
    fields::{self, VALUES},
};
use crate::{components::quoted, names::Names, problems::Problems, xml::Element};

/// Types of lights that are taken.
pub(super) const TAKEN: [&str; 2] = ["directional", "point"];

/// Returns the first directional light as the sun, and the point lights as lamps.
pub(super) fn read(
    world: &Element,
    document: &Document<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let mut sun: Option<String> = None;
    let mut lamps = Vec::new();
    let mut names = Names::default();
    for light in world.named("light") {
        let kind = light.attribute("type").map_or("", |kind| kind.value.trim());
        if !TAKEN.contains(&kind) {
            continue;
        }
        let pose = pose(light, document, problems);
        let [red, green, blue] = color(light, problems);
        if kind == "point" {
            let [x, y, z]: [f64; 3] = pose.translation.vector.into();
            let name = light.attribute("name").map_or("lamp", |name| &name.value);
            let name = names.free(name.trim());
            let distance = distance(light, problems);
            lamps.push(format!(
                "{}: (translation: ({x}, {y}, {z}), color: ({red}, {green}, {blue}){distance})",
                quoted(&name)
            ));
        } else if sun.is_some() {
            let diagnostic = Diagnostic::warning(codes::IGNORED, "the world has two suns")
                .at(light.span, "left out")
                .help("remove one of the directional lights");
            problems.push(diagnostic);
        } else {
            let written = fields::array::<3>(light, "direction", fields::POSITION, problems);
            let written = Vector3::from(written.unwrap_or([0.0, 0.0, -1.0]));
            let Some(unit) = written.try_normalize(1e-9) else {
                continue;
            };
            // The simulator's direction is that towards the sun.
            let [x, y, z]: [f64; 3] = (pose.rotation * -unit).into();
            sun = Some(format!(
                "sun: (direction: ({x}, {y}, {z}), color: ({red}, {green}, {blue}))"
            ));
        }
    }
    let lamps = (!lamps.is_empty()).then(|| format!("lamps: {{ {} }}", lamps.join(", ")));
    let all: Vec<String> = sun.into_iter().chain(lamps).collect();
    (!all.is_empty()).then(|| format!("light: ({})", all.join(", ")))
}

fn pose(light: &Element, document: &Document<'_>, problems: &mut Problems) -> Isometry3<f64> {
    let pose = fields::pose(light, problems);
    let Some(written) = &pose.relative_to else {
        return pose.local;
    };
    match document.find(WORLD, &written.text) {
        Some(frame) => document.pose(frame) * pose.local,
        None => {
            let text = (written.text.as_str(), written.span);
            problems.push(VALUES.unknown("frame", text, document.names(WORLD)));
            pose.local
        }
    }
}

/// Returns the diffuse colour.
fn color(light: &Element, problems: &mut Problems) -> [f64; 3] {
    let written = fields::only(light, "diffuse", problems);
    let written = written.and_then(|written| {
        let bounds = Bounds::within(1e6);
        fields::numbers(written, [3, 4], bounds, problems)
    });
    let channel = |index: usize| {
        let value = written.as_ref().and_then(|all| all.get(index).copied());
        value.unwrap_or(1.0).clamp(0.0, 1.0)
    };
    [channel(0), channel(1), channel(2)]
}

/// Returns the distance of half the strength, where 1 / (c + q·d²) is half of 1 / c, as a setting.
fn distance(light: &Element, problems: &mut Problems) -> String {
    let Some(fading) = light.named("attenuation").next() else {
        return String::new();
    };
    let mut number = |name| fields::number(fading, name, Bounds::between(0.0, 1e9), problems);
    let (constant, quadratic) = (number("constant").unwrap_or(1.0), number("quadratic"));
    match quadratic.filter(|quadratic| *quadratic > 0.0 && constant > 0.0) {
        Some(quadratic) => {
            let distance = libm::sqrt(constant / quadratic).clamp(0.01, 1e5);
            format!(", distance: {distance}")
        }
        None => String::new(),
    }
}
