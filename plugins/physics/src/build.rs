//! Builds the engine's bodies, colliders and joints of a scene.

mod again;
mod carried;
mod joint_locations;
mod joints;

use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::{
    ActiveHooks, CoefficientCombineRule, ColliderBuilder, RigidBody, RigidBodyBuilder,
    RigidBodyType,
};
use morse_api::{
    body::{self, BodyKind, BodyState},
    motion::{CombinationRule, MotionMode},
    warning::Warnings,
};
use morse_mechanisms::Inertia;
use morse_scene::{
    assembly::{BodyLayout, FrameLayout, JointMode, Layout},
    model::Scene,
};
use nalgebra::Vector3;

pub use again::{build_again, has_bodies_of};

use super::{
    PhysicsSettings,
    body_poses::{BodyPoses, STILL},
    convert,
    engine::{
        BodyIndex, BodyRow, Engine, EngineItem, FrameRow, GeometryRow, Tables, VariableIndex,
        VariableRow,
    },
    fluids::Fluids,
    joint_motion::{JointMotion, VariableMotion},
    mechanisms::mechanisms,
    origin::{self, Origin},
    prepare::{Prepared, PreparedBody, PreparedSolid},
    rolling, step,
    trees::Trees,
};

/// Entities of a layout, in its order.
#[derive(Clone, Debug, Default)]
pub struct Entities {
    /// Entities of the frames.
    pub frames: Vec<Entity>,
    /// Entities of the bodies.
    pub bodies: Vec<Entity>,
    /// Entities of the geometry, by frame.
    pub geometry: Vec<Vec<Entity>>,
    /// Entities of the configuration variables.
    pub variables: Vec<Entity>,
}

/// Number of bodies, colliders and joints that were built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Bodies.
    pub bodies: usize,
    /// Colliders.
    pub colliders: usize,
    /// Joints that the engine solves.
    pub joints: usize,
}

/// Builds a scene in the engine. The entities of bodies get their state and their index.
pub fn build(
    world: &mut World,
    layout: &Layout,
    scene: &Scene,
    prepared: &Prepared,
    entities: &Entities,
) -> Built {
    let settings = world.resource::<PhysicsSettings>().clone();
    let mut tables = Tables {
        engine: world.resource::<Tables>().engine,
        allowed: allowed(layout, scene),
        entities: entities.bodies.clone(),
        roaming: origin::roaming(layout),
        restitution_rule: restitution_rule(&settings),
        ..Tables::default()
    };
    let mut engines = world.query::<Engine>();
    let Ok(mut engine) = engines.single_mut(world) else {
        return Built::default();
    };
    let mut builder = Builder {
        layout,
        prepared,
        entities,
        settings: &settings,
        tables,
        jointed: BTreeSet::new(),
        paired: BTreeSet::new(),
    };
    *engine.body_poses = BodyPoses::about(Origin::of(layout), layout.bodies.len());
    builder.frames();
    builder.bodies(&mut engine);
    builder.joints();
    let joint_locations = builder.joint_locations();
    let fluids = Fluids::new(&settings, layout, prepared);
    tables = builder.tables;
    let mut trees = Trees::new(layout, prepared, &settings);
    let immersed: Vec<_> = fluids.bodies().collect();
    trees.start(&mut engine, &tables, &immersed);
    let states = states(&engine, &tables);
    let built = Built {
        bodies: tables.bodies.len(),
        colliders: tables.geometry.len(),
        joints: trees.joint_count(),
    };
    insert_indices(world, &tables, states);
    for (entity, location) in joint_locations {
        world.entity_mut(entity).insert(location);
    }
    for (row, body) in tables.bodies.iter().zip(&prepared.bodies) {
        if row.kind == BodyKind::Dynamic {
            let inertia = body::Inertia(body.mass.inertia);
            world.entity_mut(row.entity).insert(inertia);
        }
    }
    let of = (&*entities.bodies, &*entities.variables);
    let mut warnings = world.resource_mut::<Warnings>();
    let mechanisms = mechanisms(layout, prepared, of, &mut warnings);
    world.insert_resource(mechanisms);
    world.insert_resource(trees);
    world.insert_resource(start(&tables));
    world.insert_resource(fluids);
    world.insert_resource(tables);
    built
}

/// Inserts the indices of bodies and variables into their entities, with the states of the bodies.
fn insert_indices(world: &mut World, tables: &Tables, states: Vec<(Entity, BodyState)>) {
    for (index, (entity, state)) in states.into_iter().enumerate() {
        world
            .entity_mut(entity)
            .insert((BodyIndex(index), state, convert::transform(&state.pose)));
    }
    for (index, row) in tables.variables.iter().enumerate() {
        world.entity_mut(row.entity).insert(VariableIndex(index));
    }
}

