//! Contacts of links with static bodies and with other links of their tree, detected without the engine.
//!
//! An arm that works on a table, or a rover on the ground, touches something in every step, and the engine's step for it costs
//! as much as the motion of the whole robot. So the pairs of geometries that are near each other are collected when the
//! clearances of a tree are measured (see [`clearance`](super::clearance)), and from then on their contacts are detected here,
//! as the engine does it: by the same algorithm, at the same poses, in single precision.
mod choice;
mod prediction;

use std::mem;

use bevy::math::Vec3;
use bevy_rapier3d::{
    parry::{
        bounding_volume::BoundingVolume as _,
        query::{self, DefaultQueryDispatcher, PersistentQueryDispatcher as _},
        shape::ShapeType,
    },
    rapier::{
        geometry::ContactPair,
        math::Pose,
        prelude::{CoefficientCombineRule, Collider, ColliderHandle},
    },
};
use choice::MOST;
use nalgebra::{Isometry3, Vector3};
use prediction::Prediction;
use serde::{Deserialize, Serialize};

use super::{
    Trees,
    collect::ConstraintSet,
    contact_point::Pair,
    flat::{Flat, Line},
    isometry,
    link_state::velocity,
};
use crate::{
    convert,
    engine::{EngineItem, Tables},
    grasp::Grasps,
    rolling,
};

/// Two geometries near each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NearPair {
    /// Colliders in the engine's order.
    pub colliders: [ColliderHandle; 2],
    /// Indices of the geometries in the tables.
    pub geometry: [u32; 2],
    pub bodies: [usize; 2],
    pub friction: f32,
    /// Contacts in the last step, which the next search begins with; none along a line.
    pub manifolds: Vec<Manifold>,
    /// Distances of both ends of a cylinder from the face of a box on which it lies, m.
    pub line: Option<[f64; 2]>,
    pub sides: [NearSide; 2],
}

/// Pose of one of the geometries in the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NearSide {
    /// Pose of the geometry, in the engine's axes.
    pub pose: Pose,
    /// Centre of mass of its body; `None` for static bodies.
    pub center: Option<Vec3>,
    /// Velocity of the centre of mass and angular velocity; zero for links of robots on fixed bases.
    pub velocity: [Vec3; 2],
}

/// Pose and velocity of a link in a step, with which its contacts are detected.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    exact: Isometry3<f64>,
    /// The same pose in the engine's axes.
    pose: Pose,
    /// Velocity of the centre of mass and angular velocity: only those of floating robots predict contacts.
    velocity: [Vec3; 2],
}

/// Points in contact with the same normal.
pub(super) type Manifold = query::ContactManifold<Face, ()>;

/// Normal and contacts of a manifold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Face {
    /// From the first side to the second, in the engine's axes.
    pub normal: Vec3,
    pub touches: Vec<FaceTouch>,
}

/// A contact of a face.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FaceTouch {
    /// Index of the point in the manifold.
    pub point: usize,
    /// Gap, m.
    pub distance: f32,
    /// Vectors from the centre of mass of either body to the contact, in the engine's axes, m; from the engine's origin for
    /// static bodies.
    pub arms: [Vec3; 2],
}

impl PartialEq for NearPair {
    fn eq(&self, other: &Self) -> bool {
        let faces = |pair: &Self| -> Vec<Face> {
            let faces = pair.manifolds.iter();
            faces.map(|manifold| manifold.data.clone()).collect()
        };
        (self.colliders, self.sides, self.line) == (other.colliders, other.sides, other.line)
            && faces(self) == faces(other)
    }
}

