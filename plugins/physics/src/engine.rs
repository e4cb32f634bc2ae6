//! The engine's world: its sets, and the tables that lead from entities to handles and back.
//!
//! Bodies, colliders and joints are put into the engine's sets directly, not through the components of
//! its Bevy plugin: poses then pass from f64 to f32 once, handles follow the order of paths, motors
//! keep their impulses, and a restored snapshot does not fight with change detection.
use bevy::{ecs::query::QueryData, prelude::*};
use bevy_rapier3d::{
    plugin::{
        RapierConfiguration,
        context::{
            DefaultRapierContext, RapierContextColliders, RapierContextJoints,
            RapierContextSimulation, RapierRigidBodySet,
        },
    },
    rapier::{
        dynamics::{IntegrationParameters, SpringCoefficients},
        prelude::{ImpulseJointHandle, LockedAxes, RigidBody, RigidBodyHandle},
    },
};
use morse_api::{body::BodyKind, motion::MotionMode};
use morse_scene::assembly::{Attachment, VariableLayout};
use nalgebra::{Isometry3, UnitQuaternion};

use super::{PhysicsSettings, convert};

/// Iterations of the solver that a body on a joint gets on top: links of an arm give way, and lose
/// energy, with as few as boxes need.
pub(super) const JOINT_ITERATIONS: u32 = 12;

/// Passes of the solver within an iteration, where there are joints: a wheel that is lighter than what it
/// carries does not roll with one.
pub(super) const JOINT_PASSES: usize = 4;

/// All sets of the engine.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct Engine {
    pub simulation: &'static mut RapierContextSimulation,
    pub colliders: &'static mut RapierContextColliders,
    pub joints: &'static mut RapierContextJoints,
    pub bodies: &'static mut RapierRigidBodySet,
    pub configuration: &'static RapierConfiguration,
}

impl EngineItem<'_, '_> {
    /// The body of a row, unless the physics lost it: then nothing moves it any more.
    pub(super) fn movable(&mut self, row: &BodyRow) -> Option<&mut RigidBody> {
        let body = self.bodies.bodies.get(row.handle)?;
        if !body.is_enabled() {
            return None;
        }
        self.bodies.bodies.get_mut(row.handle)
    }

    /// Tells whether the physics lost a body that a variable moves.
    pub(super) fn has_lost(&self, tables: &Tables, variable: &VariableRow) -> bool {
        let children = variable.joints.iter().map(|joint| joint.child);
        let mut rows = children.filter_map(|child| tables.bodies.get(child));
        rows.any(|row| self.is_lost(row))
    }

    /// Tells whether the physics lost a body.
    pub(super) fn is_lost(&self, row: &BodyRow) -> bool {
        let body = self.bodies.bodies.get(row.handle);
        body.is_some_and(|body| !body.is_enabled())
    }
}

/// The bodies, geometry and joints of the world, in the order of paths. Follows from the scene alone.
#[derive(Resource, Default)]
pub(super) struct Tables {
    /// Carries the engine's sets.
    pub engine: Option<Entity>,
    pub bodies: Vec<BodyRow>,
    /// Geometry that collides.
    pub geometry: Vec<GeometryRow>,
    pub variables: Vec<VariableRow>,
    /// Posed bodies, parents before children.
    pub posed: Vec<usize>,
    /// Pairs of frames that may pass through each other, sorted.
    pub allowed: Vec<(u32, u32)>,
    /// For each body the one at the head of the joints that it hangs on, which may be itself.
    pub bases: Vec<usize>,
    /// The bodies that hang on each base by joints, and itself; none for what is no base.
    pub hanging: Vec<Vec<usize>>,
    /// Pairs of bodies on either side of a joint, sorted.
    pub neighbours: Vec<(usize, usize)>,
}

pub(super) struct BodyRow {
    pub entity: Entity,
    pub handle: RigidBodyHandle,
    pub kind: BodyKind,
    /// kg; infinite for what physics does not move.
    pub mass: f64,
    pub gravity: bool,
    /// Linear and angular, 1/s.
    pub damping: [f32; 2],
    /// Axes that it does not move on.
    pub locked: LockedAxes,
    pub attachment: Option<Attachment>,
    /// True if the engine solves a joint of it, with more iterations than other bodies.
    pub is_jointed: bool,
    /// True if a joint poses it.
    pub is_posed: bool,
    /// Pose, if nothing ever moves it.
    pub still: Option<Isometry3<f64>>,
}

pub(super) struct GeometryRow {
    pub entity: Entity,
    pub body: usize,
    /// The frame's place in the layout.
    pub frame: u32,
}

pub(super) struct VariableRow {
    pub entity: Entity,
    pub layout: VariableLayout,
    /// The joints that it moves; the first one leads.
    pub joints: Vec<JointRow>,
}

pub(super) struct JointRow {
    /// The body below the joint.
    pub child: usize,
    /// The body above the joint.
    pub parent: usize,
    /// In the engine; a posed joint is not in it.
    pub handle: Option<ImpulseJointHandle>,
    pub is_angle: bool,
    /// Value of the variable when the engine measures zero.
    pub zero: f64,
    /// Travel for one unit of the variable.
    pub travel: f64,
    /// Axes of the joint on the body above, x along the axis.
    pub parent_from_axes: Isometry3<f64>,
    /// Axes of the joint on the body below, x along the axis.
    pub child_from_axes: UnitQuaternion<f64>,
    /// Of the motor, in units of travel.
    pub stiffness: f64,
    /// Of the motor, in units of travel.
    pub damping: f64,
    /// Without a motor, in units of travel.
    pub passive_damping: f64,
}

/// On body entities: the body's place in [`Tables::bodies`].
#[derive(Component, Clone, Copy)]
pub(super) struct BodyIndex(pub usize);

impl Tables {
    /// The bodies that hang on a base by joints, and itself.
    pub(super) fn robot_of(&self, base: usize) -> impl Iterator<Item = (usize, &BodyRow)> {
        let all = self.hanging.get(base).into_iter().flatten();
        all.filter_map(|&at| Some((at, self.bodies.get(at)?)))
    }

    pub(super) fn row(&self, index: Option<&BodyIndex>) -> Option<(usize, &BodyRow)> {
        let index = index?.0;
        Some((index, self.bodies.get(index)?))
    }
}

/// Spawns the engine's world, so that it exists before anything else is built.
pub(super) fn spawn_engine(world: &mut World, settings: &PhysicsSettings) {
    let mut simulation = RapierContextSimulation::default();
    simulation.integration_parameters = parameters(settings);
    let mut configuration = RapierConfiguration::new(1.0);
    configuration.gravity = convert::vec3(&settings.gravity.into());
    let engine = world
        .spawn((simulation, configuration, DefaultRapierContext))
        .id();
    world.insert_resource(Tables {
        engine: Some(engine),
        ..Tables::default()
    });
}

fn parameters(settings: &PhysicsSettings) -> IntegrationParameters {
    let softness = SpringCoefficients {
        natural_frequency: settings.contact_frequency as f32,
        ..SpringCoefficients::contact_defaults()
    };
    IntegrationParameters {
        dt: settings.substep() as f32,
        contact_softness: softness,
        static_contact_softness: softness,
        num_solver_iterations: settings.moves() as usize,
        // The engine would cut off what is faster than 400 m/s.
        normalized_max_linear_velocity: f32::MAX,
        num_internal_pgs_iterations: match settings.motion {
            MotionMode::Default => 1,
            MotionMode::Morse => settings.solver_iterations.max(1) as usize,
        },
        ..IntegrationParameters::default()
    }
}