fn states(engine: &EngineItem<'_, '_>, tables: &Tables) -> Vec<(Entity, BodyState)> {
    let state = |row: &BodyRow| {
        let mut state = BodyState::default();
        step::copy(engine, row, &mut state);
        (row.entity, state)
    };
    tables.bodies.iter().map(state).collect()
}

/// Returns the motion of the joints at the start.
fn start(tables: &Tables) -> JointMotion {
    let motion = |variable: &VariableRow| {
        let position = variable.layout.settings.position;
        VariableMotion {
            position,
            before: position,
            ..VariableMotion::default()
        }
    };
    JointMotion(tables.variables.iter().map(motion).collect())
}

fn allowed(layout: &Layout, scene: &Scene) -> Vec<(u32, u32)> {
    let frame_index = |name: &str| {
        let index = layout
            .frames
            .binary_search_by(|frame| frame.name.as_str().cmp(name))
            .ok()?;
        u32::try_from(index).ok()
    };
    let pairs = scene.allowed_collisions().iter();
    let mut allowed: Vec<(u32, u32)> = pairs
        .filter_map(|(one, two)| Some((frame_index(one)?, frame_index(two)?)))
        .map(|(one, two)| (one.min(two), one.max(two)))
        .collect();
    allowed.sort_unstable();
    allowed
}

struct Builder<'a> {
    layout: &'a Layout,
    prepared: &'a Prepared,
    entities: &'a Entities,
    settings: &'a PhysicsSettings,
    tables: Tables,
    /// Bodies with a joint.
    jointed: BTreeSet<usize>,
    /// Frames in pairs that do not collide.
    paired: BTreeSet<u32>,
}

