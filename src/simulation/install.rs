//! Installs a simulation file's sensors and actuators on the bodies of a spawned scene, and overlays on them.
pub(crate) mod described;
mod linked;
mod overlays;
mod painted;
pub mod world_view;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use bevy::prelude::*;
use morse_api::{
    actuator::{SpeedLimits, insert_mailbox},
    body::BodyState,
    carrier,
    check::CheckError,
    command::Mailbox,
    component::{Active, ComponentPath, Level, Mount, UpdateRate, WorldPose, WorldVelocity, stamp},
    fields::{Fields, to_json},
    kind::{Described, Kinds},
    middleware::{ErasedContext, Gate, MiddlewareContext, Offers, RequestSender, Wake, Waker},
    modifier::Side,
    port::{OutputPort, Policy, port},
    random::Random,
    reading::SensorInfo,
    sensor::Outputs,
    world_view::GraphExchange,
};
use morse_diagnostics::Diagnostic;
use morse_geodesy::Origin;
use morse_simulation_file::{
    Instance, Simulation, Spanned,
    model::{self, Component as Common, Form, Robot},
};
use nalgebra::Isometry3;

use linked::Checked;

use crate::{
    middleware::Connections,
    spawn::{Frame, Spawned},
};

mod arbitration;
mod examined;
mod modifiers;
mod ranges;
mod speed_limits;

pub(super) use modifiers::purposes;

/// Purpose of the random stream of a sensor.
pub(super) const MEASUREMENT: &str = "measurement";

/// Installs all components of all robots.
///
/// # Errors
///
/// Modifiers that do not fit, and components that cannot work in this world: all of them in one pass.
pub fn install(
    world: &mut World,
    simulation: &Simulation,
    spawned: &Spawned,
    directory: &std::path::Path,
    requests: &RequestSender,
    gate: &Gate,
) -> Result<Installed, Vec<Diagnostic>> {
    let kinds = world.resource::<Kinds>().clone();
    let out_of_range = ranges::out_of_range(simulation, &kinds);
    if !out_of_range.is_empty() {
        return Err(out_of_range);
    }
    let mut connections = Connections::new();
    let mut wakes = BTreeMap::new();
    for (name, middleware) in &simulation.middlewares {
        let (sender, wake) = Wake::new();
        let kind = kinds.middlewares.get(middleware.kind.as_str());
        let default = kind.map_or(Policy::Latest, |kind| kind.default_policy);
        wakes.insert(name.value.clone(), (sender, default));
        let offers = world.get_resource::<Offers>();
        let context = empty_context(&name.value, directory, requests, wake, gate, offers);
        connections.insert(name.value.clone(), context);
    }
    let mut installer = Installer {
        world,
        kinds: &kinds,
        seed: simulation.environment.seed,
        rate: simulation.environment.rate.value,
        spawned,
        connections: &mut connections,
        wakes: &wakes,
        problems: Vec::new(),
        installed: Vec::new(),
    };
    for (object, about) in &simulation.objects {
        for middleware in &about.services {
            installer.offer_services(middleware, object);
        }
    }
    let instances = simulation.expand();
    for instance in &instances {
        installer.robot(instance);
    }
    installer.overlays(simulation);
    installer.check();
    if simulation.environment.motion.is_morse() {
        installer.number(&instances);
    }
    let mut warnings = without_duplicates(installer.problems);
    if warnings.iter().any(Diagnostic::is_error) {
        return Err(warnings);
    }
    let views = world_view::open(world, simulation, spawned, &mut connections, &wakes);
    warnings.extend(views);
    warnings.extend(examined::examine(world, simulation, &connections));
    if warnings.iter().any(Diagnostic::is_error) {
        return Err(warnings);
    }
    let wakes = wakes.into_values().map(|(sender, _)| sender).collect();
    Ok(Installed {
        connections,
        wakes,
        warnings,
    })
}

