//! Time step of one tree with motors, friction and limits, which is stable for all gains. [`crate::island`] combines the
//! steps of trees and free bodies.
//!
//! The step is the implicit midpoint rule: positions advance by half a step with the old velocities, then by half a step
//! with the new ones; forces are evaluated in the middle, Coriolis and centrifugal forces at the mean velocities. The rule
//! is of second order and symmetric in time, so that a mechanism without friction conserves its energy. Terms that are
//! proportional to velocity (damping, gains of motors) are implicit, which adds `dt·kd + θ²·dt²·kp` to the diagonal of the
//! mass matrix: stiff motors on light links need no short steps. θ is 1/2 for soft springs, which conserve their energy, and
//! approaches 1 for springs that are stiff for the step, whose oscillation cannot be resolved and is damped. Limits and dry
//! friction are constraints on the velocity at the end.
mod corrections;
mod gains;
mod prepared;
mod saturation;

use std::mem;

use serde::{Deserialize, Serialize};

use crate::{
    spatial::Force,
    state::State,
    tree::{Tree, Variable},
    workspace::{Base, Workspace},
};
use gains::Gain;

/// Armature, friction and limits of a joint with one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDynamics {
    /// Armature: inertia of the rotor as the joint feels it, kg·m² or kg.
    pub armature: f64,
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Maximum dry friction, N·m or N.
    pub friction: f64,
    /// Minimum and maximum position; infinite where there is no limit.
    pub limits: [f64; 2],
}

