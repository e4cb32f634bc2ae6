//! Combination of a simulation file, its scene and the models of its robots to an [`Assembly`].

use std::{collections::BTreeMap, rc::Rc};

use morse_api::{body::BodyKind, joint::JointTarget};
use morse_diagnostics::{Diagnostic, printable};
use morse_scene::assembly::{Assembly, BodySettings, JointMode, JointSettings, RobotBase, WORLD};
use morse_scene::model::{Frame, Joint, Scene, SceneError};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{
    closure::close,
    conflict::Conflicts,
    scenes::{Load, located, merge_scenes},
};
use crate::{
    Instance, Simulation, Spanned,
    model::{self, Form},
};

/// Maximum number of frames of all robots together.
const MOST_FRAMES: usize = 1_000_000;

/// Maximum number of robots whose errors are shown.
const MOST_ERRORS: usize = 100;

/// Combines a simulation file with its scene. `load` reads the scene file of a robot's model.
///
/// A robot with a model becomes a frame with the robot's name at the robot's pose. The model's frames become its
/// descendants, with the robot's name and a dot as a prefix.
///
/// # Errors
///
/// Returns all errors in one pass: a model cannot be read, its names are taken, or a robot's frame does not exist.
pub fn assemble(
    simulation: &Simulation,
    scene: Scene,
    load: &mut dyn FnMut(&Spanned<String>) -> Result<Scene, Box<Diagnostic>>,
) -> Result<Assembly, Vec<Diagnostic>> {
    let mut assembly = Assembly {
        scene,
        ..Assembly::default()
    };
    let mut errors = Vec::new();
    for (frame, body) in &simulation.bodies {
        assembly
            .bodies
            .insert(frame.value.clone(), body_settings(body));
    }
    for (variable, joint) in &simulation.joints {
        assembly
            .joints
            .insert(variable.value.clone(), joint_settings(joint));
    }
    // Copies of a robot share its model, which is read once and whose warnings are shown once.
    let mut models: BTreeMap<String, Option<Rc<Scene>>> = BTreeMap::new();
    let mut load = |named: &Spanned<String>| match models.get(&named.value) {
        Some(known) => Ok(known.clone()),
        None => {
            let loaded = load(named).map(Rc::new);
            models.insert(named.value.clone(), loaded.as_ref().ok().cloned());
            loaded.map(Some)
        }
    };
    if let Err(error) = load_models(simulation, &assembly.scene, &mut errors, &mut load) {
        errors.push(*error);
        return Err(errors);
    }
    merge_scenes(simulation, &mut assembly.scene, &mut errors, &mut load);
    let mut conflicts = Conflicts::of(simulation);
    for robot in simulation.expand() {
        match add_robot(&mut assembly, &robot, &mut load) {
            Err(error) => errors.push(*error),
            Ok(()) => errors.extend(conflicts.look(&assembly, &robot)),
        }
        // The errors of many copies would repeat each other.
        if errors.len() >= MOST_ERRORS {
            break;
        }
    }
    close(&mut assembly, &simulation.closures);
    if errors.is_empty() {
        Ok(assembly)
    } else {
        Err(errors)
    }
}

/// Reads the further scenes, and the models of all robots and of their parts.
///
/// # Errors
///
/// Returns an error if the models together have too many frames. Models that cannot be read are added to the errors.
fn load_models(
    simulation: &Simulation,
    scene: &Scene,
    errors: &mut Vec<Diagnostic>,
    load: &mut Load<'_>,
) -> Result<(), Box<Diagnostic>> {
    let mut frames = scene.frames().len();
    let models = simulation.robots.values().flat_map(|robot| {
        let own = match &robot.form {
            Form::Model(model) => Some(model),
            Form::Frame(_) => None,
        };
        let parts = robot.parts.values().map(|part| &part.model);
        own.into_iter()
            .chain(parts)
            .map(move |model| (Some(robot), model))
    });
    let scenes = simulation.scenes.values().map(|scene| (None, &scene.model));
    for (robot, model) in scenes.chain(models) {
        match load(model) {
            Ok(loaded) => {
                let own = loaded.map_or(0, |loaded| loaded.frames().len() + 1);
                let repeat = robot.and_then(|robot| robot.repeat.as_ref());
                let copies = repeat.map_or(1, |repeat| repeat.count.value);
                frames = frames.saturating_add(own.saturating_mul(copies as usize));
                if frames > MOST_FRAMES {
                    let message =
                        format!("the scene and its robots have more than {MOST_FRAMES} frames");
                    let error = Diagnostic::error("scene::too-large", message)
                        .help("repeat fewer robots, or a model with fewer frames");
                    return Err(Box::new(located(error, model)));
                }
            }
            Err(error) => errors.push(*error),
        }
    }
    Ok(())
}

