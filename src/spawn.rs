//! Spawns the entities of an [`Assembly`]. No other module spawns a scene.
//!
//! Frames become entities. A maximal group of frames that are fixed to each other is one body: the
//! entity of its head frame carries the body, at the top level. Geometry entities are its children.
use std::{collections::BTreeMap, sync::Arc};

use bevy::prelude::*;
pub use morse_api::frame::Frame;
use morse_api::{
    body::Robot,
    component::ComponentPath,
    frame::RobotName,
    joint::{BodyJoint, JointState, JointTarget, JointVariable, RobotJoints},
    rays::Surface,
    render::Label,
    settings::SettingsOf,
    state::{StateHasher, sort_by_path},
};
use morse_diagnostics::Diagnostic;
use morse_geometry::GeometryOf;
use morse_scene::{
    assembly::{Assembly, BodyLayout, Layout, VariableLayout, layout},
    model::Scene,
};

/// Entities of an assembly that was spawned.
#[derive(Resource, Clone, Debug, Default)]
pub struct Spawned {
    /// Entity of every frame, by name.
    pub frames: BTreeMap<String, Entity>,
    /// Entity of every body, by the name of its head frame.
    pub bodies: BTreeMap<String, Entity>,
    /// Entity of every configuration variable, by name.
    pub variables: BTreeMap<String, Entity>,
    /// Base body of every robot, by the robot's path.
    pub robots: BTreeMap<String, Entity>,
    /// Hash of all initial poses, in double precision: the single precision of the engine would hide the smallest changes.
    pub start: u128,
    /// Warnings about probable mistakes.
    pub warnings: Vec<Diagnostic>,
}

/// Spawns an assembly into an empty world with [`morse_physics`].
///
/// # Errors
///
/// Settings name something that the scene does not have, or a shape cannot be made, such as a mesh whose file is missing:
/// all errors in one pass. Nothing has been spawned then.
pub fn spawn(world: &mut World, assembly: &Assembly) -> Result<Spawned, Vec<Diagnostic>> {
    let assembly = &*assembly.anchored();
    let Ready {
        layout,
        prepared,
        warnings,
    } = ready(world, assembly)?;

    let frames = spawn_frames(world, &layout);
    let bodies = layout
        .bodies
        .iter()
        .filter_map(|body| frames.get(body.head).copied());
    let bodies: Vec<Entity> = bodies.collect();
    mark_frames(world, assembly, (&layout, &frames, &bodies));
    mark_bodies(world, &layout, &bodies);
    let robots = mark_robots(world, assembly, &layout, &bodies);
    let geometry = spawn_geometry(world, assembly, &layout, &bodies, &robots);
    let variables = spawn_variables(world, &layout);
    mark_robot_joints(world, &layout, &robots, &variables);
    mark_joints(world, &layout, &bodies, &variables);

    let entities = morse_physics::Entities {
        frames,
        bodies,
        geometry,
        variables,
    };
    morse_physics::build(world, &layout, &assembly.scene, &prepared, &entities);
    sort_by_path(world);
    let spawned = names(&layout, &entities, robots, warnings);
    world.insert_resource(InOrder(entities));
    Ok(spawned)
}

/// Prepares the start of an assembly that differs from the spawned one in initial poses and positions only; `None` if its bodies
/// are others.
///
/// # Errors
///
/// As for [`spawn`].
pub(crate) fn restart(
    world: &World,
    assembly: &Assembly,
) -> Result<Option<Restart>, Vec<Diagnostic>> {
    let assembly = assembly.anchored();
    let ready = ready(world, &assembly)?;
    let entities = world.get_resource::<InOrder>();
    let entities = entities.filter(|_| morse_physics::has_bodies_of(world, &ready.layout));
    Ok(entities.map(|InOrder(entities)| Restart {
        entities: entities.clone(),
        ready,
    }))
}

/// Start of an assembly whose entities exist.
pub(crate) struct Restart {
    entities: morse_physics::Entities,
    ready: Ready,
}

impl Restart {
    /// Takes the warnings about probable mistakes.
    pub(crate) fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.ready.warnings)
    }

    /// Sets the bodies and joints of the world to the start. Returns its hash.
    pub(crate) fn apply(&self, world: &mut World, scene: &Scene) -> u128 {
        let Ready {
            layout, prepared, ..
        } = &self.ready;
        for (variable, &entity) in layout.variables.iter().zip(&self.entities.variables) {
            world.entity_mut(entity).insert(start_of(variable));
        }
        morse_physics::build_again(world, layout, scene, prepared, &self.entities);
        start(layout)
    }
}

