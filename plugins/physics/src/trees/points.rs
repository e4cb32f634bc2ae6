//! Contact points of the collected pairs.
use bevy_rapier3d::{parry::shape::ShapeType, rapier::geometry::ColliderHandle};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{
    Trees, TreesState,
    collect::ConstraintSet,
    contact_point::{ContactPoint, Pair, Touched},
    detected::{Detected, Point},
    flat::Flat,
    isometry, line, recheck,
};
use crate::engine::{EngineItem, Tables};

impl Trees {
    /// Collects the contact points of all pairs, at the poses in the middle of a step of `dt` seconds, except those of gaps that
    /// stay open.
    pub(super) fn points(
        &self,
        constraints: &mut ConstraintSet,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        dt: f64,
    ) {
        let ConstraintSet {
            pairs,
            contacts,
            gaps,
            ..
        } = constraints;
        for (index, pair) in pairs.iter().enumerate() {
            match self.open_gap((index, pair), engine, dt) {
                Some(gap) => gaps.push(gap),
                None => self.points_of(pair, contacts, engine, tables),
            }
        }
    }

    /// Collects the contact points of a pair.
    pub(super) fn points_of(
        &self,
        pair: &Pair,
        contacts: &mut Vec<ContactPoint>,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        let Some(known) = self.detected(pair, engine) else {
            return;
        };
        let geometry = pair
            .geometry
            .map(|index| tables.geometry.get(index as usize));
        let [Some(first), Some(second)] = geometry else {
            return;
        };
        let material = |friction| [friction, tables.restitution([first, second])];
        let moved = [0, 1].map(|side| self.moved(pair.bodies[side], pair.colliders[side], engine));
        if moved.iter().all(Option::is_none) {
            return;
        }
        let last = moved.iter().rev().flatten().next();
        let turn = last.map_or_else(UnitQuaternion::identity, |moved| moved.is.rotation);
        let poses = moved
            .each_ref()
            .map(|moved| moved.as_ref().map(|moved| moved.is));
        let from = contacts.len();
        if let Some(line) = Flat::new(engine, pair.colliders, poses).and_then(|flat| flat.line()) {
            contacts.extend(line.points(pair, material(known.friction())));
            line::spread(contacts, from, &turn);
            return;
        }
        let pushed = || self.pushed_before(pair.geometry);
        if let Some(points) = recheck::points(engine, pair, &known, pushed) {
            let points = points.iter();
            let material = material(known.friction());
            contacts.extend(points.filter_map(|at| touch(pair, &moved, at, material)));
            line::spread(contacts, from, &turn);
            return;
        }
        known.each_face(pair.geometry, |points, friction| {
            let from = contacts.len();
            let material = material(friction);
            contacts.extend(points.filter_map(|at| touch(pair, &moved, &at, material)));
            line::spread(contacts, from, &turn);
        });
    }

    /// Returns the contacts of a pair.
    pub(super) fn detected<'a>(
        &'a self,
        pair: &Pair,
        engine: &'a EngineItem<'_, '_>,
    ) -> Option<Detected<'a>> {
        if let Some([tree, number]) = pair.near {
            let near = self.state.trees[tree].clearance.near.get(number)?;
            return Some(Detected::Here(near));
        }
        let [one, two] = pair.colliders;
        let known = engine.simulation.narrow_phase.contact_pair(one, two)?;
        Some(Detected::ByEngine(known))
    }

    /// Returns the impulse of the last step on the second geometry of a pair, N·s.
    fn pushed_before(&self, geometry: [u32; 2]) -> Vector3<f64> {
        let of_pair = self.state.touched_by(geometry).iter();
        of_pair.map(|known| Vector3::from(known.impulse)).sum()
    }

    /// Returns the rounded and the exact pose of a body that is moved here; `None` for other bodies.
    fn moved(
        &self,
        body: usize,
        collider: ColliderHandle,
        engine: &EngineItem<'_, '_>,
    ) -> Option<Moved> {
        let center = self.masses.get(body)?.center;
        let seen = *self.seen.get(body)?;
        let mut detected = Time::Link;
        let is = match self.of_body[body] {
            Some((tree, link)) if self.awake[tree] => {
                isometry(&(self.base_poses[tree] * self.integrators[tree].workspace.pose_of(link)))
            }
            Some(_) => return None,
            None => {
                let coupled = self.coupled.of(body)?;
                let collider = engine.colliders.colliders.get(collider)?;
                let is_ball = collider.shape().shape_type() == ShapeType::Ball;
                detected = match (coupled.is_late(), is_ball) {
                    (false, _) => Time::InTheMiddle,
                    (true, false) => Time::Early,
                    (true, true) => Time::EarlyOnBall,
                };
                coupled.pose
            }
        };
        Some(Moved {
            center,
            seen,
            is,
            detected,
        })
    }
}

