//! Coupling of free cylinders that roll: the engine detects their contacts with large boxes in single precision, and loses
//! some of them, so that a cylinder sinks and bounces. Contacts that are solved here are exact: see [`super::flat`].
use bevy_rapier3d::parry::shape::ShapeType;
use morse_api::body::BodyKind;
use morse_scene::assembly::Layout;

use super::{
    Trees,
    bodies::{moves, rigid},
    flat::Flat,
};
use crate::{
    engine::{EngineItem, Tables},
    prepare::{Prepared, PreparedBody},
};

impl Trees {
    /// Returns the bodies without joints that have a cylinder, by index.
    pub(super) fn find_round(&self, layout: &Layout, prepared: &Prepared) -> Vec<usize> {
        let is_round = |body: &PreparedBody| {
            let mut solids = body.solids.iter();
            solids.any(|solid| solid.solid.shape.shape_type() == ShapeType::Cylinder)
        };
        let bodies = layout.bodies.iter().zip(&prepared.bodies).enumerate();
        let round = bodies.filter(|(index, (body, prepared))| {
            body.settings.kind == BodyKind::Dynamic && is_round(prepared) && !self.has(*index)
        });
        round.map(|(index, _)| index).collect()
    }

    /// Returns true if an awake body lies with a cylinder on a face of a box.
    pub(super) fn rolls(&self, body: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> bool {
        let is_awake = |body: &&_| moves(body) && !body.is_sleeping();
        let Some(rigid) = rigid(engine, tables, body).filter(is_awake) else {
            return false;
        };
        rigid.colliders().iter().any(|own| {
            let mut pairs = engine.simulation.narrow_phase.contact_pairs_with(*own);
            pairs.any(|pair| Flat::touches(engine, [pair.collider1, pair.collider2]))
        })
    }
}