/// Entities of the spawned assembly, in the order of its layout.
#[derive(Resource, Clone)]
struct InOrder(morse_physics::Entities);

/// An assembly that can be spawned.
struct Ready {
    layout: Layout,
    prepared: morse_physics::Prepared,
    /// Warnings about probable mistakes.
    warnings: Vec<Diagnostic>,
}

fn ready(world: &World, assembly: &Assembly) -> Result<Ready, Vec<Diagnostic>> {
    let mut layout = layout(assembly)?;
    let settings = world.resource::<morse_physics::PhysicsSettings>();
    let prepared = morse_physics::prepare(&layout, &assembly.scene, settings.motion)?;
    let mut warnings = std::mem::take(&mut layout.warnings);
    warnings.extend(prepared.warnings.iter().cloned());
    warnings.extend(morse_physics::lints(
        &layout,
        &assembly.scene,
        &prepared,
        settings,
    ));
    Ok(Ready {
        layout,
        prepared,
        warnings,
    })
}

fn spawn_frames(world: &mut World, layout: &Layout) -> Vec<Entity> {
    let path = |name: &str| ComponentPath(name.into());
    let frames = layout.frames.iter();
    frames
        .map(|frame| world.spawn(path(&frame.name)).id())
        .collect()
}

fn mark_frames(
    world: &mut World,
    assembly: &Assembly,
    (layout, frames, bodies): (&Layout, &[Entity], &[Entity]),
) {
    for (frame_layout, &entity) in layout.frames.iter().zip(frames) {
        let Some(&body) = bodies.get(frame_layout.body) else {
            continue;
        };
        let in_scene = assembly.scene.frames().get(frame_layout.in_scene);
        world.entity_mut(entity).insert(Frame {
            name: frame_layout.name.clone(),
            parent: frame_layout
                .parent
                .and_then(|parent| frames.get(parent).copied()),
            body,
            body_from_frame: frame_layout.body_from_frame,
            is_bare: in_scene.is_none_or(|frame| frame.geometry.is_empty()),
        });
    }
}

fn mark_bodies(world: &mut World, layout: &Layout, bodies: &[Entity]) {
    for (body, &entity) in layout.bodies.iter().zip(bodies) {
        world.entity_mut(entity).insert(body.kind);
    }
}

fn mark_robots(
    world: &mut World,
    assembly: &Assembly,
    layout: &Layout,
    bodies: &[Entity],
) -> BTreeMap<String, Entity> {
    let heads = layout.bodies.iter().zip(bodies);
    let heads = heads.filter_map(|(body, entity)| {
        let head = layout.frames.get(body.head)?;
        Some((head.name.as_str(), *entity))
    });
    let heads: BTreeMap<&str, Entity> = heads.collect();
    let mut robots = BTreeMap::new();
    for (path, robot) in &assembly.robots {
        if let Some(&entity) = heads.get(robot.frame.as_str()) {
            let marks = Robot {
                is_ground_robot: robot.is_ground_robot,
            };
            let name = RobotName(path.as_str().into());
            let access = SettingsOf::new::<Robot>(Arc::new(marks), |_, _| Ok(()));
            world.entity_mut(entity).insert((marks, name, access));
            robots.insert(path.clone(), entity);
        }
    }
    robots
}

fn spawn_geometry(
    world: &mut World,
    assembly: &Assembly,
    layout: &Layout,
    bodies: &[Entity],
    robots: &BTreeMap<String, Entity>,
) -> Vec<Vec<Entity>> {
    let mut all = Vec::with_capacity(layout.frames.len());
    for frame_layout in &layout.frames {
        let robot = layout
            .bodies
            .get(frame_layout.body)
            .and_then(|body| body.robot.as_ref());
        let robot = robot.and_then(|robot| robots.get(robot).copied());
        let mut of_frame = Vec::new();
        let frame = assembly.scene.frames().get(frame_layout.in_scene);
        for geometry in frame.iter().flat_map(|frame| &frame.geometry) {
            let Some(&body) = bodies.get(frame_layout.body) else {
                continue;
            };
            let geometry = GeometryOf {
                body,
                robot,
                frame: frame_layout.name.clone(),
                body_from_frame: frame_layout.body_from_frame,
                geometry: geometry.clone(),
            };
            let surface = Surface {
                specular: geometry.geometry.specular,
            };
            let transform = morse_physics::transform(&frame_layout.body_from_frame);
            let label = label(&geometry, layout.bodies.get(frame_layout.body));
            let entity = world.spawn((geometry, surface, label, transform, ChildOf(body)));
            of_frame.push(entity.id());
        }
        all.push(of_frame);
    }
    all
}

