//! Law of the impulses of one contact, linearised.
use super::{
    super::{
        ContactData,
        row::{ConstraintRow, DIAGONAL_REGULARISATION},
        sliding::{Sliding, is_within},
    },
    factors::{act, product},
};

/// State of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It has no load.
    #[default]
    Apart,
    /// It has a load, and no friction.
    Smooth,
    /// It has a load and sticks.
    Sticks,
    /// It has a load and slides.
    Slides,
}

/// Law of the impulses of a contact: they change by `λ₀ − K·J·Δv`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    pub state: State,
    /// `λ₀`.
    given: [f64; 3],
    /// `K`: the diagonal alone unless the contact slides.
    gain: [[f64; 3]; 3],
}

impl Law {
    /// Linearises the law at the present impulses and velocities. Returns the greatest change of a row's velocity that it
    /// demands.
    #[inline(always)]
    pub(super) fn linearize<const S: usize>(
        &mut self,
        rows: &[ConstraintRow; 3],
        contact: &ContactData,
        jacobians: &[[f64; S]; 3],
        velocities: &[f64; S],
    ) -> f64 {
        let [normal, across @ ..] = rows;
        if normal.mass <= 0.0 {
            (self.state, self.given) = (State::Apart, [0.0; 3]);
            return 0.0;
        }
        let lacks = |row: &ConstraintRow, jacobian: &[f64; S]| {
            let speed = row.offset + product(jacobian, velocities);
            row.target - speed - row.compliance * row.impulse
        };
        let lacking = lacks(normal, &jacobians[0]);
        let wanted = normal.impulse + lacking * normal.mass;
        if wanted <= 0.0 {
            self.state = State::Apart;
            self.given = [0, 1, 2].map(|row| -rows[row].impulse);
            let changes = rows.iter().map(|row| (row.impulse / row.mass).abs());
            return changes.fold(0.0, f64::max);
        }
        (self.given[0], self.gain[0][0]) = linear(normal, lacking);
        // A contact that had no load gets a first guess of it.
        let load = if normal.impulse > 0.0 {
            normal.impulse
        } else {
            wanted
        };
        let most = contact.friction * load;
        if most <= 0.0 {
            self.state = State::Smooth;
            (self.given[1], self.given[2]) = (-across[0].impulse, -across[1].impulse);
            let changes = across.iter().map(|row| (row.impulse / row.mass).abs());
            return changes.fold(lacking.abs(), f64::max);
        }
        let lacks = [0, 1].map(|tangent| lacks(&across[tangent], &jacobians[tangent + 1]));
        let wanted =
            [0, 1].map(|tangent| across[tangent].impulse + lacks[tangent] * across[tangent].mass);
        if is_within(wanted, most) {
            self.state = State::Sticks;
            for tangent in 0..2 {
                (self.given[tangent + 1], self.gain[tangent + 1][tangent + 1]) =
                    linear(&across[tangent], lacks[tangent]);
            }
            return lacks[0].abs().max(lacks[1].abs()).max(lacking.abs());
        }
        let changes = self.slide(rows, contact.friction, wanted, load);
        changes.into_iter().fold(lacking.abs(), f64::max)
    }

    /// Linearises sliding friction, given the unbounded impulses of the tangents and the load. Returns the changes of the
    /// velocities along them that it demands.
    #[inline(always)]
    fn slide(
        &mut self,
        [normal, across @ ..]: &[ConstraintRow; 3],
        friction: f64,
        wanted: [f64; 2],
        load: f64,
    ) -> [f64; 2] {
        let masses = across.each_ref().map(|row| row.mass);
        let Some(sliding) = Sliding::new(wanted, masses, friction * load) else {
            return [0.0; 2];
        };
        let more = normal.impulse + self.given[0] - load;
        let across = across.each_ref();
        let lacks = [0, 1].map(|tangent| sliding.impulses[tangent] - across[tangent].impulse);
        if let Some(law) = sliding.law(across, friction, [more, self.gain[0][0]]) {
            self.state = State::Slides;
            (self.given[1], self.given[2]) = law.given.into();
            (self.gain[1], self.gain[2]) = law.gain.into();
        } else {
            self.state = State::Smooth;
            (self.given[1], self.given[2]) = lacks.into();
        }
        [0, 1].map(|tangent| (lacks[tangent] / masses[tangent]).abs())
    }

    /// Adds `Jᵀ·λ₀`.
    #[inline(always)]
    pub(super) fn add_given<const S: usize>(&self, jacobians: &[[f64; S]; 3], sum: &mut [f64; S]) {
        for (jacobian, given) in jacobians.iter().zip(self.given) {
            if given != 0.0 {
                act(jacobian, given, sum);
            }
        }
    }

    /// Adds `JᵀKJ`.
    #[inline(always)]
    pub(super) fn add_gain<const S: usize>(
        &self,
        jacobians: &[[f64; S]; 3],
        system: &mut [[f64; S]],
    ) {
        let rows = match self.state {
            State::Apart => 0,
            State::Smooth => 1,
            State::Sticks | State::Slides => 3,
        };
        for row in 0..rows {
            let gained = if row > 0 && self.state == State::Slides {
                let mut sum = [0.0; S];
                for (jacobian, gain) in jacobians.iter().zip(self.gain[row]) {
                    act(jacobian, gain, &mut sum);
                }
                sum
            } else {
                jacobians[row].map(|number| number * self.gain[row][row])
            };
            for (line, number) in system.iter_mut().zip(&jacobians[row]) {
                if *number != 0.0 {
                    act(&gained, *number, line);
                }
            }
        }
    }

    /// Changes the impulses of the rows after a change of the velocities, which follow.
    #[inline(always)]
    pub(super) fn apply<const S: usize>(
        &self,
        rows: &mut [ConstraintRow; 3],
        [jacobians, responses]: [&[[f64; S]; 3]; 2],
        changes: &[f64; S],
        velocities: &mut [f64; S],
    ) {
        let mut more = self.given;
        let change = |row: usize| product(&jacobians[row], changes);
        match self.state {
            State::Apart => {}
            State::Smooth => more[0] -= self.gain[0][0] * change(0),
            State::Sticks => {
                for (row, more) in more.iter_mut().enumerate() {
                    *more -= self.gain[row][row] * change(row);
                }
            }
            State::Slides => {
                let along = [0, 1, 2].map(change);
                more[0] -= self.gain[0][0] * along[0];
                for (more, gain) in more[1..].iter_mut().zip(&self.gain[1..]) {
                    *more -= gain[0] * along[0] + gain[1] * along[1] + gain[2] * along[2];
                }
            }
        }
        for ((row, response), more) in rows.iter_mut().zip(responses).zip(more) {
            if more != 0.0 {
                row.impulse += more;
                act(response, more, velocities);
            }
        }
    }
}

/// Returns the change of a row's impulse without a change of velocity, and its decrease per change of velocity, given the
/// velocity that it lacks.
#[inline(always)]
fn linear(row: &ConstraintRow, lacks: f64) -> (f64, f64) {
    let compliance = row.compliance + DIAGONAL_REGULARISATION / row.mass;
    (lacks / compliance, 1.0 / compliance)
}
