//! Orientations as angles, and normalisation of angles.
use std::f64::consts::{PI, TAU};

use nalgebra::{Rotation3, UnitQuaternion};

/// Returns yaw, pitch and roll (rad) of a rotation R = Rz(yaw) · Ry(pitch) · Rx(roll).
///
/// Of the two triples that describe the same rotation, the one with the smaller sum of absolute values is returned, as
/// Blender's game engine did for MORSE; pitch is therefore not limited to ±π/2.
#[must_use]
pub fn yaw_pitch_roll(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let m = rotation.to_rotation_matrix();
    let m = m.matrix();
    let cosine = libm::hypot(m[(0, 0)], m[(1, 0)]);
    let pitch = |sign: f64| libm::atan2(-m[(2, 0)], sign * cosine);
    let candidates = if cosine > 1e-9 {
        [1.0, -1.0].map(|sign| {
            let yaw = libm::atan2(sign * m[(1, 0)], sign * m[(0, 0)]);
            let roll = libm::atan2(sign * m[(2, 1)], sign * m[(2, 2)]);
            [yaw, pitch(sign), roll]
        })
    } else {
        // At a pitch of ±π/2, yaw and roll turn about the same axis: the whole turn is returned as roll.
        [[0.0, pitch(1.0), libm::atan2(-m[(1, 2)], m[(1, 1)])]; 2]
    };
    let size = |angles: &[f64; 3]| angles.iter().map(|angle| angle.abs()).sum::<f64>();
    let [near, far] = candidates;
    if size(&far) < size(&near) { far } else { near }
}

/// Returns the rotation R = Rz(yaw) · Ry(pitch) · Rx(roll) for yaw, pitch and roll (rad).
#[must_use]
pub fn from_yaw_pitch_roll([yaw, pitch, roll]: [f64; 3]) -> UnitQuaternion<f64> {
    Rotation3::from_euler_angles(roll, pitch, yaw).into()
}

/// Returns an angle normalised to [-π, π).
#[must_use]
pub fn normalized(angle: f64) -> f64 {
    let turned = angle + PI;
    turned - libm::floor(turned / TAU) * TAU - PI
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn angles_give_back_the_rotation(yaw in -4.0..4.0_f64, pitch in -4.0..4.0_f64, roll in -4.0..4.0_f64) {
            let rotation = from_yaw_pitch_roll([yaw, pitch, roll]);
            let angles = yaw_pitch_roll(&rotation);
            prop_assert!(rotation.angle_to(&from_yaw_pitch_roll(angles)) < 1e-7);
        }

        #[test]
        fn normalized_is_in_range_and_the_same_angle(angle in -100.0..100.0_f64) {
            let turns = (angle - normalized(angle)) / TAU;
            prop_assert!((-PI..PI).contains(&normalized(angle)));
            prop_assert!((turns - turns.round()).abs() < 1e-9);
        }
    }

    #[test]
    fn of_two_triples_the_smaller() {
        // A pitch of 2 rad alone has a smaller sum than the other triple.
        let [yaw, pitch, roll] = yaw_pitch_roll(&from_yaw_pitch_roll([0.0, 2.0, 0.0]));
        assert!(yaw.abs() < 1e-9 && (pitch - 2.0).abs() < 1e-9 && roll.abs() < 1e-9);
    }
}
