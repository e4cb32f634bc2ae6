//! Inverse kinematics: damped least squares within joint limits.
//!
//! Each iteration solves `(JᵀWJ + λ·1) Δq = JᵀW·e` over the joints that are not at a limit, with the damping λ proportional
//! to the squared error (T. Sugihara, "Solvability-Unconcerned Inverse Kinematics by the Levenberg–Marquardt Method", IEEE
//! Transactions on Robotics 27, 2011), and accepts the step only if the error decreases. So the solution stays bounded at
//! singularities, a target out of reach ends at the nearest posture and stays there, and a redundant arm does not move more
//! than necessary.
use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector, Isometry3, UnitQuaternion, Vector3};

use super::chain::{Chain, Tip};

/// Default weight: length (m) that counts as much as a radian.
pub const METRES_PER_RADIAN: f64 = 0.3;

/// Minimum damping.
const LEAST_DAMPING: f64 = 1e-9;

/// Maximum change of a joint per iteration, rad or m.
const LONGEST_STEP: f64 = 0.5;

/// Error (m, weighted) below which a posture is exact.
const EXACT: f64 = 1e-10;

/// Error (m, weighted) below which a posture of a search is a solution.
const SOLVED: f64 = 1e-6;

/// Iterations per start posture of a search.
const ITERATIONS: usize = 60;

/// Number of start postures of a search.
const SEEDS: u32 = 64;

/// Number of solutions among which a search returns the nearest.
const ENOUGH: usize = 3;

/// Goal of a tip, in the frame of its base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Index of the tip in [`Chain::tips`].
    pub tip: usize,
    /// Position, m.
    pub position: Vector3<f64>,
    /// Orientation; `None` for any.
    pub rotation: Option<UnitQuaternion<f64>>,
    /// Length (m) that counts as much as a radian, if both position and orientation are given.
    pub metres_per_radian: f64,
}

/// Workspace of the solver for one chain: nothing is allocated while an arm moves.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    normal: DMatrix<f64>,
    damped: DMatrix<f64>,
    gradient: DVector<f64>,
    step: DVector<f64>,
    trial: Vec<f64>,
    is_held: Vec<bool>,
    /// Origin and axis of each link of a tip, and true if it is revolute.
    axes: Vec<(Vector3<f64>, Vector3<f64>, bool)>,
}

impl Solver {
    /// Returns the workspace for a chain.
    #[must_use]
    pub fn new(chain: &Chain) -> Self {
        let count = chain.joints.len();
        let links = chain.tips.iter().map(|tip| tip.links.len()).max();
        Self {
            normal: DMatrix::zeros(count, count),
            damped: DMatrix::zeros(count, count),
            gradient: DVector::zeros(count),
            step: DVector::zeros(count),
            trial: vec![0.0; count],
            is_held: vec![false; count],
            axes: Vec::with_capacity(links.unwrap_or(0)),
        }
    }

    /// Moves joint positions towards goals by at most the given number of iterations, never away from them nor past a limit.
    /// Returns the remaining error, see [`error`].
    pub fn solve(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        values: &mut [f64],
        iterations: usize,
    ) -> f64 {
        if values.len() != self.trial.len() {
            return f64::INFINITY;
        }
        for (value, joint) in values.iter_mut().zip(&chain.joints) {
            *value = joint.limited(*value);
        }
        let mut remaining = error(chain, goals, values);
        let mut stiffness = 1.0;
        for _ in 0..iterations {
            if remaining < EXACT {
                break;
            }
            self.linearize(chain, goals, values);
            let is_better = self.descend(chain, goals, values, &mut remaining, &mut stiffness);
            if !is_better {
                break;
            }
        }
        remaining
    }

    /// Makes one step that reduces the error; false if there is none.
    fn descend(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        values: &mut [f64],
        remaining: &mut f64,
        stiffness: &mut f64,
    ) -> bool {
        for _ in 0..12 {
            let damping = 0.5 * *remaining * *remaining * *stiffness + LEAST_DAMPING;
            self.step_with(damping);
            let mut moved = 0.0_f64;
            let joints = values.iter().zip(&self.step).zip(&chain.joints);
            for (trial, ((value, step), joint)) in self.trial.iter_mut().zip(joints) {
                *trial = joint.limited(value + step);
                moved = moved.max((*trial - value).abs());
            }
            if moved < 1e-13 {
                return false;
            }
            let tried = error(chain, goals, &self.trial);
            if tried < *remaining {
                let gain = *remaining - tried;
                values.copy_from_slice(&self.trial);
                *stiffness = (*stiffness * 0.25).max(1e-6);
                let is_worth_it = gain > 1e-12;
                *remaining = tried;
                return is_worth_it;
            }
            *stiffness *= 8.0;
        }
        false
    }

