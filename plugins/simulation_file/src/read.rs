//! Reader of a [`Simulation`]: one function per section of the file, in the order of the file.

use morse_scene::locked::Locked;

use super::closure::closure;
use super::component::{actuator, middleware, middleware_names, overlay, sensor};
use super::fields::Fields;
use super::light::light;
use super::model::{
    Body, BodyKind, CombinationRule, Environment, Form, Joint, JointMode, Locomotion, MotionMode,
    Named, Origin, Robot, Simulation, TimeStrategy, Water,
};
use super::object::{object, properties, zone};
use super::part::part;
use super::problem::error;
use super::ranges;
use super::reader::Reader;
use super::repeat::{repeat, too_many_together};
use super::span::Spanned;
use super::tree::{Field, Node};
use super::view::view;

const BODY_KINDS: &[(&str, BodyKind)] = &[
    ("dynamic", BodyKind::Dynamic),
    ("fixed", BodyKind::Fixed),
    ("kinematic", BodyKind::Kinematic),
];
const JOINT_MODES: &[(&str, JointMode)] = &[
    ("dynamic", JointMode::Dynamic),
    ("kinematic", JointMode::Kinematic),
];
const LOCOMOTIONS: &[(&str, Locomotion)] =
    &[("ground", Locomotion::Ground), ("free", Locomotion::Free)];
const MOTIONS: &[(&str, MotionMode)] = &[
    ("default", MotionMode::Default),
    ("morse", MotionMode::Morse),
];
const COMBINATION_RULES: &[(&str, CombinationRule)] = &[
    ("greater", CombinationRule::Greater),
    ("mean", CombinationRule::Mean),
    ("smaller", CombinationRule::Smaller),
    ("product", CombinationRule::Product),
];
const STRATEGIES: &[(&str, TimeStrategy)] = &[
    ("best_effort", TimeStrategy::BestEffort),
    ("fixed_step", TimeStrategy::FixedStep),
];

/// Reads the whole file.
pub(super) fn simulation(reader: &mut Reader<'_>, root: &Node) -> Simulation {
    let Some(mut fields) = Fields::open(reader, root, "Simulation") else {
        return Simulation::default();
    };
    let scene = fields.read(reader, "scene", Reader::text);
    let scenes = fields.read(reader, "scenes", |reader, node, name| {
        Some(named(reader, node, name, part))
    });
    let environment = fields.read(reader, "environment", environment);
    let bodies = fields.read(reader, "bodies", |reader, node, name| {
        Some(named(reader, node, name, body))
    });
    let joints = fields.read(reader, "joints", joints);
    let closures = fields.read(reader, "closures", |reader, node, name| {
        Some(named(reader, node, name, closure))
    });
    let objects = fields.read(reader, "objects", |reader, node, name| {
        Some(named(reader, node, name, object))
    });
    let zones = fields.read(reader, "zones", |reader, node, name| {
        Some(named(reader, node, name, zone))
    });
    let robots = fields.take("robots");
    // Robots refer to middlewares, which are declared after them.
    let middlewares = fields.read(reader, "middlewares", |reader, node, name| {
        Some(named(reader, node, name, middleware))
    });
    let middlewares: Named<_> = middlewares.unwrap_or_default();
    reader.middlewares = middlewares
        .iter()
        .map(|(name, middleware)| (name.value.clone(), middleware.kind.value.clone()))
        .collect();
    let robots = robots.map(|field| named(reader, &field.value, "robots", robot));
    if let Some(robots) = &robots {
        too_many_together(reader, robots);
    }
    fields.finish(reader);
    Simulation {
        scene,
        scenes: scenes.unwrap_or_default(),
        environment: environment.unwrap_or_default(),
        bodies: bodies.unwrap_or_default(),
        joints: joints.unwrap_or_default(),
        closures: closures.unwrap_or_default(),
        objects: objects.unwrap_or_default(),
        zones: zones.unwrap_or_default(),
        robots: robots.unwrap_or_default(),
        middlewares,
        drawn: Vec::new(),
    }
}

/// Reads a map with one function for all entries, which receives the entry's name.
pub(super) fn named<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
    mut read: impl FnMut(&mut Reader<'_>, &Node, &Spanned<String>) -> Option<T>,
) -> Named<T> {
    let mut read_entries = Named::new();
    for (name, entry) in reader.entries(node, name) {
        if let Some(value) = read(reader, entry, &name) {
            read_entries.insert(name, value);
        }
    }
    read_entries
}

