//! Morsy: a round mascot with two arms and one big eye. Frames of `robots/morsy.robray`.
use crate::{
    materials::{BLACK, DARK, GREY, LIGHT_BLUE, Material, RED, WHITE, YELLOW},
    mesh::Mesh,
    shell::Shell,
    solids::{drum, ellipsoid, hull, lathe, limb, section, tube},
};

/// Returns the mesh of the robot.
pub(super) fn meshes() -> Vec<Mesh> {
    let skirt = lathe(
        &[
            [0.360, 0.000],
            [0.388, 0.012],
            [0.393, 0.060],
            [0.380, 0.150],
            [0.345, 0.260],
            [0.325, 0.300],
        ],
        26,
    );
    let trim = lathe(
        &[
            [0.335, 0.270],
            [0.348, 0.280],
            [0.348, 0.310],
            [0.335, 0.320],
        ],
        26,
    );
    let belly = hull(
        &[
            section(0.30, 0.17, 0.50, 0.86, 2.2),
            section(0.352, 0.155, 0.52, 0.84, 2.2),
            section(0.372, 0.12, 0.56, 0.80, 2.2),
        ],
        24,
    );
    let buttons = [(0.62, -0.05), (0.62, 0.05)]
        .map(|(z, y)| drum(0.022, 0.0, 0.014, 0.005, 14).along_x().at(0.368, y, z));
    let neck = drum(0.115, 1.120, 1.210, 0.012, 24);
    let ears = drum(0.060, 0.225, 0.285, 0.015, 20)
        .along_y()
        .at(0.0, 0.0, 1.436)
        .mirrored();
    let antenna = tube(&[[-0.05, 0.0, 1.66], [-0.06, 0.0, 1.676]], &[0.02], 10);
    let hand = ellipsoid([0.072, 0.068, 0.072], 14).at(0.065, 0.487, 0.940);
    let thumb = limb([0.026, 0.020], 0.05, 10)
        .turned([0.0, 1.0, 0.0], 60.0)
        .at(0.10, 0.465, 0.955);
    let mesh = Mesh::new("morsy_body")
        .with(DARK, skirt.and(&neck))
        .with(RED, trim)
        .with(YELLOW, skin())
        .with(WHITE, belly)
        .with(RED, buttons[0].clone().and(&buttons[1]))
        .with(GREY, ears)
        .with(DARK, hand.and(&thumb).mirrored().and(&antenna));
    let shells = face().into_iter();
    vec![shells.fold(mesh, |mesh, (material, shell)| mesh.with(material, shell))]
}

/// Returns the yellow parts: body, head and arms.
fn skin() -> Shell {
    let body = lathe(
        &[
            [0.315, 0.290],
            [0.340, 0.400],
            [0.356, 0.560],
            [0.360, 0.700],
            [0.345, 0.840],
            [0.305, 0.970],
            [0.245, 1.070],
            [0.180, 1.130],
            [0.120, 1.150],
        ],
        26,
    );
    let skull = ellipsoid([0.258, 0.268, 0.258], 26).at(0.0, 0.0, 1.436);
    let arm = tube(
        &[
            [0.0, 0.21, 1.040],
            [0.0, 0.30, 1.050],
            [0.02, 0.39, 1.030],
            [0.05, 0.46, 0.980],
        ],
        &[0.062, 0.060, 0.056, 0.052],
        16,
    );
    body.and(&skull).and(&arm.mirrored())
}

/// Returns the parts of the face with their materials.
fn face() -> [(Material, Shell); 4] {
    let rim = drum(0.138, 0.0, 0.060, 0.012, 28)
        .along_x()
        .at(0.190, 0.0, 1.456);
    let eye = ellipsoid([0.050, 0.120, 0.120], 20).at(0.236, 0.0, 1.456);
    let iris = ellipsoid([0.020, 0.060, 0.060], 14).at(0.272, 0.0, 1.456);
    let pupil = ellipsoid([0.012, 0.032, 0.032], 12).at(0.286, 0.0, 1.456);
    let smile = tube(
        &[
            [0.226, -0.110, 1.330],
            [0.238, -0.060, 1.300],
            [0.241, 0.0, 1.288],
            [0.238, 0.060, 1.300],
            [0.226, 0.110, 1.330],
        ],
        &[0.008, 0.011, 0.012, 0.011, 0.008],
        8,
    );
    [
        (GREY, rim),
        (WHITE, eye),
        (LIGHT_BLUE, iris),
        (BLACK, pupil.and(&smile)),
    ]
}