    /// Computes `JᵀWJ`, `JᵀWe`, and the joints that are at a limit.
    fn linearize(&mut self, chain: &Chain, goals: &[Goal], values: &[f64]) {
        self.normal.fill(0.0);
        self.gradient.fill(0.0);
        for goal in goals {
            if let Some(tip) = chain.tips.get(goal.tip) {
                self.add(tip, goal, values);
            }
        }
        let joints = values.iter().zip(&chain.joints).zip(&self.gradient);
        for (held, ((value, joint), slope)) in self.is_held.iter_mut().zip(joints) {
            let [lower, upper] = joint.limits;
            *held = (*value <= lower && *slope < 0.0) || (*value >= upper && *slope > 0.0);
        }
    }

    fn add(&mut self, tip: &Tip, goal: &Goal, values: &[f64]) {
        self.axes.clear();
        let mut pose = Isometry3::identity();
        for link in &tip.links {
            let shape = &link.shape;
            let axis = pose.rotation
                * (shape.parent_from_joint.rotation * shape.axis.into_inner())
                * shape.travel;
            let offset = pose.rotation * shape.parent_from_joint.translation.vector;
            let origin = pose.translation.vector + offset;
            self.axes.push((origin, axis, shape.is_angle));
            pose *= shape.parent_from_child(link.value(values));
        }
        pose.rotation.renormalize();
        pose *= tip.body_from_tip;
        let end = pose.translation.vector;
        let (away, turn) = errors(&pose, goal);
        let weight = if goal.rotation.is_some() {
            goal.metres_per_radian * goal.metres_per_radian
        } else {
            0.0
        };
        for (link, (origin, axis, is_angle)) in tip.links.iter().zip(&self.axes) {
            let Some(joint) = link.joint else { continue };
            let (linear, angular) = column(origin, axis, *is_angle, &end);
            self.gradient[joint] += linear.dot(&away) + weight * angular.dot(&turn);
            for (other, (origin, axis, is_angle)) in tip.links.iter().zip(&self.axes) {
                let Some(other) = other.joint else { continue };
                let (l, a) = column(origin, axis, *is_angle, &end);
                self.normal[(joint, other)] += linear.dot(&l) + weight * angular.dot(&a);
            }
        }
    }

    /// Solves for the step by Cholesky's decomposition, in place; joints at a limit stay.
    fn step_with(&mut self, damping: f64) {
        let count = self.step.len();
        self.damped.copy_from(&self.normal);
        for i in 0..count {
            let is_held = self.is_held.get(i).copied().unwrap_or(false);
            if is_held {
                for j in 0..count {
                    self.damped[(i, j)] = 0.0;
                    self.damped[(j, i)] = 0.0;
                }
            }
            self.damped[(i, i)] += if is_held { 1.0 } else { damping };
            self.step[i] = if is_held { 0.0 } else { self.gradient[i] };
        }
        for i in 0..count {
            for j in 0..=i {
                let mut sum = self.damped[(i, j)];
                for k in 0..j {
                    sum -= self.damped[(i, k)] * self.damped[(j, k)];
                }
                self.damped[(i, j)] = if i == j {
                    libm::sqrt(sum.max(f64::MIN_POSITIVE))
                } else {
                    sum / self.damped[(j, j)]
                };
            }
        }
        for i in 0..count {
            for k in 0..i {
                self.step[i] -= self.damped[(i, k)] * self.step[k];
            }
            self.step[i] /= self.damped[(i, i)];
        }
        for i in (0..count).rev() {
            for k in i + 1..count {
                self.step[i] -= self.damped[(k, i)] * self.step[k];
            }
            self.step[i] /= self.damped[(i, i)];
        }
        let longest = self.step.amax();
        if longest > LONGEST_STEP {
            self.step *= LONGEST_STEP / longest;
        }
    }

