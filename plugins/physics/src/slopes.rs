//! Force that holds a robot on a slope while it turns.
//!
//! It rolls without friction then, and its velocity is set at every step of the engine. Within a step, the ground still
//! pushes it down the slope, so that it would creep by a centimetre a second on one of 0.2 rad. What friction would
//! do is done by a force: it takes off the part of the weight that lies along the ground.

use bevy::math::Vec3;
use bevy_rapier3d::rapier::prelude::{ColliderHandle, RigidBody};
use morse_api::body::BodyKind;

use super::{
    drives::Commanded,
    engine::{EngineItem, Tables},
    filter::SUPPORT,
};

/// Share of the weight along the ground from which the ground slopes; below, it is level but for rounding.
const SLOPING: f32 = 1e-3;

/// The numbers of two geometries, and the normal of their contact towards the first.
pub(super) type Normal = (u128, u128, Vec3);

/// Holds all robots that turn, for this tick. The list is memory.
pub(super) fn hold(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    commanded: &Commanded,
    normals: &mut Vec<Normal>,
) {
    let gravity = engine.configuration.gravity;
    let up = -gravity.normalize_or_zero();
    for place in commanded.turning() {
        let Some(row) = tables.bodies.get(place) else {
            continue;
        };
        if row.kind != BodyKind::Dynamic || !row.gravity {
            continue;
        }
        let normal = ground(engine, tables, place, up, normals);
        let along = normal.map_or(Vec3::ZERO, |normal| gravity.reject_from_normalized(normal));
        if along.length() <= SLOPING * gravity.length() {
            continue;
        }
        let force = -along * carried(tables, place) as f32;
        if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
            body.add_force(force, false);
        }
    }
}

/// The normal of the ground that a robot stands on, upwards: with its base or with what hangs on it.
fn ground(
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    place: usize,
    up: Vec3,
    normals: &mut Vec<Normal>,
) -> Option<Vec3> {
    let of = |handle: ColliderHandle| {
        let collider = engine.colliders.colliders.get(handle);
        collider.map_or(u128::MAX, |collider| collider.user_data)
    };
    normals.clear();
    let bodies = tables.robot_of(place);
    let bodies = bodies.filter_map(|(_, row)| engine.bodies.bodies.get(row.handle));
    for &own in bodies.flat_map(RigidBody::colliders) {
        for pair in engine.simulation.narrow_phase.contact_pairs_with(own) {
            let (sign, other) = if pair.collider1 == own {
                (-1.0, pair.collider2)
            } else {
                (1.0, pair.collider1)
            };
            let touching = pair.solver_manifolds().iter();
            let touching = touching.filter(|manifold| !manifold.data.solver_contacts.is_empty());
            let normal: Vec3 = touching.map(|manifold| manifold.data.normal * sign).sum();
            normals.push((of(own), of(other), normal.normalize_or_zero()));
        }
    }
    // One order of sums, whatever came first into the engine's tables.
    normals.sort_unstable_by_key(|(own, other, _)| (*own, *other));
    let standing = normals.iter().map(|(.., normal)| *normal);
    let sum: Vec3 = standing.filter(|normal| normal.dot(up) > SUPPORT).sum();
    sum.try_normalize()
}

/// The mass of a body and of all that hangs on its joints, kg.
fn carried(tables: &Tables, place: usize) -> f64 {
    let own = tables.bodies.get(place).map_or(0.0, |row| row.mass);
    let below = tables.robot_of(place).filter(|(at, _)| *at != place);
    let moved = below.filter(|(_, row)| row.gravity && row.mass.is_finite());
    own + moved.map(|(_, row)| row.mass).sum::<f64>()
}
