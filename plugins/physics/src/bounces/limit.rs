//! Limit of bounces by the energy that the engine's step has taken from the bodies.
use nalgebra::{UnitQuaternion, Vector3};

use super::Bounces;
use crate::{
    engine::{EngineItem, Tables},
    trees::Trees,
};

/// Energy of a group of bodies in contact with the fraction s of its bounces: that after the engine's step, plus a s² + b s.
#[derive(Clone, Copy, Default)]
pub(super) struct Limit {
    a: f64,
    b: f64,
    /// Energy that the engine's step has taken, J.
    lost: f64,
    /// Index of a body with prescribed motion that the group touches: energy is relative to it.
    reference: Option<usize>,
    /// True if bodies of the group bounce.
    pub bounces: bool,
}

impl Limit {
    /// Returns the greatest fraction of the bounces, from 0 to 1, that adds no more energy than was lost.
    pub(super) fn fraction(&self) -> f64 {
        if self.a + self.b <= self.lost {
            return 1.0;
        }
        if self.lost <= 0.0 || self.a <= 0.0 {
            return 0.0;
        }
        // The positive root, in the form without cancellation.
        let root = libm::sqrt(self.b * self.b + 4.0 * self.a * self.lost);
        let fraction = if self.b > 0.0 {
            2.0 * self.lost / (self.b + root)
        } else {
            (root - self.b) / (2.0 * self.a)
        };
        fraction.clamp(0.0, 1.0)
    }
}

impl Bounces {
    /// Computes the limits of all groups with bounces in a step of `dt` seconds.
    pub(super) fn limit(
        &mut self,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        trees: &Trees,
        dt: f64,
    ) {
        for row in &self.rows {
            let pair = row.bodies.map(|body| (body, &self.bodies[body]));
            let Some((moving, _)) = pair.into_iter().find(|(_, body)| body.moves) else {
                continue;
            };
            let root = self.root(moving);
            let change = row.gained(&self.bodies);
            let limit = &mut self.limits[root];
            limit.a += row.impulse * change / 2.0;
            limit.b += row.impulse * row.velocity;
            let is_driven = |linear: &Vector3<f64>, angular: &Vector3<f64>| {
                *linear != Vector3::zeros() || *angular != Vector3::zeros()
            };
            let mut prescribed = pair.into_iter().filter(|(_, body)| !body.moves);
            let prescribed = prescribed.find(|(_, body)| is_driven(&body.linear, &body.angular));
            limit.reference = limit.reference.or(prescribed.map(|(body, _)| body));
        }
        for index in 0..self.known.len() {
            let body = self.known[index];
            let root = self.root(body);
            if self.bodies[body].moves && self.limits[root].bounces {
                let reference = self.limits[root].reference;
                let lost = self.lost((body, reference), engine, tables, trees, dt);
                self.limits[root].lost += lost;
            }
        }
    }

    /// Returns the energy that a body has lost in the engine's step relative to another one, whose motion is prescribed, J.
    fn lost(
        &self,
        (index, reference): (usize, Option<usize>),
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        trees: &Trees,
        dt: f64,
    ) -> f64 {
        let (before, body) = (&self.before[index], &self.bodies[index]);
        let Some(rigid) = engine.bodies.bodies.get(tables.bodies[index].handle) else {
            return 0.0;
        };
        let center = engine.body_poses.center(rigid).coords;
        let mut carried = [Vector3::zeros(); 2];
        if let Some(reference) = reference {
            let frame = &self.before[reference];
            let arm = (before.center + center) / 2.0 - frame.center;
            carried = [frame.at(&arm), frame.angular];
        }
        let energy = |linear: &Vector3<f64>, angular: &Vector3<f64>, turn: &UnitQuaternion<f64>| {
            let local = turn.inverse() * (angular - carried[1]);
            trees.kinetic_energy(index, &(linear - carried[0]), &local)
        };
        let rotation = engine.body_poses.of(rigid).rotation;
        let mean = (before.angular + body.angular) / 2.0 - carried[1];
        energy(&before.linear, &before.angular, &before.rotation)
            - energy(&body.linear, &body.angular, &rotation)
            + before
                .force
                .dot(&(center - before.center - carried[0] * dt))
            + before.torque.dot(&mean) * dt
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;

    #[test]
    fn bounces_are_limited_to_the_lost_energy() {
        for (a, b, lost) in [
            (2.0, 0.0, 0.5),
            (2.0, -1.0, 0.5),
            (1.0, 3.0, 2.0),
            (1.0, 1e-9, 1e-3),
        ] {
            let limit = Limit {
                a,
                b,
                lost,
                ..Limit::default()
            };
            let s = limit.fraction();
            assert!(
                (a * s * s + b * s - lost).abs() < 1e-12,
                "{a} {b} {lost}: {s}"
            );
        }
        let of = |a, lost| Limit {
            a,
            lost,
            ..Limit::default()
        };
        assert_eq!(of(1.0, 1.0).fraction(), 1.0);
        assert_eq!(of(1.0, 0.0).fraction(), 0.0);
        assert_eq!(of(1.0, -1.0).fraction(), 0.0);
    }
}