/// Returns the problems without repetitions from copies of a robot: those of the first copy.
fn without_duplicates(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut reported = BTreeSet::new();
    let mut problems = problems;
    problems.retain(|problem| {
        let label = problem.labels.first();
        label.is_none_or(|label| reported.insert((problem.code, label.span, label.text.clone())))
    });
    problems
}

/// Results of installing the components.
pub struct Installed {
    /// Contexts of middlewares, by name.
    pub connections: Connections,
    /// A middleware's thread waits for data while one of these exists.
    pub wakes: Vec<Waker>,
    /// Warnings about probable mistakes.
    pub warnings: Vec<Diagnostic>,
}

fn empty_context(
    name: &str,
    directory: &std::path::Path,
    requests: &RequestSender,
    wake: Wake,
    gate: &Gate,
    offers: Option<&Offers>,
) -> ErasedContext {
    MiddlewareContext {
        name: name.to_owned(),
        directory: directory.to_owned(),
        outputs: Vec::new(),
        inputs: Vec::new(),
        services: Vec::new(),
        requests: requests.clone(),
        wake,
        gate: gate.clone(),
        world_view: None,
        graph: GraphExchange::default(),
        offers: offers.cloned().unwrap_or_default(),
    }
}

struct Installer<'a> {
    world: &'a mut World,
    kinds: &'a Kinds,
    seed: u64,
    rate: f64,
    spawned: &'a Spawned,
    connections: &'a mut Connections,
    wakes: &'a BTreeMap<String, (Waker, Policy)>,
    problems: Vec<Diagnostic>,
    installed: Vec<Checked<'a>>,
}

/// A component that is being installed.
struct Site<'a> {
    robot: &'a str,
    path: Arc<str>,
    mount: Mount,
    common: &'a Common,
    /// True if the component moves relative to the base of the robot.
    is_moving: bool,
    /// Limits of the robot.
    limits: SpeedLimits,
}

impl<'a> Installer<'a> {
    fn robot(&mut self, instance: &'a Instance<'_>) {
        let first = self.installed.len();
        for name in &instance.robot.services {
            self.offer_services(name, &instance.name);
        }
        for (name, sensor) in &instance.robot.sensors {
            let Some(site) = self.site(instance, name, &sensor.component) else {
                continue;
            };
            self.sensor(&site, sensor);
        }
        let has_contenders = arbitration::has_contenders(instance.robot, self.kinds);
        for (name, actuator) in &instance.robot.actuators {
            let Some(site) = self.site(instance, name, &actuator.component) else {
                continue;
            };
            let entity = self.actuator(&site, actuator);
            if let Some(entity) = entity.filter(|_| has_contenders) {
                let contender = arbitration::at_start(actuator);
                self.world.entity_mut(entity).insert(contender);
            }
        }
        let links = self.links(instance, first);
        carrier::link(self.world, &links);
    }

