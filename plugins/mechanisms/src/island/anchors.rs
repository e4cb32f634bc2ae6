//! Points of welds in a step that consists of several substeps.
use nalgebra::Vector3;

use super::{FreeBody, Member, Side, Weld};
use crate::spatial::Motion;

/// The points of both sides of a weld that its step begins with, fixed to the sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors {
    points: [Vector3<f64>; 2],
    error: Motion,
}

impl Anchors {
    /// Fixes the point of a weld to its sides, whose poses are those of the middle of the step.
    pub(super) fn of(weld: &Weld, members: &[Member<'_>], bodies: &[FreeBody]) -> Self {
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
        Self {
            points: [local(&weld.sides[0]), local(&weld.sides[1])],
            error: weld.error,
        }
    }

    /// Sets point and deviation of a weld in the middle of a substep. The angular deviation stays that of the step.
    pub(super) fn apply(&self, weld: &mut Weld, members: &[Member<'_>], bodies: &[FreeBody]) {
        let world = |side: usize| match weld.sides[side] {
            Side::Link { member, link } => members.get(member).map_or(self.points[side], |of| {
                let pose = of.pose * of.integrator.workspace.pose_of(link);
                pose.position + pose.rotation * self.points[side]
            }),
            Side::Body(body) => bodies
                .get(body)
                .map_or(self.points[side], |body| body.center + self.points[side]),
            Side::Prescribed(_) => self.points[side],
        };
        let [one, other] = [world(0), world(1)];
        weld.error.linear = self.error.linear + (other - one);
        weld.point = other;
    }
}
