//! Human: limbs with round ends, clothes, a face and hair. Frames of `robots/human.robray`; `robots/victim.robray` has the
//! same meshes.
use crate::{
    materials::{BLACK, DARK, Material, WHITE},
    mesh::Mesh,
    shell::Shell,
    solids::{Section, block, ellipsoid, hull, limb, section, tube},
};

const fn matt(name: &'static str, color: [f64; 3]) -> Material {
    Material {
        name,
        color,
        roughness: 0.85,
        is_metal: false,
    }
}

const SKIN: Material = matt("skin", [0.86, 0.66, 0.54]);
const SHIRT: Material = matt("shirt", [0.22, 0.45, 0.68]);
const TROUSERS: Material = matt("trousers", [0.20, 0.22, 0.30]);
const SHOE: Material = matt("shoe", [0.12, 0.10, 0.09]);
const HAIR: Material = matt("hair", [0.22, 0.14, 0.09]);

/// Stature that the model has, m.
const STATURE: f64 = 1.75;

/// Returns the meshes of all parts of the body.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        Mesh::new("human_pelvis")
            .with(TROUSERS, pelvis())
            .with(DARK, belt()),
        Mesh::new("human_trunk")
            .with(SHIRT, trunk())
            .with(SKIN, throat()),
        head("human_head"),
        Mesh::new("human_upper_arm")
            .with(SHIRT, limb([0.052, 0.045], -0.147, 16).at(0.0, 0.0, -0.030))
            .with(SKIN, limb([0.038, 0.036], -0.2555, 14).at(0.0, 0.0, -0.070)),
        Mesh::new("human_forearm").with(SKIN, forearm()),
        Mesh::new("human_hand").with(SKIN, hand()),
        Mesh::new("human_thigh").with(TROUSERS, thigh()),
        Mesh::new("human_shank").with(TROUSERS, shank()),
        Mesh::new("human_foot")
            .with(SHOE, foot())
            .with(WHITE, sole()),
    ]
}

/// Returns a loft along z: sections have their position along z, and their ends along -x.
fn upright(sections: &[Section], count: u32) -> Shell {
    hull(sections, count).turned([0.0, 1.0, 0.0], -90.0)
}

/// Returns the hips about the axis of the hip joints.
fn pelvis() -> Shell {
    upright(
        &[
            section(-0.100, 0.060, -0.060, 0.055, 2.0),
            section(-0.075, 0.130, -0.095, 0.090, 2.3),
            section(-0.020, 0.168, -0.105, 0.115, 2.4),
            section(0.050, 0.160, -0.100, 0.110, 2.4),
            section(0.110, 0.148, -0.095, 0.095, 2.4),
            section(0.130, 0.140, -0.090, 0.090, 2.4),
        ],
        24,
    )
}

fn belt() -> Shell {
    upright(
        &[
            section(0.098, 0.157, -0.103, 0.104, 2.4),
            section(0.126, 0.155, -0.102, 0.103, 2.4),
        ],
        24,
    )
}

/// Returns the trunk above the spine's joint, 0.10 m above the hips.
fn trunk() -> Shell {
    upright(
        &[
            section(-0.010, 0.138, -0.090, 0.090, 2.4),
            section(0.000, 0.152, -0.099, 0.100, 2.4),
            section(0.080, 0.142, -0.092, 0.092, 2.4),
            section(0.180, 0.156, -0.104, 0.100, 2.4),
            section(0.290, 0.176, -0.115, 0.105, 2.4),
            section(0.360, 0.192, -0.092, 0.100, 2.3),
            section(0.395, 0.222, -0.062, 0.074, 2.3),
            section(0.428, 0.214, -0.050, 0.062, 2.2),
            section(0.455, 0.150, -0.048, 0.058, 2.1),
            section(0.480, 0.070, -0.050, 0.056, 2.0),
            section(0.488, 0.050, -0.045, 0.052, 2.0),
        ],
        26,
    )
}

fn throat() -> Shell {
    tube(
        &[[0.005, 0.0, 0.46], [-0.004, 0.0, 0.50], [-0.006, 0.0, 0.60]],
        &[0.058, 0.052, 0.050],
        16,
    )
}

