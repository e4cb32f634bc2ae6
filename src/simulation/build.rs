//! Builds a world from a plan: adds all plugins to an app, in order.
use std::{
    borrow::Borrow,
    cell::OnceCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bevy::{app::PluginsState, prelude::*};
use crossbeam_channel::Receiver;
use morse_actuators::overlay;
use morse_api::{
    fault::Faults,
    kind::Kinds,
    middleware::{Failure, Gate, RequestMessage, RequestSender, Waker},
    motion::TimeStrategy,
    render::RendererKind,
    service::Services,
    threads::Threads,
};
use morse_diagnostics::{Diagnostic, Sources, report::Report};
use morse_geodesy::Origin;
use morse_geometry::{GeometryOf, rays};
use morse_scene::model::Shape;
use morse_sensors::camera;
use morse_simulation_file::{
    self as file, Instance, Spanned,
    model::{self, Environment},
};

use crate::{
    middleware::{self, Connections, Pending},
    service as services,
    service::simulation::{ComponentWiring, RobotWiring, Wiring},
    simulation::{
        crowd,
        install::{self, described, world_view},
        load::Plan,
        objects,
    },
    spawn::{self, Spawned},
    tick,
};

/// Reason why a simulation could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The input files are invalid.
    #[error("{0}")]
    Scene(#[from] Box<Report>),
    /// A middleware cannot open a file or port.
    #[error(transparent)]
    Middleware(#[from] Failure),
}

/// Components that a user's own program adds: `|app| { app.add_plugins(my_sensor::plugin); }`. They live as long as the
/// program, since a simulation builds its world again when a robot is added to it; see [`keep`].
pub type Extensions = &'static (dyn Fn(&mut App) + Sync);

/// Returns the extensions of a closure that captures values. They are kept until the program ends.
///
/// ```
/// use morse_sim::simulation::{Simulation, keep};
///
/// #[derive(bevy::prelude::Resource)]
/// struct Gain(f64);
///
/// let gain = 2.0;
/// let extensions = keep(move |app| {
///     app.insert_resource(Gain(gain));
/// });
/// let simulation = Simulation::parse("Simulation()", ".", extensions)?;
/// let gain = simulation.world().get_resource::<Gain>();
/// assert!(gain.is_some_and(|gain| gain.0 == 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keep(extensions: impl Fn(&mut App) + Sync + 'static) -> Extensions {
    Box::leak(Box::new(extensions))
}

/// Adds no components.
pub fn no_extensions(_: &mut App) {}

/// Returns the kinds of a program: the built-in ones and its own.
#[must_use]
pub fn kinds(extensions: Extensions) -> Kinds {
    let mut app = App::empty();
    components(&mut app, extensions);
    app.world_mut()
        .remove_resource::<Kinds>()
        .unwrap_or_default()
}

/// Kinds of a program that are collected when they are first needed: a scene without a simulation file needs none.
pub(super) struct KindsOnDemand {
    extensions: Extensions,
    kinds: OnceCell<Kinds>,
}

impl KindsOnDemand {
    pub(super) fn new(extensions: Extensions) -> Self {
        Self {
            extensions,
            kinds: OnceCell::new(),
        }
    }
}

impl Borrow<Kinds> for KindsOnDemand {
    fn borrow(&self) -> &Kinds {
        self.kinds.get_or_init(|| kinds(self.extensions))
    }
}

/// Adds all kinds.
pub(crate) fn components(app: &mut App, extensions: Extensions) {
    app.add_plugins((
        morse_sensors::plugin,
        morse_actuators::plugin,
        morse_modifiers::plugin,
        overlay::plugin,
        services::plugin,
        middleware::plugin,
    ));
    extensions(app);
}

/// A complete world, before anything runs.
pub(super) struct Raised {
    pub(super) app: App,
    pub(super) warnings: Report,
    /// Those of the warnings that do not depend on the start.
    pub(super) installed: Report,
    pub(super) connections: Connections,
    pub(super) wakes: Vec<Waker>,
    pub(super) requests: RequestSender,
    pub(super) gate: Gate,
}

/// Ends of channels between a world and its clients, which outlive the world in a reload.
pub(super) struct Links {
    pub(super) requests: RequestSender,
    pub(super) asked: Receiver<RequestMessage>,
    pub(super) gate: Gate,
}

impl Default for Links {
    fn default() -> Self {
        let (requests, asked) = RequestSender::new();
        Self {
            requests,
            asked,
            gate: Gate::default(),
        }
    }
}

pub(super) fn raise(
    plan: &Plan,
    extensions: Extensions,
    links: Links,
) -> Result<Raised, Box<Report>> {
    let mut impossible = file::check_environment(&plan.simulation.environment);
    if plan.threads > most_threads() {
        impossible.push(too_many(plan.threads));
    }
    if !impossible.is_empty() {
        let mut report = plan.warnings.clone();
        report.add(impossible, &plan.sources);
        return Err(Box::new(report));
    }
    put_together(plan, extensions, links)
}

fn put_together(plan: &Plan, extensions: Extensions, links: Links) -> Result<Raised, Box<Report>> {
    let Plan {
        simulation,
        directory,
        assembly,
        sources,
        warnings,
        threads,
        strict,
        ..
    } = plan;
    let mut warnings = warnings.clone();
    let failed = |problems, warnings: &mut Report| {
        warnings.extend(report(problems, sources));
        Box::new(std::mem::take(warnings))
    };
    let mut app = empty_world(&simulation.environment, *threads, extensions);
    app.insert_resource(plan.memory)
        .insert_resource(described::descriptions(assembly));
    crowd::insert(app.world_mut(), simulation, &assembly.scene);
    let spawned = spawn::spawn(app.world_mut(), assembly)
        .map_err(|problems| failed(problems, &mut warnings))?;
    warnings.add(spawned.warnings.clone(), sources);
    show_meshes_to_rays(app.world_mut());
    objects::insert(app.world_mut(), simulation, &spawned);
    let Links {
        requests,
        asked,
        gate,
    } = links;
    let installed = install::install(
        app.world_mut(),
        simulation,
        &spawned,
        directory,
        &requests,
        &gate,
    )
    .map_err(|problems| failed(problems, &mut warnings))?;
    let mut doubts = installed.warnings;
    doubts.extend(use_card(&mut app, plan.renderer, simulation, &spawned));
    let installation = report(doubts, sources);
    warnings.extend(installation.clone());
    if *strict && !warnings.is_empty() {
        return Err(Box::new(warnings.into_errors()));
    }
    name_robots(app.world_mut(), &spawned);
    app.insert_resource(wiring(simulation, plan.file.as_deref()))
        .insert_resource(spawned);
    app.world_mut().resource_mut::<Pending>().listen(asked);
    middleware::keep_order(&mut app, &installed.wakes);
    morse_api::state::sort_by_path(app.world_mut());
    Ok(Raised {
        app,
        warnings,
        installed: installation,
        connections: installed.connections,
        wakes: installed.wakes,
        requests,
        gate,
    })
}

fn report(diagnostics: Vec<Diagnostic>, sources: &Arc<Sources>) -> Report {
    let mut report = Report::default();
    report.add(diagnostics, sources);
    report
}

/// Returns a world with all rules and without content.
fn empty_world(environment: &Environment, threads: usize, extensions: Extensions) -> App {
    let mut app = App::new();
    set_environment_time(&mut app, environment);
    app.init_resource::<Faults>()
        .insert_resource(Threads::new(threads))
        .insert_resource(environment.motion);
    components(&mut app, extensions);
    morse_physics::plugin(&mut app, physics_settings(environment));
    rays::plugin(&mut app);
    morse_render::plugin(&mut app, &environment.light);
    set_origin(&mut app, environment);
    app
}

/// Returns the maximum number of threads: more than four times the number of processors bring no gain, and thousands would
/// overload a machine.
#[must_use]
pub fn most_threads() -> usize {
    4 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn too_many(threads: usize) -> Diagnostic {
    let message = format!("{threads} threads are more than four times this machine's processors");
    Diagnostic::error("load::threads", message)
        .help("use as many as there are processors; the results do not depend on it")
}

/// Assigns images to a graphics card if requested. Returns what the card cannot render.
fn use_card(
    app: &mut App,
    renderer: RendererKind,
    simulation: &file::Simulation,
    spawned: &Spawned,
) -> Vec<Diagnostic> {
    if renderer != RendererKind::Gpu && !camera::requires_gpu(app.world_mut()) {
        return Vec::new();
    }
    let (scenery, mut unseen) = world_view::scenery(app.world_mut(), simulation, spawned);
    let bodies = spawned.bodies.values().copied().collect();
    unseen.extend(morse_render::use_card(app, scenery, bodies, renderer));
    unseen
}

/// Declares the tick, and the time strategy of the file or of MORSE's motion.
fn set_environment_time(app: &mut App, environment: &Environment) {
    let motion = environment.motion;
    tick::plugin_in(app, environment.rate.value, motion);
    let usual = motion.is_morse().then_some(TimeStrategy::BestEffort);
    if let Some(strategy) = environment.time_strategy.or(usual) {
        app.insert_resource(strategy);
    }
}

/// Sets the scene's position on Earth, if it is given.
fn set_origin(app: &mut App, environment: &Environment) {
    // Properties of Blender's objects, in which MORSE stores these numbers, are 32-bit.
    let as_stored = |number: f64| {
        if environment.motion.is_morse() {
            f64::from(number as f32)
        } else {
            number
        }
    };
    if let Some(origin) = &environment.origin {
        app.insert_resource(Origin {
            latitude: as_stored(origin.latitude),
            longitude: as_stored(origin.longitude),
            altitude: as_stored(origin.altitude),
            angle_against_north: as_stored(origin.angle_against_north),
        });
    }
}

/// Adds aliases for robots that are frames of the scene.
fn name_robots(world: &mut World, spawned: &Spawned) {
    let others: Vec<(&String, Entity)> = spawned
        .robots
        .iter()
        .filter(|(name, _)| !spawned.frames.contains_key(*name))
        .map(|(name, entity)| (name, *entity))
        .collect();
    let mut services = world.get_resource_or_init::<Services>();
    for (name, entity) in others {
        services.add_alias(name, entity);
    }
}

/// Returns robots, components and their middlewares for clients.
fn wiring(simulation: &file::Simulation, path: Option<&Path>) -> Wiring {
    let kind = |name: &str| {
        let middleware = simulation.middlewares.get(name);
        middleware.map_or_else(String::new, |middleware| middleware.kind.value.clone())
    };
    let kinds = |names: &[Spanned<String>]| names.iter().map(|name| kind(name)).collect();
    let mut robots = BTreeMap::new();
    for Instance { name, robot, .. } in simulation.expand() {
        let path = |own: &str| format!("{name}.{own}");
        let of = |common: &model::Component, streams| ComponentWiring {
            kind: common.kind.value.clone(),
            services: kinds(&common.services),
            streams,
        };
        let mut components = BTreeMap::new();
        for (own, sensor) in &robot.sensors {
            let streams = sensor.outputs.keys().map(|name| (kind(name), "OUT"));
            let component = of(&sensor.component, streams.collect());
            components.insert(path(own), component);
        }
        for (own, actuator) in &robot.actuators {
            let streams = actuator.inputs.keys().map(|name| (kind(name), "IN"));
            let component = of(&actuator.component, streams.collect());
            components.insert(path(own), component);
        }
        for (own, overlay) in &robot.overlays {
            let wiring = ComponentWiring {
                kind: overlay.kind.value.clone(),
                services: kinds(&overlay.services),
                streams: Vec::new(),
            };
            components.insert(path(own), wiring);
        }
        let model = match &robot.form {
            model::Form::Model(file) => stem(file),
            model::Form::Frame(frame) => frame.value.clone(),
        };
        let wiring = RobotWiring {
            model,
            services: kinds(&robot.services),
            components,
        };
        robots.insert(name, wiring);
    }
    let scene = simulation.scene.as_ref().map(|scene| stem(scene));
    let name = simulation.environment.name.clone();
    Wiring {
        environment: name.or(scene).unwrap_or_default(),
        // Without a current directory the path stays as it is.
        file: path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
        robots,
    }
}

/// Returns the name of a file without directory and extension.
fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Inserts the triangles of meshes for rays. Copies of a mesh share them.
fn show_meshes_to_rays(world: &mut World) {
    let mut known: BTreeMap<PathBuf, Arc<rays::Mesh>> = BTreeMap::new();
    let mut geometries = world.query::<(Entity, &GeometryOf)>();
    let meshes = geometries
        .iter(world)
        .filter_map(|(entity, of)| match &of.geometry.shape {
            Shape::Mesh(mesh) if of.geometry.collision => Some((entity, mesh.resolved.clone())),
            _ => None,
        });
    for (entity, file) in meshes.collect::<Vec<_>>() {
        let mesh = match known.get(&file) {
            Some(mesh) => mesh.clone(),
            None => {
                // The physics has read the file already: a file that vanished since then is invisible to rays.
                let Ok(triangles) = morse_geometry::mesh::read(&file) else {
                    continue;
                };
                let mesh = Arc::new(rays::Mesh::new(&triangles.vertices, &triangles.faces));
                known.insert(file, mesh.clone());
                mesh
            }
        };
        world.entity_mut(entity).insert(rays::MeshOf(mesh));
    }
}

fn physics_settings(environment: &Environment) -> morse_physics::PhysicsSettings {
    morse_physics::PhysicsSettings {
        rate: environment.rate.value,
        gravity: environment.gravity.into(),
        substeps: environment.substeps,
        contact_frequency: environment.contact_frequency,
        solver_iterations: environment.solver_iterations,
        friction_rule: environment.friction_rule,
        restitution_rule: environment.restitution_rule,
        motion: environment.motion,
        air_density: environment.air_density,
        water: environment.water.map(|water| morse_physics::Water {
            level: water.level,
            density: water.density,
            linear_damping: water.linear_damping,
            angular_damping: water.angular_damping,
        }),
    }
}

/// Runs startup systems. The first update of an app makes no tick.
pub(super) fn start(app: &mut App) {
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    app.update();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::load::{Options, load};

    #[track_caller]
    fn needs_kinds(file: &str) -> bool {
        let kinds = KindsOnDemand::new(&no_extensions);
        load(Path::new(file), &Options::default(), &kinds).unwrap();
        kinds.kinds.get().is_some()
    }

    #[test]
    fn a_scene_without_a_simulation_file_needs_no_kinds() {
        assert!(!needs_kinds("assets/robots/atrv.robray"));
        assert!(needs_kinds("scenes/arm.ron"));
    }
}
