//! PR2: a round base on casters, a torso, a head with cameras, and two arms with grippers. Frames of `robots/pr2.robray`.
use crate::{
    materials::{BLACK, DARK, GREY, METAL, Material, PEARL, RUBBER, WHITE},
    mesh::Mesh,
    outline::rectangle,
    shell::Shell,
    solids::{block, drum, ellipsoid, extrude, hull, lathe, section},
};

/// Colour of the covers of the arms.
const TEAL: Material = Material {
    name: "teal",
    color: [0.40, 0.58, 0.62],
    roughness: 0.5,
    is_metal: false,
};

/// Returns the meshes of all links.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        base(),
        torso(),
        neck(),
        head(),
        shoulder(),
        shoulder_lift(),
        upper_arm(),
        elbow(),
        forearm(),
        wrist(),
        palm(),
        finger(),
    ]
}

/// Returns a hull that is loft along z: sections have their position along z, and their ends along x.
fn upright(shell: Shell) -> Shell {
    shell.turned([0.0, 1.0, 0.0], -90.0)
}

fn base() -> Mesh {
    let skirt = extrude(&rectangle(0.660, 0.660, 0.16), 0.060, 0.215, 0.020);
    let upper = extrude(&rectangle(0.655, 0.655, 0.16), 0.232, 0.292, 0.018);
    let gap = extrude(&rectangle(0.600, 0.600, 0.15), 0.21, 0.24, 0.0);
    let laser = drum(0.045, 0.225, 0.285, 0.006, 12).at(0.275, 0.0, 0.0);
    // The column at the back, in which the torso moves.
    let column = upright(hull(
        &[
            section(0.28, 0.235, 0.105, 0.330, 4.0),
            section(0.33, 0.245, 0.110, 0.325, 4.0),
            section(0.70, 0.235, 0.120, 0.320, 4.0),
            section(0.78, 0.215, 0.130, 0.310, 3.5),
            section(0.80, 0.190, 0.150, 0.290, 3.0),
        ],
        16,
    ));
    let spine = block([0.03, 0.16, 0.40], 0.01).at(-0.125, 0.0, 0.52);
    Mesh::new("pr2_base")
        .with(WHITE, skirt)
        .with(WHITE, upper)
        .with(BLACK, gap)
        .with(DARK, laser)
        .with(WHITE, column)
        .with(DARK, spine)
        .with(RUBBER, casters())
        .with(GREY, block([0.012, 0.28, 0.05], 0.004).at(0.330, 0.0, 0.12))
}

