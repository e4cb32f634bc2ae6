//! Hummer: a wide car with a flat bonnet, upright windows and arches for its wheels. Frames of `robots/hummer.robray`.
use super::wheels::{Wheel, wheel};
use crate::{
    materials::{BLACK, DARK, GLASS, GREY, LAMP, Material, ORANGE, RED, RUBBER},
    mesh::Mesh,
    outline::{Outline, circle},
    shell::Shell,
    solids::{block, drum, extrude, tube},
};

/// Paint of the car.
const SAND: Material = Material {
    name: "sand",
    color: [0.62, 0.56, 0.38],
    roughness: 0.4,
    is_metal: false,
};

/// Positions of the axles along x, and height of the wheels' centres, m.
const AXLES: [f64; 2] = [1.6, -2.3];
const HEIGHT: f64 = -0.6365;

/// Returns the meshes of the car.
pub(super) fn meshes() -> Vec<Mesh> {
    let tyre = Wheel {
        name: "hummer_wheel",
        radius: 0.5,
        width: 0.32,
        rim: 0.26,
        lugs: 22,
        depth: 0.022,
        spokes: 6,
        metal: GREY,
    };
    vec![body(), wheel(&tyre)]
}

/// Returns a prism across the car from its side view: x ahead, z up.
fn across(side: &[[f64; 2]], width: f64, bevel: f64) -> Shell {
    extrude(side, -width / 2.0, width / 2.0, bevel).turned([1.0, 0.0, 0.0], 90.0)
}

/// Returns the side view of the lower body, with an arch above each wheel.
fn side() -> Outline {
    let mut outline = vec![[-2.72, -0.42]];
    for axle in [AXLES[1], AXLES[0]] {
        let arch = circle(0.62, 20);
        // From the rear over the top to the front.
        outline.extend((0..=10).rev().map(|corner| {
            let [x, z] = arch[corner];
            [axle + x, (HEIGHT + z).max(-0.55)]
        }));
    }
    outline.extend([
        [2.66, -0.48],
        [2.70, -0.42],
        [2.70, 0.12],
        [2.55, 0.22],
        [0.95, 0.30],
        [-2.70, 0.30],
    ]);
    outline
}

fn body() -> Mesh {
    let lower = across(&side(), 2.26, 0.03);
    let cabin = across(
        &[
            [0.95, 0.28],
            [0.55, 0.88],
            [0.45, 0.95],
            [-2.58, 0.95],
            [-2.68, 0.28],
        ],
        2.06,
        0.04,
    )
    .map(|mut point| {
        // The flanks lean inwards.
        point.y *= 1.0 - 0.10 * (point.z - 0.28).max(0.0);
        point
    });
    let windscreen = across(
        &[[0.875, 0.38], [0.595, 0.82], [0.565, 0.81], [0.845, 0.37]],
        1.78,
        0.0,
    )
    .at(0.018, 0.0, 0.0);
    let windows = [
        (0.40, 0.55, 0.30),
        (-0.55, 0.0, 0.0),
        (-1.50, 0.0, 0.0),
        (-2.30, 0.0, 0.0),
    ];
    let side_windows = windows
        .into_iter()
        .fold(Shell::default(), |all, (x, _, _)| {
            let length = if x < -2.0 { 0.48 } else { 0.76 };
            let pane = block([length, 0.03, 0.40], 0.0).turned([1.0, 0.0, 0.0], 5.5);
            all.and(&pane.at(x - 0.06, 1.0, 0.61))
        });
    let rear = block([0.03, 1.60, 0.36], 0.006).at(-2.645, 0.0, 0.62);
    let scoop = block([1.20, 1.10, 0.08], 0.03)
        .turned([0.0, 1.0, 0.0], 2.9)
        .at(1.72, 0.0, 0.275);
    Mesh::new("hummer_body")
        .with(SAND, lower)
        .with(SAND, cabin)
        .with(GLASS, windscreen)
        .with(GLASS, side_windows.mirrored().and(&rear))
        .with(SAND, scoop)
        .with(BLACK, grille())
        .with(LAMP, lamps(0.09, 2.70, 0.78, -0.08))
        .with(ORANGE, lamps(0.045, 2.70, 1.02, -0.08))
        .with(RED, lamps(0.06, -2.74, 0.98, -0.05))
        .with(DARK, trim())
        .with(RUBBER, underside())
}

fn grille() -> Shell {
    let slot = block([0.03, 0.075, 0.30], 0.0);
    (-3..=3).fold(Shell::default(), |all, index| {
        all.and(&slot.clone().at(2.70, f64::from(index) * 0.15, -0.08))
    })
}

fn lamps(radius: f64, x: f64, y: f64, z: f64) -> Shell {
    drum(radius, -0.02, 0.03, 0.012, 16)
        .along_x()
        .at(x, y, z)
        .mirrored()
}

/// Returns bumpers, mirrors, door seams, roof rails and the bars in front of the grille.
fn trim() -> Shell {
    let front = block([0.16, 2.20, 0.22], 0.03).at(2.70, 0.0, -0.46);
    let rear = block([0.14, 2.10, 0.18], 0.03).at(-2.74, 0.0, -0.40);
    let mirror = block([0.10, 0.18, 0.24], 0.03)
        .at(0.72, 1.20, 0.46)
        .and(&tube(&[[0.74, 1.00, 0.40], [0.73, 1.18, 0.42]], &[0.02], 8));
    let seam = |x: f64| block([0.018, 0.012, 0.60], 0.0).at(x, 1.131, -0.05);
    let sill = block([2.40, 0.10, 0.10], 0.03).at(-0.40, 1.14, -0.52);
    let rail = tube(
        &[
            [0.30, 0.86, 0.93],
            [0.20, 0.86, 0.99],
            [-2.30, 0.86, 0.99],
            [-2.40, 0.86, 0.93],
        ],
        &[0.022],
        8,
    );
    let sides = mirror
        .and(&seam(0.80))
        .and(&seam(-0.22))
        .and(&seam(-1.20))
        .and(&sill)
        .and(&rail);
    front.and(&rear).and(&sides.mirrored())
}

/// Returns frame and axles below the body.
fn underside() -> Shell {
    let frame = block([4.6, 1.10, 0.20], 0.02).at(-0.10, 0.0, -0.52);
    let axle = drum(0.07, -1.16, 1.16, 0.01, 12).along_y();
    let arches = AXLES.map(|x| block([1.20, 1.20, 0.40], 0.02).at(x, 0.0, -0.30));
    let axles = AXLES.map(|x| axle.clone().at(x, 0.0, HEIGHT));
    arches.iter().chain(&axles).fold(frame, Shell::and)
}
