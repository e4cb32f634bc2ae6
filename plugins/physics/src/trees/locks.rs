//! Locked axes of robots with joints.
use bevy_rapier3d::rapier::prelude::{LockedAxes, RigidBody};
use morse_mechanisms::{
    Force, Motion,
    island::{Side, Weld},
};
use nalgebra::{Point3, Vector3};

use super::{
    Trees,
    bodies::{allowed, rigid},
    collect::{ConstraintSet, WeldKey, WeldPoint},
    solve::Scene,
};

impl Trees {
    /// Adds welds for the locked axes of bases.
    pub(super) fn lock(&mut self, constraints: &mut ConstraintSet, scene: &Scene<'_, '_, '_>) {
        let (engine, tables) = (scene.engine, scene.tables);
        for index in 0..self.rows.len() {
            let (body, is_free) = (self.rows[index].base, self.rows[index].floats);
            let axes =
                rigid(engine, tables, body).map_or(LockedAxes::empty(), RigidBody::locked_axes);
            if !is_free || !self.awake[index] || axes == LockedAxes::empty() {
                continue;
            }
            if self.unposed[index] {
                let (base, _) = self.base(index, engine, tables);
                self.pose(index, &base);
            }
            let Some(pose) = self.pose_before(body, engine, tables, scene.dt) else {
                continue;
            };
            let [translations, rotations] = allowed(axes).map(|free| free.map(|free| free == 0.0));
            let weld = Weld {
                sides: [Side::Prescribed(Vector3::zeros()); 2],
                point: (pose * Point3::from(self.masses[body].center)).coords,
                error: Motion::ZERO,
                holds: [
                    translations.x,
                    translations.y,
                    translations.z,
                    rotations.x,
                    rotations.y,
                    rotations.z,
                ],
                turning: Vector3::zeros(),
                velocity: Some(self.closing(WeldKey::Lock(index)).unwrap_or(Motion::ZERO)),
                impulse: Force::default(),
            };
            constraints.welds.push(WeldPoint {
                bodies: [None, Some(body)],
                frame: None,
                key: WeldKey::Lock(index),
                weld,
            });
        }
    }
}
