//! Contacts between bodies, and their forces: for collision sensors, viewers and tests.

use bevy::{ecs::system::SystemParam, prelude::*};
use bevy_rapier3d::rapier::{geometry::ContactPair, prelude::ColliderHandle};
use morse_api::{
    component::{Due, Mount},
    contact::{Contact, Touching},
};
use nalgebra::Vector3;

use super::{
    PhysicsSettings, convert,
    engine::{BodyIndex, Engine, EngineItem, GeometryRow, Tables},
    trees::{Key, Trees},
};

/// Contacts after the last tick.
#[derive(SystemParam)]
pub struct Contacts<'w, 's> {
    settings: Res<'w, PhysicsSettings>,
    tables: Res<'w, Tables>,
    trees: Res<'w, Trees>,
    engine: Single<'w, 's, Engine>,
    bodies: Query<'w, 's, &'static BodyIndex>,
}

/// Writes the contacts of their bodies to the components that sense them and are due.
pub(super) fn publish(
    contacts: Contacts<'_, '_>,
    mut ordered: Local<Vec<Ordered>>,
    mut components: Query<(&Due, &Mount, &mut Touching)>,
) {
    for (due, mount, mut touching) in &mut components {
        if due.0 {
            contacts.find(mount.body, &mut ordered);
            touching.0.clear();
            touching
                .0
                .extend(ordered.drain(..).map(|(.., contact)| contact));
        }
    }
}

/// A contact, and the indices of its two geometries.
pub(super) type Ordered = (usize, usize, Contact);

impl Contacts<'_, '_> {
    /// Returns all contacts of a body, ordered by the paths of the geometries.
    pub fn of(&self, body: Entity) -> Vec<Contact> {
        let mut ordered = Vec::new();
        self.find(body, &mut ordered);
        ordered.into_iter().map(|(.., contact)| contact).collect()
    }

    fn find(&self, body: Entity, ordered: &mut Vec<Ordered>) {
        ordered.clear();
        let index = self.bodies.get(body).ok();
        let engine = &self.engine;
        let row = self.tables.row(index).map(|(_, row)| row);
        let Some(row) = row.filter(|row| !engine.is_lost(row)) else {
            return;
        };
        let colliders = engine
            .bodies
            .bodies
            .get(row.handle)
            .map_or(&[][..], |b| b.colliders());
        for &collider in colliders {
            for pair in engine.simulation.narrow_phase.contact_pairs_with(collider) {
                let own = geometry(engine, &self.tables, collider);
                let is_first = pair.collider1 == collider;
                let other = if is_first {
                    pair.collider2
                } else {
                    pair.collider1
                };
                let other = geometry(engine, &self.tables, other);
                if let (Some(own), Some(other)) = (own, other)
                    && pair.has_any_active_contact()
                    && self.is_in_physics(other.1)
                {
                    let geometry = if is_first {
                        [own.0, other.0]
                    } else {
                        [other.0, own.0]
                    };
                    let contact = self.contact((pair, geometry), is_first, own.1, other.1);
                    ordered.push((own.0, other.0, contact));
                }
            }
        }
        ordered.sort_unstable_by_key(|(own, other, _)| (*own, *other));
    }

    /// Returns true if a geometry belongs to a body that was not lost: in the tick of its loss, its contacts in the engine
    /// are not finite.
    fn is_in_physics(&self, row: &GeometryRow) -> bool {
        let body = self.tables.bodies.get(row.body);
        body.is_some_and(|body| !self.engine.is_lost(body))
    }

