//! Motion of bodies before and after the engine's step.
use bevy_rapier3d::rapier::{dynamics::RigidBody, math::AngularInertia};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::{convert, engine::EngineItem};

/// Motion of a body before the engine's step.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
    /// Centre of mass, m.
    pub center: Vector3<f64>,
    pub rotation: UnitQuaternion<f64>,
    /// Force in the step, with gravity, N.
    pub force: Vector3<f64>,
    /// Torque in the step, N·m.
    pub torque: Vector3<f64>,
}

impl Before {
    pub(super) fn of(body: &RigidBody, engine: &EngineItem<'_, '_>) -> Self {
        let weight = engine.configuration.gravity * (body.gravity_scale() * body.mass());
        let poses = &engine.body_poses;
        Self {
            linear: poses.velocity(body),
            angular: poses.angular_velocity(body),
            center: poses.center(body).coords,
            rotation: poses.of(body).rotation,
            force: convert::vector(weight + body.user_force()),
            torque: convert::vector(body.user_torque()),
        }
    }

    /// Returns the velocity of a point, m/s.
    pub(super) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }
}

/// Motion of a body after the engine's step.
#[derive(Clone, Default)]
pub(super) struct Body {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
    /// Changes of both by the bounces.
    pub more: [Vector3<f64>; 2],
    /// True if impulses move it.
    pub moves: bool,
    /// True if it is in contact.
    pub is_known: bool,
    /// Index of another body of its group in the union–find forest; its own for a root.
    pub above: usize,
    inverse_mass: Vector3<f64>,
    inverse_inertia: Matrix3<f64>,
}

impl Body {
    pub(super) fn of(index: usize, body: &RigidBody, engine: &EngineItem<'_, '_>) -> Self {
        let moves = body.is_dynamic() && body.is_enabled() && !body.is_sleeping();
        let masses = body.mass_properties();
        let (inverse_mass, inverse_inertia) = if moves {
            let inertia = &masses.effective_world_inv_inertia;
            (convert::vector(masses.effective_inv_mass), matrix(inertia))
        } else {
            <_>::default()
        };
        Self {
            linear: engine.body_poses.velocity(body),
            angular: engine.body_poses.angular_velocity(body),
            more: <_>::default(),
            moves,
            is_known: true,
            above: index,
            inverse_mass,
            inverse_inertia,
        }
    }

    /// Returns the velocity of a point without bounces, m/s.
    pub(super) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }

    /// Returns the change of a point's velocity along a normal per unit of impulse there, 1/kg.
    pub(super) fn response(&self, arm: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
        let turn = arm.cross(normal);
        normal.dot(&self.inverse_mass.component_mul(normal))
            + turn.dot(&(self.inverse_inertia * turn))
    }

    /// Adds an impulse at a point, N·s.
    pub(super) fn push(&mut self, arm: &Vector3<f64>, impulse: &Vector3<f64>) {
        self.more[0] += self.inverse_mass.component_mul(impulse);
        self.more[1] += self.inverse_inertia * arm.cross(impulse);
    }
}

fn matrix(inertia: &AngularInertia) -> Matrix3<f64> {
    let columns = [
        bevy::math::Vec3::X,
        bevy::math::Vec3::Y,
        bevy::math::Vec3::Z,
    ];
    Matrix3::from_columns(&columns.map(|axis| convert::vector(*inertia * axis)))
}
