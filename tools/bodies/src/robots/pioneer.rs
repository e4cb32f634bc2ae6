//! Pioneer 3-DX: a red body with a black top plate, a ring of sonars, two wheels and a caster. Frames of
//! `robots/pioneer3dx.robray`.
use super::wheels::{Wheel, wheel};
use crate::{
    materials::{BLACK, DARK, GREY, METAL, PEARL, RED, RUBBER, YELLOW},
    mesh::Mesh,
    outline::{Outline, rectangle, rounded},
    shell::Shell,
    solids::{block, drum, extrude},
};

/// Returns the meshes of the robot.
pub(super) fn meshes() -> Vec<Mesh> {
    let tyre = Wheel {
        name: "pioneer_wheel",
        radius: 0.0975,
        width: 0.053,
        rim: 0.066,
        lugs: 20,
        ..Wheel::default()
    };
    vec![body(), wheel(&tyre)]
}

/// Returns the outline of the top plate: round at both ends, as seen from above.
fn plate(length: f64, width: f64) -> Outline {
    let [x, y] = [length / 2.0, width / 2.0];
    rounded(&[[x, -y], [x, y], [-x, y], [-x, -y]], 0.42 * width, 6)
}

fn body() -> Mesh {
    // The flanks are narrow, so that the wheels are beside them; the nose and the tail are wider above the wheels.
    let hull = extrude(
        &rounded(
            &[
                [0.205, -0.125],
                [0.205, 0.125],
                [-0.195, 0.125],
                [-0.195, -0.125],
            ],
            0.085,
            6,
        ),
        0.062,
        0.175,
        0.012,
    );
    let ring = extrude(&plate(0.425, 0.345), 0.170, 0.226, 0.010);
    let stripe = extrude(&plate(0.414, 0.334), 0.224, 0.233, 0.0);
    let deck = extrude(&plate(0.445, 0.375), 0.232, 0.246, 0.004);
    let hatch = extrude(&rectangle(0.150, 0.220, 0.02), 0.245, 0.2495, 0.0015).at(-0.10, 0.0, 0.0);
    let panel = block([0.09, 0.012, 0.05], 0.003).at(-0.075, 0.1245, 0.120);
    let sonars = sonars(1.0).and(&sonars(-1.0));
    let fork = block([0.05, 0.050, 0.008], 0.003)
        .at(-0.165, 0.0, 0.062)
        .and(
            &block([0.022, 0.005, 0.05], 0.002)
                .at(-0.170, 0.020, 0.042)
                .mirrored(),
        );
    let caster = drum(0.0375, -0.014, 0.014, 0.008, 20)
        .along_y()
        .at(-0.170, 0.0, 0.0380);
    let hub = drum(0.016, -0.0155, 0.0155, 0.002, 12)
        .along_y()
        .at(-0.170, 0.0, 0.0380);
    Mesh::new("pioneer_body")
        .with(RED, hull)
        .with(RED, ring)
        .with(BLACK, stripe)
        .with(BLACK, deck)
        .with(DARK, hatch)
        .with(DARK, panel.mirrored())
        .with(METAL, sonars)
        .with(
            YELLOW,
            drum(0.008, 0.244, 0.252, 0.002, 12).at(-0.185, 0.10, 0.0),
        )
        .with(
            PEARL,
            block([0.012, 0.09, 0.028], 0.004).at(-0.197, 0.0, 0.125),
        )
        .with(GREY, fork)
        .with(RUBBER, caster)
        .with(PEARL, hub)
}

/// Returns eight round transducers along the front (1) or the rear (-1): on the flat ends, and around the corners.
fn sonars(side: f64) -> Shell {
    let eye = drum(0.0165, -0.004, 0.003, 0.002, 10).along_x();
    [
        (0.2125, 0.032, 0.0),
        (0.199, 0.104, 32.0),
        (0.156, 0.155, 58.0),
        (0.080, 0.1725, 90.0),
    ]
    .into_iter()
    .fold(Shell::default(), |all, (x, y, degrees)| {
        let eye = eye.clone().turned([0.0, 0.0, 1.0], degrees);
        all.and(&eye.at(x, y, 0.199))
    })
    .mirrored()
    .turned([0.0, 0.0, 1.0], if side > 0.0 { 0.0 } else { 180.0 })
}