impl Builder<'_> {
    fn bodies(&mut self, engine: &mut EngineItem<'_, '_>) {
        let all = self
            .layout
            .bodies
            .iter()
            .zip(&self.prepared.bodies)
            .zip(&self.entities.bodies);
        self.tables.neighbours = neighbours(self.layout);
        let neighbours = self.tables.neighbours.iter();
        self.jointed = neighbours.flat_map(|(one, two)| [*one, *two]).collect();
        let pairs = self.tables.allowed.iter();
        self.paired = pairs.flat_map(|(one, two)| [*one, *two]).collect();
        self.tables.bases = self.layout.bases(|_| true);
        self.tables.hanging = hanging(&self.tables.bases);
        self.tables.bodies.reserve_exact(self.layout.bodies.len());
        for (body_index, ((body, prepared), &entity)) in all.enumerate() {
            let is_posed = self.is_posed(body);
            let hangs = body.attachment.is_some() && !is_posed;
            let pose = engine.body_poses.origin.engine(&body.pose);
            let rigid = rigid_body(body_index, body, prepared, is_posed).pose(pose);
            engine.body_poses.add(&body.pose);
            let rigid = if hangs {
                rigid.gravity_scale(0.0)
            } else {
                rigid
            };
            let handle = engine.bodies.bodies.insert(rigid);
            if let Some(rigid) = engine.bodies.bodies.get_mut(handle) {
                Self::calm(rigid, body);
            }
            self.tables.bodies.push(BodyRow {
                entity,
                head: body.head,
                handle,
                kind: body.kind,
                mass: if body.kind == BodyKind::Dynamic {
                    prepared.mass.mass
                } else {
                    f64::INFINITY
                },
                gravity: body.settings.gravity,
                damping: [
                    body.settings.linear_damping as f32,
                    body.settings.angular_damping as f32,
                ],
                locked: convert::axes(&body.settings.locked),
                attachment: body.attachment.clone(),
                is_posed,
                hangs,
                still: is_still(body).then_some(body.pose),
            });
            for solid in &prepared.solids {
                self.collider(engine, body_index, solid, body);
            }
            let colliders = &engine.colliders.colliders;
            if let Some(body) = engine.bodies.bodies.get_mut(handle) {
                body.recompute_mass_properties_from_colliders(colliders);
            }
        }
        self.tables.commandable = commandable(&self.tables.bodies);
        self.tables.posed = posed(self.layout, |body| self.is_posed(body));
    }

    fn frames(&mut self) {
        let frame_row = |(frame, entity): (&FrameLayout, &Entity)| FrameRow {
            entity: *entity,
            parent: frame.parent,
            body: frame.body,
            inertia: Inertia::default(),
        };
        let frames = self.layout.frames.iter().zip(&self.entities.frames);
        self.tables.frames = frames.map(frame_row).collect();
        for (body, prepared) in self.layout.bodies.iter().zip(&self.prepared.bodies) {
            let sum: f64 = prepared.frames.iter().map(|mass| mass.mass).sum();
            // A mass in the simulation file scales those of the scene.
            let scale = if body.kind == BodyKind::Dynamic && sum > 0.0 {
                prepared.mass.mass / sum
            } else {
                1.0
            };
            for (index, mass) in body.frames.iter().zip(&prepared.frames) {
                if let Some(row) = self.tables.frames.get_mut(*index) {
                    row.inertia =
                        Inertia::new(mass.mass * scale, mass.center, mass.inertia * scale);
                }
            }
        }
    }

    /// Sets the thresholds for sleeping.
    fn calm(rigid: &mut RigidBody, body: &BodyLayout) {
        if body.settings.can_sleep != Some(false) {
            let activation = rigid.activation_mut();
            activation.normalized_linear_threshold = STILL;
            activation.angular_threshold = STILL;
        }
    }

    fn is_posed(&self, body: &BodyLayout) -> bool {
        body.attachment.as_ref().is_some_and(|attachment| {
            let variable = self.layout.variables.get(attachment.variable);
            variable.is_some_and(|variable| variable.settings.mode == JointMode::Kinematic)
        })
    }

    fn collider(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        body: usize,
        solid: &PreparedSolid,
        layout: &BodyLayout,
    ) {
        let (frame, number) = solid.indices;
        let entity = self
            .entities
            .geometry
            .get(frame)
            .and_then(|frame| frame.get(number));
        let (Some(&entity), Some(row)) = (entity, self.tables.bodies.get(body)) else {
            return;
        };
        let rule = match friction_rule(self.settings) {
            // A caster, or ice, slides on everything; the average would give it half of the other's friction.
            CombinationRule::Mean if solid.friction == 0.0 => CoefficientCombineRule::Min,
            rule => combine_rule(rule),
        };
        let index = self.tables.geometry.len();
        let frame = u32::try_from(frame).unwrap_or(u32::MAX);
        let pose = solid.body_from_frame * solid.solid.frame_from_shape;
        let restitution = solid.restitution as f32;
        // Bullet bounces as the engine does; for other bounces see `bounces`.
        let is_morse = self.settings.motion.is_morse();
        self.tables.have_bounces |= restitution > 0.0 && !is_morse;
        let collider = ColliderBuilder::new(solid.solid.shape.clone())
            .position(convert::pose(&pose))
            .density(0.0)
            .friction(solid.friction as f32)
            .restitution(if is_morse { restitution } else { 0.0 })
            .friction_combine_rule(rule)
            .restitution_combine_rule(combine_rule(self.tables.restitution_rule))
            .active_hooks(self.hooks(body, frame, layout, solid))
            .user_data(index as u128);
        let bodies = &mut engine.bodies.bodies;
        engine
            .colliders
            .colliders
            .insert_with_parent(collider, row.handle, bodies);
        self.tables.geometry.push(GeometryRow {
            entity,
            body,
            frame,
            restitution,
        });
    }

    /// Selects the hooks that the engine has to call for a collider; each costs time.
    fn hooks(
        &self,
        body: usize,
        frame: u32,
        layout: &BodyLayout,
        solid: &PreparedSolid,
    ) -> ActiveHooks {
        let mut hooks = ActiveHooks::empty();
        // The engine keeps lever arms in world axes while the relative pose is constant, which is wrong on a turntable;
        // contacts with hooks are computed in every step.
        let is_platform = layout.kind == BodyKind::Kinematic;
        // Bounces are not the engine's: see `bounces` and `trees::bouncing`.
        let is_bouncy = solid.restitution > 0.0;
        let is_filtered = is_platform || is_bouncy || self.paired.contains(&frame);
        if is_filtered || self.jointed.contains(&body) {
            hooks |= ActiveHooks::FILTER_CONTACT_PAIRS;
        }
        // Only the base of a robot is driven, but its descendants turn with it.
        let is_driven = layout.actuated && layout.kind == BodyKind::Dynamic;
        let is_rolling = layout.kind == BodyKind::Dynamic && rolling::rolls(&solid.solid.shape);
        if is_driven || is_rolling {
            hooks |= ActiveHooks::MODIFY_SOLVER_CONTACTS;
        }
        hooks
    }
}

