//! Goals of the joints of an armature, and their current set points.
use morse_api::{prelude::*, service::Status, state::Stateful};
use morse_kinematics::{Chain, approach};
use serde_json::Value as Json;

use super::{Arm, Armature, ArmatureCommand, Convention, reach::Reach};
use crate::trajectory::Trajectory;

/// Motion of an armature. Part of the state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ArmMotion {
    /// Goal of each joint, rad or m.
    pub(super) goals: Vec<f64>,
    /// Set point of each joint, on the way to its goal.
    pub(super) set_points: Vec<f64>,
    /// Speed of each joint on the way to its goal, rad/s or m/s.
    pub(super) speeds: Vec<f64>,
    /// True if the joints are to be at their set points at once.
    pub(super) jumps: bool,
    pub(super) trajectory: Option<Trajectory>,
    pub(super) reach: Reach,
}

impl Stateful for ArmMotion {}

/// Result of a request.
pub(super) type Ended = (Status, Json);

impl ArmMotion {
    /// Returns the motion of joints that hold positions.
    pub(super) fn at(positions: Vec<f64>, settings: &Armature, chain: &Chain) -> Self {
        let speeds = chain.joints.iter();
        Self {
            goals: positions.clone(),
            set_points: positions,
            speeds: speeds.map(|joint| settings.speed(joint.is_angle)).collect(),
            reach: Reach::of(chain),
            ..Self::default()
        }
    }

    /// Stops all motion: the joints hold their current set points.
    pub(super) fn halt(&mut self) {
        self.trajectory = None;
        self.reach.clear();
        self.goals.clone_from(&self.set_points);
    }

    /// Sets the goal of a joint.
    pub(super) fn go(&mut self, chain: &Chain, index: usize, position: f64, speed: f64) {
        if let (Some(joint), Some(goal), Some(own)) = (
            chain.joints.get(index),
            self.goals.get_mut(index),
            self.speeds.get_mut(index),
        ) {
            *goal = joint.limited(position);
            *own = speed;
        }
    }

    /// Applies a command.
    pub(super) fn obey(
        &mut self,
        command: &ArmatureCommand,
        settings: &Armature,
        chain: &Chain,
    ) -> Result<(), String> {
        command.plan(chain, |_, _| ())?;
        if self.trajectory.is_some() || self.reach.is_active() {
            self.halt();
        }
        command.plan(chain, |index, position| {
            let is_angle = chain.joints.get(index).is_some_and(|joint| joint.is_angle);
            self.go(chain, index, position, settings.speed(is_angle));
        })
    }

    /// Advances by one tick; returns the result of a request that ends now.
    pub(super) fn advance(
        &mut self,
        settings: &Armature,
        chain: &Chain,
        arm: &mut Arm,
        clock: &Clock,
        pose_of: impl Fn(Entity) -> Isometry3<f64>,
    ) -> Option<Ended> {
        if self.reach.is_active() {
            let progress =
                self.reach
                    .advance(&mut self.set_points, (settings, chain), arm, clock, pose_of);
            self.goals.clone_from(&self.set_points);
            self.jumps |= settings.convention == Convention::Morse;
            let is_there = self.is_at(settings, chain, &arm.measured);
            return progress.ended(is_there);
        }
        if self.trajectory.is_some() {
            let result = self.follow(settings, chain, &arm.measured, clock)?;
            self.trajectory = None;
            return Some(match result {
                Ok(()) => (Status::Success, Json::Null),
                Err(why) => (Status::Failed, why.into()),
            });
        }
        let dt = clock.dt();
        let steps = self.goals.iter().zip(&self.speeds);
        for (point, (&goal, &speed)) in self.set_points.iter_mut().zip(steps) {
            *point = approach(*point, goal, speed * dt);
        }
        let is_there = self.is_at(settings, chain, &arm.measured);
        is_there.then_some((Status::Success, Json::Null))
    }

    /// Advances the set points along the trajectory by one tick; returns the result at its end.
    fn follow(
        &mut self,
        settings: &Armature,
        chain: &Chain,
        measured: &[f64],
        clock: &Clock,
    ) -> Option<Result<(), String>> {
        let trajectory = self.trajectory.as_mut()?;
        let positions = (&*self.set_points, measured);
        if let Some(why) = trajectory.leaves_path(clock, chain, positions) {
            return Some(Err(why));
        }
        let is_over = trajectory.sample(clock, chain, &mut self.set_points);
        self.goals.clone_from(&self.set_points);
        let usual = |index: usize| {
            let joint = chain.joints.get(index);
            joint.map_or(0.0, |joint| settings.tolerance(joint.is_angle))
        };
        let positions = (&*self.set_points, measured);
        let arrived = || trajectory.arrives(clock, chain, positions, usual);
        is_over.then(arrived).flatten()
    }

    /// Returns true if all joints are at their goals.
    fn is_at(&self, settings: &Armature, chain: &Chain, measured: &[f64]) -> bool {
        let joints = chain.joints.iter().zip(measured).zip(&self.goals);
        self.set_points == self.goals
            && joints.into_iter().all(|((joint, position), goal)| {
                (position - goal).abs() < settings.tolerance(joint.is_angle)
            })
    }
}
