//! Inverse kinematics: the arm's tips follow targets.
use morse_api::{joint::rotation_about, prelude::*, service::Status};
use morse_kinematics::{
    Chain, Goal, approach,
    inverse::{error, rotation_vector},
};
use nalgebra::UnitVector3;
use serde_json::Value as Json;

use super::{Arm, Armature, Convention, motion::Ended};

/// Iterations of the solver per tick.
const ITERATIONS: usize = 10;

/// Iterations of the solver per tick if the joints are to follow at once.
const EAGER_ITERATIONS: usize = 200;

/// Displacement per tick below which a joint is at rest, rad or m.
const REST: f64 = 1e-6;

/// Ticks at rest after which an arm has reached a local minimum.
const RESTING: u32 = 5;

/// Maximum ratio of the remaining error of another posture to the current one, for which the arm moves there.
const WORTH: f64 = 0.9;

/// Targets of an armature, and the state of the search for them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Reach {
    /// Targets, one per tip.
    targets: Vec<Option<Target>>,
    /// Posture to move to first, since the error has a local minimum; empty if there is none.
    detour: Vec<f64>,
    /// True if other postures have been searched.
    has_searched: bool,
    /// Number of ticks since the last motion of the joints.
    rest: u32,
}

/// Pose that a tip follows, in the world.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Target {
    /// Current pose.
    pub(super) now: Isometry3<f64>,
    /// Goal of the pose.
    pub(super) goal: Isometry3<f64>,
    /// True if its orientation counts.
    pub(super) turns: bool,
    /// Linear speed, m/s.
    pub(super) linear_speed: f64,
    /// Angular speed, rad/s.
    pub(super) radial_speed: f64,
}

/// Progress of a reach.
pub(super) enum Progress {
    /// The arm moves.
    Moving,
    /// The arm is within the tolerances.
    Arrived,
    /// The arm is at rest, as near as it can be, with the remaining distance (m) and angle (rad).
    Stuck([f64; 2]),
}

impl Progress {
    pub(super) fn ended(&self, is_there: bool) -> Option<Ended> {
        match self {
            Self::Arrived if is_there => Some((Status::Success, Json::Null)),
            Self::Stuck([distance, angle]) => {
                let why = format!(
                    "the target is out of reach: the arm is as near as it can be, {distance:.3} m and {angle:.3} rad away"
                );
                Some((Status::Failed, why.into()))
            }
            Self::Moving | Self::Arrived => None,
        }
    }
}

impl Target {
    fn advance(&mut self, dt: f64) {
        let displacement = self.goal.translation.vector - self.now.translation.vector;
        let step = self.linear_speed * dt;
        if displacement.norm() <= step {
            self.now.translation = self.goal.translation;
        } else {
            self.now.translation.vector += displacement * (step / displacement.norm());
        }
        let turn = rotation_vector(&(self.goal.rotation * self.now.rotation.inverse()));
        let step = self.radial_speed * dt;
        match UnitVector3::try_new_and_get(turn, step) {
            Some((axis, _)) => {
                self.now.rotation = rotation_about(&axis, step) * self.now.rotation;
                self.now.rotation.renormalize();
            }
            None => self.now.rotation = self.goal.rotation,
        }
    }
}

