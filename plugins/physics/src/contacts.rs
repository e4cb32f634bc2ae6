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
    trees::Trees,
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
        let Some(BodyIndex(body)) = index.copied() else {
            return;
        };
        let pairs = colliders.iter().flat_map(|collider| {
            let pairs = engine.simulation.narrow_phase.contact_pairs_with(*collider);
            pairs.map(|pair| (*collider, pair))
        });
        for (collider, pair) in pairs {
            let handles = [pair.collider1, pair.collider2];
            let own = usize::from(pair.collider1 != collider);
            let sides = self.sides(handles).filter(|sides| {
                let bodies = sides.map(|(_, row)| row.body);
                !self.trees.is_near_pair(bodies, handles)
            });
            if let Some(sides) = sides {
                let load = self.load(sides).or_else(|| self.load_in_engine(pair));
                self.add(sides, own, load, ordered);
            }
        }
        for pair in self.trees.near_pairs(body) {
            if let Some(sides) = self.sides(pair.colliders) {
                let own = usize::from(pair.bodies[0] != body);
                self.add(sides, own, self.load(sides), ordered);
            }
        }
        ordered.sort_unstable_by_key(|(own, other, _)| (*own, *other));
    }

    /// Returns the geometries of two colliders.
    fn sides(&self, handles: [ColliderHandle; 2]) -> Option<[Geometry<'_>; 2]> {
        let [one, two] = handles.map(|handle| geometry(&self.engine, &self.tables, handle));
        Some([one?, two?])
    }

    /// Adds the contact of a pair with a load, given the index of its own side.
    fn add(
        &self,
        sides: [Geometry<'_>; 2],
        own: usize,
        load: Option<Load>,
        ordered: &mut Vec<Ordered>,
    ) {
        let (own_side, other_side) = (sides[own], sides[1 - own]);
        if let Some(load) = load.filter(|_| self.is_in_physics(other_side.1)) {
            let contact = self.contact(&load, own == 0, own_side.1, other_side.1);
            ordered.push((own_side.0, other_side.0, contact));
        }
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
        let pairs = pairs.filter(|pair| {
            let handles = [pair.collider1, pair.collider2];
            let bodies = self
                .sides(handles)
                .map(|sides| sides.map(|(_, row)| row.body));
            !bodies.is_some_and(|bodies| self.trees.is_near_pair(bodies, handles))
        });
        let manifolds = pairs.flat_map(ContactPair::solver_manifolds);
        let contacts = manifolds.flat_map(|manifold| &manifold.data.solver_contacts);
        let depths = contacts.map(|contact| -f64::from(contact.dist));
        depths.chain(self.trees.near_depths()).fold(0.0, f64::max)
    }

    /// This version of the engine counts the impulse of the last solver iteration twice: the reported impulse is (n + 1) / n
    /// of the applied one.
    fn correction(&self) -> f64 {
        let iterations = f64::from(self.settings.moves());
        iterations / (iterations + 1.0)
    }

    /// Returns the load of a pair whose contacts trees have solved.
    fn load(&self, sides: [Geometry<'_>; 2]) -> Option<Load> {
        let geometry = sides.map(|(index, _)| u32::try_from(index).unwrap_or(u32::MAX));
        let mut load = Load::default();
        for (normal, impulse, point) in self.trees.impulses(geometry) {
            load.add(&normal, impulse, &point);
        }
        (load.weights > 0.0).then_some(load)
    }

    /// Returns the load of a pair whose contacts the engine has solved.
    fn load_in_engine(&self, pair: &ContactPair) -> Option<Load> {
        let mut load = Load::default();
        let bodies = &self.engine.bodies.bodies;
        let origin = self.engine.body_poses.origin.vector();
        for manifold in pair.solver_manifolds() {
            let normal = convert::vector(manifold.data.normal);
            for contact in &manifold.data.solver_contacts {
                let (one, two) = manifold.data.solver_contact_world_points(contact, bodies);
                let id = (contact.contact_id[0] & !(1 << 31)) as usize;
                let point = manifold.points.get(id);
                let impulse = point.map_or(0.0, |point| point.data.impulse);
                let middle = (convert::vector(one) + convert::vector(two)) / 2.0;
                let impulse = f64::from(impulse) * self.correction();
                load.add(&normal, impulse, &(middle + origin));
            }
        }
        (load.weights > 0.0).then_some(load)
    }

    /// Returns the contact of a geometry with another one; it is the first side of the load if `is_first` is true.
    fn contact(
        &self,
        load: &Load,
        is_first: bool,
        own: &GeometryRow,
        other: &GeometryRow,
    ) -> Contact {
        let sign = if is_first { -1.0 } else { 1.0 };
        let entity = |row: &GeometryRow| self.tables.bodies.get(row.body).map(|body| body.entity);
        Contact {
            geometry: own.entity,
            body: entity(own).unwrap_or(Entity::PLACEHOLDER),
            other_geometry: other.entity,
            other_body: entity(other).unwrap_or(Entity::PLACEHOLDER),
            force: load.impulse * (sign / self.settings.substep()),
            point: (load.weighted / load.weights).into(),
        }
    }
}

/// Sum over the points of a pair.
#[derive(Default)]
struct Load {
    /// Impulse on the second side along the normals, N·s.
    impulse: Vector3<f64>,
    /// Points times weights, m·N·s.
    weighted: Vector3<f64>,
    weights: f64,
}

impl Load {
    /// Adds a point in the world with its normal, and the impulse along it (N·s).
    fn add(&mut self, normal: &Vector3<f64>, impulse: f64, point: &Vector3<f64>) {
        // A contact without a load still has a position.
        let weight = impulse.max(0.0) + f64::EPSILON;
        self.impulse += normal * impulse;
        self.weighted += point * weight;
        self.weights += weight;
    }
}

/// Index and row of a geometry.
type Geometry<'a> = (usize, &'a GeometryRow);

fn geometry<'a>(
    engine: &EngineItem<'_, '_>,
    tables: &'a Tables,
    handle: ColliderHandle,
) -> Option<Geometry<'a>> {
    let collider = engine.colliders.colliders.get(handle)?;
    let index = usize::try_from(collider.user_data).ok()?;
    Some((index, tables.geometry.get(index)?))
}
