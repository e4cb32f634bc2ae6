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
    engine::{BodyIndex, Engine, EngineItem, GeometryRow, JOINT_ITERATIONS, Tables},
};

/// The contacts as they are after the last tick.
#[derive(SystemParam)]
pub struct Contacts<'w, 's> {
    settings: Res<'w, PhysicsSettings>,
    tables: Res<'w, Tables>,
    engine: Single<'w, 's, Engine>,
    bodies: Query<'w, 's, &'static BodyIndex>,
}

/// Tells each component that feels contacts, and is due, what its body touches.
pub(super) fn tell(
    contacts: Contacts<'_, '_>,
    mut components: Query<(&Due, &Mount, &mut Touching)>,
) {
    for (due, mount, mut touching) in &mut components {
        if due.0 {
            touching.0 = contacts.of(mount.body);
        }
    }
}

impl Contacts<'_, '_> {
    /// All contacts of a body, ordered by the paths of the geometries.
    pub fn of(&self, body: Entity) -> Vec<Contact> {
        let place = self.bodies.get(body).ok();
        let engine = &self.engine;
        let row = self.tables.row(place).map(|(_, row)| row);
        let Some(row) = row.filter(|row| !engine.is_lost(row)) else {
            return Vec::new();
        };
        let colliders = engine
            .bodies
            .bodies
            .get(row.handle)
            .map_or(&[][..], |b| b.colliders());
        let mut found = Vec::new();
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
                    found.push((own.0, other.0, self.contact(pair, is_first, own.1, other.1)));
                }
            }
        }
        found.sort_by_key(|(own, other, _)| (*own, *other));
        found.into_iter().map(|(_, _, contact)| contact).collect()
    }

    /// Tells whether geometry is of a body that was not lost: in the tick of its loss, the engine's contacts of it
    /// are no numbers.
    fn is_in_physics(&self, row: &GeometryRow) -> bool {
        let body = self.tables.bodies.get(row.body);
        body.is_some_and(|body| !self.engine.is_lost(body))
    }

    /// The sum of the contact forces on a body, without friction, world axes, N.
    #[must_use]
    pub fn force_on(&self, body: Entity) -> Vector3<f64> {
        self.of(body).iter().map(|contact| contact.force).sum()
    }

    /// This version of the engine counts the impulse of the last solver iteration twice: what it
    /// reports is (n + 1) / n of what it exerts.
    fn correction(&self, pair: [&GeometryRow; 2]) -> f64 {
        let bodies = pair.map(|row| self.tables.bodies.get(row.body));
        let is_jointed = bodies.into_iter().flatten().any(|body| body.is_jointed);
        let extra = if is_jointed { JOINT_ITERATIONS } else { 0 };
        let iterations = f64::from(self.settings.moves() + extra);
        iterations / (iterations + 1.0)
    }

    fn contact(
        &self,
        pair: &ContactPair,
        is_first: bool,
        own: &GeometryRow,
        other: &GeometryRow,
    ) -> Contact {
        let sign = if is_first { -1.0 } else { 1.0 };
        let mut impulse = Vector3::zeros();
        let mut weighted = Vector3::zeros();
        let mut weights = 0.0;
        let bodies = &self.engine.bodies.bodies;
        for manifold in pair.solver_manifolds() {
            let normal = convert::vector(manifold.data.normal);
            for contact in &manifold.data.solver_contacts {
                let (one, two) = manifold.data.solver_contact_world_points(contact, bodies);
                let id = (contact.contact_id[0] & !(1 << 31)) as usize;
                let strength = manifold
                    .points
                    .get(id)
                    .map_or(0.0, |point| point.data.impulse);
                let strength = f64::from(strength);
                // A contact that carries nothing yet still says where the bodies touch.
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
            force: impulse * (sign * self.correction([own, other]) / self.settings.substep()),
            point: (weighted / weights).into(),
        }
    }
}

fn geometry<'a>(
    engine: &EngineItem<'_, '_>,
    tables: &'a Tables,
    handle: ColliderHandle,
) -> Option<(usize, &'a GeometryRow)> {
    let collider = engine.colliders.colliders.get(handle)?;
    let place = usize::try_from(collider.user_data).ok()?;
    Some((place, tables.geometry.get(place)?))
}
