//! Physics: bodies, joints, contacts and drives. The only crate that names the engine.
//!
//! In reading order:
//! - [`plugin`] and [`PhysicsSettings`]: one tick of the clock is [`PhysicsSettings::substeps`] steps of the engine;
//! - `engine`: the engine's sets and the tables from entities to handles; `convert`: conversions between f64 and f32;
//! - `body_poses`: poses in f64; `follow`: their updates after the engine's steps; `origin`: the origin of the engine's world;
//! - [`shapes`], [`mass`]: solids and masses of the scene's geometry; [`hull_cache`]: hulls on the disk;
//! - [`mod@prepare`], [`mod@build`]: bodies, colliders and joints of a scene;
//! - [`drives`]: drives of actuators; `arbitration`: arbitration between them; `posed`: velocities of bodies that are moved past
//!   physics; `held`: held bodies, and locked axes; `in_order`: actuators in path order; `joints`, `posing`: targets of joints;
//!   `joint_motion`: their motion;
//! - [`grasp`]: bodies that hold others;
//! - `slip`: warnings about robots that miss their commands;
//! - `step`: one tick, and the copy of its results to entities; `idle`: steps of the engine that are left out; `filter`:
//!   contact filter;
//! - [`fluids`]: air and water; `vehicles`: raycast wheels, `cars`: those of MORSE; `loads`: forces for one step;
//! - `mechanisms`: trees of joints; `trees`: their motion, `motor`: their motors;
//! - [`lost_body`]: bodies that were lost;
//! - [`contacts`]: contacts and their forces; `touch`: those of sensed bodies, and wrenches;
//! - [`intervention`]: poses, impulses and holds that the simulation itself sets; `suspension`: the physics stands still;
//! - `snapshot`: hash, save and restore; `carry`: the motion of kept bodies, for another world; `pairs`: their
//!   indices in both; `shown`: copy of a state that was set to entities.

mod arbitration;
mod body_poses;
mod bounces;
pub mod build;
mod carry;
mod cars;
mod commanded;
pub mod contacts;
mod convert;
pub mod distance;
pub mod drives;
mod engine;
mod filter;
pub mod fluids;
mod follow;
pub mod grasp;
mod held;
pub mod hull_cache;
mod idle;
mod in_order;
pub mod intervention;
mod joint_motion;
mod joints;
mod lints;
mod loads;
pub mod lost_body;
pub mod mass;
mod mechanisms;
mod motor;
mod origin;
mod pairs;
mod posed;
mod posing;
pub mod prepare;
mod rolling;
pub mod shapes;
mod shown;
mod slip;
mod snapshot;
mod spin;
mod step;
mod suspension;
mod touch;
mod trees;
mod vehicles;

use bevy::{ecs::schedule::ScheduleCleanupPolicy, prelude::*};
use bevy_rapier3d::plugin::{
    NoUserData, PhysicsSet, RapierContextInitialization, RapierPhysicsPlugin, TimestepMode,
    systems::sync_removals,
};
use morse_api::{
    body::{Drive, Gravity, IntendedVelocity},
    contact::{Touches, Touching, Wrench},
    motion::{CombinationRule, MotionMode},
    state::{AddState as _, StateEntry, StateRegister},
    threads::Threads,
    tick::{Actuate, Tick},
    turn,
    vehicle::Vehicle,
    warning::Warnings,
};

pub use build::{Built, Entities, build, build_again, has_bodies_of};
pub use contacts::Contacts;
pub use convert::transform;
pub use fluids::Water;
pub use lints::lints;
pub use prepare::{Prepared, prepare};
pub use suspension::Suspended;

/// Numerical settings of a world.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct PhysicsSettings {
    /// Ticks per second, Hz.
    pub rate: f64,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Steps of the engine per tick.
    pub substeps: u32,
    /// Natural frequency of contacts, Hz: higher is stiffer.
    pub contact_frequency: f64,
    /// Iterations of the engine's solver per substep.
    pub solver_iterations: u32,
    /// Combination of friction coefficients; by default, that of the motion mode.
    pub friction_rule: Option<CombinationRule>,
    /// Combination of restitution coefficients; by default, that of the motion mode.
    pub restitution_rule: Option<CombinationRule>,
    /// Rules of motion.
    pub motion: MotionMode,
    /// Density of air, kg/m³, for bodies with a drag area.
    pub air_density: f64,
    /// Water below a level; none by default.
    pub water: Option<Water>,
}

impl Default for PhysicsSettings {
    fn default() -> Self {
        Self {
            rate: 60.0,
            gravity: [0.0, 0.0, -9.81],
            substeps: 2,
            contact_frequency: 120.0,
            solver_iterations: 4,
            friction_rule: None,
            restitution_rule: None,
            motion: MotionMode::Default,
            air_density: 1.225,
            water: None,
        }
    }
}

impl PhysicsSettings {
    /// Returns the length of a tick, s.
    #[must_use]
    pub fn dt(&self) -> f64 {
        1.0 / self.rate
    }

