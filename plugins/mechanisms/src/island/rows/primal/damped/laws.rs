//! Impulses of rows in a round, as functions of their velocities.
use super::{
    super::super::sliding::{is_within, length},
    RowState,
};

/// Returns the impulses of a contact after a fraction of the step.
#[inline(always)]
pub(super) fn contact_impulses(states: &[RowState; 3], limit: f64, fraction: f64) -> [f64; 3] {
    let [normal, across @ ..] = states;
    let mut laws = states.map(|state| state.impulse);
    laws[0] = row_impulse(normal, [0.0, f64::INFINITY], fraction);
    if across[0].compliance <= 0.0 {
        return laws;
    }
    if limit <= 0.0 {
        [laws[1], laws[2]] = [0.0; 2];
    } else {
        let wanted = [0, 1].map(|tangent| across[tangent].wanted(fraction));
        if is_within(wanted, limit) {
            [laws[1], laws[2]] = wanted;
        } else {
            let kept = limit / length(wanted);
            [laws[1], laws[2]] = wanted.map(|wanted| kept * wanted);
        }
    }
    laws
}

/// Returns the impulses of a contact, and their decrease per change of the rows' velocities.
#[inline(always)]
pub(super) fn contact_law(states: &[RowState; 3], limit: f64) -> ([f64; 3], [[f64; 3]; 3]) {
    let [normal, across @ ..] = states;
    let mut laws = states.map(|state| state.impulse);
    let mut gain = [[0.0; 3]; 3];
    (laws[0], gain[0][0]) = row_law(normal, [0.0, f64::INFINITY]);
    if across[0].compliance <= 0.0 {
        return (laws, gain);
    }
    let wanted = [0, 1].map(|tangent| across[tangent].wanted(0.0));
    if is_within(wanted, limit) {
        [laws[1], laws[2]] = wanted;
        (gain[1][1], gain[2][2]) = (1.0 / across[0].compliance, 1.0 / across[0].compliance);
    } else if limit <= 0.0 {
        [laws[1], laws[2]] = [0.0; 2];
    } else {
        let whole = length(wanted);
        let kept = limit / whole;
        let along = wanted.map(|wanted| wanted / whole);
        let stiffness = kept / across[0].compliance;
        for one in 0..2 {
            laws[one + 1] = kept * wanted[one];
            for other in 0..2 {
                let same = f64::from(one == other);
                gain[one + 1][other + 1] = stiffness * (same - along[one] * along[other]);
            }
        }
    }
    (laws, gain)
}

/// Returns the impulse of a row after a fraction of the step.
#[inline(always)]
pub(super) fn row_impulse(state: &RowState, [low, high]: [f64; 2], fraction: f64) -> f64 {
    if state.compliance <= 0.0 {
        state.impulse
    } else {
        state.unbounded(fraction).clamp(low, high)
    }
}

/// Returns the impulse of a row, and its decrease per change of the velocity.
#[inline(always)]
pub(super) fn row_law(state: &RowState, bounds: [f64; 2]) -> (f64, f64) {
    let law = row_impulse(state, bounds, 0.0);
    if state.compliance > 0.0 && bounds[0] < law && law < bounds[1] {
        (law, 1.0 / state.compliance)
    } else {
        (law, 0.0)
    }
}