impl NearPair {
    /// Takes over a pair that the engine has found, with its contacts. Uses the buffers of another one, if there is one. Returns
    /// `None` for shapes that are composed of others.
    pub(super) fn take(
        pair: &ContactPair,
        (bodies, geometry): ([usize; 2], [u32; 2]),
        engine: &EngineItem<'_, '_>,
        (buffers, dt): (&mut Vec<Self>, f64),
    ) -> Option<Self> {
        let colliders = [pair.collider1, pair.collider2];
        let [one, two] = colliders.map(|handle| engine.colliders.colliders.get(handle));
        let (one, two) = (one?, two?);
        if ![one, two].into_iter().all(is_simple) {
            return None;
        }
        let mut near = Self {
            colliders,
            geometry,
            bodies,
            friction: friction([one, two]),
            line: None,
            sides: [one, two].map(|collider| side(engine, collider, None)),
            manifolds: buffers.pop().unwrap_or_else(Self::blank).manifolds,
        };
        near.empty();
        // Simple shapes have one manifold.
        for (manifold, known) in near.manifolds.iter_mut().zip(&pair.manifolds) {
            (manifold.local_n1, manifold.local_n2) = (known.local_n1, known.local_n2);
            manifold.points.extend(known.points.iter().map(|point| {
                let [one, two] = [point.local_p1, point.local_p2];
                query::TrackedContact::new(one, two, point.fid1, point.fid2, point.dist)
            }));
        }
        near.find_touches([one, two], &Prediction::new(engine, dt));
        Some(near)
    }

    /// Returns a pair of nothing, with buffers for its contacts.
    pub(super) fn blank() -> Self {
        let touches = Vec::with_capacity(MOST);
        let normal = Vec3::ZERO;
        let mut manifold = Manifold::with_data(0, 0, Face { normal, touches });
        manifold.points.reserve(2 * MOST);
        let side = NearSide {
            pose: Pose::IDENTITY,
            center: None,
            velocity: [Vec3::ZERO; 2],
        };
        Self {
            colliders: [ColliderHandle::invalid(); 2],
            geometry: [0; 2],
            bodies: [0; 2],
            friction: 0.0,
            manifolds: vec![manifold],
            line: None,
            sides: [side; 2],
        }
    }

    /// Forgets the contacts, and keeps their buffers.
    fn empty(&mut self) {
        for manifold in &mut self.manifolds {
            manifold.points.clear();
            manifold.data.touches.clear();
        }
    }

    /// Returns true if there is a contact.
    fn is_active(&self) -> bool {
        let mut manifolds = self.manifolds.iter();
        manifolds.any(|manifold| !manifold.data.touches.is_empty())
    }

    /// Detects the contacts, given the poses of both sides.
    fn detect(&mut self, colliders: [&Collider; 2], sides: [NearSide; 2], prediction: &Prediction) {
        self.sides = sides;
        self.line = None;
        let [one, two] = colliders;
        let [at, other] = sides.map(|side| side.pose);
        let distance = prediction.search_distance(&sides);
        let bounds = one.shape().compute_aabb(&at).loosened(distance);
        if !bounds.intersects(&two.shape().compute_aabb(&other)) {
            self.empty();
            return;
        }
        let looked = DefaultQueryDispatcher.contact_manifolds(
            &at.inv_mul(&other),
            one.shape(),
            two.shape(),
            distance,
            &mut self.manifolds,
            &mut None,
        );
        if looked.is_err() {
            self.empty();
        }
        self.find_touches(colliders, prediction);
    }

    /// Takes over a line along which a cylinder is nearest to a face, in the world with this origin of the engine. Returns true
    /// if one of its ends is a contact.
    fn lie(
        &mut self,
        line: &Line,
        sides: [NearSide; 2],
        prediction: &Prediction,
        origin: &Vector3<f64>,
    ) -> bool {
        self.sides = sides;
        self.empty();
        let (ends, distances) = line.ends();
        self.line = Some(distances);
        let normal = convert::vec3(&line.normal());
        let mut ends = ends.iter().zip(distances);
        line.is_near()
            || ends.any(|(end, distance)| {
                let point = convert::vec3(&(end - origin));
                prediction.counts(distance as f32, &sides, [point; 2], normal)
            })
    }

