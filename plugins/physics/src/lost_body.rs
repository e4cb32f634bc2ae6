//! Lost bodies: bodies whose state becomes non-finite are removed from the physics at their last pose, with their
//! descendants, and the simulation continues.

use std::collections::{BTreeMap, BTreeSet};

use bevy::{ecs::system::SystemParam, prelude::*};
use bevy_rapier3d::rapier::prelude::{RigidBody, RigidBodyHandle};
use morse_api::{
    body::{BodyKind, BodyState},
    component::ComponentPath,
    tick::Clock,
    warning::Warnings,
};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    convert,
    engine::{BodyRow, EngineItem, Tables},
};

/// Maximum distance from the origin, m: beyond it, single precision resolves kilometres at best.
const FARTHEST: f64 = 1e9;

/// Deviation of a quaternion's squared length from 1 from which it is no orientation.
const CROOKED: f32 = 1e-2;

/// Bodies that the physics lost since the start, in order; state.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostBodies(pub Vec<LostBody>);

impl LostBodies {
    /// Returns true if the physics has lost a body.
    pub(super) const fn is_any(&self) -> bool {
        !self.0.is_empty()
    }
}

/// A body that the physics lost. It stands still from then on, and does not collide; restoring an earlier state brings it
/// back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error(
    "body `{body}` was lost in tick {tick}: {cause}; it is out of the physics{} and stands where it was before. \
     Look for a force, speed or mass that is far too large or small",
    together(with)
)]
pub struct LostBody {
    /// Name of the body.
    pub body: String,
    /// Tick of the loss.
    pub tick: u64,
    /// Fault of its motion or position.
    pub cause: Fault,
    /// Names of the bodies that were removed with it, since joints connect them.
    pub with: Vec<String>,
}

/// Fault of the motion or the position of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Its pose or velocity is infinite or NaN.
    #[error("its motion is no longer a number")]
    NotANumber,
    /// It is farther than 10⁹ m from the origin.
    #[error("it is more than a million kilometres away")]
    TooFar,
}

/// Maximum number of bodies that a message names.
const MOST_NAMED: usize = 4;

fn together(with: &[String]) -> String {
    let named: Vec<String> = with.iter().take(MOST_NAMED).map(quoted).collect();
    match with.len().saturating_sub(named.len()) {
        _ if named.is_empty() => String::new(),
        0 => format!(" with {}", named.join(", ")),
        more => format!(" with {} and {more} more", named.join(", ")),
    }
}

fn quoted(name: &String) -> String {
    format!("`{name}`")
}

/// Returns true if a pose is within the range of the physics.
pub(super) fn is_bearable(pose: &Isometry3<f64>) -> bool {
    // Comparisons with NaN are false.
    let coordinates = pose.translation.vector.iter();
    coordinates
        .copied()
        .all(|coordinate| coordinate.abs() <= FARTHEST)
        && pose.rotation.coords.sum().is_finite()
}

/// Resources that depend on lost bodies.
#[derive(SystemParam)]
pub(super) struct Losses<'w, 's> {
    clock: Option<Res<'w, Clock>>,
    bodies: Query<'w, 's, (&'static BodyState, Option<&'static ComponentPath>)>,
    lost: ResMut<'w, LostBodies>,
    warnings: ResMut<'w, Warnings>,
}

impl Losses<'_, '_> {
    /// Removes bodies that were lost in a step, before the next one. `by_engine` is false if the engine's was left out.
    pub(super) fn look(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        by_engine: bool,
    ) {
        if by_engine || engine.has_changed() {
            let faults = faults(engine, tables, by_engine);
            self.take_out(engine, tables, faults);
        }
    }

    /// Removes bodies with a commanded pose out of the range of the physics.
    pub(super) fn put_out(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        indices: &[usize],
    ) {
        let faults = indices.iter().map(|index| (*index, Fault::TooFar));
        self.take_out(engine, tables, faults.collect());
    }

    fn take_out(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        mut faults: BTreeMap<usize, Fault>,
    ) {
        while let Some((body_index, cause)) = faults.pop_first() {
            let group = tables.connected(body_index);
            faults.retain(|other, _| !group.contains(other));
            let is_in = |row: &&BodyRow| self.is_in(engine, row);
            let rows = group.iter().filter_map(|index| tables.bodies.get(*index));
            let rows: Vec<&BodyRow> = rows.filter(is_in).collect();
            for row in &rows {
                if let Ok((state, _)) = self.bodies.get(row.entity) {
                    freeze(engine, row, &state.pose);
                }
            }
            let own = tables.bodies.get(body_index);
            let Some(own) = own.filter(|own| rows.iter().any(|row| row.entity == own.entity))
            else {
                continue;
            };
            let name = |row: &BodyRow| {
                let path = self.bodies.get(row.entity).ok().and_then(|(_, path)| path);
                path.map_or_else(String::new, ToString::to_string)
            };
            let others = rows.iter().filter(|row| row.entity != own.entity);
            let lost = LostBody {
                body: name(own),
                tick: self.clock.as_ref().map_or(0, |clock| clock.tick),
                cause,
                with: others.map(|row| name(row)).collect(),
            };
            self.warnings.say(lost.to_string());
            self.lost.0.push(lost);
        }
    }

