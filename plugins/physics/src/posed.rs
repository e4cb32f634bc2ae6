//! Velocities of bodies that are moved from pose to pose past physics.
//!
//! The engine has no velocity for them, since it did not move them. Poses that follow each other within a quarter of a
//! second are a motion, whose velocity is their difference over the time between them; a single pose is a jump without a
//! velocity. A displacement is always a motion: it lasts until the next action of its actuator.

use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::body::{BodyKind, BodyState};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    PhysicsSettings, convert,
    engine::{BodyRow, EngineItem, Tables},
    held,
    lost_body::is_bearable,
};

/// Maximum time between two poses of a motion, s.
const TOGETHER: f64 = 0.25;

/// Bodies that were recently moved past physics, by index; state.
pub(super) type PosedMotions = BTreeMap<usize, PosedMotion>;

/// Motion of a body that is moved from pose to pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PosedMotion {
    /// Velocity of the body's origin, world axes, m/s.
    linear: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    angular: Vector3<f64>,
    /// Exact pose; that of the engine is rounded.
    target: Isometry3<f64>,
    /// Ticks since the pose was set.
    age: u32,
    /// Age up to which the velocities are valid.
    lasts: u32,
}

impl PosedMotion {
    /// Returns the velocity of the origin and the angular velocity, if they are valid.
    pub(super) fn velocities(&self) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let moves = self.linear.amax() > 0.0 || self.angular.amax() > 0.0;
        (moves && self.age <= self.lasts).then_some((self.linear, self.angular))
    }
}

/// Access for moving bodies past physics.
pub(super) struct Puts<'a> {
    pub settings: &'a PhysicsSettings,
    pub tables: &'a Tables,
    pub motions: &'a mut PosedMotions,
    /// Bodies with a commanded pose out of the range of the physics.
    pub out_of_range: &'a mut Vec<usize>,
    pub body_index: usize,
    pub row: &'a BodyRow,
}

impl Puts<'_> {
    /// Moves a body to `pose`, a function of its present pose. For a displacement: its value, and its duration, s.
    pub(super) fn put(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        states: &mut Query<&mut BodyState>,
        pose: impl Fn(Isometry3<f64>) -> Isometry3<f64>,
        displaced: Option<(&Isometry3<f64>, f64)>,
    ) {
        let Self {
            settings,
            tables,
            row,
            ..
        } = *self;
        let Ok(mut state) = states.get_mut(row.entity) else {
            return;
        };
        if engine.movable(row).is_none() {
            return;
        }
        let (from, to) = (state.pose, pose(state.pose));
        if !is_bearable(&to) {
            self.out_of_range.push(self.body_index);
            return;
        }
        engine.put(row.handle, &to, true);
        match displaced {
            None => put(self.motions, self.body_index, &from, &to, settings),
            Some((by, period)) => {
                displace(self.motions, self.body_index, &from, by, period, settings);
            }
        }
        let center = from.inverse_transform_point(&state.center_of_mass);
        state.center_of_mass = to * center;
        state.pose = to;
        carry(engine, tables, self.body_index, &from, &to);
        if settings.motion.is_morse() {
            held::carry_jointed(engine, tables, self.body_index, &from, &to);
        }
    }
}

/// Moves a body to a pose. The previous pose determines its velocity, if it is recent.
pub(super) fn put(
    motions: &mut PosedMotions,
    body_index: usize,
    from: &Isometry3<f64>,
    to: &Isometry3<f64>,
    settings: &PhysicsSettings,
) {
    let known = motions.get(&body_index).copied();
    let target = known.map(|known| known.target);
    let is_unmoved = |target: &Isometry3<f64>| convert::is_same(target, from);
    let from = target.filter(is_unmoved).unwrap_or(*from);
    if *to == from || (known.is_none() && convert::is_same(to, &from)) {
        return;
    }
    let mut motion = PosedMotion {
        linear: Vector3::zeros(),
        angular: Vector3::zeros(),
        target: *to,
        age: 0,
        lasts: 0,
    };
    if let Some(known) = known.filter(|known| known.age > 0) {
        let seconds = f64::from(known.age) * settings.dt();
        motion.linear = (to.translation.vector - from.translation.vector) / seconds;
        motion.angular = turn(&from.rotation, &to.rotation) / seconds;
        // The next pose may be a little late; for poses in each tick it may not.
        motion.lasts = known.age + known.age / 2;
    }
    motions.insert(body_index, motion);
}