fn environment(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Environment> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Environment::default();
    let environment = Environment {
        name: fields
            .read(reader, "name", Reader::text)
            .map(|name| name.value),
        rate: fields
            .spanned_number(reader, &ranges::RATE)
            .unwrap_or(default.rate),
        gravity: fields
            .vector(reader, &ranges::GRAVITY)
            .unwrap_or(default.gravity),
        seed: fields
            .read(reader, "seed", Reader::whole)
            .unwrap_or(default.seed),
        origin: fields.read(reader, "origin", origin),
        motion: fields
            .read(reader, "motion", |reader, node, name| {
                reader.choice(node, name, MOTIONS)
            })
            .unwrap_or_default(),
        time_strategy: fields.read(reader, "time_strategy", |reader, node, name| {
            reader.choice(node, name, STRATEGIES)
        }),
        substeps: fields
            .read(reader, "substeps", |reader, node, name| {
                reader.count(node, name, 1_000)
            })
            .unwrap_or(default.substeps),
        contact_frequency: fields
            .number(reader, &ranges::CONTACT_FREQUENCY)
            .unwrap_or(default.contact_frequency),
        solver_iterations: fields
            .read(reader, "solver_iterations", |reader, node, name| {
                reader.count(node, name, 1_000)
            })
            .unwrap_or(default.solver_iterations),
        friction_rule: fields.read(reader, "friction_rule", |reader, node, name| {
            reader.choice(node, name, COMBINATION_RULES)
        }),
        restitution_rule: fields.read(reader, "restitution_rule", |reader, node, name| {
            reader.choice(node, name, COMBINATION_RULES)
        }),
        air_density: fields
            .number(reader, &ranges::AIR_DENSITY)
            .unwrap_or(default.air_density),
        water: fields.read(reader, "water", water),
        light: fields.read(reader, "light", light).unwrap_or_default(),
        view: fields.read(reader, "view", view).unwrap_or_default(),
    };
    fields.finish(reader);
    Some(environment)
}