/// Returns the head above the joints of the neck; its middle is 0.1175 m above them.
fn head(name: &'static str) -> Mesh {
    let middle = STATURE - 0.870 * STATURE - 0.11;
    let skull = upright(
        &[
            section(-0.120, 0.020, -0.070, -0.020, 2.0),
            section(-0.112, 0.040, -0.088, 0.000, 2.1),
            section(-0.080, 0.060, -0.096, 0.040, 2.2),
            section(-0.030, 0.072, -0.098, 0.075, 2.2),
            section(0.020, 0.077, -0.098, 0.093, 2.1),
            section(0.065, 0.070, -0.086, 0.086, 2.0),
            section(0.096, 0.045, -0.056, 0.058, 2.0),
            section(0.108, 0.015, -0.020, 0.022, 2.0),
        ],
        22,
    );
    let hair = upright(
        &[
            section(-0.070, 0.050, 0.035, 0.085, 2.2),
            section(-0.030, 0.074, 0.020, 0.099, 2.3),
            section(0.015, 0.083, -0.010, 0.104, 2.3),
            section(0.042, 0.084, -0.098, 0.104, 2.3),
            section(0.075, 0.074, -0.088, 0.093, 2.1),
            section(0.106, 0.047, -0.056, 0.062, 2.0),
            section(0.117, 0.015, -0.018, 0.024, 2.0),
        ],
        22,
    );
    let nose = ellipsoid([0.017, 0.011, 0.021], 10).at(0.100, 0.0, -0.022);
    let ears = ellipsoid([0.016, 0.008, 0.028], 8)
        .at(-0.004, 0.078, -0.010)
        .mirrored();
    let eyes = ellipsoid([0.008, 0.014, 0.009], 12)
        .at(0.0895, 0.032, 0.016)
        .mirrored();
    let pupils = ellipsoid([0.004, 0.006, 0.006], 8)
        .at(0.0950, 0.032, 0.016)
        .mirrored();
    let mouth = block([0.006, 0.044, 0.007], 0.002).at(0.0915, 0.0, -0.064);
    let x = 0.01;
    Mesh::new(name)
        .with(SKIN, skull.and(&nose).and(&ears).at(x, 0.0, middle))
        .with(HAIR, hair.at(x, 0.0, middle))
        .with(WHITE, eyes.at(x, 0.0, middle))
        .with(BLACK, pupils.at(x, 0.0, middle))
        .with(matt("lips", [0.70, 0.38, 0.34]), mouth.at(x, 0.0, middle))
}

/// Returns the forearm, from the elbow down to the wrist.
fn forearm() -> Shell {
    limb([0.040, 0.040], -0.05, 14).and(&limb([0.041, 0.029], -0.2555, 16))
}

/// Returns a hand that hangs from the wrist, with its thumb ahead.
fn hand() -> Shell {
    let palm = upright(
        &[
            section(-0.190, 0.006, -0.020, 0.022, 2.0),
            section(-0.182, 0.010, -0.032, 0.034, 2.4),
            section(-0.105, 0.014, -0.042, 0.042, 3.0),
            section(-0.050, 0.016, -0.040, 0.040, 2.6),
            section(0.000, 0.024, -0.027, 0.027, 2.0),
            section(0.012, 0.022, -0.024, 0.024, 2.0),
        ],
        16,
    );
    let thumb = limb([0.014, 0.010], -0.060, 8).turned([0.0, 1.0, 0.0], -38.0);
    palm.and(&thumb.at(0.030, 0.0, -0.045))
}

/// Returns the thigh, from the hip down to the knee.
fn thigh() -> Shell {
    limb([0.088, 0.062], -0.42875, 20)
}

/// Returns the shank, from the knee down to the ankle; the calf is behind.
fn shank() -> Shell {
    upright(
        &[
            section(-0.445, 0.048, -0.052, 0.052, 2.0),
            section(-0.400, 0.049, -0.050, 0.054, 2.0),
            section(-0.260, 0.055, -0.052, 0.060, 2.0),
            section(-0.130, 0.062, -0.055, 0.072, 2.0),
            section(-0.040, 0.061, -0.058, 0.064, 2.0),
            section(0.020, 0.055, -0.052, 0.054, 2.0),
            section(0.045, 0.030, -0.030, 0.030, 2.0),
        ],
        20,
    )
}

/// Returns a shoe below the ankle, which is 0.068 m above the ground.
fn foot() -> Shell {
    hull(
        &[
            section(-0.078, 0.020, -0.055, -0.010, 2.4),
            section(-0.068, 0.036, -0.058, 0.020, 2.6),
            section(-0.020, 0.043, -0.058, 0.036, 2.6),
            section(0.030, 0.043, -0.058, 0.024, 2.6),
            section(0.080, 0.046, -0.058, 0.000, 2.6),
            section(0.150, 0.047, -0.058, -0.014, 2.6),
            section(0.185, 0.036, -0.057, -0.020, 2.4),
            section(0.198, 0.016, -0.054, -0.032, 2.2),
        ],
        20,
    )
}

fn sole() -> Shell {
    hull(
        &[
            section(-0.081, 0.022, -0.068, -0.055, 4.0),
            section(-0.072, 0.039, -0.068, -0.053, 4.0),
            section(0.150, 0.049, -0.068, -0.053, 4.0),
            section(0.190, 0.034, -0.068, -0.053, 4.0),
            section(0.203, 0.014, -0.066, -0.056, 3.0),
        ],
        20,
    )
}
