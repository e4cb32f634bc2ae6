//! One tick of the engine, and the copy of its results to the entities.

use bevy::{ecs::system::SystemChangeTick, prelude::*};
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::{
    body::{BodyKind, BodyState},
    joint::JointState,
    threads::Threads,
};
use nalgebra::{Isometry3, Vector3};

use super::{
    PhysicsSettings,
    body_poses::Step,
    bounces::Bounces,
    commanded::Commanded,
    convert,
    engine::{BodyRow, Engine, EngineItem, Tables, VariableIndex},
    filter::Hooks,
    fluids::Fluids,
    grasp::Grasps,
    joint_motion::JointMotion,
    joints,
    loads::Loads,
    lost_body::{Losses, LostBodies},
    posed::{self, Moving},
    posing::{self, Poses},
    suspension::Suspended,
    trees::Trees,
    vehicles::Vehicles,
};

/// Advances the engine by one tick.
pub(super) fn step(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    commanded: Res<Commanded>,
    motion: Res<JointMotion>,
    fluids: Res<Fluids>,
    (mut vehicles, mut trees): (ResMut<Vehicles>, ResMut<Trees>),
    (grasps, threads): (Res<Grasps>, Res<Threads>),
    (suspended, ticks): (Res<Suspended>, SystemChangeTick),
    (mut loads, mut poses, mut bounces): (Local<Loads>, Local<Poses>, Local<Bounces>),
    mut losses: Losses<'_, '_>,
    mut engine: Single<Engine>,
) {
    if suspended.0 {
        return;
    }
    let gravity = engine.configuration.gravity;
    if engine.keep_near(&tables) {
        trees.measure_again();
    }
    trees.set_casts_rays(vehicles.bodies().next().is_some());
    losses.put_out(&mut engine, &tables, &commanded.out_of_range);
    let (substeps, dt) = (settings.substeps.max(1), settings.substep());
    trees.find_loads(&engine, &tables);
    let links = trees.loaded_links().iter().copied();
    let extra = fluids.bodies().chain(vehicles.bodies()).chain(links);
    loads.collect(extra, &engine, &tables);
    let mut length = Step {
        dt,
        moves: settings.moves(),
        gravity: (!settings.motion.is_morse()).then_some(gravity),
    };
    for substep in 0..substeps {
        commanded.impose(&mut engine, &tables, substep == 0, &settings);
        let share = f64::from(substep + 1) / f64::from(substeps);
        let times = [share, dt];
        posing::lead(&mut engine, &tables, &motion, times, &mut poses);
        loads.restore(&mut engine, &tables);
        fluids.act(&mut engine, &tables, &settings, &commanded);
        vehicles.act(&mut engine, &settings);
        trees.lead_to(share, settings.dt());
        trees.begin(&mut engine, &tables, &commanded, dt);
        let steps = !engine.is_idle();
        if steps {
            let hooks = Hooks {
                tables: &tables,
                commanded: &commanded,
                trees: &trees,
                grasps: &grasps,
                is_morse: settings.motion.is_morse(),
                up: -gravity.normalize_or_zero(),
            };
            engine.remember(&tables, trees.apart());
            bounces.remember(&engine, &tables, &trees);
            look_ahead(&mut engine, &tables, trees.in_engine(), dt);
            length.moves = moves(&settings, &engine, &tables, &trees);
            advance(&mut engine, &hooks, length.moves);
        }
        engine.mark_step(steps, ticks.this_run());
        if steps {
            engine.integrate_poses(&tables, &length, trees.apart());
            bounces.act(&mut engine, &tables, &trees, dt);
        }
        trees.end(&mut engine, &tables, (&grasps, &threads), dt);
        losses.look(&mut engine, &tables, steps);
    }
    loads.release(&mut engine, &tables);
    fluids.release(&mut engine, &tables);
    if !settings.motion.is_morse() {
        commanded.settle(&mut engine, &tables, &settings);
    }
    commanded.release(&mut engine, &tables);
    trees.end_tick(&engine);
}

