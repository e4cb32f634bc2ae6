//! Air and water: buoyancy, damping and drag.
//!
//! Water is at rest below a level. It lifts a body by the weight of the displaced water, at the centroid of that volume;
//! overlapping shapes count twice. It damps the body's velocity, in proportion to the submerged fraction. Air does not lift.
//! Both exert drag on bodies with a drag area: ½ ρ |v| times the area along each axis of the body times the velocity along
//! it. Added mass is neglected. Neither acts on bodies without gravity, except for drag, nor, beyond the lift of robots on
//! the ground, on bodies with a commanded velocity.

mod hull;

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::{body::BodyKind, motion::MotionMode};
use morse_scene::assembly::Layout;
use nalgebra::{Isometry3, Vector3};

pub(super) use hull::Hull;

use super::{
    PhysicsSettings,
    commanded::Commanded,
    convert,
    engine::{BodyRow, EngineItem, Tables},
    prepare::Prepared,
};

/// Water at rest below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of the surface, m.
    pub level: f64,
    /// Density, kg/m³.
    pub density: f64,
    /// Linear damping of a submerged body, 1/s.
    pub linear_damping: f64,
    /// Angular damping of a submerged body, 1/s.
    pub angular_damping: f64,
}

/// Bodies on which air or water act. Computed from the scene only.
#[derive(Resource, Default)]
pub(super) struct Fluids(Vec<Immersed>);

struct Immersed {
    body: usize,
    hulls: Vec<Hull>,
    /// Volume, m³.
    volume: f64,
    /// Drag coefficient times area along the axes of the body, m².
    drag_area: Vector3<f64>,
}

/// Effect of the fluids in one step of the engine.
struct Effect {
    force: Vector3<f64>,
    torque: Vector3<f64>,
    /// Submerged fraction, from 0 to 1.
    share: f64,
}

impl Fluids {
    /// Returns the bodies that fluids act on.
    pub(super) fn new(settings: &PhysicsSettings, layout: &Layout, prepared: &Prepared) -> Self {
        let all = layout.bodies.iter().zip(&prepared.bodies).enumerate();
        let moving = all.filter(|(_, (body, _))| body.kind == BodyKind::Dynamic);
        let immersed = moving.filter_map(|(index, (body, prepared))| {
            let hulls: Vec<Hull> = if settings.water.is_some() && body.settings.gravity {
                prepared.solids.iter().filter_map(Hull::new).collect()
            } else {
                Vec::new()
            };
            let drag_area = body.settings.drag_area;
            (!hulls.is_empty() || drag_area.amax() > 0.0).then(|| Immersed {
                body: index,
                volume: hulls.iter().map(Hull::volume).sum(),
                hulls,
                drag_area,
            })
        });
        Self(immersed.collect())
    }

    /// Iterates over the bodies that fluids act on.
    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|immersed| immersed.body)
    }

    /// Applies the fluids for the next step of the engine.
    pub(super) fn act(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        settings: &PhysicsSettings,
        commanded: &Commanded,
    ) {
        let gravity = Vector3::from(settings.gravity);
        let height = engine.body_poses.origin.vector().z;
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

    /// Ends the effects that last for one tick.
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
            // The engine moves a body n times per step with one force; evaluated this much ahead, a restoring force
            // conserves energy.
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

    /// Drag at the velocity after the step without it, limited so that it does not reverse the motion.
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
