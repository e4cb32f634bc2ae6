//! KUKA LWR: links of round shells, orange and silver, whose forks hold the next joint. Frames of `arms/kuka_lwr.robray`.
use crate::{
    materials::{DARK, METAL, ORANGE, PEARL},
    mesh::Mesh,
    shell::Shell,
    solids::{drum, hull, lathe, section},
};

/// Radius of the arm, m.
const RADIUS: f64 = 0.062;

/// Returns the meshes of all links.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        base(),
        Mesh::new("kuka_1")
            .with(DARK, seam(0.112))
            .with(PEARL, fork(0.115, 0.3105)),
        link("kuka_2"),
        Mesh::new("kuka_3")
            .with(DARK, seam(0.002))
            .with(PEARL, fork(0.005, 0.2)),
        link("kuka_4"),
        forearm(),
        wrist(),
        flange(),
    ]
}

fn base() -> Mesh {
    let foot = lathe(
        &[
            [0.100, 0.0],
            [0.102, 0.004],
            [0.102, 0.026],
            [0.098, 0.032],
            [0.080, 0.044],
            [0.070, 0.070],
            [0.066, 0.105],
            [0.064, 0.112],
        ],
        32,
    );
    let plug = drum(0.018, 0.060, 0.105, 0.003, 14)
        .along_x()
        .scaled(-1.0, 1.0, 1.0)
        .at(0.0, 0.0, 0.045);
    Mesh::new("kuka_base").with(PEARL, foot).with(DARK, plug)
}

fn seam(height: f64) -> Shell {
    drum(RADIUS - 0.002, height - 0.004, height + 0.006, 0.001, 28)
}

/// Returns the shell of a link that turns about its length and carries the next axis at the upper end: a tube that widens
/// into two cheeks.
fn fork(low: f64, high: f64) -> Shell {
    // Along x, which becomes z: round at the bottom, a flat cheek at the axis.
    let middle = low + 0.45 * (high - low);
    let body = hull(
        &[
            section(low, RADIUS - 0.004, 0.004 - RADIUS, RADIUS - 0.004, 2.0),
            section(low + 0.006, RADIUS, -RADIUS, RADIUS, 2.0),
            section(middle, RADIUS, -RADIUS, RADIUS, 2.0),
            section(high - 0.062, 0.064, -0.058, 0.058, 2.3),
            section(high - 0.048, 0.060, -0.046, 0.046, 2.4),
        ],
        28,
    );
    let body = body.turned([0.0, 1.0, 0.0], -90.0);
    let cheek = hull(
        &[
            section(high - 0.085, 0.012, -0.046, 0.046, 2.4),
            section(high - 0.055, 0.012, -0.052, 0.052, 2.2),
            section(high, 0.012, -0.056, 0.056, 2.0),
            section(high + 0.030, 0.012, -0.047, 0.047, 2.0),
            section(high + 0.050, 0.010, -0.026, 0.026, 2.0),
            section(high + 0.056, 0.006, -0.008, 0.008, 2.0),
        ],
        20,
    );
    let cheeks = cheek
        .turned([0.0, 1.0, 0.0], -90.0)
        .at(0.0, 0.058, 0.0)
        .mirrored();
    body.and(&cheeks)
}

/// Returns a link that bends about y: a drum at the axis, and a curved shell from there up to the next joint.
fn link(name: &'static str) -> Mesh {
    let elbow = drum(0.060, -0.046, 0.046, 0.006, 28).along_y();
    let cover = drum(0.047, -0.0735, 0.0735, 0.005, 24).along_y();
    let neck = hull(
        &[
            section(0.000, 0.044, -0.058, 0.058, 2.3),
            section(0.045, 0.050, -0.060, 0.060, 2.2),
            section(0.085, 0.060, -0.062, 0.062, 2.0),
            section(0.192, RADIUS, -RADIUS, RADIUS, 2.0),
            section(0.198, RADIUS - 0.004, 0.004 - RADIUS, RADIUS - 0.004, 2.0),
        ],
        28,
    );
    Mesh::new(name)
        .with(ORANGE, elbow)
        .with(METAL, cover)
        .with(ORANGE, neck.turned([0.0, 1.0, 0.0], -90.0))
}

fn forearm() -> Mesh {
    let body = hull(
        &[
            section(0.005, 0.056, -0.056, 0.056, 2.0),
            section(0.011, 0.060, -0.060, 0.060, 2.0),
            section(0.080, 0.060, -0.060, 0.060, 2.0),
            section(0.120, 0.052, -0.060, 0.048, 2.2),
            section(0.145, 0.048, -0.058, 0.036, 2.4),
        ],
        28,
    );
    let cheek = hull(
        &[
            section(0.115, 0.009, -0.040, 0.040, 2.4),
            section(0.190, 0.009, -0.046, 0.046, 2.0),
            section(0.216, 0.009, -0.038, 0.038, 2.0),
            section(0.235, 0.006, -0.010, 0.010, 2.0),
        ],
        18,
    );
    let cheeks = cheek
        .turned([0.0, 1.0, 0.0], -90.0)
        .at(0.0, 0.050, 0.0)
        .mirrored();
    Mesh::new("kuka_5")
        .with(DARK, seam(0.002))
        .with(PEARL, body.turned([0.0, 1.0, 0.0], -90.0).and(&cheeks))
}

fn wrist() -> Mesh {
    let ball = lathe(
        &[
            [0.020, -0.040],
            [0.040, -0.036],
            [0.047, -0.020],
            [0.049, 0.0],
            [0.047, 0.020],
            [0.040, 0.036],
            [0.020, 0.040],
        ],
        26,
    );
    let cover = drum(0.034, -0.062, 0.062, 0.004, 22).along_y();
    let neck = lathe(
        &[
            [0.036, 0.010],
            [0.041, 0.045],
            [0.041, 0.072],
            [0.038, 0.076],
        ],
        24,
    );
    Mesh::new("kuka_6")
        .with(ORANGE, ball.along_y())
        .with(METAL, cover)
        .with(ORANGE, neck)
}

fn flange() -> Mesh {
    let body = lathe(
        &[
            [0.037, 0.0],
            [0.040, 0.003],
            [0.040, 0.060],
            [0.036, 0.066],
            [0.036, 0.118],
            [0.0315, 0.122],
        ],
        24,
    );
    let disc = drum(0.034, 0.121, 0.132, 0.0015, 24);
    Mesh::new("kuka_7").with(PEARL, body).with(METAL, disc)
}