/// Returns the pairs of bodies on either side of a joint.
fn neighbours(layout: &Layout) -> Vec<(usize, usize)> {
    let bodies = layout.bodies.iter().enumerate();
    let pair = |(child, body): (usize, &BodyLayout)| {
        let parent = body.attachment.as_ref()?.parent;
        Some((child.min(parent), child.max(parent)))
    };
    let mut neighbours: Vec<_> = bodies.filter_map(pair).collect();
    let closures = layout.closures.iter().map(|closure| closure.bodies);
    neighbours.extend(closures.map(|[one, two]| (one.min(two), one.max(two))));
    neighbours.sort_unstable();
    neighbours
}

/// Returns the descendants of each base, including itself.
fn hanging(bases: &[usize]) -> Vec<Vec<usize>> {
    let mut hanging = vec![Vec::new(); bases.len()];
    for (index, base) in bases.iter().enumerate() {
        if let Some(bodies) = hanging.get_mut(*base) {
            bodies.push(index);
        }
    }
    hanging
}

/// True for fixed bodies, except bases of robots, which can be moved.
fn is_still(body: &BodyLayout) -> bool {
    body.kind == BodyKind::Fixed && !(body.actuated && body.robot.is_some())
}

fn rigid_body(
    body_index: usize,
    body: &BodyLayout,
    prepared: &PreparedBody,
    is_posed: bool,
) -> RigidBodyBuilder {
    let kind = match body.kind {
        BodyKind::Dynamic => RigidBodyType::Dynamic,
        BodyKind::Fixed => RigidBodyType::Fixed,
        BodyKind::Kinematic if is_posed => RigidBodyType::KinematicPositionBased,
        BodyKind::Kinematic => RigidBodyType::KinematicVelocityBased,
    };
    let settings = &body.settings;
    let arm = body.pose.rotation * prepared.mass.center;
    let linear = settings.linear_velocity + settings.angular_velocity.cross(&arm);
    let moves = body.kind == BodyKind::Dynamic;
    let velocity =
        |velocity: Vector3<f64>| convert::vec3(&if moves { velocity } else { default() });
    RigidBodyBuilder::new(kind)
        .linvel(velocity(linear))
        .angvel(velocity(settings.angular_velocity))
        .additional_mass_properties(prepared.mass.properties())
        .linear_damping(settings.linear_damping as f32)
        .angular_damping(settings.angular_damping as f32)
        .gravity_scale(if settings.gravity { 1.0 } else { 0.0 })
        .locked_axes(convert::axes(&settings.locked))
        .can_sleep(settings.can_sleep.unwrap_or(true))
        .user_data(body_index as u128)
}

/// Returns the indices of kinematic bodies that no joint moves.
fn commandable(bodies: &[BodyRow]) -> Vec<usize> {
    let is_commandable = |row: &BodyRow| row.kind == BodyKind::Kinematic && !row.is_posed;
    let bodies = bodies.iter().enumerate();
    let commandable = bodies.filter(|(_, row)| is_commandable(row));
    commandable.map(|(index, _)| index).collect()
}

/// Returns the bodies that kinematic joints move, parents before children.
fn posed(layout: &Layout, is_posed: impl Fn(&BodyLayout) -> bool) -> Vec<usize> {
    let depths = layout.depths();
    let all = layout
        .bodies
        .iter()
        .enumerate()
        .filter(|(_, body)| is_posed(body));
    let mut posed: Vec<usize> = all.map(|(index, _)| index).collect();
    posed.sort_by_key(|index| (depths.get(*index), *index));
    posed
}

/// Returns the rule for friction; Bullet multiplied.
fn friction_rule(settings: &PhysicsSettings) -> CombinationRule {
    let unless_given = match settings.motion {
        MotionMode::Default => CombinationRule::Mean,
        MotionMode::Morse => CombinationRule::Product,
    };
    settings.friction_rule.unwrap_or(unless_given)
}

/// Returns the rule for restitution; Bullet multiplied.
fn restitution_rule(settings: &PhysicsSettings) -> CombinationRule {
    let unless_given = match settings.motion {
        MotionMode::Default => CombinationRule::Greater,
        MotionMode::Morse => CombinationRule::Product,
    };
    settings.restitution_rule.unwrap_or(unless_given)
}

/// Returns the engine's name of a rule.
fn combine_rule(rule: CombinationRule) -> CoefficientCombineRule {
    match rule {
        CombinationRule::Greater => CoefficientCombineRule::Max,
        CombinationRule::Mean => CoefficientCombineRule::Average,
        CombinationRule::Smaller => CoefficientCombineRule::Min,
        CombinationRule::Product => CoefficientCombineRule::Multiply,
    }
}
