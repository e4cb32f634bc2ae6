//! The arm's end follows targets, by inverse kinematics.
use morse_api::{joint::rotation_about, prelude::*, service::Status};
use morse_kinematics::{
    Chain, Goal, approach,
    inverse::{error, rotation_vector},
};
use nalgebra::UnitVector3;
use serde_json::Value as Json;

use super::{Arm, Armature, Convention, motion::Ended};

/// Iterations in each tick.
const ITERATIONS: usize = 10;

/// The same where the joints are to follow at once.
const EAGER_ITERATIONS: usize = 200;

/// A joint that moves less than this in a tick rests, rad or m.
const REST: f64 = 1e-6;

/// Ticks of rest after which an arm has come as near as it can from there.
const RESTING: u32 = 5;

/// Share of the error that another posture must leave to be worth the way.
const WORTH: f64 = 0.9;

/// The targets of an armature, and how it gets there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Reach {
    /// For each tip.
    targets: Vec<Option<Target>>,
    /// A posture to go to first, because the way there is not downhill; empty if there is none.
    detour: Vec<f64>,
    /// True if other postures have been looked for.
    has_searched: bool,
    /// Ticks since the joints moved last.
    rest: u32,
}

/// A pose that a tip is to follow, in the world.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Target {
    /// Pose at present.
    pub(super) now: Isometry3<f64>,
    /// Pose to reach.
    pub(super) goal: Isometry3<f64>,
    /// True if its orientation counts.
    pub(super) turns: bool,
    /// m/s.
    pub(super) linear_speed: f64,
    /// rad/s.
    pub(super) radial_speed: f64,
}

/// Progress of a reach.
pub(super) enum Progress {
    /// On the way.
    Moving,
    /// Within the tolerances.
    Arrived,
    /// At rest, as near as it can be; what remains is a distance (m) and an angle (rad).
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
        let way = self.goal.translation.vector - self.now.translation.vector;
        let step = self.linear_speed * dt;
        if way.norm() <= step {
            self.now.translation = self.goal.translation;
        } else {
            self.now.translation.vector += way * (step / way.norm());
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

    /// The target of a tip, if it follows one.
    pub(super) fn target(&self, tip: usize) -> Option<Target> {
        self.targets.get(tip).copied().flatten()
    }

    pub(super) fn set(&mut self, tip: usize, target: Target) {
        if let Some(slot) = self.targets.get_mut(tip) {
            *slot = Some(target);
        }
        self.begin();
    }

    /// Looks at the targets anew.
    fn begin(&mut self) {
        self.detour.clear();
        self.has_searched = false;
        self.rest = 0;
    }

    pub(super) fn clear(&mut self) {
        self.targets.fill(None);
        self.begin();
    }

    /// The targets stay where they are.
    pub(super) fn stop(&mut self) {
        for target in self.targets.iter_mut().flatten() {
            target.goal = target.now;
        }
        self.begin();
    }

    /// One tick: the targets move, the joints follow.
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

    /// Moves the joints a step; returns the longest.
    fn follow(
        &mut self,
        values: &mut [f64],
        (settings, chain): (&Armature, &Chain),
        arm: &mut Arm,
        dt: f64,
    ) -> f64 {
        let step = |at: usize| {
            if settings.convention == Convention::Morse {
                return f64::INFINITY;
            }
            let own = chain
                .joints
                .get(at)
                .map_or(f64::INFINITY, |joint| joint.max_velocity);
            own.min(settings.ik_joint_speed) * dt
        };
        let mut longest = 0.0_f64;
        if !self.detour.is_empty() {
            for (at, (value, goal)) in values.iter_mut().zip(&self.detour).enumerate() {
                let next = approach(*value, *goal, step(at));
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
            let way = (wanted - value).abs();
            if way > step(at) { step(at) / way } else { 1.0 }
        };
        let pairs = values.iter().zip(&arm.wanted).enumerate();
        let share = pairs.map(share).fold(1.0, f64::min);
        for (value, wanted) in values.iter_mut().zip(&arm.wanted) {
            let way = (wanted - *value) * share;
            longest = longest.max(way.abs());
            *value += way;
        }
        longest
    }

    /// Looks for a posture elsewhere that is nearer to the targets.
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

/// The greatest distance (m) and angle (rad) that are left to any goal.
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
