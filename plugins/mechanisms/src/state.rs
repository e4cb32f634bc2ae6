//! State of a tree: positions and velocities, and the exact integration of constant velocities.
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{
    linear::{self, matrix, matrix_scaled, matrix_sum, scaled, sum},
    number::Number,
    spatial::Pose,
    tree::{Kind, LinkRow, Tree},
};

/// Positions and velocities of a tree, in the order of its coordinates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Positions, rad or m, and quaternions x y z w.
    pub positions: Vec<f64>,
    /// Velocities, rad/s or m/s.
    pub velocities: Vec<f64>,
}

impl Tree {
    /// Returns the state with all joints at zero and at rest.
    #[must_use]
    pub fn at_zero(&self) -> State {
        let mut state = State {
            positions: vec![0.0; self.position_count()],
            velocities: vec![0.0; self.velocity_count()],
        };
        for row in self.links.iter() {
            if let Some(quaternion) = row.quaternion() {
                state.positions[quaternion + 3] = 1.0;
            }
        }
        state
    }

    /// Integrates positions over a time (s) with constant joint velocities: exactly for each joint.
    pub fn integrate(&self, positions: &mut [f64], velocities: &[f64], time: f64) {
        for variable in self.variables() {
            positions[variable.position] += velocities[variable.speed] * time;
        }
        for row in self.composite.iter().map(|link| &self.links[*link]) {
            let Some(first) = self.columns.get(row.columns.start) else {
                continue;
            };
            let velocities = &velocities[first.speed..];
            let positions = &mut positions[row.position..];
            match row.kind {
                Kind::Ball(_) => turn(positions, &vector(velocities), time),
                Kind::Floating(_) => {
                    let [linear, angular] = [vector(velocities), vector(&velocities[3..])];
                    move_freely(positions, &linear, &angular, time);
                }
                Kind::Planar(_) => {
                    // Planar motion with constant velocity is an arc.
                    let mut pose = [positions[0], positions[1], 0.0, 0.0, 0.0, 0.0, 1.0];
                    let half = libm::sincos(positions[2] / 2.0);
                    (pose[5], pose[6]) = half;
                    let linear = Vector3::new(velocities[0], velocities[1], 0.0);
                    move_freely(&mut pose, &linear, &(Vector3::z() * velocities[2]), time);
                    positions[..2].copy_from_slice(&pose[..2]);
                    positions[2] += velocities[2] * time;
                }
                Kind::Fixed(_) | Kind::Revolute { .. } | Kind::Prismatic { .. } => {}
            }
        }
    }
}

impl LinkRow {
    /// Returns the index of the quaternion, if the joint has one.
    fn quaternion(&self) -> Option<usize> {
        match self.kind {
            Kind::Ball(_) => Some(self.position),
            Kind::Floating(_) => Some(self.position + 3),
            _ => None,
        }
    }

    /// Returns the pose of the link in its parent.
    #[inline(always)]
    pub(crate) fn pose<T: Number>(&self, positions: &[T]) -> Pose<T> {
        let here = positions.get(self.position..).unwrap_or_default();
        match &self.kind {
            Kind::Fixed(zero) => Pose::of(zero),
            Kind::Revolute {
                zero,
                sine,
                versine,
                ratio,
                offset,
            } => {
                let (sin, cos) = (here[0] * T::new(*ratio) + T::new(*offset)).sincos();
                let turned = matrix_scaled(&matrix(sine), sin);
                let moved = matrix_scaled(&matrix(versine), T::new(1.0) - cos);
                let rotation = matrix_sum(&matrix(&zero.rotation), &turned);
                Pose {
                    rotation: matrix_sum(&rotation, &moved),
                    position: linear::vector(&zero.position),
                }
            }
            Kind::Prismatic {
                zero,
                along,
                ratio,
                offset,
            } => {
                let zero = Pose::of(zero);
                let displacement = here[0] * T::new(*ratio) + T::new(*offset);
                Pose {
                    rotation: zero.rotation,
                    position: sum(
                        &zero.position,
                        &scaled(&linear::vector(along), displacement),
                    ),
                }
            }
            Kind::Ball(zero) => Pose::of(zero) * turned(linear::zero(), rotation(here)),
            Kind::Floating(zero) => Pose::of(zero) * turned(vector(here), rotation(&here[3..])),
            Kind::Planar(zero) => {
                let (sin, cos) = here[2].sincos();
                let [none, one] = [0.0, 1.0].map(T::new);
                let about_z = Matrix3::new(cos, -sin, none, sin, cos, none, none, none, one);
                Pose::of(zero) * turned(Vector3::new(here[0], here[1], none), about_z)
            }
        }
    }
}