    /// Computes the contacts from the points of the manifolds.
    fn find_touches(&mut self, colliders: [&Collider; 2], prediction: &Prediction) {
        let sides = self.sides;
        let shapes = [0, 1].map(|side| Some((colliders[side].shape(), sides[side].pose)));
        for manifold in &mut self.manifolds {
            let mut normal = sides[0].pose.rotation * manifold.local_n1;
            let chosen = choice::choose(manifold, prediction.distance);
            let (mut kept, mut anchors, mut count) = ([0; MOST], [[Vec3::ZERO; 2]; MOST], 0);
            for &point in chosen.points() {
                let known = &manifold.points[point];
                let ends = [
                    sides[0].pose * known.local_p1,
                    sides[1].pose * known.local_p2,
                ];
                if prediction.counts(known.dist, &sides, ends, normal) {
                    (kept[count], anchors[count]) = (point, ends);
                    count += 1;
                }
            }
            let ends = anchors[..count].iter_mut().map(|[one, two]| [one, two]);
            rolling::put_anchors_below_axles(shapes, manifold.local_n2, &mut normal, ends);
            let face = &mut manifold.data;
            face.normal = normal;
            face.touches.clear();
            for (point, ends) in kept[..count].iter().zip(anchors) {
                let distance = manifold.points[*point].dist;
                face.touches.push(FaceTouch {
                    point: *point,
                    distance,
                    arms: arms(ends, normal, distance, &sides),
                });
            }
        }
    }
}

/// Returns the vectors from the centres of mass to the middle of two points on the surfaces with a gap (m) between them.
fn arms([one, two]: [Vec3; 2], normal: Vec3, distance: f32, sides: &[NearSide; 2]) -> [Vec3; 2] {
    let shift = (two - one).dot(normal) - distance;
    let middle = (one + normal * shift + two) * 0.5;
    let arm = |side: &NearSide| side.center.map_or(middle, |center| middle - center);
    sides.each_ref().map(arm)
}

/// Returns true for a shape that is not composed of others.
fn is_simple(collider: &Collider) -> bool {
    matches!(
        collider.shape().shape_type(),
        ShapeType::Ball
            | ShapeType::Cuboid
            | ShapeType::Capsule
            | ShapeType::Cylinder
            | ShapeType::Cone
            | ShapeType::ConvexPolyhedron
    )
}

/// Returns the coefficient of friction of two geometries.
fn friction(sides: [&Collider; 2]) -> f32 {
    let [one, two] = sides.map(Collider::friction);
    let [rule, other] = sides.map(Collider::friction_combine_rule);
    match rule.max(other) {
        CoefficientCombineRule::Min => one.min(two),
        CoefficientCombineRule::Multiply => one * two,
        CoefficientCombineRule::Max => one.max(two),
        _ => (one + two) / 2.0,
    }
}

/// Returns the pose of a geometry, given that of its body if that is moved here.
fn side(engine: &EngineItem<'_, '_>, collider: &Collider, moved: Option<&Shown>) -> NearSide {
    let body = collider
        .parent()
        .and_then(|body| engine.bodies.bodies.get(body));
    let Some(body) = body.filter(|body| body.is_dynamic()) else {
        return NearSide {
            pose: *collider.position(),
            center: None,
            velocity: [Vec3::ZERO; 2],
        };
    };
    let at = moved.map_or(*body.position(), |moved| moved.pose);
    let on_body = collider.position_wrt_parent();
    NearSide {
        pose: on_body.map_or(at, |on_body| at * on_body),
        center: Some(at * body.local_center_of_mass()),
        velocity: moved.map_or([body.linvel(), body.angvel()], |moved| moved.velocity),
    }
}