    /// Returns the site of a component; `None` if its robot could not be spawned, which is reported elsewhere.
    fn site(
        &self,
        instance: &'a Instance<'_>,
        name: &Spanned<String>,
        common: &'a Common,
    ) -> Option<Site<'a>> {
        let robot = *self.spawned.robots.get(&instance.name)?;
        let (body, frame, body_from_component) = self.body_and_pose(instance, robot, common)?;
        let pose_of = |entity| self.world.get::<BodyState>(entity).map(|state| state.pose);
        let world_from_component = pose_of(body)? * body_from_component;
        Some(Site {
            robot: &instance.name,
            path: format!("{}.{}", instance.name, name.value).into(),
            mount: Mount {
                body,
                robot,
                frame,
                body_from_component,
                robot_from_component: pose_of(robot)?.inverse() * world_from_component,
            },
            is_moving: body != robot || self.is_carried(instance.robot, common),
            common,
            limits: speed_limits::of(self.world, instance.robot, robot),
        })
    }

    /// Returns true if an actuator carries a component, such as a pan-tilt unit, directly or with other components between.
    fn is_carried(&self, robot: &Robot, common: &Common) -> bool {
        let on = common.on.as_ref();
        let carrier = on.and_then(|on| component_of(robot, &on.component));
        carrier.is_some_and(|carrier| {
            self.kinds.actuators.contains_key(carrier.kind.as_str())
                || self.is_carried(robot, carrier)
        })
    }

    /// Returns the body and the frame on which a component is mounted, and the component's pose on the body.
    fn body_and_pose(
        &self,
        instance: &Instance<'_>,
        robot: Entity,
        common: &Common,
    ) -> Option<(Entity, Entity, Isometry3<f64>)> {
        let own = common.mount.pose;
        if let Some(frame) = &common.mount.frame {
            let entity = *self.spawned.frames.get(&frame_name(instance, frame))?;
            let frame = self.world.get::<Frame>(entity)?;
            return Some((frame.body, entity, frame.body_from_frame * own));
        }
        if let Some(on) = &common.on {
            let carrier = component_of(instance.robot, &on.component)?;
            let (body, frame, pose) = self.body_and_pose(instance, robot, carrier)?;
            return Some((body, frame, pose * own));
        }
        Some((robot, robot, own))
    }

    fn sensor(&mut self, site: &Site<'a>, sensor: &model::Sensor) {
        let Some((&word, &kind)) = self.kinds.sensors.get_key_value(site.common.kind.as_str())
        else {
            return;
        };
        let asked = site.common.level.as_ref().map(|level| level.value.as_str());
        let level = kind
            .levels
            .iter()
            .copied()
            .find(|&level| Some(level) == asked)
            .or(kind.levels.first().copied());
        let mut fields = Fields::of(kind.data, level);
        let modifiers = self.modifiers(site, &mut fields, Side::Measurement);
        let settings = (kind.about.view)(&sensor.component.settings.0);
        let origin = self.world.get_resource::<Origin>().copied();
        let info = Arc::new(SensorInfo {
            path: site.path.clone(),
            robot: site.robot.into(),
            kind: word,
            level,
            fields,
            ros: kind.ros_at(level),
            frequency: self.frequency(site, kind.frequency),
            settings: settings.map_or(serde_json::Value::Null, |settings| {
                to_json(settings.as_partial_reflect())
            }),
            modifiers: self.settings_of(&site.common.modifiers),
            robot_from_sensor: site.mount.robot_from_component,
            is_moving: site.is_moving,
            enu_from_scene: origin.unwrap_or_default().enu_from_scene(),
        });
        let outputs = self.outputs(&info, sensor);
        let random = Random::new(self.seed, &site.path, MEASUREMENT);
        let mut entity = self.world.spawn_empty();
        (kind.insert)(
            &mut entity,
            &sensor.component.settings.0,
            Level(level.unwrap_or_default()),
            random,
        );
        entity.insert((Described(info), Outputs(outputs)));
        modifiers.attach(&mut entity);
        let entity = entity.id();
        self.common(site, entity, kind.frequency, kind.check);
    }

    fn actuator(&mut self, site: &Site<'a>, actuator: &model::Actuator) -> Option<Entity> {
        let (&word, &kind) = self
            .kinds
            .actuators
            .get_key_value(site.common.kind.as_str())?;
        let mut fields = Fields::of(kind.command, None);
        let modifiers = self.modifiers(site, &mut fields, Side::Command);
        let mut entity = self.world.spawn_empty();
        (kind.insert)(&mut entity, &actuator.component.settings.0);
        insert_mailbox(
            &mut entity,
            &kind,
            word,
            (site.path.clone(), site.robot.into()),
            &site.limits,
        );
        modifiers.attach(&mut entity);
        let sender = entity.get::<Mailbox>().map(Mailbox::sender);
        let entity = entity.id();
        if let Some(start) = &actuator.start
            && let Err(why) = (kind.give)(self.world, entity, &start.0)
        {
            let problem = Diagnostic::error("simulation::cannot-work", why.to_string());
            let kind = &actuator.component.kind;
            self.problems
                .push(at(problem, kind, "it cannot be started"));
        }
        for (name, input) in &actuator.inputs {
            if let (Some(context), Some(sender)) =
                (self.connections.get_mut(name.as_str()), &sender)
            {
                context
                    .inputs
                    .push((sender.clone(), input.settings.0.clone()));
            }
        }
        self.common(site, entity, None, kind.check);
        Some(entity)
    }
}