#[inline(always)]
fn turned<T: Number>(position: Vector3<T>, rotation: Matrix3<T>) -> Pose<T> {
    Pose { rotation, position }
}

/// Returns the first three numbers.
#[inline(always)]
pub(crate) fn vector<T: Number>(numbers: &[T]) -> Vector3<T> {
    Vector3::new(numbers[0], numbers[1], numbers[2])
}

/// Returns the first four numbers as a rotation.
fn quaternion(numbers: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(
        numbers[3], numbers[0], numbers[1], numbers[2],
    ))
}

/// Returns the first four numbers, which are a quaternion, as a rotation matrix.
#[inline(always)]
fn rotation<T: Number>(numbers: &[T]) -> Matrix3<T> {
    let [i, j, k, w] = [numbers[0], numbers[1], numbers[2], numbers[3]];
    let [ww, ii, jj, kk] = [w * w, i * i, j * j, k * k];
    let two = T::new(2.0);
    let [ij, wk, wj, ik, jk, wi] = [
        i * j * two,
        w * k * two,
        w * j * two,
        i * k * two,
        j * k * two,
        w * i * two,
    ];
    Matrix3::new(
        ww + ii - jj - kk,
        ij - wk,
        wj + ik,
        wk + ij,
        ww - ii + jj - kk,
        jk - wi,
        ik - wj,
        wi + jk,
        ww - ii - jj + kk,
    )
}

/// Rotates a quaternion by an angular velocity in its own axes.
fn turn(numbers: &mut [f64], angular: &Vector3<f64>, time: f64) {
    let turned = quaternion(numbers) * by_vector(&(angular * time));
    let turned = turned.into_inner().normalize();
    numbers[..4].copy_from_slice(turned.coords.as_slice());
}

/// Moves a pose with a constant velocity in its own axes: along a screw (exponential map of SE(3)).
fn move_freely(numbers: &mut [f64], linear: &Vector3<f64>, angular: &Vector3<f64>, time: f64) {
    let displacement = left_jacobian(&(angular * time)) * (linear * time);
    let moved = quaternion(&numbers[3..]) * displacement;
    for (number, moved) in numbers.iter_mut().zip(moved.iter()) {
        *number += moved;
    }
    turn(&mut numbers[3..], angular, time);
}

/// Returns the rotation by a rotation vector (exponential map of SO(3)).
fn by_vector(vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    let angle = vector.norm();
    let (sin, cos) = libm::sincos(angle / 2.0);
    let factor = if angle > 1e-9 { sin / angle } else { 0.5 };
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, vector * factor))
}

/// Left Jacobian of SO(3): the mean of the rotations by all fractions of a vector.
fn left_jacobian(vector: &Vector3<f64>) -> Matrix3<f64> {
    let angle = vector.norm();
    let cross = vector.cross_matrix();
    let (sin, cos) = libm::sincos(angle);
    let [first, second] = if angle > 1e-4 {
        let square = angle * angle;
        [(1.0 - cos) / square, (angle - sin) / (square * angle)]
    } else {
        [0.5, 1.0 / 6.0]
    };
    Matrix3::identity() + cross * first + cross * cross * second
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;
    use crate::{
        spatial::Inertia,
        tree::{Joint, Link},
    };

    fn alone(joint: Joint) -> Tree {
        let link = Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint,
            inertia: Inertia::point(1.0, Vector3::zeros()),
        };
        Tree::new(&[link]).unwrap()
    }

    #[test]
    fn constant_speeds_make_arcs_however_long_the_step() {
        // 1 m/s forward and 0.5 rad/s to the left, for 2 s: a turn of 1 rad on a circle of 2 m.
        let [x, y] = [2.0 * libm::sin(1.0), 2.0 * (1.0 - libm::cos(1.0))];
        for (joint, velocities) in [
            (Joint::Planar, vec![1.0, 0.0, 0.5]),
            (Joint::Floating, vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.5]),
        ] {
            let tree = alone(joint);
            for steps in [1, 7] {
                let mut state = tree.at_zero();
                for _ in 0..steps {
                    tree.integrate(&mut state.positions, &velocities, 2.0 / f64::from(steps));
                }
                assert!((state.positions[0] - x).abs() < 1e-12, "{joint:?}");
                assert!((state.positions[1] - y).abs() < 1e-12, "{joint:?}");
            }
        }
    }

    #[test]
    fn slow_and_fast_turns_agree_at_their_border() {
        for angle in [0.99e-4, 1.01e-4] {
            let vector = Vector3::new(angle, 0.0, 0.0);
            let exact = left_jacobian(&vector);
            assert!((exact[(2, 1)] - angle / 2.0).abs() < 1e-12);
        }
    }
}
