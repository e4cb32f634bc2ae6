//! The impulses that keep all conditions.
use super::{
    Rows, Touch,
    row::{Row, rub},
};

/// Sweeps over all conditions at most, and the change of speed below which they are kept, rad/s or m/s.
const SWEEPS: usize = 100;
const KEPT: f64 = 1e-10;

/// Sweeps after which all that no bound holds is solved at once for the first time; then twice as many, and so on.
const FIRST_GUESS: usize = 1;

/// Part of the softness of a row that is left to it when bodies are no more moved apart.
const RELAXED: f64 = 0.1;

/// Number of times that is taken back at most, and the speed below which it is, rad/s or m/s.
const RELAXATIONS: usize = 6;
const TAKEN_BACK: f64 = 1e-13;

impl Rows {
    /// Lets the impulses act that there are.
    pub(in crate::island) fn begin(&self, speeds: &mut [f64]) {
        for row in self.rows.iter().filter(|row| row.mass > 0.0) {
            row.act(&self.responses, row.impulse, speeds);
        }
    }

    /// Sweeps over all rows until they hold. Returns how often.
    pub(in crate::island) fn sweep(&mut self, speeds: &mut [f64]) -> usize {
        let Self {
            rows,
            jacobians,
            responses,
            contacts,
            direct,
            ..
        } = self;
        let numbers = [&jacobians[..], &responses[..]];
        let mut next = FIRST_GUESS;
        let mut at = 0;
        'sweeps: while at < SWEEPS {
            at += 1;
            let mut change = sweep(rows, contacts, numbers, speeds);
            if change < KEPT {
                break;
            }
            if at < next {
                continue;
            }
            while direct.guess(rows, contacts, numbers, speeds) {
                at += 1;
                let after = sweep(rows, contacts, numbers, speeds);
                if after < KEPT {
                    break 'sweeps;
                }
                if after >= change {
                    direct.take_back(rows, speeds);
                    break;
                }
                change = after;
            }
            next = 2 * at;
        }
        at
    }

    /// Finds the impulses for the speeds that are kept.
    pub(in crate::island) fn relax(&mut self, speeds: &mut [f64]) {
        for row in &mut self.rows {
            row.stiffen(RELAXED);
        }
        self.relax_further(speeds);
    }

    /// Finds the impulses of contacts that bounce.
    pub(in crate::island) fn bounce(&mut self, speeds: &mut [f64]) {
        let mut bounces = false;
        for (rows, touch) in self.rows.chunks_exact_mut(3).zip(&self.contacts) {
            if touch.bounce > 0.0 && rows[0].impulse > 0.0 {
                rows[0].relaxed = touch.bounce;
                bounces = true;
            }
        }
        if bounces {
            self.relax_further(speeds);
        }
    }

    fn relax_further(&mut self, speeds: &mut [f64]) {
        // What there is presses no more, and what is added or taken gives way a little, so that loads stay shared in one way.
        // That is taken back again and again, until nothing gives way.
        let mut before = f64::INFINITY;
        for _ in 0..RELAXATIONS {
            let mut change: f64 = 0.0;
            for row in &mut self.rows {
                let target = row.relaxed + row.softness * row.impulse;
                change = change.max((target - row.target).abs());
                row.target = target;
            }
            // Where bodies slide on many points loads can go round: there is nothing to come to.
            if change < TAKEN_BACK || change > before / 2.0 {
                break;
            }
            before = change;
            self.sweep(speeds);
        }
    }
}

/// Keeps each row once. Returns the greatest change of a row's speed.
fn sweep(
    rows: &mut [Row],
    contacts: &[Touch],
    [jacobians, responses]: [&[f64]; 2],
    speeds: &mut [f64],
) -> f64 {
    let (touching, others) = rows.split_at_mut(3 * contacts.len());
    let mut change: f64 = 0.0;
    for (rows, touch) in touching.chunks_exact_mut(3).zip(contacts) {
        let [normal, across @ ..] = rows else {
            continue;
        };
        change = change.max(normal.keep(jacobians, responses, speeds));
        let most = touch.friction * normal.impulse;
        change = change.max(rub(across, most, jacobians, responses, speeds));
    }
    for row in others {
        change = change.max(row.keep(jacobians, responses, speeds));
    }
    change
}