/// Displacement of a body per step of the engine from which contacts are predicted along it, m; and the maximum prediction
/// distance.
pub(super) const FAR: f64 = 5e-3;
const FARTHEST: f32 = 2.0;

/// Lets the engine predict contacts of fast bodies (soft CCD), so that they stop at the surface of obstacles.
fn look_ahead(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    moving: impl Iterator<Item = usize>,
    dt: f64,
) {
    let fast = (FAR / dt) as f32;
    for row in moving.filter_map(|index| tables.bodies.get(index)) {
        let Some(body) = engine.bodies.bodies.get(row.handle) else {
            continue;
        };
        let prediction = if body.linvel().length_squared() > fast * fast {
            FARTHEST
        } else {
            0.0
        };
        if body.soft_ccd_prediction() != prediction
            && let Some(body) = engine.bodies.bodies.get_mut(row.handle)
        {
            body.set_soft_ccd_prediction(prediction);
        }
    }
}

/// Returns the number of iterations of the engine's solver: one is enough if trees move all bodies.
fn moves(
    settings: &PhysicsSettings,
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    trees: &Trees,
) -> u32 {
    if moves_bodies(engine, tables, trees) {
        settings.moves()
    } else {
        1
    }
}

/// Returns true if the engine's step moves a body: one that is neither a link nor coupled to one.
fn moves_bodies(engine: &EngineItem<'_, '_>, tables: &Tables, trees: &Trees) -> bool {
    let bodies = trees.apart().iter();
    let mut bodies = bodies.filter(|index| !trees.moves(**index));
    bodies.any(|index| {
        let row = tables.bodies.get(*index);
        let body = row.and_then(|row| engine.bodies.bodies.get(row.handle));
        body.is_some_and(is_moving)
    })
}

/// Returns true if forces or prescribed velocities may move a body.
fn is_moving(body: &RigidBody) -> bool {
    let is_driven = || {
        body.linvel() != Vec3::ZERO
            || body.angvel() != Vec3::ZERO
            || body.next_position() != body.position()
    };
    let is_active = body.is_dynamic() && !body.is_sleeping();
    body.is_enabled() && (is_active || !body.is_dynamic() && is_driven())
}

/// Makes the engine's step, in which its solver moves the bodies several times.
fn advance(engine: &mut EngineItem<'_, '_>, hooks: &Hooks<'_>, moves: u32) {
    let simulation = &mut *engine.simulation;
    simulation.integration_parameters.num_solver_iterations = moves as usize;
    let joints = &mut *engine.joints;
    simulation.pipeline.step(
        engine.configuration.gravity,
        &simulation.integration_parameters,
        &mut simulation.islands,
        &mut simulation.broad_phase,
        &mut simulation.narrow_phase,
        &mut engine.bodies.bodies,
        &mut engine.colliders.colliders,
        &mut joints.impulse_joints,
        &mut joints.multibody_joints,
        &mut simulation.ccd_solver,
        hooks,
        &(),
    );
}

/// Copies positions and velocities of all joints, and poses and velocities of all bodies that may have moved, to their entities.
pub(super) fn write_back(
    (suspended, settings, tables): (Res<Suspended>, Res<PhysicsSettings>, Res<Tables>),
    (mut motion, trees, lost): (ResMut<JointMotion>, Res<Trees>, Res<LostBodies>),
    mut commanded: ResMut<Commanded>,
    (mut poses, mut moving): (Local<Poses>, Local<Moving>),
    mut engine: Single<Engine>,
    mut joints: Query<(&VariableIndex, &mut JointState)>,
    mut states: Query<(&mut BodyState, &mut Transform)>,
) {
    if suspended.0 {
        return;
    }
    joints::read(
        (&engine, &tables),
        (&trees, &lost),
        &mut motion,
        &mut joints,
    );
    let apart = trees.apart().iter();
    let apart = apart.filter_map(|index| tables.bodies.get(*index));
    for row in apart.filter(|row| row.kind != BodyKind::Fixed) {
        if let Ok((mut state, mut transform)) = states.get_mut(row.entity) {
            copy(&engine, row, &mut state);
            write_pose(&mut transform, &state.pose);
        }
    }
    trees.visit_states(&engine, &tables, |body, link| {
        if let Ok((mut state, mut transform)) = states.get_mut(body) {
            link.write(&mut state);
            write_pose(&mut transform, &state.pose);
        }
    });
    if !tables.posed.is_empty() {
        write_posed(&tables, &motion, &mut engine, &mut poses, &mut states);
    }
    if !commanded.posed.is_empty() {
        let known = (&*settings, &*tables);
        posed::pass(known, &mut commanded.posed, &mut moving, &mut states);
    }
}

