//! Reader of the gravity, position on Earth and light of a world.

use morse_diagnostics::Diagnostic;
use morse_scene::bounds::Bounds;

use super::{codes, document::Document, fields, light};
use crate::{problems::Problems, xml::Element};

/// Returns the environment of the simulation file of a world: its fields, and true if it has a position on Earth.
/// Gravity that is not taken is reported.
pub(super) fn read(
    world: &Element,
    document: &Document<'_>,
    is_taken: bool,
    problems: &mut Problems,
) -> (Vec<String>, bool) {
    let gravity = gravity(world, problems);
    let origin = origin(world, problems);
    let has_origin = origin.is_some();
    if !is_taken {
        // Gazebo's own worlds have 9.8 m/s²: too near to be worth a warning.
        if let Some(gravity) = gravity.filter(|gravity| !is_near_usual(*gravity)) {
            report(world, gravity, problems);
        }
        return (Vec::new(), has_origin);
    }
    let gravity = gravity.map(|[x, y, z]| format!("gravity: ({x}, {y}, {z})"));
    let light = light::read(world, document, problems);
    let all = [origin, gravity, light].into_iter().flatten();
    (all.collect(), has_origin)
}

/// Returns the gravity of a world, m/s², if it is given.
fn gravity(world: &Element, problems: &mut Problems) -> Option<[f64; 3]> {
    let physics = world
        .named("physics")
        .find_map(|physics| physics.named("gravity").next());
    let element = world.named("gravity").next().or(physics)?;
    let numbers = fields::numbers(element, [3, 3], Bounds::within(1e4), problems)?;
    numbers.try_into().ok()
}

/// Returns true if a gravity is that of the simulator but for 0.02 m/s².
fn is_near_usual([x, y, z]: [f64; 3]) -> bool {
    x.abs() < 1e-3 && y.abs() < 1e-3 && (z + 9.81).abs() < 0.02
}

/// Reports the gravity that is not taken.
fn report(world: &Element, [x, y, z]: [f64; 3], problems: &mut Problems) {
    let physics = world
        .named("physics")
        .find_map(|physics| physics.named("gravity").next());
    let element = world.named("gravity").next().or(physics).unwrap_or(world);
    let help = format!("set it in a simulation file: `environment: (gravity: ({x}, {y}, {z}))`");
    let diagnostic = Diagnostic::warning(codes::IGNORED, "the gravity of the world is not read");
    problems.push(diagnostic.at(element.span, "left out").help(help));
}

/// Returns the position of a world on Earth as a field of a simulation file.
fn origin(world: &Element, problems: &mut Problems) -> Option<String> {
    let coordinates = world.named("spherical_coordinates").next()?;
    let mut number = |name, most| {
        let number = fields::number(coordinates, name, Bounds::within(most), problems);
        number.unwrap_or(0.0)
    };
    let latitude = number("latitude_deg", 90.0);
    let longitude = number("longitude_deg", 180.0);
    let altitude = number("elevation", 1e5);
    // The heading turns the x axis from east to the left.
    let against_north = 90.0 - number("heading_deg", 360.0);
    Some(format!(
        "origin: (latitude: {latitude}, longitude: {longitude}, altitude: {altitude}, angle_against_north: {against_north})"
    ))
}
