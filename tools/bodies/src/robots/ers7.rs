//! AIBO ERS-7: a dog of round white shells with a dark face. Links have the frames of `robots/ers7.robray`.
use crate::{
    materials::{BLACK, DARK, GREY, LIGHT_BLUE, PEARL, WHITE},
    mesh::Mesh,
    outline::rectangle,
    solids::{block, drum, ellipsoid, extrude, hull, lathe, limb, section, tube},
};

/// Returns the meshes of all links.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        trunk(),
        hip(),
        thigh(),
        shank("ers7_front_shank", 1.0),
        shank("ers7_rear_shank", -1.0),
        paw(),
        neck(),
        head(),
        jaw(),
        ear(),
        tail(),
    ]
}

fn trunk() -> Mesh {
    let body = hull(
        &[
            section(-0.112, 0.012, -0.004, 0.018, 2.0),
            section(-0.109, 0.026, -0.014, 0.031, 2.4),
            section(-0.098, 0.036, -0.022, 0.040, 2.7),
            section(-0.060, 0.039, -0.024, 0.044, 2.8),
            section(0.000, 0.0395, -0.028, 0.045, 2.8),
            section(0.050, 0.041, -0.035, 0.044, 2.7),
            section(0.080, 0.041, -0.038, 0.041, 2.6),
            section(0.096, 0.035, -0.034, 0.036, 2.4),
            section(0.106, 0.022, -0.022, 0.025, 2.2),
            section(0.109, 0.008, -0.008, 0.012, 2.0),
        ],
        20,
    );
    let belly = hull(
        &[
            section(-0.075, 0.018, -0.030, -0.012, 2.6),
            section(-0.068, 0.026, -0.034, -0.008, 3.0),
            section(0.030, 0.028, -0.038, -0.008, 3.0),
            section(0.040, 0.018, -0.034, -0.012, 2.6),
        ],
        12,
    );
    // A dark band with the touch plates runs along the back.
    let saddle = hull(
        &[
            section(-0.078, 0.008, 0.036, 0.0455, 2.4),
            section(-0.072, 0.015, 0.034, 0.0490, 2.8),
            section(0.036, 0.015, 0.034, 0.0490, 2.8),
            section(0.042, 0.008, 0.036, 0.0455, 2.4),
        ],
        12,
    );
    let plate = extrude(&rectangle(0.028, 0.022, 0.006), 0.0, 0.006, 0.002);
    let plates = [0.020, -0.015, -0.050]
        .map(|x| plate.clone().at(x, 0.0, 0.0465))
        .into_iter()
        .reduce(|all, next| all.and(&next))
        .unwrap_or_default();
    let badge = ellipsoid([0.0065, 0.012, 0.012], 12).at(0.1065, 0.0, 0.003);
    let socket = drum(0.012, 0.0, 0.010, 0.002, 10).at(-0.101, 0.0, 0.030);
    Mesh::new("ers7_trunk")
        .with(WHITE, body)
        .with(GREY, belly)
        .with(DARK, saddle)
        .with(PEARL, plates)
        .with(DARK, badge)
        .with(DARK, socket)
}

/// Returns the shell of a shoulder or hip, which turns about y.
fn hip() -> Mesh {
    let disc = lathe(
        &[
            [0.012, -0.019],
            [0.021, -0.016],
            [0.0245, -0.006],
            [0.0245, 0.006],
            [0.021, 0.016],
            [0.012, 0.019],
        ],
        11,
    );
    let cap = drum(0.011, 0.018, 0.0205, 0.0015, 8);
    Mesh::new("ers7_hip")
        .with(GREY, disc.along_y())
        .with(DARK, cap.clone().along_y())
        .with(DARK, cap.scaled(1.0, 1.0, -1.0).along_y())
}

/// Returns the upper part of a leg: the axis of the knee is 69.5 mm below the hip.
fn thigh() -> Mesh {
    let shell = hull(
        &[
            section(-0.016, 0.011, -0.013, 0.013, 2.2),
            section(-0.006, 0.0165, -0.020, 0.020, 2.5),
            section(0.014, 0.0175, -0.021, 0.021, 2.6),
            section(0.040, 0.0155, -0.018, 0.018, 2.6),
            section(0.056, 0.0135, -0.0145, 0.0145, 2.5),
            section(0.064, 0.009, -0.010, 0.010, 2.2),
        ],
        11,
    );
    // The hull is along x: downwards.
    Mesh::new("ers7_thigh").with(WHITE, shell.turned([0.0, 1.0, 0.0], 90.0))
}

/// Returns the lower part of a leg; its calf points away from the direction in which the knee bends.
fn shank(name: &'static str, side: f64) -> Mesh {
    let knee = drum(0.0125, -0.0145, 0.0145, 0.003, 9).along_y();
    let cap = drum(0.007, -0.0158, 0.0158, 0.001, 8).along_y();
    let calf = hull(
        &[
            section(0.000, 0.0095, -0.011, 0.011, 2.4),
            section(0.012, 0.0120, -0.013, 0.015, 2.5),
            section(0.030, 0.0125, -0.012, 0.017, 2.5),
            section(0.050, 0.0100, -0.009, 0.011, 2.4),
            section(0.064, 0.0080, -0.008, 0.008, 2.2),
        ],
        10,
    );
    let calf = calf.scaled(1.0, 1.0, side).turned([0.0, 1.0, 0.0], 90.0);
    Mesh::new(name)
        .with(GREY, knee)
        .with(DARK, cap)
        .with(WHITE, calf)
}

