//! ATRV: a red hull with chamfered ends on four tyres with lugs. Frames of `robots/atrv.robray`.
use super::wheels::{Wheel, wheel};
use crate::{
    materials::{BLACK, DARK, GREY, LAMP, METAL, RED, RUBBER, WHITE},
    mesh::Mesh,
    outline::rectangle,
    shell::Shell,
    solids::{block, drum, extrude, tube},
};

/// Returns the meshes of the robot.
pub(super) fn meshes() -> Vec<Mesh> {
    let tyre = Wheel {
        name: "atrv_wheel",
        radius: 0.20,
        width: 0.12,
        rim: 0.105,
        lugs: 22,
        depth: 0.010,
        ..Wheel::default()
    };
    // The frames of the wheels are on their inner sides, and z points outwards.
    let mut wheel = wheel(&tyre);
    for (_, shell) in &mut wheel.parts {
        *shell = shell
            .clone()
            .turned([1.0, 0.0, 0.0], 90.0)
            .at(0.0, 0.0, 0.06);
    }
    vec![body(), wheel]
}

/// Returns a prism across the robot from its side view: x ahead, z up.
fn across(side: &[[f64; 2]], width: f64, bevel: f64) -> Shell {
    // The outline is in the xy plane: turned about x, so that y becomes z, and z becomes -y.
    extrude(side, -width / 2.0, width / 2.0, bevel).turned([1.0, 0.0, 0.0], 90.0)
}

fn body() -> Mesh {
    let hull = across(
        &[
            [0.42, 0.13],
            [0.50, 0.25],
            [0.50, 0.36],
            [0.40, 0.445],
            [-0.36, 0.445],
            [-0.46, 0.36],
            [-0.46, 0.25],
            [-0.38, 0.13],
        ],
        0.40,
        0.014,
    );
    let deck = extrude(&rectangle(0.82, 0.50, 0.07), 0.435, 0.470, 0.010).at(0.01, 0.0, 0.0);
    let console = across(
        &[
            [0.24, 0.46],
            [0.16, 0.585],
            [-0.32, 0.60],
            [-0.40, 0.57],
            [-0.42, 0.46],
        ],
        0.38,
        0.012,
    );
    let top = extrude(&rectangle(0.44, 0.34, 0.05), 0.585, 0.605, 0.006).at(-0.10, 0.0, 0.0);
    let axle = drum(0.035, -0.262, 0.262, 0.004, 12).along_y();
    let axles = axle
        .clone()
        .at(0.338, 0.0, 0.10)
        .and(&axle.at(-0.288, 0.0, 0.10));
    let mast = tube(&[[-0.36, 0.16, 0.46], [-0.36, 0.16, 0.72]], &[0.007], 8);
    let ears = drum(0.024, 0.716, 0.737, 0.006, 14).at(-0.36, 0.16, 0.0);
    let lamps = drum(0.030, 0.488, 0.506, 0.005, 16)
        .along_x()
        .at(0.0, 0.12, 0.305)
        .mirrored();
    Mesh::new("atrv_body")
        .with(RED, hull)
        .with(DARK, deck)
        .with(RED, console)
        .with(WHITE, top)
        .with(BLACK, bumpers())
        .with(GREY, axles)
        .with(BLACK, mast.and(&ears))
        .with(LAMP, lamps)
        .with(METAL, sonars())
        .with(
            RUBBER,
            block([0.30, 0.16, 0.05], 0.008).at(0.02, 0.0, 0.125),
        )
}

/// Returns round transducers: at the front, at the rear, and on both sides.
fn sonars() -> Shell {
    let eye = drum(0.020, -0.006, 0.004, 0.002, 14);
    let front = [-0.15, -0.05, 0.05, 0.15].map(|y| eye.clone().along_x().at(0.5, y, 0.345));
    let rear = [-0.12, 0.12].map(|y| {
        eye.clone()
            .along_x()
            .turned([0.0, 0.0, 1.0], 180.0)
            .at(-0.46, y, 0.305)
    });
    let sides = [-0.24, -0.08, 0.08, 0.24]
        .map(|x| eye.clone().along_y().at(x + 0.02, 0.20, 0.40).mirrored());
    let all = front.into_iter().chain(rear).chain(sides);
    all.fold(Shell::default(), |all, next| all.and(&next))
}

/// Returns the bumpers at the front and at the rear.
fn bumpers() -> Shell {
    let bumper = tube(
        &[
            [0.44, -0.20, 0.21],
            [0.55, -0.18, 0.21],
            [0.57, -0.10, 0.21],
            [0.57, 0.10, 0.21],
            [0.55, 0.18, 0.21],
            [0.44, 0.20, 0.21],
        ],
        &[0.018],
        10,
    );
    let rear = tube(
        &[
            [-0.40, -0.20, 0.21],
            [-0.51, -0.18, 0.21],
            [-0.53, 0.0, 0.21],
            [-0.51, 0.18, 0.21],
            [-0.40, 0.20, 0.21],
        ],
        &[0.018],
        10,
    );
    bumper.and(&rear)
}