    /// Returns the number of iterations of the engine's solver per substep, each of which also moves the bodies. In MORSE's
    /// motion there is one, of several passes, as in MORSE's engine: friction acts first, then the body moves.
    fn moves(&self) -> u32 {
        match self.motion {
            MotionMode::Default => self.solver_iterations.max(1),
            MotionMode::Morse => 1,
        }
    }

    /// Returns the length of a step of the engine, s.
    #[must_use]
    pub fn substep(&self) -> f64 {
        self.dt() / f64::from(self.substeps.max(1))
    }
}

/// Adds the physics: the engine's world exists when this returns; its step runs in [`Tick::Physics`].
pub fn plugin(app: &mut App, settings: PhysicsSettings) {
    let timestep = TimestepMode::Fixed {
        dt: settings.dt() as f32,
        substeps: settings.substeps.max(1) as usize,
    };
    app.insert_resource(timestep)
        .insert_resource(RapierContextInitialization::NoAutomaticRapierContext)
        .add_plugins(
            // The systems of the plugin are not added: `step` calls the engine, between drives and read-out.
            RapierPhysicsPlugin::<NoUserData>::default()
                .in_fixed_schedule()
                .with_physics_sets_systems(Default::default()),
        );
    // The plugin has another one, for entities that lose its components, which none has. If it stayed, it would only take time.
    let rest = ScheduleCleanupPolicy::RemoveSystemsOnly;
    app.remove_systems_in_set(PostUpdate, sync_removals, rest)
        .ok();
    engine::spawn_engine(app.world_mut(), &settings);
    if settings.motion.is_morse() {
        // In MORSE's order, sensors measure before the step.
        let show = posing::show.in_set(Actuate::Drives);
        app.add_systems(
            FixedUpdate,
            show.after(joints::apply).after(vehicles::apply),
        );
    }
    app.insert_resource(Gravity(settings.gravity.into()))
        .insert_resource(grasp::HOLDING)
        .insert_resource(settings)
        .init_resource::<commanded::Commanded>()
        .init_resource::<Suspended>()
        .init_resource::<joint_motion::JointMotion>()
        .init_resource::<trees::Trees>()
        .init_resource::<grasp::Grasps>()
        .init_resource::<Threads>()
        .init_resource::<fluids::Fluids>()
        .init_resource::<vehicles::Vehicles>()
        .init_resource::<lost_body::LostBodies>()
        .init_resource::<Warnings>()
        .register_state_resource::<grasp::Grasps>();
    add_systems(app);
    app.register_state_resource::<Suspended>();
    register(app, snapshot::ENTRY);
}

/// Adds the systems of a tick.
fn add_systems(app: &mut App) {
    app.configure_sets(
        FixedUpdate,
        (
            PhysicsSet::SyncBackend,
            PhysicsSet::StepSimulation,
            PhysicsSet::Writeback,
        )
            .in_set(Tick::Physics),
    );
    app.add_systems(
        FixedUpdate,
        (
            joints::apply.in_set(Actuate::Drives),
            step::step.in_set(PhysicsSet::StepSimulation),
            step::write_back.in_set(PhysicsSet::Writeback),
        ),
    )
    .add_systems(Startup, touch::begin);
    add_waiting_systems(app);
}

/// Adds the systems that only worlds with certain components need.
fn add_waiting_systems(app: &mut App) {
    let drive = || drives::apply.in_set(Actuate::Drives).before(joints::apply);
    turn::add_waiting(app, "drives", drive);
    turn::wait_for::<Drive>(app, "drives", |mut world, _| {
        turn::require_turn(world.reborrow(), "drives");
        turn::require_turn(world, "slip");
    });
    let watch = || {
        slip::watch
            .in_set(PhysicsSet::Writeback)
            .after(step::write_back)
    };
    turn::add_waiting(app, "slip", watch);
    turn::wait_for::<IntendedVelocity>(app, "slip", |world, _| turn::require_turn(world, "slip"));
    let support = || vehicles::apply.in_set(Actuate::Drives).after(joints::apply);
    turn::add_waiting(app, "vehicles", support);
    turn::wait_for::<Vehicle>(app, "vehicles", |world, _| {
        turn::require_turn(world, "vehicles");
    });
    let publish = || {
        contacts::publish
            .after(Tick::Action)
            .before(Tick::DefaultAction)
    };
    turn::add_waiting(app, "contacts", publish);
    turn::wait_for::<Touching>(app, "contacts", |world, _| {
        turn::require_turn(world, "contacts");
    });
    let feel = || {
        touch::publish
            .after(Tick::Action)
            .after(contacts::publish)
            .before(Tick::DefaultAction)
    };
    turn::add_waiting(app, "touch", feel);
    turn::wait_for::<Touches>(app, "touch", |world, _| turn::require_turn(world, "touch"));
    turn::wait_for::<Wrench>(app, "touch", |world, _| turn::require_turn(world, "touch"));
}

/// Name under which the engine's state is registered.
pub const STATE: &str = snapshot::ENTRY.name;

fn register(app: &mut App, entry: StateEntry) {
    let mut register = app.world_mut().get_resource_or_init::<StateRegister>();
    if register.0.iter().all(|known| known.name != entry.name) {
        register.0.push(entry);
    }
}
