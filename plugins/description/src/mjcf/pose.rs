//! Positions and orientations in all forms of MJCF.

use morse_scene::{bounds::Bounds, model::rotation_from_xyzw};
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::{compiler::Settings, fields};
use crate::{
    problems::Problems,
    shapes::{about, turned_z},
    xml::Element,
};

/// Length below which a vector has no direction, as in MuJoCo.
const SMALLEST: f64 = 1e-14;

/// Returns the pose of an element: `pos`, and one of `quat`, `axisangle`, `xyaxes`, `zaxis` and `euler`.
pub(super) fn pose(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Isometry3<f64> {
    let position =
        fields::array::<3>(element, "pos", fields::POSITION, problems).unwrap_or_default();
    let rotation = rotation(element, settings, problems).unwrap_or_default();
    Isometry3::from_parts(Vector3::from(position).into(), rotation)
}

fn rotation(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Option<UnitQuaternion<f64>> {
    let any = Bounds::within(1e6);
    if let Some([x, y, z, angle]) = fields::array(element, "axisangle", any, problems) {
        return about(Vector3::new(x, y, z), angle * settings.angle);
    }
    if let Some([a, b, c, d, e, f]) = fields::array(element, "xyaxes", any, problems) {
        let x = Vector3::new(a, b, c).try_normalize(SMALLEST)?;
        let y = Vector3::new(d, e, f);
        let y = (y - x * x.dot(&y)).try_normalize(SMALLEST)?;
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        let rotation = Rotation3::from_matrix_unchecked(axes);
        return Some(UnitQuaternion::from_rotation_matrix(&rotation));
    }
    if let Some(z) = fields::array::<3>(element, "zaxis", any, problems) {
        return Some(turned_z(Vector3::from(z)));
    }
    if let Some(angles) = fields::array(element, "euler", any, problems) {
        return Some(euler(angles, settings));
    }
    let [w, x, y, z] = fields::array(element, "quat", any, problems)?;
    rotation_from_xyzw([x, y, z, w])
}

/// Returns the rotation of Euler angles in the order of the model.
pub(super) fn euler(angles: [f64; 3], settings: &Settings) -> UnitQuaternion<f64> {
    let mut all = UnitQuaternion::identity();
    for (angle, letter) in angles.into_iter().zip(settings.sequence) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x(),
            'y' => Vector3::y(),
            _ => Vector3::z(),
        };
        let one = about(axis, angle * settings.angle).unwrap_or_default();
        all = match letter.is_ascii_uppercase() {
            true => one * all,
            false => all * one,
        };
    }
    all
}
