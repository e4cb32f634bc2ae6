//! The engine's world: its sets, and the tables from entities to handles and back.
//!
//! Bodies, colliders and joints are added to the engine's sets directly, not through the components of its Bevy plugin:
//! poses are then converted from f64 to f32 once, handles follow the order of paths, motors keep their impulses, and a
//! restored snapshot does not conflict with change detection.
use bevy::{
    ecs::{change_detection::Tick, query::QueryData},
    prelude::*,
};
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
        prelude::{LockedAxes, RigidBody, RigidBodyHandle},
    },
};
use morse_api::{
    body::BodyKind,
    motion::{CombinationRule, MotionMode},
};
use morse_mechanisms::Inertia;
use morse_scene::assembly::{Attachment, VariableLayout};
use nalgebra::Isometry3;

use super::{PhysicsSettings, body_poses::BodyPoses, convert, motor::MotorSettings};

/// All sets of the engine.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct Engine {
    pub simulation: &'static mut RapierContextSimulation,
    pub colliders: &'static mut RapierContextColliders,
    pub joints: &'static mut RapierContextJoints,
    pub bodies: &'static mut RapierRigidBodySet,
    pub configuration: &'static RapierConfiguration,
    pub body_poses: &'static mut BodyPoses,
    pub last_step: &'static mut LastStep,
}

/// Last step of the engine. A component of the entity with the sets.
#[derive(Component, Clone, Copy, Default)]
pub(super) struct LastStep {
    /// Change tick of the sets after it; `None` before the first one.
    pub mark: Option<Tick>,
    /// True if all active bodies have been found to sleep since then.
    pub all_sleep: bool,
}

impl EngineItem<'_, '_> {
    /// Sets the pose of a body in the world.
    pub(super) fn put(&mut self, body: RigidBodyHandle, pose: &Isometry3<f64>, wakes: bool) {
        if let Some(body) = self.bodies.bodies.get_mut(body) {
            self.body_poses.put(body, pose, wakes);
        }
    }

    /// Sets the boxes of all colliders in the broad phase, which the next step would do after the suspensions of vehicles
    /// have cast their rays.
    pub(super) fn bound_colliders(&mut self) {
        let simulation = &mut *self.simulation;
        for (handle, collider) in self.colliders.colliders.iter() {
            let body = collider.parent();
            let body = body.and_then(|body| self.bodies.bodies.get(body));
            let attached = collider.position_wrt_parent().zip(body);
            let pose = attached.map_or(*collider.position(), |(pose, body)| body.position() * pose);
            let bounds = collider.shape().compute_aabb(&pose);
            let parameters = &simulation.integration_parameters;
            simulation.broad_phase.set_aabb(parameters, handle, bounds);
        }
    }

    /// Returns the body of a row, unless the physics lost it.
    pub(super) fn movable(&mut self, row: &BodyRow) -> Option<&mut RigidBody> {
        let body = self.bodies.bodies.get(row.handle)?;
        if !body.is_enabled() {
            return None;
        }
        self.bodies.bodies.get_mut(row.handle)
    }

    /// Wakes a body that forces move.
    pub(super) fn wake(&mut self, body: RigidBodyHandle) {
        let bodies = &mut self.bodies.bodies;
        if bodies.get(body).is_some_and(RigidBody::is_enabled) {
            self.simulation.islands.wake_up(bodies, body, true);
        }
    }

    /// Returns true if the physics lost a body that a variable moves.
    pub(super) fn has_lost(&self, tables: &Tables, variable: &VariableRow) -> bool {
        let children = variable.layout.bodies.iter();
        let mut rows = children.filter_map(|child| tables.bodies.get(*child));
        rows.any(|row| self.is_lost(row))
    }

    /// Returns true if the physics lost a body.
    pub(super) fn is_lost(&self, row: &BodyRow) -> bool {
        let body = self.bodies.bodies.get(row.handle);
        body.is_some_and(|body| !body.is_enabled())
    }
}

/// Returns true if the physics lost a body, by its index.
pub(super) fn is_lost(world: &World, tables: &Tables, body_index: usize) -> bool {
    let sets = tables
        .engine
        .and_then(|engine| world.get::<RapierRigidBodySet>(engine));
    let row = tables.bodies.get(body_index);
    let body = sets
        .zip(row)
        .and_then(|(sets, row)| sets.bodies.get(row.handle));
    body.is_some_and(|body| !body.is_enabled())
}

/// Bodies, geometry and joints of the world, in the order of paths. Computed from the scene only.
#[derive(Resource, Default)]
pub(super) struct Tables {
    /// Entity with the engine's sets.
    pub engine: Option<Entity>,
    pub bodies: Vec<BodyRow>,
    /// Entities of the bodies, in their order: side by side in memory, since each tick writes the states of most bodies.
    pub entities: Vec<Entity>,
    /// Geometry that collides.
    pub geometry: Vec<GeometryRow>,
    pub variables: Vec<VariableRow>,
    /// Motors of the variables, in their order.
    pub motors: Vec<MotorSettings>,
    /// Indices of the variables that forces do not move.
    pub kinematic: Vec<usize>,
    /// Frames, in the order of the layout.
    pub frames: Vec<FrameRow>,
    /// Indices of posed bodies, parents before children.
    pub posed: Vec<usize>,
    /// Pairs of frames that do not collide, sorted.
    pub allowed: Vec<(u32, u32)>,
    /// Kinematic bodies that no joint moves.
    pub commandable: Vec<usize>,
    /// Index of the base of each body, which may be itself.
    pub bases: Vec<usize>,
    /// Descendants of each base including itself; empty for bodies that are no base.
    pub hanging: Vec<Vec<usize>>,
    /// Pairs of bodies on either side of a joint, sorted.
    pub neighbours: Vec<(usize, usize)>,
    /// Bodies that the engine's origin follows.
    pub roaming: Vec<usize>,
    /// Combination of restitution coefficients.
    pub restitution_rule: CombinationRule,
    /// True if bodies without joints may bounce, and the engine does not do that.
    pub have_bounces: bool,
}

