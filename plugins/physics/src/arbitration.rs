//! Arbitration: which of several actuators sets the velocity or the pose of a robot.

use bevy::prelude::*;
use morse_api::{
    arbitration::{Contender, Created, Rank},
    component::ComponentPath,
    motion::MotionMode,
    warning::Warnings,
};

/// Claim of an actuator to drive a body.
pub(super) struct Claim<D> {
    rank: Rank,
    has_contenders: bool,
    /// True if it received a command in this tick.
    is_new: bool,
    actuator: Entity,
    /// Drive; `None` in ticks in which the actuator does not act.
    drive: Option<D>,
}

/// Claims to all bodies, by index, for one tick. The memory is reused.
pub(super) struct Claims<D> {
    best: Vec<Option<Claim<D>>>,
    /// True for bodies with an actuator that ever received a command: actuators that never did have no claim there.
    commanded: Vec<bool>,
    /// Pairs of actuators that received commands in one tick: the one that drives, and the other one.
    clashes: Vec<[Entity; 2]>,
}

impl<D> Default for Claims<D> {
    fn default() -> Self {
        Self {
            best: Vec::new(),
            commanded: Vec::new(),
            clashes: Vec::new(),
        }
    }
}

impl<D> Claims<D> {
    /// Removes all claims, and sets the number of bodies; none without claimants.
    pub(super) fn clear(&mut self, claimants: &[Entity], bodies: usize) {
        let bodies = if claimants.is_empty() { 0 } else { bodies };
        self.best.clear();
        self.best.resize_with(bodies, || None);
        self.commanded.clear();
        self.commanded.resize(bodies, false);
        self.clashes.clear();
    }

    /// Records the commands of an actuator, active or not. Returns true if it received one in this tick.
    pub(super) fn note(
        &mut self,
        body: usize,
        contender: Option<Mut<'_, Contender>>,
        tick: u64,
    ) -> bool {
        let Some(mut contender) = contender else {
            return false;
        };
        let is_new = contender.is_new;
        if is_new {
            *contender = Contender {
                is_new: false,
                since: tick,
            };
        }
        if contender.since > 0
            && let Some(is_commanded) = self.commanded.get_mut(body)
        {
            *is_commanded = true;
        }
        is_new
    }

    /// Adds the claim of an actuator to a body.
    pub(super) fn add(&mut self, body: usize, claim: Claim<D>) {
        let Some(slot) = self.best.get_mut(body) else {
            return;
        };
        let Some(best) = slot else {
            *slot = Some(claim);
            return;
        };
        let wins = claim.rank >= best.rank;
        if claim.is_new && best.is_new {
            let [one, other] = [claim.actuator, best.actuator];
            self.clashes
                .push(if wins { [one, other] } else { [other, one] });
        }
        if wins {
            *best = claim;
        }
    }

    /// Adds warnings about actuators that received commands in one tick.
    pub(super) fn warn(&self, warnings: &mut Warnings, path: impl Fn(Entity) -> ComponentPath) {
        for &[winner, loser] in &self.clashes {
            let text = format!(
                "it was commanded in the same tick as `{}`, which drives the robot",
                path(winner)
            );
            warnings.add(&path(loser), &text);
        }
    }

    /// Iterates over the winning drive of each body. In MORSE's motion actuators without any command hold the robot, as a
    /// teleport does from the start.
    pub(super) fn winners(&mut self, motion: MotionMode) -> impl Iterator<Item = (usize, D)> + '_ {
        let claims = self.best.iter_mut().zip(&self.commanded).enumerate();
        claims.filter_map(move |(body, (claim, is_commanded))| {
            let claim = claim.take()?;
            let is_first = motion.is_morse() && !is_commanded;
            let may = claim.rank.is_commanded() || !claim.has_contenders || is_first;
            Some((body, claim.drive.filter(|_| may)?))
        })
    }
}

impl<D> Claim<D> {
    /// Returns the claim of an actuator by its commands, or its age.
    pub(super) fn new(
        (actuator, contender, created): (Entity, Option<&Contender>, Option<Created>),
        (is_new, motion): (bool, MotionMode),
        drive: Option<D>,
    ) -> Self {
        Self {
            rank: Rank::of(contender, created, motion),
            has_contenders: contender.is_some(),
            is_new,
            actuator,
            drive,
        }
    }
}