/// Writes the poses of posed bodies to the engine and to their entities.
fn write_posed(
    tables: &Tables,
    motion: &JointMotion,
    engine: &mut EngineItem<'_, '_>,
    poses: &mut Poses,
    states: &mut Query<(&mut BodyState, &mut Transform)>,
) {
    // Posed bodies follow their carriers without delay and without rounding.
    let carrier = |index: usize| {
        let row = tables.bodies.get(index);
        let state = row.and_then(|row| states.get(row.entity).ok());
        state.map_or_else(Isometry3::identity, |(state, _)| state.pose)
    };
    posing::find(poses, tables, motion, 1.0, carrier);
    for &(index, pose) in &*poses {
        let Some(row) = tables.bodies.get(index).filter(|row| !engine.is_lost(row)) else {
            continue;
        };
        let wanted = engine.body_poses.origin.engine(&pose);
        let body = engine.bodies.bodies.get(row.handle);
        if body.is_some_and(|body| *body.position() != wanted) {
            engine.put(row.handle, &pose, true);
        }
        let parent = parent_state(tables, row, states);
        if let Some(body) = engine.bodies.bodies.get(row.handle)
            && let Ok((mut state, mut transform)) = states.get_mut(row.entity)
        {
            state.pose = pose;
            state.center_of_mass = pose * convert::point(body.local_center_of_mass());
            posing::set_velocities(row, motion, &parent, &mut state);
            let velocities = [state.linear_velocity, state.angular_velocity];
            engine.body_poses.note_velocities(body, velocities);
            write_pose(&mut transform, &pose);
        }
    }
}

/// Returns the state of the parent of a posed body, as the engine moves it.
fn parent_state(
    tables: &Tables,
    row: &BodyRow,
    states: &Query<(&mut BodyState, &mut Transform)>,
) -> BodyState {
    let parent = row.attachment.as_ref().map(|joint| joint.parent);
    let parent = parent.and_then(|parent| tables.bodies.get(parent));
    let state = parent.and_then(|parent| states.get(parent.entity).ok());
    let mut state = state.map_or_else(BodyState::default, |(state, _)| *state);
    if parent.is_some_and(|parent| parent.kind == BodyKind::Fixed) {
        // The velocity of its poses in the last tick, which is added to all bodies that follow it.
        state.linear_velocity = Vector3::zeros();
        state.angular_velocity = Vector3::zeros();
    }
    state
}

/// Copies the state of a body in the engine.
pub(super) fn copy(engine: &EngineItem<'_, '_>, row: &BodyRow, state: &mut BodyState) {
    let Some(body) = engine.bodies.bodies.get(row.handle) else {
        return;
    };
    // The engine keeps the last set velocities of bodies that joints posed and that were lost.
    let velocity = |velocity| {
        if body.is_enabled() {
            velocity
        } else {
            Vector3::zeros()
        }
    };
    *state = BodyState {
        pose: row.still.unwrap_or_else(|| engine.body_poses.of(body)),
        linear_velocity: velocity(engine.body_poses.velocity(body)),
        angular_velocity: velocity(engine.body_poses.angular_velocity(body)),
        center_of_mass: engine.body_poses.center(body),
        mass: row.mass,
    };
}

fn write_pose(transform: &mut Mut<'_, Transform>, pose: &Isometry3<f64>) {
    transform.set_if_neq(convert::transform(pose));
}