impl Default for JointDynamics {
    fn default() -> Self {
        Self {
            armature: 0.0,
            damping: 0.0,
            friction: 0.0,
            limits: [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

/// A motor with the effort `stiffness·(position − q) + damping·(speed − v) + effort`, plus the compensated weight, limited
/// to its maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Rate at which the position is approached regardless of load, up to the maximum effort, 1/s; zero for a motor that
    /// controls the velocity only. Replaces stiffness and damping.
    pub stiff: Option<f64>,
    /// Stiffness, N·m/rad or N/m.
    pub stiffness: f64,
    /// Damping, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Target position, rad or m.
    pub position: f64,
    /// Target velocity, rad/s or m/s.
    pub speed: f64,
    /// Velocity and change of velocity with which the target position moves within a tick, rad/s or m/s; the caller moves
    /// it.
    pub ramp: [f64; 2],
    /// Acceleration of the target in this step, rad/s² or m/s².
    pub acceleration: f64,
    /// Additional effort, N·m or N.
    pub effort: f64,
    /// Maximum effort in both directions, N·m or N.
    pub max_effort: f64,
    /// True if the motor compensates the weight of the links on the joint.
    pub compensates: bool,
}

impl Default for Motor {
    /// No motor.
    fn default() -> Self {
        Self {
            stiff: None,
            stiffness: 0.0,
            damping: 0.0,
            position: 0.0,
            speed: 0.0,
            ramp: [0.0; 2],
            acceleration: 0.0,
            effort: 0.0,
            max_effort: f64::INFINITY,
            compensates: false,
        }
    }
}

impl Motor {
    /// Returns stiffness and damping, given the inertia of the joint and the length of a step.
    fn gains(&self, inertia: f64, dt: f64) -> [f64; 2] {
        let Some(rate) = self.stiff else {
            return [self.stiffness, self.damping];
        };
        let damping = STIFF_MOTOR_INERTIA * inertia / dt;
        [damping * rate, damping]
    }
}

/// Integrator of a tree, with its workspace.
#[derive(Clone, Debug, Default)]
pub struct Integrator {
    /// Joint dynamics of each variable, in the order of [`Tree::variables`].
    pub joint_dynamics: Vec<JointDynamics>,
    /// Motor of each variable.
    pub motors: Vec<Motor>,
    /// Velocity of each variable whose joint is a wheel that rolls without slip in this step, rad/s. Such a joint has this
    /// velocity regardless of its motor and friction.
    pub rolling: Vec<Option<f64>>,
    /// True for each link without gravity.
    pub weightless: Vec<bool>,
    /// Efforts of the motors in the last step, N·m or N.
    pub efforts: Vec<f64>,
    /// Efforts of the limits in the last step, N·m or N.
    pub limit_efforts: Vec<f64>,
    /// Effort of each saturated motor, N·m or N. A step begins with those of the last one: otherwise it would be solved first
    /// with motors of unlimited effort, which is slow if the joints are held by contacts or limits.
    pub saturated: Vec<Option<f64>>,
    /// Poses, velocities and the mass matrix.
    pub workspace: Box<Workspace>,
    /// Positions in the middle of the step, and mean velocities.
    middle: State,
    gains: Vec<Gain>,
    /// Efforts against gravity for each velocity, of motors that compensate it.
    weights: Vec<f64>,
    /// Terms on the diagonal of the mass matrix: armatures, dampers and motors.
    added: Vec<f64>,
    bias: Vec<f64>,
    /// True if `bias` and the mass matrix are those of the prediction, whose poses the workspace does not have.
    has_terms: bool,
    /// Length (s) of the step for which the gains and the factors of the mass matrix are computed already, and in `velocities`
    /// the accelerations without constraints.
    solved_step: Option<f64>,
    /// True if these accelerations were not used yet.
    has_accelerations: bool,
    /// Velocities at the end of the step.
    pub(crate) velocities: Vec<f64>,
    pub(crate) rows: Vec<JointRow>,
}

/// Returns the number of substeps that limits the rotation per substep, except that of wheels, whose rotation has no effect
/// on their inertia.
pub(crate) fn substep_count(tree: &Tree, velocities: &[f64], dt: f64) -> u32 {
    let fastest = tree.turns.iter().fold(0.0, |fastest: f64, &speed| {
        fastest.max(velocities[speed].abs())
    });
    ((fastest * dt / MAX_TURN).ceil() as u32).clamp(1, MAX_SUBSTEPS)
}

/// A constraint on one velocity at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRow {
    /// Index of the velocity.
    pub(crate) speed: usize,
    /// Index of the variable.
    variable: usize,
    /// Target velocity.
    pub(crate) target: f64,
    /// Minimum and maximum impulse.
    pub(crate) bounds: [f64; 2],
    pub(crate) impulse: f64,
    is_limit: bool,
}

/// Maximum rotation of a joint per substep, rad, and maximum number of substeps.
pub(crate) const MAX_TURN: f64 = 0.04;
pub(crate) const MAX_SUBSTEPS: u32 = 16;

/// Maximum number of rounds in which motors may cease to be saturated.
pub(crate) const MAX_SATURATION_ROUNDS: usize = 6;

/// Inertia that a stiff motor adds to a joint in a step, as a multiple of the joint's own, so that no load counts beside it.
const STIFF_MOTOR_INERTIA: f64 = 1e6;

/// Distance from a limit from which on it has no constraint, unless the joint moves by 1 rad or m in a step, rad or m.
const FAR: f64 = 1.25;

/// Baumgarte factor of limits: the fraction of the violation that is corrected per step.
const BAUMGARTE: f64 = 0.2;

impl Integrator {
    /// Returns an integrator for joints without motors, friction and limits.
    #[must_use]
    pub fn new(tree: &Tree) -> Self {
        let (variables, velocities) = (tree.variables().len(), tree.velocity_count());
        Self {
            joint_dynamics: vec![JointDynamics::default(); variables],
            motors: vec![Motor::default(); variables],
            rolling: vec![None; variables],
            efforts: vec![0.0; variables],
            limit_efforts: vec![0.0; variables],
            workspace: Box::new(Workspace::new(tree)),
            middle: tree.at_zero(),
            gains: vec![Gain::default(); variables],
            weightless: vec![false; tree.link_count()],
            weights: vec![0.0; velocities],
            saturated: vec![None; variables],
            added: vec![0.0; velocities],
            bias: vec![0.0; velocities],
            has_terms: false,
            solved_step: None,
            has_accelerations: false,
            velocities: vec![0.0; velocities],
            rows: Vec::with_capacity(3 * variables),
        }
    }

    /// Computes the poses after a time (s) at constant velocities. A step of twice that time begins with it.
    pub fn predict(&mut self, tree: &Tree, base: &Base, state: &State, time: f64) {
        self.predict_positions(tree, state, time);
        self.pose_prediction(tree, base);
    }

    /// Does the first part of [`predict`](Self::predict): computes the positions of the joints.
    pub fn predict_positions(&mut self, tree: &Tree, state: &State, time: f64) {
        self.has_terms = false;
        // Field by field: cloning the state would allocate.
        self.middle.positions.clone_from(&state.positions);
        self.middle.velocities.clone_from(&state.velocities);
        tree.integrate(&mut self.middle.positions, &state.velocities, time);
    }

    /// Does the rest of [`predict`](Self::predict): computes the poses of the links.
    pub fn pose_prediction(&mut self, tree: &Tree, base: &Base) {
        self.has_terms = false;
        self.workspace.forward_kinematics(tree, base, &self.middle);
    }

    /// Returns the positions of the last [`predict`](Self::predict), until a step changes them.
    #[must_use]
    pub fn predicted_positions(&self) -> &[f64] {
        &self.middle.positions
    }

    /// Applies an impulse on a link, in its frame (N·s, and N·m·s about its origin), to the velocities. Requires [forward
    /// kinematics](Workspace::forward_kinematics).
    pub fn apply_impulse(&mut self, tree: &Tree, state: &mut State, link: usize, impulse: &Force) {
        self.workspace.assemble(tree);
        for (variable, resistance) in tree.variables().iter().zip(&self.joint_dynamics) {
            self.added[variable.speed] = resistance.armature;
        }
        self.workspace.factor(tree, &self.added);
        self.velocities.fill(0.0);
        let force = self.workspace.relative_poses[link].force_to_outer(impulse);
        let mut next = Some(link);
        while let Some(here) = next {
            let row = &tree.links[here];
            for index in row.columns.clone() {
                let moved = &self.workspace.columns[index];
                self.velocities[tree.columns[index].speed] += moved.dot(&force);
            }
            next = row.parent;
        }
        self.workspace.solve(tree, &mut self.velocities);
        for (speed, more) in state.velocities.iter_mut().zip(&self.velocities) {
            *speed += more;
        }
    }

    /// Evaluates all terms in the middle of a step, at the poses of [`predict`](Self::predict).
    pub(crate) fn begin(
        &mut self,
        tree: &Tree,
        base: &Base,
        state: &State,
        external_forces: &[Force],
        dt: f64,
    ) {
        let solved_step = self.solved_step.take();
        self.has_accelerations = self.has_terms && solved_step == Some(dt);
        if self.has_accelerations {
            return;
        }
        if self.has_terms {
            self.find_gains(tree, state, None, dt);
            self.factor(tree, dt);
            return;
        }
        if self.middle.velocities != state.velocities {
            // An impulse was applied since the prediction.
            self.middle.velocities.clone_from(&state.velocities);
            self.workspace.update_velocities(tree, base, &self.middle);
        }
        self.workspace.assemble(tree);
        self.find_gains(tree, state, None, dt);
        self.factor(tree, dt);
        if self.motors.iter().any(|motor| motor.compensates) {
            let (gravity, weightless) = (&base.gravity, &self.weightless);
            self.workspace
                .weight(tree, gravity, weightless, &mut self.weights);
        }
        self.workspace
            .bias(tree, base, external_forces, &mut self.bias);
    }

    /// Evaluates Coriolis and centrifugal forces at other velocities.
    pub(crate) fn update_bias(
        &mut self,
        tree: &Tree,
        base: &Base,
        velocities: &[f64],
        external_forces: &[Force],
    ) {
        self.middle.velocities.copy_from_slice(velocities);
        if self.has_terms {
            self.pose_prediction(tree, base);
        } else {
            self.workspace.update_velocities(tree, base, &self.middle);
        }
        self.workspace
            .bias(tree, base, external_forces, &mut self.bias);
    }

    /// Advances the joints from the middle of the step to its end, with the velocities there; first by `apart` for the whole
    /// step, if given. A joint that a limit has stopped is set to the limit.
    pub(crate) fn advance(
        &mut self,
        tree: &Tree,
        state: &mut State,
        apart: Option<&[f64]>,
        dt: f64,
    ) {
        if let Some(apart) = apart {
            self.correct(tree, apart, dt);
        }
        tree.integrate(&mut self.middle.positions, &self.velocities, dt / 2.0);
        for (index, variable) in tree.variables().iter().enumerate() {
            if self.saturated[index].is_none() {
                let change = self.velocities[variable.speed] - state.velocities[variable.speed];
                self.middle.positions[variable.position] += self.gains[index].beyond * change;
            }
        }
        for row in self
            .rows
            .iter()
            .filter(|row| row.is_limit && row.impulse != 0.0)
        {
            let position = tree.variables()[row.variable].position;
            self.middle.positions[position] =
                state.positions[position] + self.velocities[row.speed] * dt;
        }
        state.positions.copy_from_slice(&self.middle.positions);
        state.velocities.copy_from_slice(&self.velocities);
        self.has_terms = false;
    }

    /// Factors the mass matrix, with the terms of armatures, dampers and motors.
    pub(crate) fn factor(&mut self, tree: &Tree, dt: f64) {
        self.add_motors(tree, dt);
        self.workspace.factor(tree, &self.added);
    }

    /// Computes the terms of armatures, dampers and motors on the diagonal of the mass matrix.
    fn add_motors(&mut self, tree: &Tree, dt: f64) {
        for (index, variable) in tree.variables().iter().enumerate() {
            let resistance = &self.joint_dynamics[index];
            let mut weight = resistance.armature + dt * resistance.damping;
            if self.saturated[index].is_none() {
                let gain = &self.gains[index];
                weight += dt * (gain.damping + gain.ahead * gain.stiffness);
            }
            self.added[variable.speed] = weight;
        }
    }

    /// Writes the matrix of the last [`factor`](Self::factor) into lines of this length, from a column on. Only for trees
    /// that are not deep.
    pub(crate) fn write_mass_matrix(&self, lines: &mut [f64], stride: usize, first: usize) {
        self.workspace.write_assembled(lines, stride, first);
        let diagonal = lines.iter_mut().skip(first).step_by(stride + 1);
        for (entry, added) in diagonal.zip(&self.added) {
            *entry += added;
        }
    }

    /// Returns the effort of a motor without its limit, for a velocity at the end.
    #[inline(always)]
    pub(crate) fn effort(&self, index: usize, variable: &Variable, speed: f64) -> f64 {
        let (motor, gain) = (&self.motors[index], &self.gains[index]);
        let position = gain.position + gain.ahead * speed;
        let pull =
            gain.stiffness * (motor.position - position) + gain.damping * (motor.speed - speed);
        if motor.compensates {
            return pull + motor.effort + self.weights[variable.speed];
        }
        pull + motor.effort
    }

    /// Computes the velocities at the end of the step without limits and dry friction.
    pub(crate) fn free_velocities(&mut self, tree: &Tree, state: &State, dt: f64) {
        if !mem::take(&mut self.has_accelerations) {
            self.find_free_efforts(tree, state);
            self.workspace.solve(tree, &mut self.velocities);
        }
        for (speed, before) in self.velocities.iter_mut().zip(&state.velocities) {
            *speed = before + *speed * dt;
        }
    }

    /// Writes the efforts without limits and dry friction to `velocities`.
    fn find_free_efforts(&mut self, tree: &Tree, state: &State) {
        for (speed, bias) in self.velocities.iter_mut().zip(&self.bias) {
            *speed = -bias;
        }
        for (index, variable) in tree.variables().iter().enumerate() {
            let speed = state.velocities[variable.speed];
            let given =
                self.saturated[index].unwrap_or_else(|| self.effort(index, variable, speed));
            self.velocities[variable.speed] += given - self.joint_dynamics[index].damping * speed;
        }
    }

    /// Collects the constraints of joints with dry friction, and of those that would pass a limit in this step.
    pub(crate) fn constraints(&mut self, tree: &Tree, state: &State, dt: f64) {
        self.rows.clear();
        for (index, variable) in tree.variables().iter().enumerate() {
            let resistance = &self.joint_dynamics[index];
            let position = state.positions[variable.position];
            let mut row = JointRow {
                speed: variable.speed,
                variable: index,
                target: 0.0,
                bounds: [-resistance.friction * dt, resistance.friction * dt],
                impulse: 0.0,
                is_limit: false,
            };
            if let Some(rate) = self.rolling[index] {
                let bounds = [f64::NEG_INFINITY, f64::INFINITY];
                self.rows.push(JointRow {
                    target: rate,
                    bounds,
                    ..row
                });
            } else if resistance.friction > 0.0 {
                self.rows.push(row);
            }
            row.is_limit = true;
            let speed = self.velocities[variable.speed];
            let distances = resistance.limits.map(|limit| limit - position);
            // Most joints are far from their limits, and division is slow.
            if distances[0] < -FAR && distances[1] > FAR && speed.abs() * dt < 1.0 {
                continue;
            }
            let [lower, upper] = distances.map(|distance| distance / dt);
            // The velocity towards a limit reaches it at the end of the step; from beyond it, a fraction is corrected.
            let correction =
                |error: f64, is_beyond: bool| if is_beyond { error * BAUMGARTE } else { error };
            let ahead = 1.0 / dt;
            if lower > -ahead || speed < lower {
                (row.target, row.bounds) = (correction(lower, lower > 0.0), [0.0, f64::INFINITY]);
                self.rows.push(row);
            }
            if upper < ahead || speed > upper {
                (row.target, row.bounds) =
                    (correction(upper, upper < 0.0), [f64::NEG_INFINITY, 0.0]);
                self.rows.push(row);
            }
        }
    }

    /// Computes the efforts of the motors for the final velocities.
    pub(crate) fn store_efforts(&mut self, tree: &Tree) {
        for (index, variable) in tree.variables().iter().enumerate() {
            let most = self.motors[index].max_effort;
            let wanted = self.effort(index, variable, self.velocities[variable.speed]);
            let given = self.saturated[index].unwrap_or(wanted);
            self.efforts[index] = given.clamp(-most, most);
        }
    }
}

#[cfg(test)]
mod tests;