    /// Returns the body on which a robot stands: the one that carries most of its weight. Overwrites `ordered`.
    pub(super) fn ground(&self, robot: Entity, ordered: &mut Vec<Ordered>) -> Option<Entity> {
        let (base, _) = self.tables.row(self.bodies.get(robot).ok())?;
        let up = -Vector3::from(self.settings.gravity);
        let is_own = |other: Entity| {
            let index = self.bodies.get(other).ok();
            index.is_some_and(|index| self.tables.bases.get(index.0) == Some(&base))
        };
        let mut heaviest: Option<(f64, Entity)> = None;
        for (_, row) in self.tables.robot_of(base) {
            self.find(row.entity, ordered);
            for (.., contact) in ordered.iter() {
                let load = contact.force.dot(&up);
                let most = heaviest.map_or(0.0, |(most, _)| most);
                if load > most && !is_own(contact.other_body) {
                    heaviest = Some((load, contact.other_body));
                }
            }
        }
        heaviest.map(|(_, body)| body)
    }

    /// Returns the sum of the contact forces on a body, without friction, world axes, N.
    #[must_use]
    pub fn force_on(&self, body: Entity) -> Vector3<f64> {
        self.of(body).iter().map(|contact| contact.force).sum()
    }

    /// Returns the maximum depth of penetration of two bodies, m; zero without contacts.
    #[must_use]
    pub fn deepest(&self) -> f64 {
        let pairs = self.engine.simulation.narrow_phase.contact_pairs();
        let manifolds = pairs.flat_map(ContactPair::solver_manifolds);
        let contacts = manifolds.flat_map(|manifold| &manifold.data.solver_contacts);
        let depths = contacts.map(|contact| -f64::from(contact.dist));
        depths.fold(0.0, f64::max)
    }

    /// This version of the engine counts the impulse of the last solver iteration twice: the reported impulse is (n + 1) / n
    /// of the applied one.
    fn correction(&self) -> f64 {
        let iterations = f64::from(self.settings.moves());
        iterations / (iterations + 1.0)
    }

    fn contact(
        &self,
        (pair, geometry): (&ContactPair, [usize; 2]),
        is_first: bool,
        own: &GeometryRow,
        other: &GeometryRow,
    ) -> Contact {
        let sign = if is_first { -1.0 } else { 1.0 };
        let geometry = geometry.map(|index| u32::try_from(index).unwrap_or(u32::MAX));
        let mut impulse = Vector3::zeros();
        let mut weighted = Vector3::zeros();
        let mut weights = 0.0;
        let bodies = &self.engine.bodies.bodies;
        for manifold in pair.solver_manifolds() {
            let normal = convert::vector(manifold.data.normal);
            for contact in &manifold.data.solver_contacts {
                let (one, two) = manifold.data.solver_contact_world_points(contact, bodies);
                let id = (contact.contact_id[0] & !(1 << 31)) as usize;
                let key = Key::new(geometry, manifold, id);
                let strength = self.trees.impulse(&key, &normal).unwrap_or_else(|| {
                    let point = manifold.points.get(id);
                    let impulse = point.map_or(0.0, |point| point.data.impulse);
                    f64::from(impulse) * self.correction()
                });
                // A contact without a load still has a position.
                let weight = strength + f64::EPSILON;
                impulse += normal * strength;
                weighted += (convert::vector(one) + convert::vector(two)) / 2.0 * weight;
                weights += weight;
            }
        }
        let entity = |row: &GeometryRow| self.tables.bodies.get(row.body).map(|body| body.entity);
        Contact {
            geometry: own.entity,
            body: entity(own).unwrap_or(Entity::PLACEHOLDER),
            other_geometry: other.entity,
            other_body: entity(other).unwrap_or(Entity::PLACEHOLDER),
            force: impulse * (sign / self.settings.substep()),
            point: (weighted / weights + self.engine.body_poses.origin.vector()).into(),
        }
    }
}

fn geometry<'a>(
    engine: &EngineItem<'_, '_>,
    tables: &'a Tables,
    handle: ColliderHandle,
) -> Option<(usize, &'a GeometryRow)> {
    let collider = engine.colliders.colliders.get(handle)?;
    let index = usize::try_from(collider.user_data).ok()?;
    Some((index, tables.geometry.get(index)?))
}