impl Trees {
    /// Iterates over the contacts of two geometries that were solved here in the last step: normal, impulse along it (N·s), and
    /// point in the world.
    pub(crate) fn impulses(
        &self,
        geometry: [u32; 2],
    ) -> impl Iterator<Item = (Vector3<f64>, f64, Vector3<f64>)> {
        let of_pair = self.state.touched_by(geometry).iter();
        of_pair.map(|known| {
            let [normal, impulse, point] =
                [known.normal, known.impulse, known.point].map(Vector3::from);
            (normal, impulse.dot(&normal), point)
        })
    }
}

impl TreesState {
    /// Returns the contacts of two geometries in the last step.
    pub(super) fn touched_by(&self, geometry: [u32; 2]) -> &[Touched] {
        let of = |known: &Touched| known.key.geometry();
        let first = self.touched.partition_point(|known| of(known) < geometry);
        let later = &self.touched[first..];
        let count = later.iter().take_while(|known| of(known) == geometry);
        &later[..count.count()]
    }
}

/// A body that is moved here, in the middle of this step.
struct Moved {
    /// Centre of mass in its axes, m.
    center: Vector3<f64>,
    /// Pose in the engine.
    seen: Isometry3<f64>,
    /// Exact pose.
    is: Isometry3<f64>,
    detected: Time,
}

/// Time at which the engine detected the contacts of a body.
enum Time {
    /// The middle of the step, for a link.
    Link,
    /// The middle of the step, for a body without joints.
    InTheMiddle,
    /// The beginning of the step.
    Early,
    /// The beginning of the step, on the surface of a ball.
    EarlyOnBall,
}

impl Moved {
    /// Returns a point relative to the centre of mass, at the pose in the engine.
    fn seen(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        (self.seen * Point3::from(self.center)).coords + arm
    }

    /// Returns the displacement of a point of the body from the pose in the engine to the exact pose.
    fn displacement(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let local = self.seen.inverse_transform_point(&Point3::from(*point));
        (self.is * local).coords - point
    }

    /// Returns the point of the surface that touches first, in the middle of the step, given the engine's point in the middle
    /// of a gap (m), and the direction towards the body. Only for bodies without joints.
    fn touching(&self, point: &Vector3<f64>, inwards: &Vector3<f64>, gap: f64) -> Vector3<f64> {
        let surface = point + inwards * (gap.max(0.0) / 2.0);
        match self.detected {
            Time::Link => *point,
            Time::InTheMiddle => surface,
            Time::Early => surface + self.displacement(&surface),
            Time::EarlyOnBall => {
                let center = Point3::from(self.center);
                surface + (self.is * center - self.seen * center)
            }
        }
    }
}

/// Returns a contact point at the poses in the middle of the step; `None` if neither body is moved here.
fn touch(
    pair: &Pair,
    moved: &[Option<Moved>; 2],
    at: &Point,
    material: [f32; 2],
) -> Option<ContactPoint> {
    let mut sides = moved.iter().zip(at.arms);
    let point = sides.find_map(|(moved, arm)| Some(moved.as_ref()?.seen(&arm)))?;
    // The engine's poses are in single precision, and those of bodies almost at rest are updated late.
    let [one, two] = moved.each_ref().map(|moved| {
        let displacement = moved.as_ref().map(|moved| moved.displacement(&point));
        displacement.unwrap_or_default()
    });
    let distance = at.distance + (two - one).dot(&at.normal);
    let point = match moved {
        [Some(one), None] => one.touching(&point, &-at.normal, at.distance),
        [None, Some(two)] => two.touching(&point, &at.normal, at.distance),
        _ => point,
    };
    let of = (at.key, pair.bodies);
    Some(ContactPoint::new(
        of,
        [point, at.normal],
        distance,
        material,
    ))
}
