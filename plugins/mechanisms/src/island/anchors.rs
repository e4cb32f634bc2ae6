//! Points of welds in a step that consists of several substeps.
use nalgebra::{UnitQuaternion, Vector3};

use super::{FreeBody, Member, Side, Weld};
use crate::spatial::Motion;

/// The points of both sides of a weld that its step begins with, fixed to the sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors {
    points: [Vector3<f64>; 2],
    /// Rotation of each free body from the beginning to the middle of the step, rad; zero for other sides.
    turns: [Vector3<f64>; 2],
    error: Motion,
    /// True for locked axes, which have no position from which they deviate.
    is_lock: bool,
}

impl Anchors {
    /// Fixes the point of a weld to its sides, whose poses are those of the middle of a step of `dt` seconds.
    pub(super) fn of(weld: &Weld, members: &[Member<'_>], bodies: &[FreeBody], dt: f64) -> Self {
        let local = |side: &Side| match *side {
            Side::Link { member, link } => members.get(member).map_or(weld.point, |of| {
                let pose = of.pose * of.integrator.workspace.pose_of(link);
                pose.rotation.tr_mul(&(weld.point - pose.position))
            }),
            Side::Body(body) => bodies
                .get(body)
                .map_or(weld.point, |body| weld.point - body.center),
            Side::Prescribed(_) => weld.point,
        };
        let turn = |side: &Side| match *side {
            Side::Body(body) => bodies
                .get(body)
                .map_or(Vector3::zeros(), |body| body.before.angular * (dt / 2.0)),
            Side::Link { .. } | Side::Prescribed(_) => Vector3::zeros(),
        };
        let [one, other] = &weld.sides;
        Self {
            points: [local(one), local(other)],
            turns: [turn(one), turn(other)],
            error: weld.error,
            is_lock: weld.error == Motion::ZERO && matches!(one, Side::Prescribed(_)),
        }
    }

    /// Sets point and deviation of a weld in the middle of a substep of `dt` seconds.
    pub(super) fn apply(
        &self,
        weld: &mut Weld,
        members: &[Member<'_>],
        bodies: &[FreeBody],
        dt: f64,
    ) {
        let world = |side: usize| {
            let point = self.points[side];
            match weld.sides[side] {
                Side::Link { member, link } => members.get(member).map_or(point, |of| {
                    let pose = of.pose * of.integrator.workspace.pose_of(link);
                    pose.position + pose.rotation * point
                }),
                Side::Body(body) => bodies.get(body).map_or(point, |body| {
                    // It has turned by `moving` since the beginning of the step.
                    let turn = body.moving.angular + body.before.angular * (dt / 2.0);
                    let turn = UnitQuaternion::from_scaled_axis(turn - self.turns[side]);
                    body.center + turn * point
                }),
                Side::Prescribed(_) => point,
            }
        };
        let [one, other] = [world(0), world(1)];
        weld.point = other;
        if !self.is_lock {
            weld.error.linear = self.error.linear + (other - one);
            weld.error.angular = self.error.angular;
        }
    }

    /// Advances the angular deviation by a rotation of the second side relative to the first, rad.
    pub(super) fn turn(&mut self, by: Vector3<f64>) {
        self.error.angular += by;
    }
}