impl Reach {
    pub(super) fn of(chain: &Chain) -> Self {
        Self {
            targets: vec![None; chain.tips.len()],
            ..Self::default()
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }

    /// Returns the target of a tip, if it follows one.
    pub(super) fn target(&self, tip: usize) -> Option<Target> {
        self.targets.get(tip).copied().flatten()
    }

    pub(super) fn set(&mut self, tip: usize, target: Target) {
        if let Some(slot) = self.targets.get_mut(tip) {
            *slot = Some(target);
        }
        self.begin();
    }

    /// Resets the search after a change of the targets.
    fn begin(&mut self) {
        self.detour.clear();
        self.has_searched = false;
        self.rest = 0;
    }

    pub(super) fn clear(&mut self) {
        self.targets.fill(None);
        self.begin();
    }

    /// Stops the targets at their current poses.
    pub(super) fn stop(&mut self) {
        for target in self.targets.iter_mut().flatten() {
            target.goal = target.now;
        }
        self.begin();
    }

    /// Advances by one tick: moves the targets, and the joints after them.
    pub(super) fn advance(
        &mut self,
        values: &mut [f64],
        (settings, chain): (&Armature, &Chain),
        arm: &mut Arm,
        clock: &Clock,
        pose_of: impl Fn(Entity) -> Isometry3<f64>,
    ) -> Progress {
        let dt = clock.dt();
        arm.goals.clear();
        let mut are_there = true;
        for (tip, target) in self.targets.iter_mut().enumerate() {
            let (Some(target), Some(of)) = (target, chain.tips.get(tip)) else {
                continue;
            };
            target.advance(dt);
            are_there &= target.now == target.goal;
            let base = pose_of(of.base);
            let pose = base.inv_mul(&target.now);
            arm.goals.push(Goal {
                tip,
                position: pose.translation.vector,
                rotation: target.turns.then_some(pose.rotation),
                metres_per_radian: settings.convention.metres_per_radian(),
            });
        }
        let moved = self.follow(values, (settings, chain), arm, dt);
        self.rest = if moved < REST { self.rest + 1 } else { 0 };
        if !are_there {
            self.rest = 0;
            return Progress::Moving;
        }
        let left = remaining(chain, &arm.goals, values);
        if left[0] < settings.distance_tolerance && left[1] < settings.angle_tolerance {
            return Progress::Arrived;
        }
        let is_morse = settings.convention == Convention::Morse;
        if self.rest < if is_morse { 1 } else { RESTING } {
            return Progress::Moving;
        }
        if !self.has_searched {
            self.search(values, chain, arm);
            if !self.detour.is_empty() {
                return Progress::Moving;
            }
        }
        if is_morse {
            return Progress::Arrived;
        }
        Progress::Stuck(left)
    }

    /// Moves the joints by one step; returns the largest displacement.
    fn follow(
        &mut self,
        values: &mut [f64],
        (settings, chain): (&Armature, &Chain),
        arm: &mut Arm,
        dt: f64,
    ) -> f64 {
        let step = |index: usize| {
            if settings.convention == Convention::Morse {
                return f64::INFINITY;
            }
            let own = chain
                .joints
                .get(index)
                .map_or(f64::INFINITY, |joint| joint.max_velocity);
            own.min(settings.ik_joint_speed) * dt
        };
        let mut longest = 0.0_f64;
        if !self.detour.is_empty() {
            for (index, (value, goal)) in values.iter_mut().zip(&self.detour).enumerate() {
                let next = approach(*value, *goal, step(index));
                longest = longest.max((next - *value).abs());
                *value = next;
            }
            if values == self.detour.as_slice() {
                self.detour.clear();
            }
            return longest;
        }
        arm.wanted.copy_from_slice(values);
        let iterations = match settings.convention {
            Convention::Tip => ITERATIONS,
            Convention::Morse => EAGER_ITERATIONS,
        };
        arm.solver
            .solve(chain, &arm.goals, &mut arm.wanted, iterations);
        let share = |(at, (value, wanted)): (usize, (&f64, &f64))| {
            let displacement = (wanted - value).abs();
            if displacement > step(at) {
                step(at) / displacement
            } else {
                1.0
            }
        };
        let pairs = values.iter().zip(&arm.wanted).enumerate();
        let share = pairs.map(share).fold(1.0, f64::min);
        for (value, wanted) in values.iter_mut().zip(&arm.wanted) {
            let displacement = (wanted - *value) * share;
            longest = longest.max(displacement.abs());
            *value += displacement;
        }
        longest
    }

    /// Searches for another posture that is nearer to the targets.
    fn search(&mut self, values: &[f64], chain: &Chain, arm: &mut Arm) {
        self.has_searched = true;
        self.rest = 0;
        let here = error(chain, &arm.goals, values);
        arm.wanted.copy_from_slice(values);
        let there = arm.solver.search(chain, &arm.goals, &mut arm.wanted);
        if there < WORTH * here {
            self.detour.clone_from(&arm.wanted);
        }
    }
}

/// Returns the largest remaining distance (m) and angle (rad) to the goals.
fn remaining(chain: &Chain, goals: &[Goal], values: &[f64]) -> [f64; 2] {
    let mut left = [0.0_f64; 2];
    for goal in goals {
        let Some(tip) = chain.tips.get(goal.tip) else {
            continue;
        };
        let pose = tip.base_from_tip(values);
        let away = (goal.position - pose.translation.vector).norm();
        let turn = goal.rotation.map_or(0.0, |rotation| {
            rotation_vector(&(rotation * pose.rotation.inverse())).norm()
        });
        left = [left[0].max(away), left[1].max(turn)];
    }
    left
}