/// Displaces a body in its own axes, by an actuator with a period (s).
pub(super) fn displace(
    motions: &mut PosedMotions,
    body_index: usize,
    from: &Isometry3<f64>,
    by: &Isometry3<f64>,
    period: f64,
    settings: &PhysicsSettings,
) {
    let turned = by.rotation.scaled_axis();
    if by.translation.vector.amax() == 0.0 && turned.amax() == 0.0 {
        if let Some(known) = motions.get_mut(&body_index) {
            known.lasts = 0;
        }
        return;
    }
    let ticks = libm::round(period * settings.rate).clamp(1.0, 1e6) as u32;
    let motion = PosedMotion {
        // Velocity of a body that continues like this.
        linear: (from * by).rotation * by.translation.vector / period,
        angular: from.rotation * turned / period,
        target: from * by,
        age: 0,
        lasts: ticks + ticks / 2,
    };
    motions.insert(body_index, motion);
}

/// Returns the rotation vector from one orientation to another, with an angle of at most π.
fn turn(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> Vector3<f64> {
    (to * from.inverse()).scaled_axis()
}

/// Moves the posed descendants of a body that was moved past physics.
pub(super) fn carry(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    body_index: usize,
    from: &Isometry3<f64>,
    to: &Isometry3<f64>,
) {
    let by = to * from.inverse();
    let above = |index: &usize| {
        let row = tables.bodies.get(*index)?;
        row.attachment.as_ref().map(|joint| joint.parent)
    };
    for &index in &tables.posed {
        // No chain is longer than the number of bodies.
        let mut chain = std::iter::successors(above(&index), above).take(tables.bodies.len());
        let row = tables
            .bodies
            .get(index)
            .filter(|_| chain.any(|index| index == body_index));
        let Some(row) = row.filter(|row| !engine.is_lost(row)) else {
            continue;
        };
        if let Some(body) = engine.bodies.bodies.get(row.handle) {
            let pose = by * engine.body_poses.of(body);
            engine.put(row.handle, &pose, true);
        }
    }
}

/// Ends a tick: bodies that were moved, and their descendants, get the velocity of their poses.
pub(super) fn pass(
    (settings, tables): (&PhysicsSettings, &Tables),
    motions: &mut PosedMotions,
    moving: &mut Moving,
    states: &mut Query<(&mut BodyState, &mut Transform)>,
) {
    for motion in motions.values_mut() {
        motion.age = motion.age.saturating_add(1);
    }
    write_states(motions, tables, moving, states);
    let dt = settings.dt();
    motions
        .retain(|_, motion| motion.age <= motion.lasts || f64::from(motion.age) * dt <= TOGETHER);
}

/// Motion of each body of the tables that was moved, or is a descendant of one.
#[derive(Default)]
pub(super) struct Moving(Vec<Option<Rigid>>);

/// Adds the velocities of the poses to those of the engine.
fn write_states(
    motions: &PosedMotions,
    tables: &Tables,
    Moving(moving): &mut Moving,
    states: &mut Query<(&mut BodyState, &mut Transform)>,
) {
    moving.clear();
    moving.resize(tables.bodies.len(), None);
    for (&body_index, motion) in motions {
        let Some(row) = tables.bodies.get(body_index) else {
            continue;
        };
        let Ok((mut state, _)) = states.get_mut(row.entity) else {
            continue;
        };
        if row.kind == BodyKind::Fixed {
            // The engine has no valid velocity for these.
            state.linear_velocity = Vector3::zeros();
            state.angular_velocity = Vector3::zeros();
        }
        if let Some((linear, angular)) = motion.velocities() {
            let rigid = Rigid {
                origin: state.pose.translation.vector.into(),
                linear,
                angular,
            };
            rigid.add_to(&mut state);
            moving[body_index] = Some(rigid);
        }
    }
    for &body_index in &tables.posed {
        let row = tables.bodies.get(body_index);
        let parent = |row: &BodyRow| row.attachment.as_ref().map(|joint| joint.parent);
        let rigid = row
            .and_then(parent)
            .and_then(|parent| moving.get(parent).copied().flatten());
        if let (Some(row), Some(rigid)) = (row, rigid)
            && let Ok((mut state, _)) = states.get_mut(row.entity)
        {
            rigid.add_to(&mut state);
            moving[body_index] = Some(rigid);
        }
    }
}

/// Adds the velocities without a buffer, after the state was set.
pub(super) fn rewrite_states(
    motions: &PosedMotions,
    tables: &Tables,
    states: &mut Query<(&mut BodyState, &mut Transform)>,
) {
    write_states(motions, tables, &mut Moving::default(), states);
}

/// Motion of a rigid body about one of its points.
#[derive(Clone, Copy)]
struct Rigid {
    origin: Point3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Rigid {
    fn add_to(&self, state: &mut BodyState) {
        let arm = state.center_of_mass - self.origin;
        state.linear_velocity += self.linear + self.angular.cross(&arm);
        state.angular_velocity += self.angular;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: usize = 3;

    /// Returns the velocity after each tick of a body that is moved along x at these ticks to these positions.
    fn follow(puts: &[(u32, f64)], ticks: u32) -> Vec<f64> {
        let settings = PhysicsSettings::default();
        let mut motions = PosedMotions::new();
        let mut at = Isometry3::identity();
        let mut velocities = Vec::new();
        for tick in 1..=ticks {
            if let Some((_, x)) = puts.iter().find(|(when, _)| *when == tick) {
                let to = Isometry3::translation(*x, 0.0, 0.0);
                put(&mut motions, BODY, &at, &to, &settings);
                at = to;
            }
            for motion in motions.values_mut() {
                motion.age += 1;
            }
            let velocity = motions.get(&BODY).and_then(PosedMotion::velocities);
            velocities.push(velocity.map_or(0.0, |(linear, _)| linear.x));
            let dt = settings.dt();
            motions.retain(|_, motion| {
                motion.age <= motion.lasts || f64::from(motion.age) * dt <= TOGETHER
            });
        }
        velocities
    }

    #[test]
    fn a_jump_is_no_motion() {
        assert_eq!(follow(&[(5, 500.0)], 40), [0.0; 40]);
        assert_eq!(follow(&[(5, 500.0), (30, 0.0)], 60), [0.0; 60]);
    }

    #[test]
    fn poses_that_follow_each_other_are_one() {
        for every in [1, 2, 6, 12] {
            let puts: Vec<(u32, f64)> = (1..=10)
                .map(|count| (count * every, f64::from(count * every) / 30.0))
                .collect();
            let velocities = follow(&puts, 12 * every);
            for (tick, speed) in (1..).zip(&velocities) {
                // The velocity is defined from the second pose on, while the next one may be under way.
                let is_known = (2 * every..10 * every + every + every / 2).contains(&tick);
                let expected = if is_known { 2.0 } else { 0.0 };
                assert!((speed - expected).abs() < 1e-9, "{every}, {tick}: {speed}");
            }
        }
    }

    #[test]
    fn a_displacement_is_a_motion_at_once() {
        let settings = PhysicsSettings::default();
        let mut motions = PosedMotions::new();
        let from = Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
        let by = Isometry3::new(Vector3::x() * 0.2, Vector3::z() * 0.1);
        displace(&mut motions, BODY, &from, &by, 0.1, &settings);
        let (linear, angular) = motions[&BODY].velocities().expect("it moves");
        // Constant in the axes of the body, which has turned by 0.1 rad.
        let (sin, cos) = libm::sincos(0.1);
        let expected = Vector3::new(-sin, cos, 0.0) * 2.0;
        assert!((linear - expected).norm() < 1e-12, "{linear}");
        assert!((angular - Vector3::z()).norm() < 1e-12, "{angular}");
        let nowhere = Isometry3::identity();
        motions.get_mut(&BODY).expect("known").age = 1;
        displace(&mut motions, BODY, &from, &nowhere, 0.1, &settings);
        assert_eq!(motions[&BODY].velocities(), None);
    }
}
