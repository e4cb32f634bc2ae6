//! Computes pan and tilt for looking at a point.
use morse_api::joint::rotation_about;
use nalgebra::{Isometry3, UnitQuaternion, UnitVector3, Vector3};

/// Number of iterations for the displacement of the head by pan.
const ROUNDS: usize = 50;

/// Axes of a unit, which looks along the x axis of the frame that tilt rotates.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// Pose of the pan joint at zero.
    pub base_from_pan: Isometry3<f64>,
    /// Axis of the pan joint.
    pub pan_axis: UnitVector3<f64>,
    /// Pose of the tilt joint at zero, in the frame that pan rotates.
    pub pan_from_tilt: Isometry3<f64>,
    /// Axis of the tilt joint.
    pub tilt_axis: UnitVector3<f64>,
    /// Angles that are added to pan and tilt.
    pub offsets: [f64; 2],
}

impl Axes {
    /// Returns the rotation by pan.
    #[must_use]
    pub fn pan_turn(&self, angle: f64) -> UnitQuaternion<f64> {
        rotation_about(&self.pan_axis, angle + self.offsets[0])
    }

    /// Returns the rotation by tilt.
    #[must_use]
    pub fn tilt_turn(&self, angle: f64) -> UnitQuaternion<f64> {
        rotation_about(&self.tilt_axis, angle + self.offsets[1])
    }

    /// Returns pan and tilt for looking at a point in the frame of the base; pan stays unchanged for a point on its axis.
    /// For points that no angles look at, such as points too near, the result is as close as possible.
    ///
    /// Each iteration solves for two rotations about axes through one point (Paden–Kahan subproblem 2, see R. Murray, Z. Li,
    /// S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994), with the tilt axis displaced by the pan of
    /// the previous iteration.
    #[must_use]
    pub fn look_at(&self, point: &Vector3<f64>, now: [f64; 2]) -> [f64; 2] {
        let target = self
            .base_from_pan
            .inverse_transform_point(&(*point).into())
            .coords;
        let offset = self.pan_from_tilt.translation.vector;
        let ahead = self.pan_from_tilt.rotation * Vector3::x();
        let axis = self.pan_from_tilt.rotation * self.tilt_axis;
        let [mut pan, mut tilt] = [now[0] + self.offsets[0], now[1] + self.offsets[1]];
        for _ in 0..ROUNDS {
            let displacement = target - rotation_about(&self.pan_axis, pan) * offset;
            let Some(direction) = UnitVector3::try_new(displacement, 1e-9) else {
                break;
            };
            let next = two_turns(&self.pan_axis, &axis, &ahead, &direction, pan);
            let change = (next[0] - pan).abs().max((next[1] - tilt).abs());
            [pan, tilt] = next;
            if change < 1e-12 {
                break;
            }
        }
        [pan - self.offsets[0], tilt - self.offsets[1]]
    }
}

/// Returns angles a, b such that rotating `from` about `second` by b and then about `first` by a yields `to`; of the two
/// pairs the one with the smaller b.
fn two_turns(
    first: &UnitVector3<f64>,
    second: &UnitVector3<f64>,
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    first_now: f64,
) -> [f64; 2] {
    let cosine = first.dot(second);
    let normal = first.cross(second);
    let scale = 1.0 - cosine * cosine;
    if scale < 1e-12 {
        return [first_now, 0.0];
    }
    let alpha = (first.dot(to) - cosine * second.dot(from)) / scale;
    let beta = (second.dot(from) - cosine * first.dot(to)) / scale;
    let in_plane = first.into_inner() * alpha + second.into_inner() * beta;
    let rest = (1.0 - in_plane.norm_squared()).max(0.0) / normal.norm_squared();
    let out = normal * libm::sqrt(rest);
    let pairs = [1.0, -1.0].map(|sign| {
        let middle = in_plane + out * sign;
        let a = turn(first, &middle, to).unwrap_or(first_now);
        [a, turn(second, from, &middle).unwrap_or(0.0)]
    });
    let [one, other] = pairs;
    if other[1].abs() < one[1].abs() {
        other
    } else {
        one
    }
}

/// Returns the angle about an axis from one vector to another; `None` for vectors along the axis.
fn turn(axis: &UnitVector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Option<f64> {
    let flat = |v: &Vector3<f64>| v - axis.into_inner() * axis.dot(v);
    let (from, to) = (flat(from), flat(to));
    let is_flat = from.norm() > 1e-9 && to.norm() > 1e-9;
    is_flat.then(|| libm::atan2(axis.dot(&from.cross(&to)), from.dot(&to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(offset: [f64; 3]) -> Axes {
        Axes {
            base_from_pan: Isometry3::identity(),
            pan_axis: Vector3::z_axis(),
            pan_from_tilt: Isometry3::translation(offset[0], offset[1], offset[2]),
            tilt_axis: Vector3::y_axis(),
            offsets: [0.0; 2],
        }
    }

    #[test]
    fn pan_and_tilt_are_the_spherical_angles() {
        for point in [
            [1.0, 2.0, 0.5],
            [-3.0, 0.1, -2.0],
            [-1.0, -1.0, 4.0],
            [2.0, 0.0, 0.0],
        ] {
            let [x, y, z] = point;
            let [pan, tilt] = axes([0.0; 3]).look_at(&point.into(), [0.0; 2]);
            assert!((pan - libm::atan2(y, x)).abs() < 1e-12, "{pan}");
            assert!(
                (tilt + libm::atan2(z, libm::hypot(x, y))).abs() < 1e-12,
                "{tilt}"
            );
        }
    }

    #[test]
    fn a_head_beside_the_pan_axis_looks_at_the_point_itself() {
        let unit = Axes {
            pan_axis: -Vector3::z_axis(),
            offsets: [0.2, -0.1],
            ..axes([0.1, 0.05, 0.3])
        };
        let point = Vector3::new(-0.8, 0.7, 1.1);
        let [pan, tilt] = unit.look_at(&point, [0.0; 2]);
        let head = unit.pan_turn(pan) * unit.pan_from_tilt * unit.tilt_turn(tilt);
        let seen = head.inverse_transform_point(&point.into());
        assert!(
            seen.x > 0.0 && seen.y.abs() < 1e-9 && seen.z.abs() < 1e-9,
            "{seen}"
        );
    }

    #[test]
    fn straight_above_pan_stays() {
        let [pan, tilt] = axes([0.0; 3]).look_at(&Vector3::new(0.0, 0.0, 2.0), [0.7, 0.0]);
        assert!((pan - 0.7).abs() < 1e-12);
        assert!((tilt + std::f64::consts::FRAC_PI_2).abs() < 1e-9);
    }
}
