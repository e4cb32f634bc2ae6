//! Vehicles whose wheels are rays to the ground: springs, traction and brakes.
//!
//! The engine's controller sets velocities; they are made forces here, so that the springs and gravity act
//! alike over a step and a vehicle that stands has no velocity. The controller keeps nothing from one step
//! to the next that matters for the motion, so it is no state.

use bevy::prelude::*;
use bevy_rapier3d::rapier::{
    control::{DynamicRayCastVehicleController, WheelTuning},
    prelude::QueryFilter,
};
use morse_api::{component::Mount, state::InPathOrder, vehicle::Vehicle};
use nalgebra::{Matrix3, Vector3};

use super::{
    PhysicsSettings, convert,
    engine::{BodyIndex, EngineItem, Tables},
};

/// All vehicles, in path order.
#[derive(Resource, Default)]
pub(super) struct Vehicles(Vec<Driven>);

struct Driven {
    body: usize,
    controller: DynamicRayCastVehicleController,
    /// N, of each wheel.
    brakes: Vec<f64>,
    is_driven: bool,
}

/// Takes what the wheels are asked to do.
pub(super) fn apply(
    tables: Res<Tables>,
    order: Option<Res<InPathOrder>>,
    mut vehicles: ResMut<Vehicles>,
    wanted: Query<(&Vehicle, &Mount)>,
    bodies: Query<&BodyIndex>,
) {
    let mut count = 0;
    for &entity in order.iter().flat_map(|order| &order.0) {
        let Ok((vehicle, mount)) = wanted.get(entity) else {
            continue;
        };
        let Some((place, row)) = tables.row(bodies.get(mount.robot).ok()) else {
            continue;
        };
        let known = vehicles.0.get(count);
        let is_known = known
            .is_some_and(|known| known.body == place && known.brakes.len() == vehicle.wheels.len());
        if !is_known {
            vehicles.0.truncate(count);
            let controller = DynamicRayCastVehicleController::new(row.handle);
            vehicles.0.push(Driven::new(place, controller, vehicle));
        }
        if let Some(driven) = vehicles.0.get_mut(count) {
            driven.take(vehicle);
        }
        count += 1;
    }
    vehicles.0.truncate(count);
}

impl Driven {
    fn new(
        body: usize,
        mut controller: DynamicRayCastVehicleController,
        vehicle: &Vehicle,
    ) -> Self {
        controller.index_up_axis = 2;
        controller.index_forward_axis = 0;
        for wheel in &vehicle.wheels {
            let tuning = WheelTuning {
                suspension_stiffness: wheel.stiffness as f32,
                suspension_compression: wheel.compression as f32,
                suspension_damping: wheel.relaxation as f32,
                friction_slip: wheel.friction as f32,
                max_suspension_force: f32::MAX,
                ..WheelTuning::default()
            };
            controller.add_wheel(
                convert::vec3(&wheel.at.coords),
                convert::vec3(&-Vector3::z()),
                // The engine's wheels roll towards normal × axle.
                convert::vec3(&-Vector3::y()),
                wheel.rest_length as f32,
                wheel.radius as f32,
                &tuning,
            );
        }
        Self {
            body,
            controller,
            brakes: vec![0.0; vehicle.wheels.len()],
            is_driven: false,
        }
    }

    fn take(&mut self, vehicle: &Vehicle) {
        self.is_driven = false;
        let slots = self
            .controller
            .wheels_mut()
            .iter_mut()
            .zip(&mut self.brakes);
        for ((slot, brake), wheel) in slots.zip(&vehicle.wheels) {
            let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
            slot.steering = finite(wheel.steer) as f32;
            slot.engine_force = finite(wheel.force) as f32;
            *brake = finite(wheel.brake).max(0.0);
            self.is_driven |= slot.engine_force != 0.0;
        }
    }

    fn act(&mut self, engine: &mut EngineItem<'_, '_>, step: f64) {
        let handle = self.controller.chassis;
        let Some(body) = engine.bodies.bodies.get_mut(handle) else {
            return;
        };
        if !body.is_dynamic() || !body.is_enabled() {
            return;
        }
        if self.is_driven {
            body.wake_up(true);
        }
        if body.is_sleeping() {
            return;
        }
        let (linear, angular) = (body.linvel(), body.angvel());
        let inertia = &body.mass_properties().local_mprops;
        let column = |at: usize| convert::vector(inertia.reconstruct_inertia_matrix().col(at));
        let inertia = Matrix3::from_columns(&[column(0), column(1), column(2)]);
        let axes = convert::rotation(*body.rotation());
        let mass = f64::from(body.mass());
        for (slot, brake) in self.controller.wheels_mut().iter_mut().zip(&self.brakes) {
            // The engine's brake is the impulse of a step.
            slot.brake = (brake * step) as f32;
        }
        let simulation = &mut *engine.simulation;
        let queries = simulation.broad_phase.as_query_pipeline_mut(
            simulation.narrow_phase.query_dispatcher(),
            &mut engine.bodies.bodies,
            &mut engine.colliders.colliders,
            QueryFilter::default().exclude_rigid_body(handle),
        );
        self.controller.update_vehicle(step as f32, queries);
        let Some(body) = engine.bodies.bodies.get_mut(handle) else {
            return;
        };
        let gained = convert::vector(body.linvel() - linear) / step;
        let turned = convert::vector(body.angvel() - angular) / step;
        body.set_linvel(linear, false);
        body.set_angvel(angular, false);
        let torque = axes * (inertia * (axes.inverse() * turned));
        body.add_force(convert::vec3(&(gained * mass)), false);
        body.add_torque(convert::vec3(&torque), false);
    }
}

impl Vehicles {
    /// The bodies that are vehicles.
    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|driven| driven.body)
    }

    /// Lets the wheels act in the next step of the engine.
    pub(super) fn act(&mut self, engine: &mut EngineItem<'_, '_>, settings: &PhysicsSettings) {
        for driven in &mut self.0 {
            driven.act(engine, settings.substep());
        }
    }
}
