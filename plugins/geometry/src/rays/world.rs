//! All solids on bodies that rays can hit, in a tree of the static ones and a tree of the moving ones.
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::prelude::*;

use super::Vec3;
use super::aabb::Aabb;
use super::box_pair::BoxPair;
use super::packet::{NOTHING, Packet};
use super::solid::{Placed, Solid};
use super::tree::Tree;

/// Rays that traverse the trees together: measured, 8 and 16 are each a tenth slower.
const LANES: usize = 12;
/// Below this number of rays in similar directions, single rays are faster.
const FEW: usize = 3;
/// Minimum squared cosine between the first and any other ray of a packet.
const SIMILAR: f64 = 0.75;
/// Rays in a task for another thread. Smaller tasks cost more than they gain.
const TASK: usize = 1024;

/// Hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ObjectHit {
    /// Distance, in multiples of the direction's length.
    pub(super) distance: f64,
    /// Index of the object, as [`World::add`] returned it.
    pub(super) object: u32,
}

/// Rays from one point.
pub(super) struct Fan<'a> {
    /// Common origin of the rays, in the world.
    pub(super) origin: Point3<f64>,
    /// Directions of the rays, in the world. Of any length but zero; distances are in multiples of it.
    pub(super) directions: &'a [Vector3<f64>],
    /// Range of the rays.
    pub(super) max_distance: f64,
    /// Owner whose objects the rays pass through.
    pub(super) without: Option<u64>,
}

/// Solids on bodies.
#[derive(Default)]
pub(super) struct World {
    bodies: Vec<Body>,
    objects: u32,
    pub(super) standing: Layer,
    pub(super) moving: Layer,
    stale: bool,
}

struct Body {
    world_from_body: Isometry3<f64>,
    moves: bool,
    stale: bool,
}

/// Objects with a tree. The arrays are parallel.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) objects: Vec<Object>,
    anchors: Vec<Anchor>,
    boxes: Vec<Aabb>,
    pub(super) tree: Tree,
    /// Boxes of the tree's nodes, see [`Tree::pair_up`].
    pub(super) pairs: Vec<BoxPair>,
}

pub(super) struct Object {
    pub(super) placed: Placed,
    pub(super) number: u32,
    pub(super) owner: Option<u64>,
}

/// Body to which an object is fixed, and the object's pose on it.
struct Anchor {
    body: usize,
    body_from_solid: Isometry3<f64>,
}

impl World {
    /// Adds a body and returns its index. A body that is declared static may still be moved, at the cost of rebuilding its
    /// tree.
    pub(super) fn add_body(&mut self, world_from_body: Isometry3<f64>, moves: bool) -> usize {
        self.bodies.push(Body {
            world_from_body,
            moves,
            stale: true,
        });
        self.bodies.len() - 1
    }

    /// Adds a solid on a body and returns its index, counted from 0. Rays may pass through all objects of an owner. Objects
    /// without extent, such as a mesh without triangles, are never hit.
    pub(super) fn add(
        &mut self,
        solid: Solid,
        body: usize,
        body_from_solid: Isometry3<f64>,
        owner: Option<u64>,
    ) -> u32 {
        let number = self.objects;
        self.objects += 1;
        let mut placed = Placed::new(solid);
        if let Some(on) = self.bodies.get(body)
            && placed.put(&body_from_solid).is_finite()
        {
            let layer = if on.moves {
                &mut self.moving
            } else {
                &mut self.standing
            };
            layer.objects.push(Object {
                placed,
                number,
                owner,
            });
            layer.anchors.push(Anchor {
                body,
                body_from_solid,
            });
            layer.boxes.push(Aabb::EMPTY);
            self.stale = true;
        }
        number
    }

    /// Sets the pose of a body. This is cheap; the trees are updated by the next [`World::refresh`].
    pub(super) fn move_body(&mut self, body: usize, world_from_body: &Isometry3<f64>) {
        if let Some(body) = self.bodies.get_mut(body)
            && body.world_from_body != *world_from_body
        {
            body.world_from_body = *world_from_body;
            body.stale = true;
            self.stale = true;
        }
    }

    /// Returns true if bodies moved since the last [`World::refresh`].
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Updates the trees.
    pub(super) fn refresh(&mut self) {
        if !self.stale {
            return;
        }
        self.standing.refresh(&self.bodies, Tree::build);
        self.moving.refresh(&self.bodies, Tree::refit);
        for body in &mut self.bodies {
            body.stale = false;
        }
        self.stale = false;
    }

    /// Casts rays into the world as it was at the last [`World::refresh`] and writes one result for each, converted by
    /// `answer`. Distributes long fans over the threads of a pool; the results are equal.
    pub(super) fn cast_fan<H: Send>(
        &self,
        fan: &Fan<'_>,
        hits: &mut [H],
        answer: impl Fn(Option<ObjectHit>) -> H + Sync,
        pool: Option<&rayon::ThreadPool>,
    ) {
        let Some(pool) = pool.filter(|_| hits.len() > TASK) else {
            return self.cast_some(fan, fan.directions, hits, &answer);
        };
        pool.install(|| {
            let tasks = fan
                .directions
                .par_chunks(TASK)
                .zip(hits.par_chunks_mut(TASK));
            tasks.for_each(|(directions, hits)| self.cast_some(fan, directions, hits, &answer));
        });
    }