/// Returns the label of a geometry for cameras that name objects.
fn label(geometry: &GeometryOf, body: Option<&BodyLayout>) -> Label {
    let robot = body.and_then(|body| body.robot.as_ref());
    let mut classes = geometry.geometry.tags.clone();
    classes.extend(robot.map(|_| "robot".to_owned()));
    Label {
        instance: robot.unwrap_or(&geometry.frame).as_str().into(),
        classes: classes.into_iter().collect(),
    }
}

fn spawn_variables(world: &mut World, layout: &Layout) -> Vec<Entity> {
    let mut entities = Vec::new();
    for variable in &layout.variables {
        let entity = world.spawn((
            ComponentPath(variable.name.as_str().into()),
            JointVariable {
                name: variable.name.clone(),
                is_angle: variable.is_angle,
                limits: variable.limits,
                max_velocity: variable.max_velocity,
                max_effort: variable.max_effort,
            },
            start_of(variable),
        ));
        entities.push(entity.id());
    }
    entities
}

/// Returns the initial state and target of a variable.
fn start_of(variable: &VariableLayout) -> (JointState, JointTarget) {
    let state = JointState {
        position: variable.settings.position,
        ..JointState::default()
    };
    (state, variable.settings.target)
}

fn mark_robot_joints(
    world: &mut World,
    layout: &Layout,
    robots: &BTreeMap<String, Entity>,
    variables: &[Entity],
) {
    let mut joints: BTreeMap<&str, Vec<Entity>> = BTreeMap::new();
    let mut declared: Vec<_> = layout.variables.iter().zip(variables).collect();
    declared.sort_by_key(|(variable, _)| variable.declared);
    for (variable, &entity) in declared {
        if let Some(robot) = &variable.robot {
            joints.entry(robot).or_default().push(entity);
        }
    }
    for (path, &base) in robots {
        let own = joints.remove(path.as_str()).unwrap_or_default();
        world.entity_mut(base).insert(RobotJoints(own));
    }
}

/// Inserts the joints between bodies, for kinematic chains.
fn mark_joints(world: &mut World, layout: &Layout, bodies: &[Entity], variables: &[Entity]) {
    for (body, &entity) in layout.bodies.iter().zip(bodies) {
        let joint = body.attachment.as_ref().and_then(|attachment| {
            Some(BodyJoint {
                parent: *bodies.get(attachment.parent)?,
                variable: *variables.get(attachment.variable)?,
                shape: attachment.shape(),
            })
        });
        if let Some(joint) = joint {
            world.entity_mut(entity).insert(joint);
        }
    }
}

fn names(
    layout: &Layout,
    entities: &morse_physics::Entities,
    robots: BTreeMap<String, Entity>,
    warnings: Vec<Diagnostic>,
) -> Spawned {
    let name = |index: usize| layout.frames.get(index).map(|frame| frame.name.clone());
    let frame_names = layout.frames.iter().map(|frame| frame.name.clone());
    let bodies = layout.bodies.iter().zip(&entities.bodies);
    let variables = layout.variables.iter().zip(&entities.variables);
    Spawned {
        frames: frame_names.zip(entities.frames.iter().copied()).collect(),
        bodies: bodies
            .filter_map(|(body, entity)| Some((name(body.head)?, *entity)))
            .collect(),
        variables: variables
            .map(|(variable, entity)| (variable.name.clone(), *entity))
            .collect(),
        robots,
        start: start(layout),
        warnings,
    }
}

/// Returns the hash of the initial poses and velocities of bodies and joints.
fn start(layout: &Layout) -> u128 {
    let mut hasher = StateHasher::default();
    for body in &layout.bodies {
        hasher.f64s(body.pose.translation.vector.as_slice());
        hasher.f64s(body.pose.rotation.coords.as_slice());
        hasher.f64s(body.settings.linear_velocity.as_slice());
        hasher.f64s(body.settings.angular_velocity.as_slice());
    }
    for variable in &layout.variables {
        hasher.f64(variable.settings.position);
    }
    hasher.finish()
}
