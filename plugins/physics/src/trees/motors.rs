//! Motors of trees, and the motion of their joints.
use morse_mechanisms::step::Motor;

use super::Trees;

/// Motion of a variable of a tree.
pub(crate) struct Does {
    /// rad or m.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// Of its motor, N·m or N; none if it rests.
    pub effort: Option<f64>,
}

impl Trees {
    /// Gives the joints of a variable a motor; another one than before wakes their tree.
    pub(crate) fn equip(&mut self, variable: usize, motor: &Motor) {
        let Some((tree, place)) = self.of_variable.get(variable).copied().flatten() else {
            return;
        };
        let known = &mut self.state.trees[tree].motors[place];
        if known != motor {
            *known = *motor;
            self.integrators[tree].motors[place] = *motor;
            self.stirred[tree] = true;
        }
    }

    /// Moves set points to where they are after a share of the tick, of `dt` seconds. Their speed changes evenly, and is on
    /// average that of the tick.
    pub(crate) fn lead_motors(&mut self, share: f64, dt: f64) {
        for (integrator, tree) in self.integrators.iter_mut().zip(&self.state.trees) {
            for (motor, told) in integrator.motors.iter_mut().zip(&tree.motors) {
                let [speed, change] = told.ramp;
                if told.ramp != [0.0; 2] {
                    let left = speed * (1.0 - share) + change * (share - share * share) / 2.0;
                    motor.position = told.position - left * dt;
                    motor.speed = speed + change * (share - 0.5);
                    motor.acceleration = change / dt;
                }
            }
        }
    }

    /// Motion of a variable; none if no tree has it.
    pub(crate) fn does(&self, variable: usize) -> Option<Does> {
        let (tree, place) = self.of_variable.get(variable).copied().flatten()?;
        let known = self.rows[tree].tree.variables()[place];
        let motion = &self.state.trees[tree].motion;
        Some(Does {
            position: motion.positions[known.position],
            velocity: motion.velocities[known.speed],
            effort: self.awake[tree].then(|| self.integrators[tree].efforts[place]),
        })
    }
}
