//! Arms and tools: PA-10, gripper and pan-tilt unit. Frames of the files in `arms`.
use crate::{
    materials::{BLACK, BLUE, DARK, GREY, METAL, RUBBER, WHITE},
    mesh::Mesh,
    outline::rectangle,
    shell::Shell,
    solids::{block, drum, extrude, lathe},
};

/// Returns the meshes of all links.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        pa10_base(),
        bracket("pa10_0", 0.088, 0.004, 0.167, 0.078),
        bone("pa10_1", [0.080, 0.070, 0.062], 0.45, 0.066),
        bone("pa10_2", [0.066, 0.062, 0.054], 0.236, 0.0),
        bracket("pa10_3", 0.050, 0.004, 0.24, 0.044),
        pa10_wrist(),
        Mesh::new("pa10_5").with(METAL, drum(0.044, 0.0, 0.02, 0.003, 22)),
        gripper_palm(),
        gripper_finger(),
        ptu_base(),
        ptu_pan(),
        ptu_tilt(),
    ]
}

fn pa10_base() -> Mesh {
    let foot = lathe(
        &[
            [0.130, 0.0],
            [0.132, 0.004],
            [0.132, 0.020],
            [0.128, 0.025],
            [0.112, 0.030],
            [0.104, 0.060],
            [0.100, 0.144],
            [0.096, 0.150],
        ],
        32,
    );
    let bolts = drum(0.008, 0.022, 0.030, 0.002, 8)
        .at(0.121, 0.0, 0.0)
        .repeated(8);
    let plug = drum(0.020, 0.09, 0.125, 0.004, 14)
        .along_x()
        .scaled(-1.0, 1.0, 1.0)
        .at(0.0, 0.0, 0.085);
    Mesh::new("pa10_base")
        .with(WHITE, foot)
        .with(METAL, bolts)
        .with(BLACK, plug)
}

/// Returns a link that turns about its length, and holds the next joint at `high` between two cheeks.
fn bracket(name: &'static str, radius: f64, low: f64, high: f64, half: f64) -> Mesh {
    let split = high - 1.05 * radius;
    let body = lathe(
        &[
            [radius * 0.94, low],
            [radius, low + 0.006],
            [radius, split - 0.02],
            [radius * 0.92, split],
            [radius * 0.7, split + 0.006],
        ],
        26,
    );
    let cheek = drum(0.72 * radius, -0.008, 0.008, 0.004, 22)
        .along_y()
        .at(0.0, half, high);
    let web = block([1.15 * radius, 0.016, high - split + 0.045], 0.004).at(
        0.0,
        half,
        (high + split - 0.045) / 2.0,
    );
    let seam = drum(radius * 0.97, low - 0.004, low + 0.002, 0.0015, 26);
    Mesh::new(name)
        .with(WHITE, body.and(&cheek.and(&web).mirrored()))
        .with(DARK, seam)
}

/// Returns a link that bends about y: a blue drum at the joint, and a tube, with cheeks of this half distance at its end.
fn bone(name: &'static str, [joint, from, to]: [f64; 3], length: f64, half: f64) -> Mesh {
    let axle = drum(
        joint,
        -0.062_f64.min(joint),
        0.062_f64.min(joint),
        0.010,
        26,
    )
    .along_y();
    let cap = drum(
        0.62 * joint,
        -1.28 * joint.min(0.072),
        1.28 * joint.min(0.072),
        0.006,
        22,
    )
    .along_y();
    let end = if half > 0.0 { length - 0.080 } else { length };
    let tube = lathe(
        &[
            [from * 0.80, 0.02],
            [from, joint * 0.85],
            [from * 0.97, end * 0.6],
            [to, end - 0.012],
            [to * 0.94, end],
        ],
        26,
    );
    let mut white = tube;
    if half > 0.0 {
        let cheek = drum(0.052, -0.009, 0.009, 0.004, 22)
            .along_y()
            .at(0.0, half, length);
        let web = block([0.084, 0.018, 0.125], 0.005).at(0.0, half, length - 0.060);
        let bridge = block([0.084, 2.0 * half, 0.030], 0.008).at(0.0, 0.0, end - 0.010);
        white = white.and(&cheek.and(&web).mirrored()).and(&bridge);
    }
    Mesh::new(name)
        .with(BLUE, axle)
        .with(DARK, cap)
        .with(WHITE, white)
}