impl Trees {
    /// Detects the contacts of the pairs that are near each other, and collects those in contact.
    pub(super) fn detect_near(
        &mut self,
        index: usize,
        constraints: &mut ConstraintSet,
        (engine, tables): (&EngineItem<'_, '_>, &Tables),
        grasps: &Grasps,
    ) {
        // Without predicted poses, nothing is near.
        if self.unposed[index] && !self.has_near(index) {
            return;
        }
        let mut pairs = mem::take(&mut self.state.trees[index].clearance.near);
        let mut shown = mem::take(&mut self.links_shown);
        self.show_here(index, engine, &mut shown);
        let prediction = Prediction::new(engine, self.step_length);
        for (number, pair) in pairs.iter_mut().enumerate() {
            let [one, two] = pair
                .colliders
                .map(|handle| engine.colliders.colliders.get(handle));
            let (Some(one), Some(two)) = (one, two) else {
                pair.empty();
                continue;
            };
            let moved = pair.bodies.map(|body| {
                let (_, link) = self.of_body[body].filter(|(tree, _)| *tree == index)?;
                shown.get(link)
            });
            let sides = [side(engine, one, moved[0]), side(engine, two, moved[1])];
            let exact = moved.map(|moved| moved.map(|moved| moved.exact));
            let line = Flat::new(engine, pair.colliders, exact).and_then(|flat| flat.line());
            let touches = if let Some(line) = line {
                pair.lie(
                    &line,
                    sides,
                    &prediction,
                    &engine.body_poses.origin.vector(),
                )
            } else {
                pair.detect([one, two], sides, &prediction);
                pair.is_active()
            };
            let [one, other] = pair.bodies;
            let is_held = grasps.connect((one.min(other), one.max(other)));
            if touches && !is_held && self.take_part(pair.bodies, engine, tables) {
                constraints.pairs.push(Pair {
                    colliders: pair.colliders,
                    geometry: pair.geometry,
                    bodies: pair.bodies,
                    near: Some([index, number]),
                });
            }
        }
        self.links_shown = shown;
        self.state.trees[index].clearance.near = pairs;
    }

    /// Computes the poses of the links with which contacts are detected.
    fn show_here(&mut self, index: usize, engine: &EngineItem<'_, '_>, shown: &mut Vec<Shown>) {
        let row = &self.rows[index];
        let origin = &engine.body_poses.origin;
        let (base_pose, workspace) = (self.base_poses[index], &self.integrators[index].workspace);
        shown.clear();
        for (link, body) in row.links.iter().enumerate() {
            let exact = isometry(&(base_pose * workspace.pose_of(link)));
            let pose = origin.engine(&exact);
            self.seen[*body] = origin.world(&pose);
            let velocity = if row.floats {
                let center = &self.masses[*body].center;
                velocity(workspace, link, &base_pose, center).map(|vector| convert::vec3(&vector))
            } else {
                [Vec3::ZERO; 2]
            };
            shown.push(Shown {
                exact,
                pose,
                velocity,
            });
        }
    }

    /// Iterates over the pairs of a body whose contacts were detected here in the last step.
    pub(crate) fn near_pairs(&self, body: usize) -> impl Iterator<Item = &NearPair> {
        let tree = self.of_body.get(body).copied().flatten();
        let trees = tree.map_or(0..self.state.trees.len(), |(tree, _)| tree..tree + 1);
        let pairs = trees.flat_map(|tree| &self.state.trees[tree].clearance.near);
        pairs.filter(move |pair| pair.bodies.contains(&body))
    }

    /// Iterates over the depths of penetration that were detected here in the last step, m.
    pub(crate) fn near_depths(&self) -> impl Iterator<Item = f64> {
        let trees = self.state.trees.iter();
        let pairs = trees.flat_map(|tree| &tree.clearance.near);
        pairs.flat_map(|pair| {
            let manifolds = pair.manifolds.iter();
            let touches = manifolds.flat_map(|manifold| &manifold.data.touches);
            let depths = touches.map(|touch| -f64::from(touch.distance));
            let ends = pair.line.into_iter().flatten();
            depths.chain(ends.map(|distance| -distance))
        })
    }

    /// Returns true if the contacts of a pair were detected here in the last step: those of the engine are older.
    pub(crate) fn is_near_pair(&self, bodies: [usize; 2], colliders: [ColliderHandle; 2]) -> bool {
        let trees = bodies
            .into_iter()
            .filter_map(|body| self.of_body.get(body).copied().flatten());
        let mut pairs = trees.flat_map(|(tree, _)| &self.state.trees[tree].clearance.near);
        pairs.any(|pair| pair.colliders == colliders)
    }
}