    /// Returns the result of the first ray of a fan.
    pub(super) fn cast_one(&self, fan: &Fan<'_>) -> Option<ObjectHit> {
        let mut hits = [None];
        self.cast_packet::<1, _>(fan, &fan.directions[..1], &mut hits, &|hit| hit);
        hits[0]
    }

    fn cast_some<H>(
        &self,
        fan: &Fan<'_>,
        mut directions: &[Vector3<f64>],
        mut hits: &mut [H],
        answer: &impl Fn(Option<ObjectHit>) -> H,
    ) {
        while !directions.is_empty() && !hits.is_empty() {
            let similar = count_similar(directions).min(hits.len());
            let count = if similar > FEW { similar } else { 1 };
            let (now, later) = directions.split_at(count);
            let (now_hits, later_hits) = hits.split_at_mut(count);
            if count == 1 {
                self.cast_packet::<1, H>(fan, now, now_hits, answer);
            } else {
                self.cast_packet::<LANES, H>(fan, now, now_hits, answer);
            }
            (directions, hits) = (later, later_hits);
        }
    }

    fn cast_packet<const W: usize, H>(
        &self,
        fan: &Fan<'_>,
        directions: &[Vector3<f64>],
        hits: &mut [H],
        answer: &impl Fn(Option<ObjectHit>) -> H,
    ) {
        let mut components = [[0.0; W]; 3];
        let mut max_distances = [-1.0; W];
        for lane in 0..W {
            // Unused lanes repeat the last ray.
            let direction = &directions[lane.min(directions.len() - 1)];
            for axis in 0..3 {
                components[axis][lane] = direction[axis];
            }
            let length = direction.norm_squared();
            if length > 0.0 && length.is_finite() && fan.max_distance >= 0.0 {
                max_distances[lane] = fan.max_distance.min(f64::MAX);
            }
        }
        let origin: Vec3 = fan.origin.coords.into();
        let mut packet = Packet::new(origin, components, max_distances);
        self.standing.meet(&mut packet, fan.without);
        self.moving.meet(&mut packet, fan.without);
        for (lane, hit) in hits.iter_mut().enumerate() {
            let object = packet.object[lane];
            let object_hit = ObjectHit {
                distance: packet.distance[lane],
                object,
            };
            *hit = answer((object != NOTHING).then_some(object_hit));
        }
    }
}

impl Layer {
    /// Updates the poses of objects on bodies that moved, and then the tree, if there are any.
    fn refresh(&mut self, bodies: &[Body], update: impl FnOnce(&mut Tree, &[Aabb], usize)) {
        let mut stale = false;
        for (index, anchor) in self.anchors.iter().enumerate() {
            let body = &bodies[anchor.body];
            if body.stale || self.boxes[index].is_empty() {
                self.boxes[index] = self.objects[index]
                    .placed
                    .put(&(body.world_from_body * anchor.body_from_solid));
                stale = true;
            }
        }
        if stale {
            if self.tree.len() == self.boxes.len() {
                update(&mut self.tree, &self.boxes, 1);
            } else {
                self.tree.build(&self.boxes, 1);
            }
            self.tree.pair_up(&mut self.pairs);
        }
    }

    fn meet<const W: usize>(&self, packet: &mut Packet<W>, without: Option<u64>) {
        self.tree.walk(packet, |packet, index| {
            let object = &self.objects[index as usize];
            if without.is_none() || object.owner != without {
                object.placed.meet(object.number, packet);
            }
        });
    }
}

/// Returns the number of rays, from the first on, that have similar directions and fit into a packet; at least 1.
fn count_similar(directions: &[Vector3<f64>]) -> usize {
    let Some(first) = directions.first() else {
        return 1;
    };
    let length = first.norm_squared();
    let is_similar = |direction: &&Vector3<f64>| {
        let along = first.dot(direction);
        along > 0.0 && along * along > SIMILAR * length * direction.norm_squared()
    };
    1 + directions[1..]
        .iter()
        .take(LANES - 1)
        .take_while(is_similar)
        .count()
}

#[cfg(test)]
impl World {
    /// Returns the result of intersecting every object one by one.
    pub(super) fn cast_brute(&self, fan: &Fan<'_>, direction: &Vector3<f64>) -> Option<ObjectHit> {
        let components = [0, 1, 2].map(|axis| [direction[axis]]);
        let mut packet = Packet::new(
            fan.origin.coords.into(),
            components,
            [fan.max_distance.min(f64::MAX)],
        );
        for object in self.standing.objects.iter().chain(&self.moving.objects) {
            if fan.without.is_none() || object.owner != fan.without {
                object.placed.meet(object.number, &mut packet);
            }
        }
        let [object] = packet.object;
        (object != NOTHING).then_some(ObjectHit {
            distance: packet.distance[0],
            object,
        })
    }
}
