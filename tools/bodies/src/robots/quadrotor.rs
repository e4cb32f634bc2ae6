//! Quadrotors: four motors on arms, a shell, and legs. Frames of `robots/quadrotor.robray` and `robots/quad2012.robray`.
use nalgebra::Vector3;

use crate::{
    materials::{BLACK, BLUE, DARK, GREY, METAL, ORANGE, PEARL, RED},
    mesh::Mesh,
    shell::Shell,
    solids::{block, drum, ellipsoid, hull, lathe, limb, section, tube},
};

/// Distance of a rotor from the middle of the quadrotor, m.
const ARM: f64 = 0.23;

/// Returns the meshes of both quadrotors.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        quad2012(),
        quadrotor(),
        rotor("quadrotor_rotor", 0.118, DARK),
        rotor("quadrotor_rotor_front", 0.118, RED),
    ]
}

/// Returns the body of the small quadrotor: a round canopy in a cross of tubes.
fn quad2012() -> Mesh {
    let canopy = lathe(
        &[
            [0.030, -0.030],
            [0.052, -0.022],
            [0.062, -0.004],
            [0.058, 0.014],
            [0.042, 0.032],
            [0.022, 0.041],
        ],
        24,
    );
    let arm = tube(&[[0.04, 0.0, 0.0], [0.20, 0.0, 0.0]], &[0.0075], 10).repeated(4);
    let motor = drum(0.015, -0.016, 0.020, 0.004, 14)
        .at(0.20, 0.0, 0.0)
        .repeated(4);
    let leg = tube(&[[0.045, 0.0, -0.012], [0.075, 0.0, -0.060]], &[0.005], 8);
    let legs = leg.turned([0.0, 0.0, 1.0], 45.0).repeated(4);
    let battery = block([0.085, 0.036, 0.024], 0.005).at(0.0, 0.0, -0.034);
    let eye = drum(0.012, 0.0, 0.012, 0.003, 14)
        .along_x()
        .at(0.058, 0.0, 0.0);
    Mesh::new("quad2012_body")
        .with(BLUE, canopy)
        .with(GREY, arm)
        .with(METAL, motor)
        .with(DARK, legs.and(&battery))
        .with(BLACK, eye)
}

fn quadrotor() -> Mesh {
    let shell = hull(
        &[
            section(-0.100, 0.020, -0.014, 0.014, 2.2),
            section(-0.092, 0.048, -0.026, 0.022, 2.5),
            section(-0.060, 0.072, -0.030, 0.029, 2.8),
            section(0.000, 0.080, -0.032, 0.034, 3.0),
            section(0.060, 0.070, -0.030, 0.030, 2.8),
            section(0.096, 0.046, -0.025, 0.020, 2.5),
            section(0.110, 0.018, -0.014, 0.008, 2.2),
        ],
        28,
    );
    let canopy = hull(
        &[
            section(-0.055, 0.014, 0.022, 0.034, 2.2),
            section(-0.045, 0.034, 0.018, 0.040, 2.5),
            section(0.020, 0.040, 0.018, 0.043, 2.5),
            section(0.055, 0.030, 0.014, 0.036, 2.4),
            section(0.072, 0.012, 0.014, 0.026, 2.2),
        ],
        20,
    );
    let arm = tube(
        &[[0.06, 0.0, 0.0], [0.15, 0.0, 0.002], [ARM, 0.0, 0.0]],
        &[0.013, 0.0095, 0.009],
        12,
    )
    .repeated(4);
    let motor = lathe(
        &[
            [0.016, -0.022],
            [0.022, -0.018],
            [0.022, 0.004],
            [0.019, 0.010],
            [0.006, 0.012],
            [0.004, 0.020],
        ],
        14,
    );
    let motors = motor.at(ARM, 0.0, 0.0).repeated(4);
    Mesh::new("quadrotor_body")
        .with(ORANGE, shell)
        .with(BLACK, canopy)
        .with(GREY, arm)
        .with(METAL, motors)
        .with(DARK, legs())
        .with(BLACK, camera())
}

/// Returns four legs that end at the feet of the model, 0.161 m below the origin.
fn legs() -> Shell {
    let leg = tube(
        &[
            [0.055, 0.0, -0.020],
            [0.120, 0.0, -0.050],
            [0.165, 0.0, -0.100],
            [0.1838, 0.0, -0.150],
        ],
        &[0.009, 0.0075, 0.0065, 0.006],
        10,
    );
    let foot = limb([0.0095, 0.0095], 0.010, 12).at(0.1838, 0.0, -0.1515);
    leg.and(&foot).turned([0.0, 0.0, 1.0], 45.0).repeated(4)
}

fn camera() -> Shell {
    let ball = ellipsoid([0.022, 0.022, 0.022], 16).at(0.070, 0.0, -0.036);
    let lens = drum(0.010, 0.016, 0.026, 0.002, 14)
        .along_x()
        .at(0.070, 0.0, -0.036);
    ball.and(&lens)
}

/// Returns two blades above a motor.
pub(super) fn rotor(name: &'static str, radius: f64, material: crate::materials::Material) -> Mesh {
    let blade = hull(
        &[
            section(0.008, 0.006, -0.0025, 0.0025, 2.0),
            section(0.25 * radius, 0.0125, -0.0016, 0.0016, 2.2),
            section(0.60 * radius, 0.0110, -0.0012, 0.0012, 2.2),
            section(0.95 * radius, 0.0070, -0.0009, 0.0009, 2.2),
            section(radius, 0.0030, -0.0006, 0.0006, 2.0),
        ],
        12,
    );
    // The pitch of the blade decreases towards its tip.
    let blade = blade.map(|point| {
        let pitch = 0.45 - 0.30 * point.x / radius;
        let (sin, cos) = libm::sincos(pitch);
        Vector3::new(
            point.x,
            point.y * cos - point.z * sin,
            point.y * sin + point.z * cos,
        )
    });
    let hub = drum(0.0095, -0.006, 0.008, 0.003, 14);
    Mesh::new(name)
        .with(material, blade.repeated(2).at(0.0, 0.0, 0.018))
        .with(PEARL, hub.at(0.0, 0.0, 0.018))
}
