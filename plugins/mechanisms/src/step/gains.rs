//! Gains of the motors in one step, and the positions that they see.
use super::Integrator;
use crate::{factor::index_of_diagonal, state::State, tree::Tree};

/// Gains of a motor in one step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gain {
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// Weight (s) of the velocity at the end of the step in the position that the motor sees.
    pub(super) ahead: f64,
    /// Remainder of that position, rad or m.
    pub(super) position: f64,
    /// Weight (s) of the change of velocity in the displacement of the joint, besides half the step: a joint on a stiff
    /// spring moves with the weights with which the spring sees it, otherwise the spring would gain energy. All other joints
    /// move with the mean velocity, as bodies that they hold do.
    pub(super) beyond: f64,
    /// True if the motor controls the joint: it corrects an error of the forces.
    controls: bool,
}

/// Minimum stiffness divided by inertia (10 rad/s), 1/s², and minimum of the squared damping divided by both (damping ratio
/// 0.1) of a motor that controls its joint.
const MIN_CONTROL: [f64; 2] = [100.0, 0.04];

/// Returns θ, the weight of the position after the step, given the stiffness of spring and damper relative to the step. It is
/// 1/2 for oscillations of more than six steps a period, which keep their energy, and approaches 1 for those that cannot be
/// resolved, which are damped.
fn end_weight(rate: f64) -> f64 {
    let unresolved = if rate > 1.0 {
        1.0 - 1.0 / (rate * rate)
    } else {
        0.0
    };
    (1.0 + unresolved) / 2.0
}

impl Integrator {
    /// Computes the gains of the motors, and the positions that they see. A spring acts on the mean of its positions before
    /// and after the step with the weights 1 − θ and θ (θ-method), where the joint moves by `dt·((1 − θ)·v + θ·v_end)`. A
    /// stiff motor acts on the position after it. The lower triangle of the mass matrix is `matrix`, or that of the workspace.
    pub(super) fn find_gains(
        &mut self,
        tree: &Tree,
        state: &State,
        matrix: Option<&[f64]>,
        dt: f64,
    ) {
        let [least, ratio] = MIN_CONTROL;
        for (index, variable) in tree.variables().iter().enumerate() {
            let (motor, resistance) = (&self.motors[index], &self.joint_dynamics[index]);
            let own_inertia = match matrix {
                Some(matrix) => matrix[index_of_diagonal(variable.speed)],
                None => self.workspace.joint_inertia(variable.speed),
            };
            let inertia = own_inertia + resistance.armature;
            let [stiffness, damping] = motor.gains(inertia, dt);
            // Stiffness of spring and damper relative to the step.
            let own = || {
                let damper = (damping + resistance.damping) * dt;
                (stiffness * dt * dt + damper) / inertia
            };
            let rate = motor.stiff.map_or_else(own, |rate| rate * dt);
            let share = end_weight(if rate.is_finite() { rate } else { 0.0 });
            let later = share * dt - dt / 2.0;
            let speed = state.velocities[variable.speed];
            let before = state.positions[variable.position];
            let gain = Gain {
                stiffness,
                damping,
                controls: motor.stiff.is_some()
                    || stiffness > least * inertia
                        && damping * damping > ratio * stiffness * inertia,
                ..Gain::default()
            };
            self.gains[index] = if motor.stiff.is_some() {
                // The motor sees the joint at another position; the target is shifted by as much.
                let shift = later * dt * motor.acceleration;
                Gain {
                    ahead: share * dt,
                    position: self.middle.positions[variable.position] - later * speed - shift,
                    ..gain
                }
            } else {
                Gain {
                    ahead: share * share * dt,
                    position: before + share * (1.0 - share) * dt * speed,
                    beyond: if stiffness > 0.0 { later } else { 0.0 },
                    ..gain
                }
            };
        }
    }

    /// Returns true if motors below their maximum efforts control all joints.
    pub(crate) fn is_controlled(&self, tree: &Tree) -> bool {
        let mut gains = self.gains.iter().zip(&self.saturated);
        self.gains.len() == tree.velocity_count()
            && gains.all(|(gain, saturated)| gain.controls && saturated.is_none())
    }
}
