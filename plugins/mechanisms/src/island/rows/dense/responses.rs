//! Responses of rows with an entry for each velocity.
use super::factors::act;
use crate::{
    factor::MassMatrix,
    island::{FreeBody, Member},
};

/// Inverse mass matrix of all members and free bodies, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct InverseMass {
    rows: Vec<f64>,
}

impl InverseMass {
    /// Computes the inverse from the factors of the members and the inverse masses of the bodies.
    #[inline(always)]
    pub(super) fn compute<const S: usize>(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.rows.clear();
        let mut first = 0;
        for member in members {
            let matrix = &member.integrator.workspace.matrix;
            self.rows.resize((first + matrix.order()) * S, 0.0);
            invert(
                matrix,
                &mut self.rows.as_chunks_mut::<S>().0[first..],
                first,
            );
            first += matrix.order();
        }
        for body in bodies {
            self.rows.resize((first + 6) * S, 0.0);
            let rows = &mut self.rows.as_chunks_mut::<S>().0[first..];
            for axis in 0..3 {
                rows[axis][first + axis] = body.inverse_mass[axis];
                for column in 0..3 {
                    rows[3 + axis][first + 3 + column] = body.inverse_inertia[(axis, column)];
                }
            }
            first += 6;
        }
    }

    /// Returns the product of the inverse with a row of `J`.
    #[inline(always)]
    pub(super) fn response<const S: usize>(&self, jacobian: &[f64; S]) -> [f64; S] {
        let mut response = [0.0; S];
        for (number, row) in jacobian.iter().zip(self.rows.as_chunks::<S>().0) {
            if *number != 0.0 {
                act(row, *number, &mut response);
            }
        }
        response
    }
}

/// Writes the inverse of a factored matrix into lines of zeros, from a column on: all columns at once.
#[inline(always)]
fn invert<const S: usize>(matrix: &MassMatrix, lines: &mut [[f64; S]], first: usize) {
    for (row, line) in lines.iter_mut().enumerate() {
        line[first + row] = 1.0;
    }
    for row in (0..lines.len()).rev() {
        let (above, own) = lines.split_at_mut(row);
        for (line, factor) in above.iter_mut().zip(matrix.factors_of(row)) {
            if *factor != 0.0 {
                act(&own[0], -factor, line);
            }
        }
    }
    for row in 0..lines.len() {
        let (above, own) = lines.split_at_mut(row);
        let own = &mut own[0];
        let factors = matrix.factors_of(row);
        let inverse = 1.0 / factors[row];
        own.iter_mut().for_each(|number| *number *= inverse);
        for (line, factor) in above.iter().zip(factors) {
            if *factor != 0.0 {
                act(line, -factor, own);
            }
        }
    }
}
