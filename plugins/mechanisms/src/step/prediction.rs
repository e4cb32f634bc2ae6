//! Prediction of the middle of a step: poses, and mean velocities.
use super::Integrator;
use crate::{state::State, tree::Tree, workspace::Base};

/// Relative difference of the accelerations of two steps above which they are not extrapolated.
const SMOOTH: f64 = 0.25;

impl Integrator {
    /// Computes the poses after a time (s) at constant velocities, and the expected mean velocities of a step of twice that
    /// time, which begins with it.
    pub fn predict(&mut self, tree: &Tree, base: &Base, state: &State, time: f64) {
        self.middle.positions.clone_from(&state.positions);
        tree.integrate(&mut self.middle.positions, &state.velocities, time);
        self.predict_means(state);
        self.workspace.forward_kinematics(tree, base, &self.middle);
    }

    /// Predicts the mean velocities of a step: the accelerations of the last two steps are extrapolated, unless they differ
    /// much, as after an impact.
    pub(super) fn predict_means(&mut self, state: &State) {
        self.begun.clone_from(&state.velocities);
        let [last, before] = &state.changes;
        let changes = last.iter().zip(before);
        let [most, jump] = changes
            .clone()
            .fold([0.0_f64; 2], |[most, jump], (last, before)| {
                [most.max(last.abs()), jump.max((last - before).abs())]
            });
        let is_smooth = jump <= most * SMOOTH;
        let changes = changes.map(|(last, before)| match is_smooth {
            true => 2.0 * last - before,
            false => 0.0,
        });
        let means = self.middle.velocities.iter_mut().zip(&state.velocities);
        for ((mean, speed), change) in means.zip(changes) {
            *mean = speed + change / 2.0;
        }
    }

    /// Returns the largest difference of a mean velocity from the predicted one, given the velocities before and after the
    /// step.
    pub(crate) fn misprediction(&self, before: &[f64], after: &[f64]) -> f64 {
        let means = before.iter().zip(after).map(|(one, two)| (one + two) / 2.0);
        let pairs = means.zip(&self.middle.velocities);
        pairs.fold(0.0, |most, (mean, known)| most.max((mean - known).abs()))
    }
}