fn pa10_wrist() -> Mesh {
    let axle = drum(0.036, -0.036, 0.036, 0.006, 22).along_y();
    let cap = drum(0.022, -0.055, 0.055, 0.003, 16).along_y();
    let neck = drum(0.038, 0.01, 0.050, 0.004, 22);
    Mesh::new("pa10_4")
        .with(BLUE, axle.and(&neck))
        .with(DARK, cap)
}

fn gripper_palm() -> Mesh {
    let flange = drum(0.036, 0.0, 0.012, 0.003, 22);
    let housing = extrude(&rectangle(0.058, 0.112, 0.014), 0.010, 0.068, 0.005);
    let rail = block([0.034, 0.120, 0.014], 0.003).at(0.0, 0.0, 0.073);
    let rods = drum(0.004, -0.056, 0.056, 0.001, 8)
        .along_y()
        .at(0.011, 0.0, 0.080);
    let rods = rods.clone().and(&rods.at(-0.022, 0.0, 0.0));
    let label = block([0.060, 0.050, 0.022], 0.002).at(0.0, 0.0, 0.040);
    Mesh::new("gripper_palm")
        .with(METAL, flange.and(&rods))
        .with(DARK, housing)
        .with(GREY, rail)
        .with(BLUE, label)
}

/// Returns a finger about the middle of its pad, with the same shape on both sides.
fn gripper_finger() -> Mesh {
    let carriage = block([0.032, 0.012, 0.016], 0.002).at(0.0, 0.0, -0.018);
    let blade = block([0.020, 0.010, 0.040], 0.002).at(0.0, 0.0, 0.002);
    let pad = block([0.022, 0.012, 0.020], 0.002).at(0.0, 0.0, 0.015);
    Mesh::new("gripper_finger")
        .with(METAL, carriage.and(&blade))
        .with(RUBBER, pad)
}

fn ptu_base() -> Mesh {
    let foot = extrude(&rectangle(0.078, 0.078, 0.012), 0.0, 0.010, 0.002);
    let body = drum(0.0375, 0.008, 0.036, 0.004, 26);
    let plug = drum(0.008, 0.030, 0.046, 0.002, 12)
        .along_x()
        .scaled(-1.0, 1.0, 1.0)
        .at(0.0, 0.0, 0.022);
    Mesh::new("ptu_base")
        .with(DARK, foot.and(&body))
        .with(METAL, plug)
}

fn ptu_pan() -> Mesh {
    let disc = drum(0.036, -0.003, 0.006, 0.002, 26);
    let body = block([0.070, 0.088, 0.042], 0.008).at(0.0, 0.0, 0.028);
    let ribs = (-2..=2).fold(Shell::default(), |all, index| {
        all.and(&block([0.074, 0.004, 0.026], 0.001).at(0.0, f64::from(index) * 0.013, 0.027))
    });
    Mesh::new("ptu_pan")
        .with(METAL, disc)
        .with(BLACK, body)
        .with(DARK, ribs)
}

fn ptu_tilt() -> Mesh {
    let axle = drum(0.018, -0.064, 0.064, 0.003, 20).along_y();
    let caps = drum(0.012, -0.066, 0.066, 0.002, 16).along_y();
    let cheek = block([0.030, 0.008, 0.040], 0.003)
        .at(0.0, 0.054, 0.014)
        .mirrored();
    let bridge = block([0.036, 0.116, 0.008], 0.003).at(0.0, 0.0, 0.031);
    let plate = extrude(&rectangle(0.080, 0.056, 0.008), 0.0305, 0.039, 0.002);
    Mesh::new("ptu_tilt")
        .with(DARK, axle.and(&cheek).and(&bridge))
        .with(METAL, caps.and(&plate))
}
