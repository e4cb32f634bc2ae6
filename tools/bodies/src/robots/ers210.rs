//! AIBO ERS-210: a dog of silver shells with flat faces, a dark visor and dark joints. Frames of `robots/ers210.robray`.
use crate::{
    materials::{BLACK, DARK, GREY, Material},
    mesh::Mesh,
    outline::rounded,
    shell::Shell,
    solids::{block, drum, extrude, hull, limb, section},
};

/// Paint of the shells.
const SILVER: Material = Material {
    name: "silver",
    color: [0.70, 0.72, 0.76],
    roughness: 0.3,
    is_metal: false,
};

/// Returns the meshes of all links.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        trunk(),
        hip(),
        thigh(),
        shank("ers210_front_shank", 0.0649, 1.0),
        shank("ers210_rear_shank", 0.0749, -1.0),
        neck(),
        head(),
        jaw(),
        ear(),
        tail(),
    ]
}

/// Returns a prism across the robot from its side view: x ahead, z up.
fn across(side: &[[f64; 2]], width: f64, bevel: f64) -> Shell {
    extrude(&rounded(side, 0.008, 3), -width / 2.0, width / 2.0, bevel)
        .turned([1.0, 0.0, 0.0], 90.0)
}

fn trunk() -> Mesh {
    let body = across(
        &[
            [0.080, -0.022],
            [0.094, 0.004],
            [0.092, 0.030],
            [0.074, 0.044],
            [-0.066, 0.046],
            [-0.092, 0.036],
            [-0.096, 0.000],
            [-0.076, -0.024],
        ],
        0.080,
        0.010,
    );
    let chest = hull(
        &[
            section(0.070, 0.034, -0.026, 0.034, 3.5),
            section(0.092, 0.033, -0.024, 0.034, 3.5),
            section(0.099, 0.027, -0.018, 0.028, 3.2),
            section(0.101, 0.018, -0.010, 0.020, 3.0),
        ],
        20,
    );
    let belly = block([0.120, 0.056, 0.020], 0.006).at(-0.005, 0.0, -0.025);
    let back = block([0.042, 0.026, 0.011], 0.004).at(-0.020, 0.0, 0.0485);
    let stripe = block([0.120, 0.084, 0.006], 0.002).at(-0.010, 0.0, 0.016);
    Mesh::new("ers210_trunk")
        .with(SILVER, body)
        .with(DARK, chest.and(&belly).and(&back).and(&stripe))
}

fn hip() -> Mesh {
    let disc = drum(0.024, -0.019, 0.019, 0.007, 14).along_y();
    let cap = drum(0.013, -0.0205, 0.0205, 0.002, 10).along_y();
    Mesh::new("ers210_hip").with(DARK, disc).with(GREY, cap)
}

/// Returns the upper part of a leg about its middle, with the knee below.
fn thigh() -> Mesh {
    let shell = hull(
        &[
            section(-0.036, 0.010, -0.012, 0.012, 3.0),
            section(-0.028, 0.0145, -0.020, 0.020, 3.5),
            section(0.004, 0.0150, -0.021, 0.021, 3.5),
            section(0.022, 0.0125, -0.016, 0.016, 3.2),
            section(0.030, 0.0095, -0.010, 0.010, 3.0),
        ],
        14,
    );
    Mesh::new("ers210_thigh").with(SILVER, shell.turned([0.0, 1.0, 0.0], 90.0))
}

/// Returns the lower part of a leg: the knee, and the shell down to the paw at `length`.
fn shank(name: &'static str, length: f64, side: f64) -> Mesh {
    let knee = drum(0.0155, -0.0145, 0.0145, 0.004, 12).along_y();
    let shell = hull(
        &[
            section(0.000, 0.010, -0.012, 0.012, 3.0),
            section(0.010, 0.0125, -0.014, 0.015, 3.2),
            section(0.5 * length, 0.0125, -0.012, 0.016, 3.2),
            section(length - 0.008, 0.0095, -0.009, 0.009, 2.8),
            section(length - 0.002, 0.007, -0.006, 0.006, 2.6),
        ],
        12,
    );
    let shell = shell.scaled(1.0, 1.0, side).turned([0.0, 1.0, 0.0], 90.0);
    Mesh::new(name).with(DARK, knee).with(SILVER, shell)
}

/// Returns the neck above its tilting axis.
fn neck() -> Mesh {
    let collar = drum(0.016, -0.018, 0.018, 0.004, 12).along_y();
    let post = drum(0.0135, 0.0, 0.044, 0.003, 12);
    Mesh::new("ers210_neck").with(DARK, collar.and(&post))
}

fn head() -> Mesh {
    let skull = hull(
        &[
            section(-0.030, 0.020, -0.002, 0.032, 3.0),
            section(-0.024, 0.034, -0.010, 0.042, 3.5),
            section(0.000, 0.040, -0.013, 0.046, 3.8),
            section(0.034, 0.039, -0.013, 0.045, 3.8),
            section(0.054, 0.033, -0.011, 0.042, 3.5),
            section(0.060, 0.028, -0.009, 0.038, 3.2),
        ],
        24,
    );
    // The visor wraps around the front, above the muzzle.
    let visor = hull(
        &[
            section(0.034, 0.0415, 0.007, 0.040, 4.0),
            section(0.058, 0.0365, 0.007, 0.039, 3.6),
            section(0.066, 0.0285, 0.008, 0.0375, 3.2),
            section(0.0685, 0.0200, 0.010, 0.035, 3.0),
        ],
        24,
    );
    let muzzle = hull(
        &[
            section(0.040, 0.028, -0.0125, 0.010, 3.2),
            section(0.060, 0.024, -0.0120, 0.009, 3.0),
            section(0.0655, 0.016, -0.0080, 0.007, 2.6),
        ],
        20,
    );
    let neck = drum(0.019, -0.034, -0.006, 0.004, 16);
    let plates = block([0.018, 0.028, 0.009], 0.003)
        .at(-0.004, 0.0, 0.0455)
        .and(&block([0.018, 0.028, 0.009], 0.003).at(0.018, 0.0, 0.0455));
    let ears = drum(0.010, 0.036, 0.0435, 0.002, 14)
        .along_y()
        .at(-0.006, 0.0, 0.034)
        .mirrored();
    Mesh::new("ers210_head")
        .with(SILVER, skull.and(&muzzle))
        .with(BLACK, visor)
        .with(DARK, neck.and(&plates).and(&ears))
}

fn jaw() -> Mesh {
    let jaw = hull(
        &[
            section(-0.012, 0.020, -0.0095, -0.001, 3.0),
            section(0.014, 0.021, -0.0130, -0.001, 3.2),
            section(0.027, 0.016, -0.0120, -0.002, 3.0),
            section(0.031, 0.009, -0.0090, -0.004, 2.4),
        ],
        12,
    );
    Mesh::new("ers210_jaw").with(DARK, jaw)
}

/// Returns a pointed ear about the middle of its flap.
fn ear() -> Mesh {
    let outline = [
        [-0.011, 0.020],
        [-0.012, -0.006],
        [-0.006, -0.022],
        [0.002, -0.022],
        [0.011, 0.004],
        [0.010, 0.020],
    ];
    Mesh::new("ers210_ear").with(DARK, across(&outline, 0.007, 0.002))
}

fn tail() -> Mesh {
    let rod = limb([0.0065, 0.0042], 0.055, 8);
    let tip = drum(0.0075, 0.055, 0.068, 0.003, 10);
    Mesh::new("ers210_tail").with(DARK, rod).with(SILVER, tip)
}