/// Returns four casters of two wheels.
fn casters() -> Shell {
    let wheel = drum(0.050, -0.014, 0.014, 0.006, 7)
        .along_y()
        .at(0.0, 0.045, 0.0)
        .mirrored();
    let fork = drum(0.045, 0.0, 0.07, 0.008, 6);
    let caster = wheel.and(&fork);
    [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
        .into_iter()
        .fold(Shell::default(), |all, [x, y]| {
            all.and(&caster.clone().at(0.2246 * x, 0.2246 * y, 0.0))
        })
}

fn torso() -> Mesh {
    let chest = upright(hull(
        &[
            section(-0.14, 0.130, -0.090, 0.150, 3.5),
            section(-0.06, 0.170, -0.080, 0.190, 3.5),
            section(0.10, 0.180, -0.075, 0.200, 3.5),
            section(0.20, 0.170, -0.060, 0.195, 3.2),
            section(0.26, 0.130, -0.040, 0.170, 3.0),
            section(0.275, 0.090, -0.020, 0.140, 2.6),
        ],
        18,
    ));
    let yoke = hull(
        &[
            section(-0.11, 0.150, -0.11, 0.06, 3.5),
            section(-0.06, 0.260, -0.11, 0.07, 4.0),
            section(0.05, 0.260, -0.10, 0.07, 4.0),
            section(0.085, 0.160, -0.09, 0.05, 3.0),
        ],
        14,
    );
    let laser = drum(0.032, -0.035, 0.035, 0.006, 10)
        .along_y()
        .at(0.075, 0.0, 0.215);
    Mesh::new("pr2_torso")
        .with(WHITE, chest)
        .with(GREY, yoke)
        .with(
            DARK,
            drum(0.065, 0.25, 0.345, 0.01, 10).at(-0.035, 0.0, 0.0),
        )
        .with(BLACK, laser)
}

fn neck() -> Mesh {
    let disc = drum(0.085, -0.045, 0.000, 0.010, 12);
    let cheek = block([0.11, 0.022, 0.085], 0.015)
        .at(0.045, 0.105, 0.015)
        .mirrored();
    let yoke = block([0.12, 0.22, 0.025], 0.010).at(0.035, 0.0, -0.012);
    Mesh::new("pr2_neck")
        .with(DARK, disc)
        .with(GREY, cheek.and(&yoke))
}

fn head() -> Mesh {
    let shell = hull(
        &[
            section(-0.135, 0.100, 0.030, 0.125, 4.0),
            section(-0.120, 0.130, 0.015, 0.150, 4.0),
            section(0.000, 0.150, 0.005, 0.168, 4.5),
            section(0.050, 0.148, 0.010, 0.166, 4.5),
            section(0.066, 0.138, 0.018, 0.158, 4.0),
        ],
        16,
    );
    let face = extrude(&rectangle(0.255, 0.108, 0.04), -0.004, 0.006, 0.003)
        .turned([0.0, 0.0, 1.0], 90.0)
        .along_x()
        .at(0.067, 0.0, 0.088);
    let eye = drum(0.026, 0.0, 0.014, 0.004, 10).along_x();
    let small = drum(0.015, 0.0, 0.012, 0.003, 8).along_x();
    let eyes = eye.at(0.070, 0.085, 0.095).mirrored();
    let inner = small.at(0.070, 0.030, 0.095).mirrored();
    let sensor = block([0.055, 0.24, 0.040], 0.012).at(0.020, 0.0, 0.195);
    let foot = block([0.05, 0.08, 0.025], 0.006).at(0.0, 0.0, 0.172);
    let axle = drum(0.040, -0.118, 0.118, 0.008, 10).along_y();
    Mesh::new("pr2_head")
        .with(WHITE, shell)
        .with(BLACK, face)
        .with(METAL, eyes)
        .with(GREY, inner)
        .with(DARK, sensor.and(&foot))
        .with(DARK, axle)
}

fn shoulder() -> Mesh {
    let drum = lathe(
        &[
            [0.070, -0.32],
            [0.095, -0.30],
            [0.112, -0.20],
            [0.118, -0.05],
            [0.118, 0.045],
            [0.108, 0.075],
            [0.085, 0.090],
            [0.030, 0.095],
        ],
        12,
    );
    let cheek = block([0.15, 0.030, 0.13], 0.025)
        .at(0.075, 0.085, 0.0)
        .mirrored();
    Mesh::new("pr2_shoulder")
        .with(WHITE, drum)
        .with(GREY, cheek)
}

fn shoulder_lift() -> Mesh {
    let axle = drum(0.082, -0.066, 0.066, 0.014, 12).along_y();
    let caps = drum(0.050, -0.104, 0.104, 0.008, 10).along_y();
    let mouth = drum(0.078, 0.02, 0.09, 0.008, 12).along_x();
    Mesh::new("pr2_shoulder_lift")
        .with(GREY, axle.and(&mouth))
        .with(DARK, caps)
}

fn upper_arm() -> Mesh {
    let shell = hull(
        &[
            section(0.092, 0.066, -0.066, 0.066, 2.2),
            section(0.100, 0.078, -0.078, 0.078, 2.3),
            section(0.200, 0.080, -0.082, 0.080, 2.8),
            section(0.300, 0.076, -0.078, 0.070, 3.2),
            section(0.345, 0.066, -0.066, 0.060, 3.2),
        ],
        12,
    );
    let cheek = hull(
        &[
            section(0.32, 0.013, -0.060, 0.055, 3.0),
            section(0.40, 0.014, -0.058, 0.058, 2.0),
            section(0.44, 0.012, -0.042, 0.042, 2.0),
            section(0.458, 0.008, -0.012, 0.012, 2.0),
        ],
        8,
    );
    Mesh::new("pr2_upper_arm")
        .with(WHITE, shell)
        .with(TEAL, cheek.at(0.0, 0.064, 0.0).mirrored())
}

fn elbow() -> Mesh {
    let axle = drum(0.062, -0.048, 0.048, 0.010, 12).along_y();
    let caps = drum(0.040, -0.084, 0.084, 0.006, 8).along_y();
    let mouth = drum(0.056, 0.02, 0.075, 0.006, 10).along_x();
    Mesh::new("pr2_elbow")
        .with(GREY, axle.and(&mouth))
        .with(DARK, caps)
}

fn forearm() -> Mesh {
    let shell = hull(
        &[
            section(0.070, 0.054, -0.052, 0.052, 2.2),
            section(0.078, 0.062, -0.060, 0.060, 2.4),
            section(0.160, 0.064, -0.064, 0.060, 2.8),
            section(0.250, 0.055, -0.056, 0.048, 2.8),
            section(0.288, 0.042, -0.040, 0.036, 2.6),
        ],
        12,
    );
    let camera = drum(0.013, 0.225, 0.255, 0.003, 6)
        .along_x()
        .at(0.02, 0.0, 0.058);
    let cheek = block([0.085, 0.012, 0.050], 0.010)
        .at(0.305, 0.032, 0.0)
        .mirrored();
    Mesh::new("pr2_forearm")
        .with(WHITE, shell)
        .with(BLACK, camera)
        .with(TEAL, cheek)
}

fn wrist() -> Mesh {
    let ball = ellipsoid([0.036, 0.028, 0.036], 9);
    let caps = drum(0.022, -0.043, 0.043, 0.004, 9).along_y();
    let mouth = drum(0.032, 0.01, 0.052, 0.004, 9).along_x();
    Mesh::new("pr2_wrist")
        .with(GREY, ball.and(&mouth))
        .with(DARK, caps)
}

fn palm() -> Mesh {
    let body = hull(
        &[
            section(-0.037, 0.030, -0.028, 0.028, 2.4),
            section(-0.028, 0.048, -0.031, 0.031, 3.0),
            section(0.020, 0.056, -0.030, 0.030, 4.0),
            section(0.038, 0.050, -0.024, 0.024, 4.0),
        ],
        11,
    );
    let knuckle = block([0.05, 0.022, 0.034], 0.006)
        .at(0.045, 0.032, 0.0)
        .mirrored();
    Mesh::new("pr2_palm").with(PEARL, body).with(DARK, knuckle)
}

/// Returns a finger about the middle of its pad, with the same shape on both sides.
fn finger() -> Mesh {
    let link = hull(
        &[
            section(-0.065, 0.0055, -0.008, 0.008, 3.0),
            section(-0.030, 0.0060, -0.011, 0.011, 3.5),
            section(0.020, 0.0060, -0.012, 0.012, 3.5),
            section(0.034, 0.0050, -0.008, 0.008, 2.6),
        ],
        8,
    );
    let tip = block([0.026, 0.0124, 0.022], 0.003).at(0.020, 0.0, 0.0);
    Mesh::new("pr2_finger").with(GREY, link).with(BLACK, tip)
}
