//! Pairs of bodies without joints whose contacts are left out, since they are gaps that stay open.
//!
//! The engine predicts contacts within two centimetres: of the contacts of boxes that stand side by side on a tray, a centimetre
//! apart, three of four are gaps. Their points are not computed unless a step closes one of them.
use morse_mechanisms::{Motion, island::Gap};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{
    Trees,
    collect::ConstraintSet,
    contact_point::{OpenGap, Pair},
    coupled::CoupledBody,
    detected::Detected,
    flat::Flat,
    groups::Group,
    job::Job,
    recheck,
    solve::Scene,
};
use crate::{convert, engine::EngineItem};

/// Least gap that is left out, m: bodies that are nearer may press each other.
const LEAST: f64 = 2e-3;

impl Trees {
    /// Returns the gap between two coupled bodies, if it stays open in a step of `dt` seconds unless their velocities change.
    /// Contacts of driven robots are not left out: they have targets of their own.
    pub(super) fn open_gap(
        &self,
        (index, pair): (usize, &Pair),
        engine: &EngineItem<'_, '_>,
        dt: f64,
    ) -> Option<OpenGap> {
        let [one, two] = pair.bodies.map(|body| self.coupled.index_of(body));
        let bodies = [one?, two?];
        let detected = self.detected(pair, engine)?;
        let Detected::ByEngine(known) = detected else {
            return None;
        };
        let [face] = known.solver_manifolds() else {
            return None;
        };
        let points = face.data.solver_contacts.iter();
        let least = points.map(|point| point.dist).reduce(f32::min)?;
        let is_driven = pair.bodies.iter().any(|body| self.is_driven(*body));
        if f64::from(least) < LEAST || is_driven || self.has_pressed(pair) {
            return None;
        }
        let coupled = bodies.map(|body| &self.coupled[body]);
        let sides = coupled.map(|coupled| self.side(coupled));
        let normal = convert::vector(face.data.normal).normalize();
        let mut extents = [0.0_f64; 2];
        for point in &face.points {
            let at = sides[0].center + convert::vector(point.data.solver_dp1);
            for (extent, side) in extents.iter_mut().zip(&sides) {
                *extent = extent.max((at - side.center).norm());
            }
        }
        let moved = sides[1].displacement - sides[0].displacement;
        let turned = sides[0].turned * extents[0] + sides[1].turned * extents[1];
        let gap = Gap {
            bodies,
            normal,
            distance: f64::from(least) + moved.dot(&normal) - turned,
            extents,
        };
        let before = coupled.map(|coupled| Motion {
            linear: coupled.before[0],
            angular: coupled.before[1],
        });
        let is_open = gap.distance > LEAST && gap.stays_open(before, dt);
        // Contacts of other shapes, and wrong ones, are found in other ways.
        let is_plain = || {
            Flat::new(engine, pair.colliders, [None; 2]).is_none()
                && recheck::points(engine, pair, &detected, Vector3::zeros).is_none()
        };
        (is_open && is_plain()).then_some(OpenGap {
            pair: index,
            bodies,
            gap,
        })
    }

    /// Returns true if two geometries have pressed each other in the last step.
    fn has_pressed(&self, pair: &Pair) -> bool {
        let mut of_pair = self.state.touched_by(pair.geometry).iter();
        of_pair.any(|known| known.impulse != [0.0; 3] || known.separation_velocity.is_some())
    }

    fn side(&self, coupled: &CoupledBody) -> GapSide {
        let seen: Isometry3<f64> = self.seen[coupled.body];
        let center = Point3::from(self.masses[coupled.body].center);
        let [at, is] = [seen, coupled.pose].map(|pose| (pose * center).coords);
        let [from, to] = [seen, coupled.pose].map(|pose| pose.rotation.coords);
        GapSide {
            center: at,
            displacement: is - at,
            turned: 2.0 * (to - from).norm().min((to + from).norm()),
        }
    }

    /// Makes the step of an island again, with the contacts of its gaps, if it closes one of them.
    pub(super) fn close_gaps(
        &self,
        job: &mut Job,
        group: &mut Group,
        constraints: &mut ConstraintSet,
        scene: &Scene<'_, '_, '_>,
    ) {
        if !job.closes_gap() {
            return;
        }
        let ConstraintSet {
            pairs,
            contacts,
            gaps,
            ..
        } = constraints;
        let first = contacts.len();
        for gap in group.gaps.drain(..) {
            self.points_of(&pairs[gaps[gap].pair], contacts, scene.engine, scene.tables);
        }
        group.contacts.extend(first..contacts.len());
        // Bounces happen one after the other: their sequence is that of the pairs.
        let pair_of = |index: &usize| contacts[*index].key.geometry();
        group.contacts.sort_by_key(pair_of);
        // The attempt may have saturated motors.
        for one in &mut job.taken {
            let before = &self.state.trees[one.index].saturated;
            one.integrator.saturated.clone_from(before);
        }
        self.put_together(job, group, constraints, scene);
        job.step(&self.rows, scene.dt);
    }
}

/// A side of a gap.
struct GapSide {
    /// Centre of mass at the pose in the engine, m.
    center: Vector3<f64>,
    /// Displacement of the centre of mass to the exact pose in the middle of the step, m.
    displacement: Vector3<f64>,
    /// Greatest displacement of a point by the rotation to that pose, relative to its distance from the centre of mass.
    turned: f64,
}
