//! Masses and inertias of shells: the surface of a shape, with the same mass on each part of its area.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

use super::solid::{self, Solid, Surface};

/// Exponent of Thomsen's approximation of the surface of an ellipsoid, as in MuJoCo.
const THOMSEN: f64 = 1.6075;

/// Thickness of the shell of an ellipsoid, m, as in MuJoCo.
const THICKNESS: f64 = 1e-6;

/// Returns a shell with a mass of 1 per area, with these half axes: the difference of two ellipsoids.
pub(super) fn ellipsoid([a, b, c]: [f64; 3]) -> Solid {
    let power = |one: f64, other: f64| libm::pow(one * other, THOMSEN);
    let mean = (power(a, b) + power(b, c) + power(c, a)) / 3.0;
    let area = 4.0 * PI * libm::pow(mean, 1.0 / THOMSEN);
    let inner = solid::ellipsoid([a, b, c]);
    let outer = solid::ellipsoid([a, b, c].map(|half| half + THICKNESS));
    let moments = (outer.inertia - inner.inertia) * (area / (outer.mass - inner.mass));
    Solid::new(area, [moments[(0, 0)], moments[(1, 1)], moments[(2, 2)]])
}

/// Returns a spherical shell with a mass of 1 per area.
pub(super) fn sphere(radius: f64) -> Solid {
    let area = 4.0 * PI * radius * radius;
    Solid::new(area, [2.0 / 3.0 * area * radius * radius; 3])
}

/// Returns the six faces of a box with these half sides, with a mass of 1 per area.
pub(super) fn cuboid([a, b, c]: [f64; 3]) -> Solid {
    let faces = [8.0 * b * c, 8.0 * a * c, 8.0 * a * b];
    let [x, y, z] = faces;
    let [a, b, c] = [a * a, b * b, c * c];
    let moments = [
        x * (b + c) / 3.0 + y * (b + c / 3.0) + z * (b / 3.0 + c),
        y * (a + c) / 3.0 + x * (a + c / 3.0) + z * (a / 3.0 + c),
        z * (a + b) / 3.0 + x * (a + b / 3.0) + y * (a / 3.0 + b),
    ];
    Solid::new(faces.iter().sum(), moments)
}

/// Returns a closed tube about the z axis, with a mass of 1 per area.
pub(super) fn cylinder(radius: f64, height: f64) -> Solid {
    let (tube, caps) = (2.0 * PI * radius * height, 2.0 * PI * radius * radius);
    let [square, long] = [radius * radius, height * height];
    let across = tube * (square / 2.0 + long / 12.0) + caps * (square + long) / 4.0;
    let along = tube * square + caps * square / 2.0;
    Solid::new(tube + caps, [across, across, along])
}

/// Returns a tube about the z axis with half spheres at its ends, with a mass of 1 per area; `height` is the distance of the
/// centres of these.
pub(super) fn capsule(radius: f64, height: f64) -> Solid {
    let tube = 2.0 * PI * radius * height;
    let ball = sphere(radius);
    let [square, long] = [radius * radius, height * height];
    // Half spheres have their centroids at half of the radius from their planes.
    let shift = ball.mass * (long / 4.0 + height * radius / 2.0);
    let across = tube * (square / 2.0 + long / 12.0) + ball.inertia[(0, 0)] + shift;
    let along = tube * square + ball.inertia[(2, 2)];
    Solid::new(tube + ball.mass, [across, across, along])
}

/// Returns the triangles of a mesh with scale factors along its axes, with a mass of 1 per area. `None` if they have no area.
pub(super) fn mesh(surface: &Surface, scale: [f64; 3]) -> Option<Solid> {
    let mut area = 0.0;
    let mut first = Vector3::zeros();
    let mut second = Matrix3::zeros();
    for face in &surface.faces {
        let mut corners = [Vector3::zeros(); 3];
        for (corner, index) in corners.iter_mut().zip(face) {
            *corner =
                Vector3::from(*surface.vertices.get(*index)?).component_mul(&Vector3::from(scale));
        }
        let [a, b, c] = corners;
        let triangle_area = (b - a).cross(&(c - a)).norm() / 2.0;
        let sum = a + b + c;
        area += triangle_area;
        first += sum * (triangle_area / 3.0);
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += (squares + sum * sum.transpose()) * (triangle_area / 12.0);
    }
    if !(area.is_finite() && area > 0.0) {
        return None;
    }
    let center = first / area;
    let second = second - center * center.transpose() * area;
    Some(Solid {
        mass: area,
        center,
        inertia: Matrix3::identity() * second.trace() - second,
    })
}
