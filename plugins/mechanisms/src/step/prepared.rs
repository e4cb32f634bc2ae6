//! Steps whose terms a [`LaneWorkspace`](crate::lanes::LaneWorkspace) computes for several trees at the same time.
use super::Integrator;
use crate::{state::State, tree::Tree};

impl Integrator {
    /// Returns true if a step from a state can use terms that were computed by a
    /// [`LaneWorkspace`](crate::lanes::LaneWorkspace) at the last [`predict_positions`](Self::predict_positions).
    #[must_use]
    pub fn accepts_terms(&self, tree: &Tree, state: &State) -> bool {
        let is_compensating = self.motors.iter().any(|motor| motor.compensates);
        !tree.is_deep() && !is_compensating && self.middle.velocities == state.velocities
    }

    /// Returns the positions and velocities of the last prediction.
    pub(crate) const fn prediction(&self) -> &State {
        &self.middle
    }

    /// Computes the gains of a step of `dt` seconds, given the lower triangle of the mass matrix, row by row, and the efforts of
    /// gravity and velocities, at the prediction. Returns the terms on the diagonal of the mass matrix, and the efforts of the
    /// motors and dampers without these.
    pub(crate) fn prepare(
        &mut self,
        tree: &Tree,
        state: &State,
        (matrix, bias): (&[f64], &[f64]),
        dt: f64,
    ) -> [&[f64]; 2] {
        self.bias.copy_from_slice(bias);
        self.find_gains(tree, state, Some(matrix), dt);
        self.add_motors(tree, dt);
        self.find_free_efforts(tree, state);
        [&self.added, &self.velocities]
    }

    /// Sets the terms of the step that was [prepared](Self::prepare): the lower triangle of the mass matrix, row by row, and of its
    /// factors, and the accelerations without constraints.
    pub(crate) fn set_terms(
        &mut self,
        matrix: &Vec<f64>,
        factors: &Vec<f64>,
        accelerations: &[f64],
        dt: f64,
    ) {
        self.workspace.assembled.clone_from(matrix);
        self.workspace.matrix.set_factors(factors);
        self.velocities.copy_from_slice(accelerations);
        self.has_terms = true;
        self.solved_step = Some(dt);
    }
}