/// Returns a paw about its centre, with three toes.
fn paw() -> Mesh {
    let foot = lathe(
        &[
            [0.006, -0.0117],
            [0.0095, -0.0090],
            [0.0117, -0.003],
            [0.0117, 0.001],
            [0.0095, 0.0075],
            [0.006, 0.0100],
        ],
        11,
    );
    let toe = ellipsoid([0.0075, 0.0044, 0.0055], 8);
    let toes = [(0.0090, -0.0075), (0.0115, 0.0), (0.0090, 0.0075)]
        .map(|(x, y)| toe.clone().at(x, y, -0.0055))
        .into_iter()
        .reduce(|all, next| all.and(&next))
        .unwrap_or_default();
    Mesh::new("ers7_paw").with(DARK, foot).with(GREY, toes)
}

/// Returns the neck: from its tilting axis up to the pan of the head.
fn neck() -> Mesh {
    let collar = drum(0.0215, -0.0215, 0.0215, 0.004, 14).along_y();
    let tube = lathe(
        &[
            [0.015, 0.0],
            [0.0155, 0.018],
            [0.0145, 0.036],
            [0.0165, 0.056],
            [0.017, 0.070],
        ],
        12,
    );
    let ring = drum(0.0178, 0.028, 0.034, 0.002, 12);
    Mesh::new("ers7_neck")
        .with(PEARL, collar)
        .with(GREY, tube)
        .with(DARK, ring)
}

/// Returns the head, with its face and without the jaw and the ears.
fn head() -> Mesh {
    let skull = hull(
        &[
            section(-0.046, 0.008, 0.006, 0.026, 2.0),
            section(-0.041, 0.024, -0.008, 0.042, 2.2),
            section(-0.028, 0.036, -0.018, 0.053, 2.4),
            section(-0.006, 0.0415, -0.022, 0.058, 2.5),
            section(0.020, 0.0415, -0.022, 0.057, 2.6),
            section(0.042, 0.037, -0.019, 0.052, 2.6),
            section(0.058, 0.030, -0.016, 0.045, 2.5),
            section(0.067, 0.022, -0.013, 0.037, 2.3),
        ],
        20,
    );
    // The face is a dark visor that bends around the front.
    let face = hull(
        &[
            section(0.044, 0.0385, -0.003, 0.0475, 3.0),
            section(0.062, 0.0325, -0.006, 0.0455, 3.0),
            section(0.0695, 0.0265, -0.007, 0.0415, 2.8),
            section(0.0725, 0.0200, -0.006, 0.0375, 2.7),
        ],
        20,
    );
    let muzzle = hull(
        &[
            section(0.036, 0.026, -0.024, 0.004, 2.6),
            section(0.058, 0.0225, -0.0235, 0.001, 2.6),
            section(0.072, 0.017, -0.0225, -0.003, 2.5),
            section(0.079, 0.0105, -0.0205, -0.008, 2.3),
            section(0.0805, 0.004, -0.018, -0.011, 2.0),
        ],
        16,
    );
    let band = tube(
        &[
            [-0.012, -0.038, 0.0465],
            [-0.010, -0.020, 0.0575],
            [-0.010, 0.0, 0.0600],
            [-0.010, 0.020, 0.0575],
            [-0.012, 0.038, 0.0465],
        ],
        &[0.0028],
        8,
    );
    let ears = drum(0.0105, 0.0385, 0.0455, 0.002, 12)
        .along_y()
        .at(-0.011, 0.0, 0.0145)
        .mirrored();
    let touch = block([0.026, 0.022, 0.007], 0.003).at(0.002, 0.0, 0.0585);
    Mesh::new("ers7_head")
        .with(WHITE, skull)
        .with(BLACK, face)
        .with(PEARL, muzzle)
        .with(GREY, band)
        .with(DARK, ears)
        .with(LIGHT_BLUE, touch)
}

fn jaw() -> Mesh {
    let jaw = hull(
        &[
            section(-0.008, 0.017, -0.0085, 0.000, 2.6),
            section(0.012, 0.0175, -0.0125, -0.003, 2.8),
            section(0.026, 0.0145, -0.0125, -0.0042, 2.7),
            section(0.0335, 0.0085, -0.0110, -0.0055, 2.3),
        ],
        12,
    );
    Mesh::new("ers7_jaw").with(WHITE, jaw)
}

/// Returns an ear that hangs from its axis.
fn ear() -> Mesh {
    let flap = hull(
        &[
            section(-0.010, 0.0028, -0.0055, 0.0055, 2.2),
            section(-0.004, 0.0050, -0.0095, 0.0095, 2.4),
            section(0.018, 0.0056, -0.0110, 0.0120, 2.4),
            section(0.040, 0.0050, -0.0095, 0.0135, 2.4),
            section(0.052, 0.0036, -0.0050, 0.0105, 2.2),
            section(0.0565, 0.0014, 0.0000, 0.0050, 2.0),
        ],
        12,
    );
    Mesh::new("ers7_ear").with(BLACK, flap.turned([0.0, 1.0, 0.0], 90.0))
}

/// Returns the tail, along the z axis of its link.
fn tail() -> Mesh {
    let rod = lathe(
        &[
            [0.0085, -0.002],
            [0.0085, 0.006],
            [0.0055, 0.012],
            [0.0042, 0.045],
        ],
        10,
    );
    let tip = limb([0.0048, 0.0036], 0.026, 8).at(0.0, 0.0, 0.045);
    Mesh::new("ers7_tail").with(DARK, rod).with(PEARL, tip)
}