impl<'a> Installer<'a> {
    /// Installs the components that sensors and actuators have in common. The new entity is the last one spawned.
    fn common(
        &mut self,
        site: &Site<'a>,
        entity: Entity,
        frequency: Option<f64>,
        check: fn(&World, Entity) -> Result<(), CheckError>,
    ) {
        let rate = UpdateRate {
            frequency: self.frequency(site, frequency),
        };
        self.world.entity_mut(entity).insert((
            ComponentPath(site.path.clone()),
            Active(site.common.active),
            site.mount,
            rate,
        ));
        self.stamp(entity, &site.mount);
        for name in &site.common.services {
            self.offer_services(name, &site.path);
        }
        self.installed.push(Checked {
            entity,
            path: site.path.clone(),
            common: site.common,
            check,
        });
    }

    /// Writes the pose at the start, for systems that read it before the first action.
    fn stamp(&mut self, entity: Entity, mount: &Mount) {
        let Some(&body) = self.world.get::<BodyState>(mount.body) else {
            return;
        };
        let (mut pose, mut velocity) = (WorldPose::default(), WorldVelocity::default());
        stamp(&body, mount, &mut pose, &mut velocity);
        self.world.entity_mut(entity).insert((pose, velocity));
    }

    /// Returns the frequency of the file, or else of the kind, limited by the rate of the simulation.
    fn frequency(&self, site: &Site<'_>, of_kind: Option<f64>) -> f64 {
        let written = site.common.frequency.as_ref();
        written.map_or_else(
            || of_kind.map_or(self.rate, |usual| usual.min(self.rate)),
            |frequency| frequency.value,
        )
    }

    fn offer_services(&mut self, middleware: &Spanned<String>, path: &str) {
        if let Some(context) = self.connections.get_mut(middleware.as_str()) {
            context.services.push(path.to_owned());
        }
    }

    /// Returns a port for each output of a sensor.
    fn outputs(&mut self, info: &Arc<SensorInfo>, sensor: &model::Sensor) -> Vec<OutputPort> {
        let mut ports = Vec::new();
        for (name, output) in &sensor.outputs {
            let (Some(context), Some((wake, default))) = (
                self.connections.get_mut(name.as_str()),
                self.wakes.get(name.as_str()),
            ) else {
                continue;
            };
            let policy = output.policy.map_or(*default, policy_of);
            let (tick_end, observer) = port(info.clone(), policy, Some(wake.clone()));
            context.outputs.push((observer, output.settings.0.clone()));
            ports.push(tick_end);
        }
        ports
    }
}

fn at(problem: Diagnostic, name: &Spanned<String>, text: &str) -> Diagnostic {
    match name.span {
        Some(span) => problem.at(span, text),
        None => problem,
    }
}

/// Returns the scene's name of a robot's frame: models are mounted under the robot's name.
fn frame_name(instance: &Instance<'_>, frame: &Spanned<String>) -> String {
    match instance.robot.form {
        Form::Model(_) => format!("{}.{}", instance.name, frame.value),
        Form::Frame(_) => frame.value.clone(),
    }
}

fn component_of<'a>(robot: &'a Robot, name: &Spanned<String>) -> Option<&'a Common> {
    let sensors = robot
        .sensors
        .iter()
        .map(|(name, sensor)| (name, &sensor.component));
    let actuators = robot
        .actuators
        .iter()
        .map(|(name, actuator)| (name, &actuator.component));
    sensors
        .chain(actuators)
        .find(|(known, _)| known.value == name.value)
        .map(|(_, component)| component)
}

/// Returns the policy of a port.
fn policy_of(written: model::Policy) -> Policy {
    match written {
        model::Policy::Latest => Policy::Latest,
        model::Policy::Queue(count) => Policy::Queue(count as usize),
        model::Policy::Lockstep(seconds) => Policy::Lockstep(Duration::from_secs_f64(seconds)),
    }
}
