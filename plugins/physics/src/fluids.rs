//! Air and water: what floats, and what slows down in them.
//!
//! Water is at rest below a level. A body in it is lifted by the weight of the water that its collision
//! shapes displace, at the middle of that water; where shapes overlap, the water counts twice. It takes a
//! share of the body's speed, as much of it as is under water. Air does not lift. Both resist what has a
//! drag area: ½ ρ |v| times the area along each axis of the body times the speed along it. The mass of the
//! water that moves with a body is left out, and so is its weight on joints. Neither acts on bodies without
//! gravity, except for drag, nor, beyond the lift of robots on the ground, on what is told how fast to go.

mod hull;

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::{body::BodyKind, motion::MotionMode};
use morse_scene::assembly::Layout;
use nalgebra::{Isometry3, Vector3};

pub(super) use hull::Hull;

use super::{
    PhysicsSettings, convert,
    drives::Commanded,
    engine::{BodyRow, EngineItem, Tables},
    prepare::Prepared,
};

/// Water at rest, everywhere below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of the surface, m.
    pub level: f64,
    /// kg/m³.
    pub density: f64,
    /// Of what is wholly in it, 1/s.
    pub linear_damping: f64,
    /// Of what is wholly in it, 1/s.
    pub angular_damping: f64,
}

/// The bodies that air or water act on. Follows from the scene alone.
#[derive(Resource, Default)]
pub(super) struct Fluids(Vec<Immersed>);

struct Immersed {
    body: usize,
    hulls: Vec<Hull>,
    /// m³.
    volume: f64,
    /// Coefficient times area along the axes of the body, m².
    drag_area: Vector3<f64>,
}

/// Effect of the fluids in one step of the engine.
struct Effect {
    force: Vector3<f64>,
    torque: Vector3<f64>,
    /// Share of the body that is under water, from 0 to 1.
    share: f64,
}

impl Fluids {
    /// Finds what is immersed.
    pub(super) fn new(settings: &PhysicsSettings, layout: &Layout, prepared: &Prepared) -> Self {
        let all = layout.bodies.iter().zip(&prepared.bodies).enumerate();
        let moving = all.filter(|(_, (body, _))| body.kind == BodyKind::Dynamic);
        let immersed = moving.filter_map(|(at, (body, prepared))| {
            let hulls: Vec<Hull> = if settings.water.is_some() && body.settings.gravity {
                prepared.solids.iter().filter_map(Hull::new).collect()
            } else {
                Vec::new()
            };
            let drag_area = body.settings.drag_area;
            (!hulls.is_empty() || drag_area.amax() > 0.0).then(|| Immersed {
                body: at,
                volume: hulls.iter().map(Hull::volume).sum(),
                hulls,
                drag_area,
            })
        });
        Self(immersed.collect())
    }

    /// The bodies that are immersed.
    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|immersed| immersed.body)
    }

    /// Lets the fluids act in the next step of the engine.
    pub(super) fn act(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        settings: &PhysicsSettings,
        commanded: &Commanded,
    ) {
        let gravity = Vector3::from(settings.gravity);
        let height = engine.places.origin.vector().z;
        for immersed in &self.0 {
            let row = tables.bodies.get(immersed.body);
            let body = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle));
            let (Some(row), Some(body)) = (row, body) else {
                continue;
            };
            if body.is_sleeping() || !body.is_enabled() {
                continue;
            }
            let is_held = settings.motion == MotionMode::Default && commanded.drives(immersed.body);
            if is_held && !commanded.keeps_to_ground(immersed.body) {
                continue;
            }
            let water = settings.water.map(|water| Water {
                level: water.level - height,
                ..water
            });
            let effect = immersed.effect(body, row, (settings, water), &gravity, is_held);
            body.add_force(convert::vec3(&effect.force), false);
            body.add_torque(convert::vec3(&effect.torque), false);
            if let Some(water) = settings.water.filter(|_| !is_held) {
                let [linear, angular] = row.damping;
                body.set_linear_damping(linear + (water.linear_damping * effect.share) as f32);
                body.set_angular_damping(angular + (water.angular_damping * effect.share) as f32);
            }
        }
    }

    /// Ends what was for one tick only.
    pub(super) fn release(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for immersed in &self.0 {
            let row = tables.bodies.get(immersed.body);
            let body = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle));
            if let (Some(row), Some(body)) = (row, body) {
                body.set_linear_damping(row.damping[0]);
                body.set_angular_damping(row.damping[1]);
            }
        }
    }
}

impl Immersed {
    fn effect(
        &self,
        body: &RigidBody,
        row: &BodyRow,
        (settings, water): (&PhysicsSettings, Option<Water>),
        gravity: &Vector3<f64>,
        is_held: bool,
    ) -> Effect {
        let step = settings.substep();
        let mut effect = Effect {
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            share: 0.0,
        };
        if let Some(water) = water {
            // The engine moves a body n times a step under one force; so far ahead, a force that pulls
            // back to a place neither adds energy nor takes it.
            let moves = f64::from(settings.moves());
            let ahead = (moves - 1.0) / (2.0 * moves) * step;
            let pose = body.predict_position_using_velocity(ahead as f32);
            self.lift(
                &convert::isometry(&pose),
                body,
                &water,
                gravity,
                &mut effect,
            );
        }
        if !is_held && self.drag_area.amax() > 0.0 {
            let weight = if row.gravity { *gravity } else { default() };
            let load = convert::vector(body.user_force());
            let other = weight + (load + effect.force) / row.mass;
            effect.force += self.drag(body, row.mass, settings, effect.share, &other);
        }
        effect
    }

    fn lift(
        &self,
        pose: &Isometry3<f64>,
        body: &RigidBody,
        water: &Water,
        gravity: &Vector3<f64>,
        effect: &mut Effect,
    ) {
        let own = convert::isometry(body.position());
        let center = own.inverse_transform_point(&convert::point(body.center_of_mass()));
        let center = (pose * center).coords;
        let mut under = 0.0;
        for hull in &self.hulls {
            let (volume, middle) = hull.under(pose, water.level);
            let force = gravity * (-water.density * volume);
            effect.force += force;
            effect.torque += (middle - center).cross(&force);
            under += volume;
        }
        effect.share = if self.volume > 0.0 {
            (under / self.volume).clamp(0.0, 1.0)
        } else if center.z < water.level {
            1.0
        } else {
            0.0
        };
    }

    /// Against the speed that the body would have after the step without it: it never turns it round.
    fn drag(
        &self,
        body: &RigidBody,
        mass: f64,
        settings: &PhysicsSettings,
        share: f64,
        other: &Vector3<f64>,
    ) -> Vector3<f64> {
        let step = settings.substep();
        let water = settings.water.map_or(0.0, |water| water.density);
        let density = water * share + settings.air_density * (1.0 - share);
        let velocity = convert::vector(body.linvel());
        let axes = convert::rotation(*body.rotation());
        let next = axes.inverse() * (velocity + other * step);
        let half = 0.5 * density * velocity.norm();
        let force = next.zip_map(&self.drag_area, |speed, area| {
            let rate = half * area;
            -speed * rate / (1.0 + rate * step / mass)
        });
        axes * force
    }
}
