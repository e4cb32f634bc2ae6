//! Rotation and check of inertias `[ixx, iyy, izz, ixy, ixz, iyz]`.

use nalgebra::{Matrix3, UnitQuaternion};

/// Relative error of a moment that rounding in a file may cause.
const ROUNDING: f64 = 1e-2;

/// Returns an inertia in the axes of the link, from the axes of the inertial frame.
pub(crate) fn turned(
    [xx, yy, zz, xy, xz, yz]: [f64; 6],
    rotation: &UnitQuaternion<f64>,
) -> [f64; 6] {
    let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let turn = rotation.to_rotation_matrix();
    // The identity rotation preserves every bit.
    let all = match rotation.w.abs() >= 1.0 {
        true => own,
        false => turn.matrix() * own * turn.matrix().transpose(),
    };
    [
        all[(0, 0)],
        all[(1, 1)],
        all[(2, 2)],
        all[(0, 1)],
        all[(0, 2)],
        all[(1, 2)],
    ]
}

/// Returns the reason why the inertia is physically impossible.
pub(crate) fn impossible([xx, yy, zz, xy, xz, yz]: [f64; 6], mass: f64) -> Option<String> {
    let matrix = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let mut moments: [f64; 3] = matrix.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [least, middle, most] = moments;
    let slack = ROUNDING * most.abs().max(1e-9);
    if most <= 0.0 {
        return Some("all its moments are zero".to_owned());
    }
    if least < -slack {
        return Some(format!(
            "one of its principal moments is negative: {least:.3e}"
        ));
    }
    if least + middle < most - slack {
        return Some(format!(
            "its principal moments {least:.3e}, {middle:.3e}, {most:.3e} break the triangle inequality"
        ));
    }
    // Radius of a homogeneous sphere with this mass and moment of inertia.
    let radius = libm::sqrt(2.5 * most / mass);
    if radius > 100.0 {
        return Some(format!("its mass would be spread over {radius:.0} m"));
    }
    None
}
