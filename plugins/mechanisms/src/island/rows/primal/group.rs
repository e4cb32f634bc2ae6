//! Groups of rows with a law of their impulses.
use super::super::{
    ContactData,
    row::{ConstraintRow, DIAGONAL_REGULARISATION, dot},
    sliding::Sliding,
};

/// Active rows of a contact, or one row, with the law of their impulses.
#[derive(Clone, Copy, Debug)]
pub(in crate::island::rows) struct Group {
    pub(super) first: usize,
    pub(super) count: usize,
    /// Change of the impulses without a change of velocity, `λ₀`.
    pub(super) given: [f64; 3],
    /// `K`: decrease of the impulses per change of the rows' velocities.
    pub(in crate::island::rows) gain: [[f64; 3]; 3],
}

impl Group {
    /// Returns the changes of the impulses for changes of the rows' velocities.
    #[inline(always)]
    pub(super) fn more(&self, changes: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|row| self.given[row] - dot(&self.gain[row], changes))
    }

    /// Returns true if each impulse follows from the velocity of its own row: the contact does not slide.
    #[inline(always)]
    pub(super) fn is_diagonal(&self) -> bool {
        let [[_, a, b], [c, _, d], [e, f, _]] = self.gain;
        [a, b, c, d, e, f].iter().all(|gain| *gain == 0.0)
    }

    #[inline(always)]
    pub(super) fn of_row(
        row_index: usize,
        row: &ConstraintRow,
        jacobians: &[f64],
        velocities: &[f64],
    ) -> Self {
        Self::of_normal(row_index, row, row.lack(jacobians, velocities))
    }

    /// Linearises a row that lacks this velocity.
    #[inline(always)]
    fn of_normal(row_index: usize, row: &ConstraintRow, lack: f64) -> Self {
        let (given, gain) = linear(row, lack);
        let mut group = Self {
            first: row_index,
            count: 1,
            given: [0.0; 3],
            gain: [[0.0; 3]; 3],
        };
        (group.given[0], group.gain[0][0]) = (given, gain);
        group
    }

    /// Linearises a contact whose normal is active: its friction sticks or slides.
    #[inline(always)]
    pub(super) fn of_contact(
        first: usize,
        rows: [&ConstraintRow; 3],
        contact: &ContactData,
        jacobians: &[f64],
        velocities: &[f64],
    ) -> Self {
        let [normal, across @ ..] = rows;
        // Not by `map`, which is a call.
        let lack = normal.lack(jacobians, velocities);
        let lacks = [
            across[0].lack(jacobians, velocities),
            across[1].lack(jacobians, velocities),
        ];
        let mut group = Self::of_normal(first, normal, lack);
        let most = contact.friction * normal.impulse;
        if most <= 0.0 || across.iter().any(|row| row.mass <= 0.0) {
            return group;
        }
        group.count = 3;
        let wanted = [0, 1].map(|tangent| across[tangent].impulse_for(lacks[tangent]));
        let Some(sliding) = Sliding::new(wanted, across.map(|row| row.mass), most) else {
            for (tangent, (row, lack)) in across.iter().zip(lacks).enumerate() {
                (
                    group.given[tangent + 1],
                    group.gain[tangent + 1][tangent + 1],
                ) = linear(row, lack);
            }
            return group;
        };
        let normal = [group.given[0], group.gain[0][0]];
        let Some(law) = sliding.law(across, contact.friction, normal) else {
            group.count = 1;
            return group;
        };
        for tangent in 0..2 {
            group.given[tangent + 1] = law.given[tangent];
            group.gain[tangent + 1] = law.gain[tangent];
        }
        group
    }
}

/// Returns the change of a row's impulse without a change of velocity, and its decrease per change of velocity, given the
/// velocity that it lacks.
#[inline(always)]
fn linear(row: &ConstraintRow, lack: f64) -> (f64, f64) {
    let compliance = row.compliance + DIAGONAL_REGULARISATION / row.mass;
    (lack / compliance, 1.0 / compliance)
}