fn add_robot(
    assembly: &mut Assembly,
    instance: &Instance<'_>,
    load: &mut Load<'_>,
) -> Result<(), Box<Diagnostic>> {
    let Instance { name, robot, at } = instance;
    let (written, frame) = match &robot.form {
        Form::Model(model) => (model, name),
        Form::Frame(frame) => (frame, &frame.value),
    };
    let refusal = |error| Box::new(located(refused(name, &error), written));
    let mut unless_given = model::BodyKind::Dynamic;
    match &robot.form {
        Form::Model(model) => {
            let Some(loaded) = load(model)? else {
                return Ok(());
            };
            let loaded: &Scene = &loaded;
            unless_given = base_kind(loaded);
            let mut base = Frame::new(name.as_str());
            base.pose = *at;
            assembly.scene.add_frame(base).map_err(refusal)?;
            let origin = -robot.origin.unwrap_or_default();
            let model = Isometry3::from_parts(origin.into(), UnitQuaternion::identity());
            mount(&mut assembly.scene, loaded, (name, name), model).map_err(refusal)?;
        }
        Form::Frame(frame) => {
            let Some(mut base) = assembly.scene.frame(frame).cloned() else {
                let known = assembly
                    .scene
                    .frames()
                    .iter()
                    .map(|frame| frame.name.as_str());
                let message = format!("the scene has no frame `{}`", printable(frame));
                let error = Diagnostic::error("scene::unknown-name", message).suggest(frame, known);
                return Err(Box::new(located(error, frame)));
            };
            base.pose *= at;
            assembly.scene.replace_frame(base).map_err(refusal)?;
        }
    }
    for (part, carried) in &robot.parts {
        if let Some(loaded) = load(&carried.model)? {
            add_part(&mut assembly.scene, (name, frame), part, carried, &loaded)?;
        }
    }
    for (variable, joint) in &robot.joints {
        let variable = match &robot.form {
            Form::Model(_) => format!("{name}.{}", variable.value),
            Form::Frame(_) => variable.value.clone(),
        };
        assembly.joints.insert(variable, joint_settings(joint));
    }
    let base = RobotBase {
        kind: kind(robot.base.map_or(unless_given, |base| base.value)),
        ..base_of(robot, frame)
    };
    assembly.robots.insert(name.clone(), base);
    Ok(())
}

/// Returns the kind of a model's base: fixed if the model has a root frame `world`, dynamic otherwise.
fn base_kind(loaded: &Scene) -> model::BodyKind {
    let world = loaded.frame(WORLD);
    match world.is_some_and(|world| world.parent.is_none()) {
        true => model::BodyKind::Fixed,
        false => model::BodyKind::Dynamic,
    }
}

/// Returns the physical settings of a robot on its frame.
fn base_of(robot: &model::Robot, frame: &str) -> RobotBase {
    RobotBase {
        mass: robot.mass.as_ref().map(|mass| mass.value),
        friction: robot.friction,
        is_ground_robot: robot.locomotion == model::Locomotion::Ground,
        gravity: robot.gravity,
        locked: robot.locked,
        linear_damping: robot.linear_damping,
        angular_damping: robot.angular_damping,
        drag_area: robot.drag_area,
        ..RobotBase::new(frame, BodyKind::Dynamic)
    }
}

