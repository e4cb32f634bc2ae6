//! Ray casting, exact and fast: the caster behind [`Rays`] that scanners and cameras use.
//!
//! Rays hit all geometry that collides: boxes, spheres, cylinders, cones and capsules as the scene defines them, in `f64`
//! precision, and the triangles of meshes, from both sides. Grids and geometry without collision are not hit. A ray that
//! starts inside a solid hits its surface from within, as in Gazebo; rays pass through all geometry of the robot that they
//! are cast `without`.
//! In reading order:
//! - `world`: solids on bodies, in a tree of the static ones and a tree of the moving ones;
//! - `scan`: the rays of planar scanners, object by object;
//! - `packet`: rays from one point that traverse a tree together; `tree`: bounding volume hierarchies, `box_pair`: two of
//!   their boxes, which a scan culls at once;
//! - `solid`, `mesh`: intersections of rays and surfaces;
//! - `shape`: conversion of the scene's shapes to solids.
//!
//! The trees are updated at the first cast after a tick, so a tick without scans costs one comparison per body. No result
//! depends on the shape of the trees, on how rays are grouped or on the number of threads: each ray gets the smallest
//! distance of any solid and, of several solids at that distance, the one that was added first.

mod aabb;
mod box_pair;
mod mesh;
pub mod packet;
mod scan;
mod shape;
pub mod solid;
#[cfg(test)]
mod tests;
mod tree;
mod world;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, BodyState},
    rays::{CastRays, Hit, PlanarFan, Rays, ScanBuffer},
    threads::Threads,
    tick::Look,
};
use nalgebra::{Isometry3, Point3, Vector3};

pub use mesh::Mesh;
pub use shape::visual;

use crate::GeometryOf;
use scan::Scan;
use world::{Fan, ObjectHit, World};

type Vec3 = [f64; 3];

/// Triangles of a geometry whose shape is a mesh. A component of the geometry's entity; without it, rays do not hit the
/// mesh.
#[derive(Component, Clone, Debug)]
pub struct MeshOf(pub Arc<Mesh>);

/// Adds [`Rays`]. Long fans are distributed over the simulation's [`Threads`], if there are any.
pub fn plugin(app: &mut App) {
    let threads = app.world_mut().get_resource_or_init::<Threads>().clone();
    let caster = Caster(Arc::new(Shared {
        scene: RwLock::default(),
        threads,
    }));
    app.insert_resource(Rays::new(caster.clone()))
        .insert_resource(caster)
        .add_systems(PostStartup, (collect, follow).chain())
        .add_systems(FixedUpdate, (collect, follow).chain().in_set(Look::Shapes));
}

/// State shared by the systems here and the holders of [`Rays`].
#[derive(Resource, Clone)]
struct Caster(Arc<Shared>);

struct Shared {
    scene: RwLock<Scene>,
    threads: Threads,
}

/// The solids, with their entities.
#[derive(Default)]
struct Scene {
    world: World,
    /// Entities of the world's bodies, by index.
    bodies: Vec<Entity>,
    /// Entities of the world's objects, by index.
    geometry: Vec<Entity>,
}

impl CastRays for Caster {
    fn prepare(&self) {
        drop(self.fresh_scene());
    }

    fn cast_fan(
        &self,
        origin: Point3<f64>,
        directions: &[Vector3<f64>],
        max_distance: f64,
        without: Option<Entity>,
        hits: &mut [Option<Hit>],
    ) {
        let scene = self.fresh_scene();
        let fan = Fan {
            origin,
            directions,
            max_distance,
            without: without.map(Entity::to_bits),
        };
        scene.world.cast_fan(
            &fan,
            hits,
            |object_hit| scene.hit(object_hit?),
            self.0.threads.pool(),
        );
    }

    fn cast_planar(
        &self,
        fan: &PlanarFan,
        world_from_scanner: &Isometry3<f64>,
        max_distance: f64,
        without: Option<Entity>,
        buffer: &mut ScanBuffer,
        hits: &mut [Option<Hit>],
    ) {
        let scene = self.fresh_scene();
        let scan = Scan {
            fan,
            world_from_scanner,
            max_distance,
            without: without.map(Entity::to_bits),
        };
        scene
            .world
            .scan(&scan, buffer, hits, |object_hit| scene.hit(object_hit?));
    }
}

impl Scene {
    fn hit(&self, object_hit: ObjectHit) -> Option<Hit> {
        let entity = *self.geometry.get(object_hit.object as usize)?;
        Some(Hit {
            distance: object_hit.distance,
            entity,
        })
    }
}

impl Caster {
    /// Returns the scene with up-to-date trees.
    fn fresh_scene(&self) -> RwLockReadGuard<'_, Scene> {
        let scene = self.read();
        if !scene.world.is_stale() {
            return scene;
        }
        drop(scene);
        // Another thread may have updated it in the meantime; then there is nothing to do.
        self.write().world.refresh();
        self.read()
    }

    // The scene stays valid if a thread panics: every refresh starts from the poses.
    fn read(&self) -> RwLockReadGuard<'_, Scene> {
        self.0.scene.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Scene> {
        self.0.scene.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects all geometry again when some was spawned, changed or removed.
fn collect(
    caster: Res<Caster>,
    bodies: Query<(&BodyState, Option<&BodyKind>)>,
    geometry: Query<(Entity, &GeometryOf, Option<&MeshOf>)>,
    changed: Query<(), Or<(Changed<GeometryOf>, Changed<MeshOf>)>>,
    mut removed: RemovedComponents<GeometryOf>,
) {
    if removed.read().count() == 0 && changed.is_empty() {
        return;
    }
    let mut all: Vec<_> = geometry.iter().collect();
    // The order decides which of two solids at the same distance is hit.
    all.sort_by(|(_, a, _), (_, b, _)| a.frame.cmp(&b.frame));
    let mut scene = Scene::default();
    let mut numbers = BTreeMap::new();
    for (entity, geometry, mesh) in all {
        let Ok((state, kind)) = bodies.get(geometry.body) else {
            continue;
        };
        let Some(solid) = shape::solid(&geometry.geometry, mesh) else {
            continue;
        };
        let body = *numbers.entry(geometry.body).or_insert_with(|| {
            scene.bodies.push(geometry.body);
            scene
                .world
                .add_body(state.pose, kind != Some(&BodyKind::Fixed))
        });
        scene.geometry.push(entity);
        scene.world.add(
            solid,
            body,
            geometry.body_from_frame,
            geometry.robot.map(Entity::to_bits),
        );
    }
    *caster.write() = scene;
}

/// Records the poses of the bodies after this tick.
fn follow(caster: Res<Caster>, states: Query<&BodyState>) {
    let mut scene = caster.write();
    let Scene { world, bodies, .. } = &mut *scene;
    for (index, body) in bodies.iter().enumerate() {
        if let Ok(state) = states.get(*body) {
            world.move_body(index, &state.pose);
        }
    }
}