    /// Searches a posture that reaches the goals, also far from the present one: from a fixed sequence of postures that
    /// fills the joints' ranges evenly. Returns the nearest of the first solutions in `values`, or without one, the posture
    /// with the least error. The result is that error, see [`error`].
    pub fn search(&mut self, chain: &Chain, goals: &[Goal], values: &mut [f64]) -> f64 {
        let from = values.to_vec();
        let distance = |posture: &[f64]| {
            let displacements = posture
                .iter()
                .zip(&from)
                .map(|(to, from)| (to - from).abs());
            displacements.fold(0.0, f64::max)
        };
        let mut best = self.solve(chain, goals, values, ITERATIONS);
        if best < SOLVED {
            return best;
        }
        let mut solutions = 0;
        let mut posture = vec![0.0; from.len()];
        for seed in 1..=SEEDS {
            for (joint, value) in posture.iter_mut().enumerate() {
                *value = chain.joints.get(joint).map_or(0.0, |joint_of| {
                    let [lower, upper] = range(joint_of.limits, joint_of.is_angle);
                    lower + (upper - lower) * halton(seed, joint)
                });
            }
            let tried = self.solve(chain, goals, &mut posture, ITERATIONS);
            let is_better = if tried < SOLVED && best < SOLVED {
                distance(&posture) < distance(values)
            } else {
                tried < best
            };
            if is_better {
                best = tried;
                values.copy_from_slice(&posture);
            }
            solutions += usize::from(tried < SOLVED);
            if solutions >= ENOUGH {
                break;
            }
        }
        best
    }
}

/// Returns the error of joint positions: the root of the sum of squares of distances (m) and weighted angles.
#[must_use]
pub fn error(chain: &Chain, goals: &[Goal], values: &[f64]) -> f64 {
    let squares = goals.iter().filter_map(|goal| {
        let pose = chain.tips.get(goal.tip)?.base_from_tip(values);
        let (away, turn) = errors(&pose, goal);
        let weight = goal.metres_per_radian * goal.metres_per_radian;
        Some(away.norm_squared() + weight * turn.norm_squared())
    });
    libm::sqrt(squares.sum())
}

/// Returns the displacement and the rotation vector from a pose to a goal.
fn errors(pose: &Isometry3<f64>, goal: &Goal) -> (Vector3<f64>, Vector3<f64>) {
    let turn = goal.rotation.map_or_else(Vector3::zeros, |rotation| {
        rotation_vector(&(rotation * pose.rotation.inverse()))
    });
    (goal.position - pose.translation.vector, turn)
}

/// Returns axis times angle of a rotation, with the angle in [0, π].
#[must_use]
pub fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    let imaginary = rotation.imag() * sign;
    let sine = imaginary.norm();
    let angle = 2.0 * libm::atan2(sine, rotation.w.abs());
    if sine < 1e-12 {
        imaginary * 2.0
    } else {
        imaginary * (angle / sine)
    }
}

/// Returns the motion of the tip per unit of a joint's motion: a column of the Jacobian.
fn column(
    origin: &Vector3<f64>,
    axis: &Vector3<f64>,
    is_angle: bool,
    end: &Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    if is_angle {
        (axis.cross(&(end - origin)), *axis)
    } else {
        (*axis, Vector3::zeros())
    }
}

/// Returns the range that a search fills, finite also for a joint without limits.
fn range([lower, upper]: [f64; 2], is_angle: bool) -> [f64; 2] {
    let free = if is_angle { PI } else { 1.0 };
    [lower.max(-free).min(upper), upper.min(free).max(lower)]
}

/// Returns the n-th number of Halton's sequence in the base of a dimension.
fn halton(n: u32, dimension: usize) -> f64 {
    const PRIMES: [u32; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
    let base = PRIMES.get(dimension % PRIMES.len()).copied().unwrap_or(2);
    let (mut rest, mut share, mut sum) = (n + (dimension / PRIMES.len()) as u32, 1.0, 0.0);
    while rest > 0 {
        share /= f64::from(base);
        sum += share * f64::from(rest % base);
        rest /= base;
    }
    sum
}

#[cfg(test)]
mod tests;
