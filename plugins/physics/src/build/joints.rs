//! The joints of a scene, and the gains of their motors.
use morse_scene::assembly::{JointMode, VariableLayout};

use super::Builder;
use crate::{engine::VariableRow, motor::MotorSettings};

/// Natural frequency with which a joint carries its maximum load, Hz, for motors with a damping and without a stiffness.
const MOTOR_FREQUENCY: f64 = 25.0;

impl Builder<'_> {
    pub(super) fn joints(&mut self) {
        let carried = self.carried();
        let variables = self.layout.variables.iter().zip(&self.entities.variables);
        for (index, (variable, &entity)) in variables.enumerate() {
            let [.., armature] = self.layout.resistance(index);
            let inertia = self.inertia(variable, &carried) + armature;
            if variable.settings.mode != JointMode::Dynamic {
                self.tables.kinematic.push(index);
            }
            self.tables.variables.push(VariableRow {
                entity,
                layout: variable.clone(),
            });
            let motor = MotorSettings::new(variable, gains(variable, inertia), inertia);
            self.tables.motors.push(motor);
        }
    }

    /// Returns the maximum load of a variable, kg·m² or kg.
    fn inertia(&self, variable: &VariableLayout, carried: &[f64]) -> f64 {
        let inertia = |child: &usize| {
            let attachment = self.layout.bodies.get(*child)?.attachment.as_ref()?;
            Some(carried.get(*child)? * attachment.travel * attachment.travel)
        };
        variable.bodies.iter().filter_map(inertia).sum()
    }
}

/// Returns stiffness and damping of a variable's motor, if one of them is given.
fn gains(variable: &VariableLayout, inertia: f64) -> Option<[f64; 2]> {
    let settings = &variable.settings;
    if settings.stiffness.is_none() && settings.damping.is_none() {
        return None;
    }
    let rate = std::f64::consts::TAU * MOTOR_FREQUENCY;
    let stiffness = settings.stiffness.unwrap_or(inertia * rate * rate);
    let critical = 2.0 * libm::sqrt(stiffness * inertia);
    Some([stiffness, settings.damping.unwrap_or(critical)])
}
