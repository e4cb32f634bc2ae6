//! Motors of trees, and the motion of their joints.
use morse_mechanisms::step::Motor;

use super::Trees;

/// Motion of a variable of a tree.
pub(crate) struct Does {
    /// Position, rad or m.
    pub position: f64,
    /// Velocity, rad/s or m/s.
    pub velocity: f64,
    /// Effort of its motor, N·m or N; `None` while it sleeps.
    pub effort: Option<f64>,
}

impl Trees {
    /// Sets the motor of a variable's joints; a changed motor wakes their tree.
    pub(crate) fn equip(&mut self, variable: usize, motor: &Motor) {
        let Some((tree, variable_index)) = self.of_variable.get(variable).copied().flatten() else {
            return;
        };
        let known = &mut self.state.trees[tree].motors[variable_index];
        if known != motor {
            *known = *motor;
            self.wake_requests[tree] = true;
        }
    }

    /// Sets the end of the next step, as a fraction of the tick, and the length of the tick, s.
    pub(crate) const fn lead_to(&mut self, share: f64, tick: f64) {
        self.lead = [share, tick];
    }

    /// Writes the motors of a tree to its integrator, with target positions at the end of the step. Their velocity changes
    /// linearly, and its mean is that of the tick.
    pub(super) fn lead_motors(&mut self, index: usize) {
        let [share, tick] = self.lead;
        let commanded = &self.state.trees[index].motors;
        for (motor, commanded) in self.integrators[index].motors.iter_mut().zip(commanded) {
            *motor = *commanded;
            let [speed, change] = commanded.ramp;
            if commanded.ramp != [0.0; 2] {
                let left = speed * (1.0 - share) + change * (share - share * share) / 2.0;
                motor.position = commanded.position - left * tick;
                motor.speed = speed + change * (share - 0.5);
                motor.acceleration = change / tick;
            }
        }
    }

    /// Returns the motion of a variable; `None` if it belongs to no tree.
    pub(crate) fn does(&self, variable: usize) -> Option<Does> {
        let (tree, variable_index) = self.of_variable.get(variable).copied().flatten()?;
        let known = self.rows[tree].tree.variables()[variable_index];
        let motion = &self.state.trees[tree].motion;
        Some(Does {
            position: motion.positions[known.position],
            velocity: motion.velocities[known.speed],
            effort: self.awake[tree].then(|| self.integrators[tree].efforts[variable_index]),
        })
    }
}