/// Adds a part to a robot with this base frame.
fn add_part(
    scene: &mut Scene,
    (robot, own): (&str, &str),
    name: &str,
    part: &model::Part,
    loaded: &Scene,
) -> Result<(), Box<Diagnostic>> {
    let parent = match &part.frame {
        None => own.to_owned(),
        Some(frame) => {
            let parent = format!("{robot}.{}", frame.value);
            if scene.frame(&parent).is_none() {
                let prefix = format!("{robot}.");
                let frames = scene.frames().iter();
                let known = frames.filter_map(|frame| frame.name.strip_prefix(&prefix));
                let message = format!(
                    "the robot `{}` has no frame `{}`",
                    printable(robot),
                    printable(frame)
                );
                let error = Diagnostic::error("scene::unknown-name", message).suggest(frame, known);
                return Err(Box::new(located(error, frame)));
            }
            parent
        }
    };
    let prefix = format!("{robot}.{name}");
    let mounted = mount(scene, loaded, (&prefix, &parent), part.at);
    mounted.map_err(|error| Box::new(located(refused(robot, &error), &part.model)))
}

/// Mounts a model on a frame. The only root of a model is fixed there if it floats, as that of a robot description is: how
/// the robot moves is said by its `base`.
fn mount(
    scene: &mut Scene,
    model: &Scene,
    (prefix, parent): (&str, &str),
    pose: Isometry3<f64>,
) -> Result<(), SceneError> {
    scene.mount(model, prefix, Some(parent), pose)?;
    let frames = model.frames().iter();
    let mut roots = frames.filter(|frame| model.parent_of(frame).is_none());
    if let (Some(root), None) = (roots.next(), roots.next())
        && root.joint == Joint::Floating
        && let Some(frame) = scene.frame(&format!("{prefix}.{}", root.name)).cloned()
    {
        let joint = Joint::Fixed;
        scene.replace_frame(Frame { joint, ..frame })?;
    }
    Ok(())
}

fn refused(robot: &str, error: &SceneError) -> Diagnostic {
    let message = format!(
        "robot `{}` cannot be put into the scene: {error}",
        printable(robot)
    );
    Diagnostic::error("scene::robot", message)
}

fn body_settings(body: &model::Body) -> BodySettings {
    BodySettings {
        kind: kind(body.kind.map_or_else(Default::default, |kind| kind.value)),
        mass: body.mass.as_ref().map(|mass| mass.value),
        friction: body.friction,
        restitution: body.restitution,
        linear_velocity: body.linear_velocity.unwrap_or_else(Vector3::zeros),
        angular_velocity: body.angular_velocity.unwrap_or_else(Vector3::zeros),
        linear_damping: body.linear_damping,
        angular_damping: body.angular_damping,
        gravity: body.gravity,
        locked: body.locked,
        can_sleep: body.can_sleep,
        drag_area: body.drag_area.unwrap_or_else(Vector3::zeros),
    }
}

/// Returns the settings of a joint. A motor with stiffness or a target holds the target, which is the start position by
/// default; a motor with a target velocity turns; other joints are free.
fn joint_settings(joint: &model::Joint) -> JointSettings {
    let position = joint.position.unwrap_or(0.0);
    let target = match (joint.velocity, joint.target, joint.stiffness) {
        (Some(velocity), _, _) => JointTarget::Velocity(velocity),
        (None, Some(target), _) => JointTarget::Position(target),
        (None, None, Some(_)) => JointTarget::Position(position),
        (None, None, None) => JointTarget::Free,
    };
    JointSettings {
        mode: match joint.mode.unwrap_or_default() {
            model::JointMode::Dynamic => JointMode::Dynamic,
            model::JointMode::Kinematic => JointMode::Kinematic,
        },
        position,
        target,
        stiffness: joint.stiffness,
        damping: joint.damping,
        max_effort: joint.max_effort,
        gravity_compensation: joint.gravity_compensation.unwrap_or_default(),
        interpolate: joint.interpolate,
        armature: joint.armature,
        dry_friction: joint.dry_friction,
    }
}

fn kind(kind: model::BodyKind) -> BodyKind {
    match kind {
        model::BodyKind::Dynamic => BodyKind::Dynamic,
        model::BodyKind::Fixed => BodyKind::Fixed,
        model::BodyKind::Kinematic => BodyKind::Kinematic,
    }
}
