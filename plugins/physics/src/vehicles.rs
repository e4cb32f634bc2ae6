//! Vehicles with raycast suspension: springs, traction and brakes.
//!
//! The engine's controller sets velocities; they are converted to forces here, so that springs and gravity act alike over a
//! step and a vehicle at rest has no velocity. The controller has no state from step to step that matters for the motion.

use bevy::prelude::*;
use bevy_rapier3d::rapier::{
    control::{DynamicRayCastVehicleController, WheelTuning},
    prelude::{QueryFilter, Ray, RigidBody},
};
use morse_api::{
    component::Mount,
    vehicle::{Vehicle, VehicleWheel},
};
use nalgebra::{Matrix3, Vector3};

use super::{
    PhysicsSettings,
    cars::{Car, Ground, Touching},
    convert,
    engine::{BodyIndex, EngineItem, Tables},
    in_order::InOrder,
    suspension::Suspended,
};

/// All vehicles, in path order.
#[derive(Resource, Default)]
pub(super) struct Vehicles(Vec<Driven>);

struct Driven {
    body: usize,
    controller: DynamicRayCastVehicleController,
    /// Wheels with the actuator's commands.
    wheels: Vec<VehicleWheel>,
    /// Wheels in contact with the ground in this step.
    touching: Vec<Touching>,
    is_driven: bool,
}

/// Copies the commands of the wheels.
pub(super) fn apply(
    suspended: Res<Suspended>,
    tables: Res<Tables>,
    mut order: InOrder<'_, '_, Vehicle>,
    mut vehicles: ResMut<Vehicles>,
    wanted: Query<(&Vehicle, &Mount)>,
    bodies: Query<&BodyIndex>,
) {
    let order = order.entities();
    if suspended.0 {
        return;
    }
    let mut count = 0;
    for &entity in order {
        let Ok((vehicle, mount)) = wanted.get(entity) else {
            continue;
        };
        let Some((body_index, row)) = tables.row(bodies.get(mount.robot).ok()) else {
            continue;
        };
        let known = vehicles.0.get(count);
        let is_known = known.is_some_and(|known| {
            known.body == body_index && known.wheels.len() == vehicle.wheels.len()
        });
        if !is_known {
            vehicles.0.truncate(count);
            let controller = DynamicRayCastVehicleController::new(row.handle);
            vehicles
                .0
                .push(Driven::new(body_index, controller, vehicle));
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
            wheels: vehicle.wheels.clone(),
            touching: Vec::with_capacity(vehicle.wheels.len()),
            is_driven: false,
        }
    }

    fn take(&mut self, vehicle: &Vehicle) {
        self.is_driven = false;
        let slots = self
            .controller
            .wheels_mut()
            .iter_mut()
            .zip(&mut self.wheels);
        for ((slot, commanded), wheel) in slots.zip(&vehicle.wheels) {
            let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
            commanded.clone_from(wheel);
            commanded.steer = finite(wheel.steer);
            commanded.force = finite(wheel.force);
            commanded.brake = finite(wheel.brake).max(0.0);
            slot.steering = commanded.steer as f32;
            slot.engine_force = commanded.force as f32;
            self.is_driven |= slot.engine_force != 0.0;
        }
    }

    fn act(&mut self, engine: &mut EngineItem<'_, '_>, settings: &PhysicsSettings) {
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
        if settings.motion.is_morse() {
            self.act_as_in_morse(engine, settings.substep());
        } else {
            self.control(engine, settings.substep());
        }
    }

    /// Applies the wheels in MORSE's motion.
    fn act_as_in_morse(&mut self, engine: &mut EngineItem<'_, '_>, step: f64) {
        let handle = self.controller.chassis;
        let simulation = &*engine.simulation;
        let queries = simulation.broad_phase.as_query_pipeline(
            simulation.narrow_phase.query_dispatcher(),
            &engine.bodies.bodies,
            &engine.colliders.colliders,
            QueryFilter::default().exclude_rigid_body(handle),
        );
        let Some(body) = engine.bodies.bodies.get(handle) else {
            return;
        };
        let car = car(body);
        let touching = |wheel: &VehicleWheel| {
            let (from, to, length) = car.ray(wheel);
            let ray = Ray::new(convert::vec3(&from.coords), convert::vec3(&to));
            let (_, hit) = queries.cast_ray_and_get_normal(&ray, length as f32, true)?;
            let ground = Ground {
                distance: f64::from(hit.time_of_impact),
                normal: convert::vector(hit.normal).try_normalize(1e-6)?,
            };
            car.touching(wheel, &ground)
        };
        self.touching.clear();
        self.touching
            .extend(self.wheels.iter().filter_map(touching));
        let [force, torque] = car.act(&mut self.touching, step);
        if let Some(body) = engine.bodies.bodies.get_mut(handle) {
            body.add_force(convert::vec3(&force), false);
            body.add_torque(convert::vec3(&torque), false);
        }
    }

    /// Applies the wheels by the engine's controller.
    fn control(&mut self, engine: &mut EngineItem<'_, '_>, step: f64) {
        let handle = self.controller.chassis;
        let Some(body) = engine.bodies.bodies.get(handle) else {
            return;
        };
        let (linear, angular) = (body.linvel(), body.angvel());
        let inertia = inertia(body);
        let axes = convert::rotation(*body.rotation());
        let mass = f64::from(body.mass());
        for (slot, wheel) in self.controller.wheels_mut().iter_mut().zip(&self.wheels) {
            // The engine's brake is the impulse of a step.
            slot.brake = (wheel.brake * step) as f32;
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

/// Returns the inertia in the body's axes, kg·m².
fn inertia(body: &RigidBody) -> Matrix3<f64> {
    let inertia = &body.mass_properties().local_mprops;
    let column = |column_index: usize| {
        convert::vector(inertia.reconstruct_inertia_matrix().col(column_index))
    };
    Matrix3::from_columns(&[column(0), column(1), column(2)])
}

fn car(body: &RigidBody) -> Car {
    let pose = convert::isometry(body.position());
    let axes = pose.rotation.to_rotation_matrix();
    let inverse = inertia(body).try_inverse().unwrap_or_default();
    Car {
        pose,
        center: convert::point(body.center_of_mass()),
        mass: f64::from(body.mass()),
        inverse_inertia: axes.matrix() * inverse * axes.matrix().transpose(),
        linear: convert::vector(body.linvel()),
        angular: convert::vector(body.angvel()),
    }
}

impl Vehicles {
    /// Iterates over the bodies that are vehicles.
    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|driven| driven.body)
    }

    /// Applies the wheels for the next step of the engine.
    pub(super) fn act(&mut self, engine: &mut EngineItem<'_, '_>, settings: &PhysicsSettings) {
        for driven in &mut self.0 {
            driven.act(engine, settings);
        }
    }
}
