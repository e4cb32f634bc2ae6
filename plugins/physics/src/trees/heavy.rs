//! Coupling of free bodies that press on much lighter ones: the engine's contact stiffness follows the lighter body, so that
//! it gives way by centimetres under a thousand times its weight. Contacts that are solved here do not.
use bevy_rapier3d::rapier::dynamics::RigidBody;
use morse_api::body::BodyKind;
use morse_scene::assembly::Layout;

use super::{
    Trees,
    bodies::{moves, rigid},
};
use crate::engine::{EngineItem, Tables};

/// Mass ratio from which contacts of two bodies are solved here.
const RATIO: f64 = 100.0;

impl Trees {
    /// Returns the bodies without joints that are much heavier than another moving body, by index.
    pub(super) fn find_heavy(&self, layout: &Layout) -> Vec<usize> {
        let moving = layout.bodies.iter().enumerate();
        let moving = moving.filter(|(_, body)| body.settings.kind == BodyKind::Dynamic);
        let masses = moving.map(|(index, _)| (index, self.masses[index].mass));
        let lightest = masses
            .clone()
            .map(|(_, mass)| mass)
            .fold(f64::INFINITY, f64::min);
        let heavy = masses.filter(|(index, mass)| *mass > RATIO * lightest && !self.has(*index));
        heavy.map(|(index, _)| index).collect()
    }

    /// Returns true if an awake body touches a much lighter one.
    pub(super) fn presses_light(
        &self,
        body: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> bool {
        let Some(rigid) = rigid(engine, tables, body).filter(|body| moves(body)) else {
            return false;
        };
        let lightest = self.masses[body].mass / RATIO;
        let is_light = |other: Option<&RigidBody>| {
            other.is_some_and(|other| moves(other) && f64::from(other.mass()) < lightest)
        };
        let narrow_phase = &engine.simulation.narrow_phase;
        let own = rigid.colliders().iter();
        let mut pairs = own.flat_map(|own| narrow_phase.contact_pairs_with(*own));
        !rigid.is_sleeping()
            && pairs.any(|pair| {
                let bodies = [pair.collider1, pair.collider2].map(|handle| {
                    let collider = engine.colliders.colliders.get(handle);
                    collider.and_then(|collider| engine.bodies.bodies.get(collider.parent()?))
                });
                pair.has_any_active_contact() && bodies.into_iter().any(is_light)
            })
    }
}