fn water(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Water> {
    let mut fields = Fields::open(reader, node, name)?;
    let default = Water::default();
    let water = Water {
        level: fields
            .number(reader, &ranges::WATER_LEVEL)
            .unwrap_or(default.level),
        density: fields
            .number(reader, &ranges::WATER_DENSITY)
            .unwrap_or(default.density),
        linear_damping: fields
            .number(reader, &ranges::WATER_LINEAR)
            .unwrap_or(default.linear_damping),
        angular_damping: fields
            .number(reader, &ranges::WATER_ANGULAR)
            .unwrap_or(default.angular_damping),
    };
    fields.finish(reader);
    Some(water)
}

fn origin(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Origin> {
    let mut fields = Fields::open(reader, node, name)?;
    let origin = Origin {
        latitude: fields.number(reader, &ranges::LATITUDE).unwrap_or(0.0),
        longitude: fields.number(reader, &ranges::LONGITUDE).unwrap_or(0.0),
        altitude: fields.number(reader, &ranges::ALTITUDE).unwrap_or(0.0),
        angle_against_north: fields.number(reader, &ranges::NORTH).unwrap_or(90.0),
    };
    fields.finish(reader);
    Some(origin)
}

fn body(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Body> {
    let mut fields = Fields::open(reader, node, name)?;
    let body = Body {
        kind: fields.read(reader, "kind", body_kind),
        mass: fields.spanned_number(reader, &ranges::BODY_MASS),
        friction: fields.number(reader, &ranges::BODY_FRICTION),
        restitution: fields.number(reader, &ranges::RESTITUTION),
        linear_velocity: fields.vector(reader, &ranges::BODY_LINEAR),
        angular_velocity: fields.vector(reader, &ranges::BODY_ANGULAR),
        linear_damping: fields
            .number(reader, &ranges::BODY_LINEAR_DAMPING)
            .unwrap_or_default(),
        angular_damping: fields
            .number(reader, &ranges::BODY_ANGULAR_DAMPING)
            .unwrap_or_default(),
        gravity: fields
            .read(reader, "gravity", Reader::boolean)
            .unwrap_or(true),
        locked: fields.read(reader, "locked", locked).unwrap_or_default(),
        can_sleep: fields.read(reader, "can_sleep", Reader::boolean),
        drag_area: fields.vector(reader, &ranges::BODY_DRAG),
    };
    fields.finish(reader);
    Some(body)
}

fn body_kind(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Spanned<BodyKind>> {
    let kind = reader.choice(node, name, BODY_KINDS)?;
    Some(Spanned::new(kind, node.span))
}

/// Reads a list of axes without repetition.
fn locked(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Locked> {
    let mut locked = Locked::default();
    for item in reader.list(node, name) {
        let axis = reader.choice(item, name, &Locked::WORDS);
        if axis.is_some_and(|axis| !locked.lock(axis)) {
            let word = item.as_word().unwrap_or_default();
            reader.duplicate(word, item.span, None);
        }
    }
    Some(locked)
}

fn joints(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Named<Joint>> {
    Some(named(reader, node, name, joint))
}

fn joint(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Joint> {
    let mut fields = Fields::open(reader, node, name)?;
    let joint = Joint {
        mode: fields.read(reader, "mode", |reader, node, name| {
            reader.choice(node, name, JOINT_MODES)
        }),
        position: fields.number(reader, &ranges::JOINT_POSITION),
        target: fields.number(reader, &ranges::JOINT_TARGET),
        velocity: fields.number(reader, &ranges::JOINT_VELOCITY),
        stiffness: fields.number(reader, &ranges::JOINT_STIFFNESS),
        damping: fields.number(reader, &ranges::JOINT_DAMPING),
        max_effort: fields.number(reader, &ranges::JOINT_EFFORT),
        gravity_compensation: fields.read(reader, "gravity_compensation", Reader::boolean),
        interpolate: fields.read(reader, "interpolate", Reader::boolean),
        armature: fields.number(reader, &ranges::JOINT_ARMATURE),
        dry_friction: fields.number(reader, &ranges::JOINT_FRICTION),
    };
    fields.finish(reader);
    Some(joint)
}

pub(super) fn robot(reader: &mut Reader<'_>, node: &Node, name: &Spanned<String>) -> Option<Robot> {
    let mut fields = Fields::open(reader, node, name)?;
    let form = form(reader, &mut fields);
    let origin = origin_of(reader, &mut fields, &form);
    let robot = Robot {
        form,
        origin,
        base: fields.read(reader, "base", body_kind),
        at: fields.read(reader, "at", Reader::pose).unwrap_or_default(),
        repeat: fields.read(reader, "repeat", repeat),
        parts: fields
            .read(reader, "parts", |reader, node, name| {
                Some(named(reader, node, name, part))
            })
            .unwrap_or_default(),
        joints: fields.read(reader, "joints", joints).unwrap_or_default(),
        mass: fields.spanned_number(reader, &ranges::ROBOT_MASS),
        friction: fields.number(reader, &ranges::ROBOT_FRICTION),
        properties: fields
            .read(reader, "properties", properties)
            .unwrap_or_default(),
        locomotion: fields
            .read(reader, "locomotion", |reader, node, name| {
                reader.choice(node, name, LOCOMOTIONS)
            })
            .unwrap_or_default(),
        gravity: fields
            .read(reader, "gravity", Reader::boolean)
            .unwrap_or(true),
        locked: fields.read(reader, "locked", locked).unwrap_or_default(),
        linear_damping: fields.number(reader, &ranges::ROBOT_LINEAR_DAMPING),
        angular_damping: fields.number(reader, &ranges::ROBOT_ANGULAR_DAMPING),
        drag_area: fields.vector(reader, &ranges::ROBOT_DRAG),
        max_speed: fields.number(reader, &ranges::ROBOT_SPEED),
        max_turning_rate: fields.number(reader, &ranges::ROBOT_TURNING_RATE),
        sensors: fields
            .read(reader, "sensors", |reader, node, name| {
                Some(named(reader, node, name, sensor))
            })
            .unwrap_or_default(),
        actuators: fields
            .read(reader, "actuators", |reader, node, name| {
                Some(named(reader, node, name, actuator))
            })
            .unwrap_or_default(),
        overlays: fields
            .read(reader, "overlays", |reader, node, name| {
                Some(named(reader, node, name, overlay))
            })
            .unwrap_or_default(),
        services: fields
            .read(reader, "services", middleware_names)
            .unwrap_or_default(),
    };
    fields.finish(reader);
    Some(robot)
}

/// Reads `origin`, which only a model has; a frame of the scene has its own origin.
fn origin_of(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    form: &Form,
) -> Option<nalgebra::Vector3<f64>> {
    let field = fields.take("origin")?;
    if matches!(form, Form::Frame(_)) {
        let message = "a `frame` of the scene has its own origin";
        let problem = error("simulation::conflict", field.name_span(), message)
            .help("remove `origin`, or give the robot a `model`");
        reader.problems.push(problem);
    }
    reader.vector(&field.value, "origin", &ranges::ORIGIN)
}

/// Reads `model` or `frame`. Reports errors and continues with the robot.
fn form(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Form {
    let model = fields.take("model");
    let frame = fields.take("frame");
    match (model, frame) {
        (None, None) => fields.missing(
            reader,
            "model",
            "add `model: \"….robray\"`, or `frame: \"…\"` for a frame that the scene has",
        ),
        (Some(model), Some(frame)) => {
            let message = "a robot has a `model` or a `frame`, not both";
            let problem = error("simulation::conflict", frame.name_span(), message)
                .at(model.name_span(), "the other one")
                .help("remove one of them");
            reader.problems.push(problem);
        }
        _ => {}
    }
    let mut text =
        |field: Option<&Field>, name| field.and_then(|field| reader.text(&field.value, name));
    match (text(model, "model"), text(frame, "frame")) {
        (Some(model), _) => Form::Model(model),
        (None, Some(frame)) => Form::Frame(frame),
        (None, None) => Form::Model(Spanned::default()),
    }
}