    /// Returns true if a body was in the physics until now, including bodies that the engine removed in its last step.
    fn is_in(&self, engine: &EngineItem<'_, '_>, row: &BodyRow) -> bool {
        let body = engine.bodies.bodies.get(row.handle);
        let is_enabled = body.is_some_and(RigidBody::is_enabled);
        is_enabled
            || engine
                .simulation
                .pipeline
                .quarantine()
                .bodies()
                .contains(&row.handle)
    }
}

impl Tables {
    /// Returns the bodies that joints connect with a body, including itself. Static bodies connect nothing.
    fn connected(&self, body_index: usize) -> BTreeSet<usize> {
        let mut attached = BTreeSet::from([body_index]);
        let mut next = vec![body_index];
        while let Some(index) = next.pop() {
            for &(one, two) in &self.neighbours {
                let other = if one == index {
                    two
                } else if two == index {
                    one
                } else {
                    continue;
                };
                let row = self.bodies.get(other);
                if row.is_some_and(|row| row.kind != BodyKind::Fixed) && attached.insert(other) {
                    next.push(other);
                }
            }
        }
        attached
    }
}

/// Returns the faults of bodies after a step, by index. The engine reports each of its steps separately.
fn faults(engine: &EngineItem<'_, '_>, tables: &Tables, by_engine: bool) -> BTreeMap<usize, Fault> {
    let bodies = &engine.bodies.bodies;
    let given_up = engine.simulation.pipeline.quarantine();
    let of_colliders = given_up.colliders().iter().filter_map(|collider| {
        let collider = engine.colliders.colliders.get(*collider)?;
        collider.parent()
    });
    let given_up = given_up.bodies().iter().copied().chain(of_colliders);
    let given_up = given_up.filter(|_| by_engine);
    let given_up = given_up.map(|handle| (handle, Fault::NotANumber));
    let active = engine.simulation.islands.active_bodies();
    let origin = engine.body_poses.origin.vector();
    let wrong = |handle: RigidBodyHandle| Some((handle, wrong(bodies.get(handle)?, &origin)?));
    let lost = given_up.chain(active.filter_map(wrong));
    let body_index = |handle: RigidBodyHandle| {
        let index = usize::try_from(bodies.get(handle)?.user_data).ok()?;
        tables.bodies.get(index).map(|_| index)
    };
    lost.filter_map(|(handle, fault)| Some((body_index(handle)?, fault)))
        .collect()
}

/// Returns the fault of a body's pose or motion, if there is one. `origin` is the engine's origin in the world.
fn wrong(body: &RigidBody, origin: &Vector3<f64>) -> Option<Fault> {
    let pose = body.position();
    let crooked = (pose.rotation.length_squared() - 1.0).abs();
    let motion = body.linvel() + body.angvel();
    let is_number = pose.translation.is_finite() && motion.is_finite() && crooked < CROOKED;
    if !is_number {
        Some(Fault::NotANumber)
    } else if (convert::vector(pose.translation) + origin).amax() > FARTHEST {
        Some(Fault::TooFar)
    } else {
        None
    }
}

/// Restores the last pose of a body, at rest, and removes it from the physics.
fn freeze(engine: &mut EngineItem<'_, '_>, row: &BodyRow, pose: &Isometry3<f64>) {
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        engine.body_poses.put(body, pose, false);
        body.set_linvel(default(), false);
        body.set_angvel(default(), false);
        body.reset_forces(false);
        body.reset_torques(false);
        body.set_enabled(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(with: &[&str]) -> String {
        let lost = LostBody {
            body: "base".to_owned(),
            tick: 7,
            cause: Fault::TooFar,
            with: with.iter().map(|name| (*name).to_owned()).collect(),
        };
        lost.to_string()
    }

    #[test]
    fn a_loss_is_told_with_what_went_along() {
        let alone = lost(&[]);
        assert!(
            alone.contains("`base`") && alone.contains("tick 7"),
            "{alone}"
        );
        assert!(alone.contains("out of the physics and"), "{alone}");
        let two = lost(&["a", "b"]);
        assert!(two.contains("with `a`, `b` and stands"), "{two}");
        let many = lost(&["a", "b", "c", "d", "e", "f"]);
        assert!(many.contains("`d` and 2 more"), "{many}");
    }

    #[test]
    fn poses_that_the_engine_can_bear() {
        for (x, bearable) in [
            (0.0, true),
            (-1e9, true),
            (1.1e9, false),
            (f64::INFINITY, false),
            (f64::NAN, false),
        ] {
            let pose = Isometry3::translation(0.0, x, 0.0);
            assert_eq!(is_bearable(&pose), bearable, "{x}");
        }
    }
}