pub(super) struct FrameRow {
    pub entity: Entity,
    /// Index of the parent frame.
    pub parent: Option<usize>,
    pub body: usize,
    /// Inertia in the body's axes.
    pub inertia: Inertia,
}

pub(super) struct BodyRow {
    pub entity: Entity,
    /// Index of the head frame.
    pub head: usize,
    pub handle: RigidBodyHandle,
    pub kind: BodyKind,
    /// Mass, kg; infinite for bodies that physics does not move.
    pub mass: f64,
    pub gravity: bool,
    /// Linear and angular damping, 1/s.
    pub damping: [f32; 2],
    /// Locked axes.
    pub locked: LockedAxes,
    pub attachment: Option<Attachment>,
    /// True if a kinematic joint moves it.
    pub is_posed: bool,
    /// True if a dynamic joint moves it: gravity acts on it in its tree, and not in the engine.
    pub hangs: bool,
    /// Pose of a static body.
    pub still: Option<Isometry3<f64>>,
}

impl BodyRow {
    /// Gravity scale in the engine.
    pub(super) const fn gravity_scale(&self) -> f32 {
        if self.gravity && !self.hangs {
            1.0
        } else {
            0.0
        }
    }
}

pub(super) struct GeometryRow {
    pub entity: Entity,
    pub body: usize,
    /// Index of the frame in the layout.
    pub frame: u32,
    /// Coefficient of restitution.
    pub restitution: f32,
}

pub(super) struct VariableRow {
    pub entity: Entity,
    pub layout: VariableLayout,
}

/// Index of a body in [`Tables::bodies`]. A component of body entities.
#[derive(Component, Clone, Copy)]
pub(super) struct BodyIndex(pub usize);

/// Index of a variable in [`Tables::variables`]. A component of joint entities.
#[derive(Component, Clone, Copy)]
pub(super) struct VariableIndex(pub usize);

impl Tables {
    /// Iterates over the descendants of a base, including itself.
    pub(super) fn robot_of(&self, base: usize) -> impl Iterator<Item = (usize, &BodyRow)> {
        let all = self.hanging.get(base).into_iter().flatten();
        all.filter_map(|&index| Some((index, self.bodies.get(index)?)))
    }

    /// Returns the coefficient of restitution of the contacts of two geometries.
    pub(super) fn restitution(&self, [one, two]: [&GeometryRow; 2]) -> f32 {
        let [one, two] = [one.restitution, two.restitution];
        match self.restitution_rule {
            CombinationRule::Greater => one.max(two),
            CombinationRule::Mean => (one + two) / 2.0,
            CombinationRule::Smaller => one.min(two),
            CombinationRule::Product => one * two,
        }
    }

    pub(super) fn row(&self, index: Option<&BodyIndex>) -> Option<(usize, &BodyRow)> {
        let index = index?.0;
        Some((index, self.bodies.get(index)?))
    }
}

/// Spawns the engine's world before anything else is built.
pub(super) fn spawn_engine(world: &mut World, settings: &PhysicsSettings) {
    let mut simulation = RapierContextSimulation::default();
    simulation.integration_parameters = parameters(settings);
    let mut configuration = RapierConfiguration::new(1.0);
    configuration.gravity = convert::vec3(&settings.gravity.into());
    let engine = world
        .spawn((
            simulation,
            configuration,
            DefaultRapierContext,
            BodyPoses::default(),
            LastStep::default(),
        ))
        .id();
    world.insert_resource(Tables {
        engine: Some(engine),
        ..Tables::default()
    });
}

/// Displacement up to which the engine keeps the points and the normal of a contact, m. Its default of 5 cm lets balls that
/// meet obliquely collide along the wrong line, and heaps of rocks rest a tenth too high.
const KEPT: f32 = 1e-3;

/// Number of passes per substep that solve the contacts without correction of positions. The impulse of an impact is the
/// guess for the substep after it: one pass, the default of the engine, leaves a part of it, and boxes that tip over an edge
/// gain up to 20 mJ.
const RELAXATIONS: usize = 2;

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
        num_internal_stabilization_iterations: RELAXATIONS,
        // The default of the engine would limit speeds to 400 m/s.
        normalized_max_linear_velocity: f32::MAX,
        normalized_contact_recycle_distance: KEPT,
        num_internal_pgs_iterations: match settings.motion {
            MotionMode::Default => 1,
            MotionMode::Morse => settings.solver_iterations.max(1) as usize,
        },
        ..IntegrationParameters::default()
    }
}
