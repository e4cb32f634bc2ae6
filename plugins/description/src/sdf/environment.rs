//! Reader of the gravity and the place of a world.

use morse_diagnostics::Diagnostic;
use morse_scene::bounds::Bounds;

use super::{codes, fields};
use crate::{problems::Problems, xml::Element};

/// Returns the gravity of a world, if it is not that of the simulator.
pub(super) fn gravity(world: &Element, problems: &mut Problems) -> Option<[f64; 3]> {
    let physics = world
        .named("physics")
        .find_map(|physics| physics.named("gravity").next());
    let element = world.named("gravity").next().or(physics)?;
    let numbers = fields::numbers(element, [3, 3], Bounds::within(1e4), problems)?;
    let [x, y, z]: [f64; 3] = numbers.try_into().ok()?;
    let is_usual = x.abs() < 1e-3 && y.abs() < 1e-3 && (z + 9.81).abs() < 0.02;
    (!is_usual).then_some([x, y, z])
}

/// Reports the gravity that is not taken.
pub(super) fn report(world: &Element, [x, y, z]: [f64; 3], problems: &mut Problems) {
    let physics = world
        .named("physics")
        .find_map(|physics| physics.named("gravity").next());
    let element = world.named("gravity").next().or(physics).unwrap_or(world);
    let help = format!("set it in a simulation file: `environment: (gravity: ({x}, {y}, {z}))`");
    let diagnostic = Diagnostic::warning(codes::IGNORED, "the gravity of the world is not read");
    problems.push(diagnostic.at(element.span, "left out").help(help));
}

/// Returns the place of a world on Earth as a field of a simulation file.
pub(super) fn origin(world: &Element, problems: &mut Problems) -> Option<String> {
    let place = world.named("spherical_coordinates").next()?;
    let mut number = |name, most| {
        let number = fields::number(place, name, Bounds::within(most), problems);
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
