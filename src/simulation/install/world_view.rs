//! Views of the world for middlewares that display it: the scene as plain data, the bodies, and every sensor.
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, BodyState},
    command::{CommandSender, Mailbox},
    component::{ComponentPath, Mount, UpdateRate},
    frame::Frame,
    kind::{Described, Kinds},
    lighting::Lamp,
    middleware::Waker,
    port::{Policy, port},
    sensor::Outputs,
    service,
    tick::{Clock, Tick},
    warning::Warnings,
    world_view::{
        BodyInfo, ComponentInfo, ContactInfo, FrameInfo, GraphExchange, Pacing, RobotDescriptions,
        RobotInfo, ScaledMesh, Scenery, ShapeInfo, Triangles, Viewers, WorldView, pose_port, show,
    },
};
use morse_diagnostics::Diagnostic;
use morse_geometry::GeometryOf;
use morse_physics::contacts::Contacts;
use morse_simulation_file::Simulation;

use super::painted::Paints;
use crate::{middleware::Connections, spawn::Spawned};

/// Gives a [`WorldView`] to each middleware whose kind views the world. Returns warnings about content that cannot be
/// displayed.
pub(super) fn open(
    world: &mut World,
    simulation: &Simulation,
    spawned: &Spawned,
    connections: &mut Connections,
    wakes: &BTreeMap<String, (Waker, Policy)>,
) -> Vec<Diagnostic> {
    let kinds = world.resource::<Kinds>().clone();
    let views_world = |kind: &str| {
        kinds
            .middlewares
            .get(kind)
            .is_some_and(|kind| kind.views_world)
    };
    let names = simulation.middlewares.iter();
    let names = names.filter(|(_, middleware)| views_world(middleware.kind.as_str()));
    let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (scenery, unseen) = scenery(world, simulation, spawned);
    let scenery = Arc::new(scenery);
    let descriptions = world.get_resource_or_init::<RobotDescriptions>().clone();
    let pacing = Arc::new(Pacing::default());
    let warnings = world.get_resource_or_init::<Warnings>().history();
    let given = &simulation.environment.view;
    let view = given.look.unwrap_or_else(|| morse_render::view(world));
    let graphs = graphs(&kinds, simulation, connections);
    let lamps = lamps(world);
    let lamp = |component: &usize| {
        lamps
            .get(&scenery.components.get(*component)?.path)
            .copied()
    };
    let mut viewers = Viewers {
        bodies: spawned.bodies.values().copied().collect(),
        lamps: scenery.lamps.iter().filter_map(lamp).collect(),
        ..Viewers::default()
    };
    for name in names {
        let (Some(context), Some((wake, policy))) = (connections.get_mut(name), wakes.get(name))
        else {
            continue;
        };
        let (inner, poses) = pose_port(wake.clone());
        viewers.ports.push(inner);
        context.world_view = Some(WorldView {
            scenery: scenery.clone(),
            poses,
            sensors: observers(world, *policy, &mut viewers.readings),
            actuators: senders(world),
            descriptions: descriptions.clone(),
            graphs: graphs.clone(),
            pacing: pacing.clone(),
            warnings: warnings.clone(),
            view,
            lens: given.lens,
            selected: given.selected.as_ref().map(|path| path.value.clone()),
        });
    }
    world.insert_resource(viewers);
    world.insert_resource(Paced(pacing));
    publish_in_each_tick(world);
    unseen
}

/// Adds the systems that publish the world.
fn publish_in_each_tick(world: &mut World) {
    let publish = (touch, show)
        .chain()
        .in_set(Tick::Export)
        .after(service::complete);
    let mut schedules = world.resource_mut::<Schedules>();
    schedules.add_systems(FixedUpdate, publish);
}

/// Returns the graphs of the middlewares that run objects, by name.
fn graphs(
    kinds: &Kinds,
    simulation: &Simulation,
    connections: &Connections,
) -> Vec<(String, GraphExchange)> {
    let graphs = simulation
        .middlewares
        .iter()
        .filter_map(|(name, middleware)| {
            let kind = kinds.middlewares.get(middleware.kind.as_str())?;
            let context = connections.get(name.as_str())?;
            kind.runs_objects
                .then(|| (name.value.clone(), context.graph.clone()))
        });
    graphs.collect()
}

/// Returns the lamps of robots, by path.
fn lamps(world: &mut World) -> BTreeMap<String, Entity> {
    let mut lamps = world.query_filtered::<(&ComponentPath, Entity), (With<Lamp>, With<Mount>)>();
    let lamps = lamps.iter(world);
    lamps.map(|(path, lamp)| (path.to_string(), lamp)).collect()
}

/// Returns the scenery of a world, and warnings about content that cannot be displayed.
pub(crate) fn scenery(
    world: &mut World,
    simulation: &Simulation,
    spawned: &Spawned,
) -> (Scenery, Vec<Diagnostic>) {
    let mut survey = Survey::new(world, spawned);
    let scenery = survey.scenery(simulation);
    let mut warnings = survey.warnings;
    warnings.extend(survey.paints.warnings());
    (scenery, warnings)
}

/// Pace, as the program that runs the simulation sets it.
#[derive(Resource)]
pub struct Paced(pub Arc<Pacing>);

/// Collects contacts between bodies if a viewer requests them, each pair once: the first of the two is one that may move.
fn touch(
    mut viewers: ResMut<Viewers>,
    contacts: Contacts<'_, '_>,
    kinds: Query<'_, '_, &BodyKind>,
) {
    if !viewers.requests_contacts() {
        return;
    }
    let Viewers {
        bodies,
        contacts: pairs,
        ..
    } = &mut *viewers;
    pairs.clear();
    let is_fixed = |body: Entity| kinds.get(body).is_ok_and(|kind| *kind == BodyKind::Fixed);
    for (index, &body) in bodies.iter().enumerate() {
        if is_fixed(body) {
            continue;
        }
        for contact in contacts.of(body) {
            let other = bodies.iter().position(|other| *other == contact.other_body);
            let is_first = |other: &usize| index < *other || is_fixed(contact.other_body);
            if let Some(other) = other.filter(is_first) {
                pairs.push(ContactInfo {
                    point: contact.point,
                    force: contact.force,
                    bodies: [index, other],
                });
            }
        }
    }
}

/// Returns a port on each sensor, in path order, and appends their indices to `readings`. Readings wake no thread: viewers
/// read at their own rate.
fn observers(
    world: &mut World,
    policy: Policy,
    readings: &mut Vec<(Entity, usize)>,
) -> Vec<morse_api::port::Observer> {
    let mut sensors = world.query::<(Entity, &ComponentPath, &Described, &mut Outputs)>();
    let mut sensors: Vec<_> = sensors.iter_mut(world).collect();
    sensors.sort_by_key(|(_, path, ..)| *path);
    let opened = sensors
        .into_iter()
        .map(|(entity, _, described, mut outputs)| {
            let (tick_end, observer) = port(described.0.clone(), policy, None);
            readings.push((entity, outputs.0.len()));
            outputs.0.push(tick_end);
            observer
        });
    opened.collect()
}

/// Publishes the end of the run to viewers: poses, and the last data of the sensors that they observe.
pub(crate) fn show_last(world: &World) {
    let Some(viewers) = world.get_resource::<Viewers>() else {
        return;
    };
    let kinds = world.resource::<Kinds>();
    for &(sensor, port_index) in &viewers.readings {
        let port = world
            .get::<Outputs>(sensor)
            .and_then(|outputs| outputs.0.get(port_index));
        if let Some(port) = port
            && let Some(kind) = kinds.sensors.get(port.info.kind)
            && port.begin_last()
        {
            (kind.offer)(world, sensor, port);
        }
    }
    viewers.show_last(world.resource::<Clock>(), world);
}

/// Returns a sender for each actuator, in path order.
fn senders(world: &mut World) -> Vec<CommandSender> {
    let mut actuators = world.query::<(&ComponentPath, &Mailbox)>();
    let mut actuators: Vec<_> = actuators.iter(world).collect();
    actuators.sort_by_key(|(path, _)| *path);
    actuators
        .into_iter()
        .map(|(_, mailbox)| mailbox.sender())
        .collect()
}

/// Reads a world once.
struct Survey<'a> {
    world: &'a mut World,
    spawned: &'a Spawned,
    /// Index of each body in the scenery.
    body_indices: BTreeMap<Entity, usize>,
    meshes: BTreeMap<PathBuf, Option<usize>>,
    triangles: Vec<Triangles>,
    paints: Paints,
    warnings: Vec<Diagnostic>,
}

impl<'a> Survey<'a> {
    fn new(world: &'a mut World, spawned: &'a Spawned) -> Self {
        let bodies = spawned.bodies.values().enumerate();
        Self {
            world,
            spawned,
            body_indices: bodies.map(|(index, body)| (*body, index)).collect(),
            meshes: BTreeMap::new(),
            triangles: Vec::new(),
            paints: Paints::default(),
            warnings: Vec::new(),
        }
    }

    fn scenery(&mut self, simulation: &Simulation) -> Scenery {
        let shapes = self.shapes();
        let components = self.components();
        let lamps = lamps(self.world);
        let is_lamp = |component: &usize| lamps.contains_key(&components[*component].path);
        let lamps = (0..components.len()).filter(is_lamp).collect();
        let robots = self.spawned.robots.iter().filter_map(|(name, body)| {
            Some(RobotInfo {
                name: name.clone(),
                body: *self.body_indices.get(body)?,
            })
        });
        Scenery {
            name: simulation
                .scene
                .as_ref()
                .map_or_else(String::new, |scene| scene.value.clone()),
            rate: simulation.environment.rate.value,
            lighting: simulation.environment.light.without_lamps(),
            robots: robots.collect(),
            bodies: self.bodies(),
            frames: self.frames(),
            lamps,
            components,
            shapes,
            meshes: std::mem::take(&mut self.triangles),
            images: std::mem::take(&mut self.paints.images),
        }
    }

    fn bodies(&mut self) -> Vec<BodyInfo> {
        let names: BTreeMap<Entity, &String> = self
            .spawned
            .robots
            .iter()
            .map(|(name, base)| (*base, name))
            .collect();
        let mut robots: BTreeMap<Entity, String> = names
            .iter()
            .map(|(base, name)| (*base, (*name).clone()))
            .collect();
        let mut geometries = self.world.query::<&GeometryOf>();
        for of in geometries.iter(self.world) {
            if let Some(name) = of.robot.and_then(|base| names.get(&base)) {
                robots.insert(of.body, (*name).clone());
            }
        }
        let bodies = self.spawned.bodies.iter().map(|(name, body)| {
            let kind = self.world.get::<BodyKind>(*body);
            let state = self.world.get::<BodyState>(*body);
            BodyInfo {
                name: name.clone(),
                robot: robots.remove(body),
                kind: kind.copied().unwrap_or_default(),
                mass: state.map_or(0.0, |state| state.mass),
                pose: state.map(|state| state.pose).unwrap_or_default(),
            }
        });
        bodies.collect()
    }

    fn shapes(&mut self) -> Vec<ShapeInfo> {
        let mut geometries = self.world.query::<(Entity, &GeometryOf)>();
        let mut visible: Vec<(Entity, GeometryOf)> = geometries
            .iter(self.world)
            .filter(|(_, of)| of.geometry.visual)
            .map(|(entity, of)| (entity, of.clone()))
            .collect();
        visible.sort_by_key(|(entity, _)| *entity);
        let shapes = visible.into_iter().filter_map(|(_, of)| {
            let [red, green, blue] = of.geometry.color;
            let scale = of.geometry.scale;
            Some(ShapeInfo {
                body: *self.body_indices.get(&of.body)?,
                body_from_shape: of.body_from_frame,
                shape: of.geometry.shape.scaled(scale, |file| {
                    let mesh = self.mesh(&file.resolved)?;
                    Some(ScaledMesh { mesh, scale })
                })?,
                color: [red, green, blue, of.geometry.alpha].map(|channel| channel.clamp(0.0, 1.0)),
                paint: self.paints.of(&of.geometry),
                gloss: morse_render::gloss(&of.geometry),
            })
        });
        shapes.collect()
    }

    /// Returns the index of a file's triangles; `None` if it cannot be read, which is reported once.
    fn mesh(&mut self, file: &PathBuf) -> Option<usize> {
        if let Some(known) = self.meshes.get(file) {
            return *known;
        }
        let index = match morse_geometry::mesh::read(file) {
            Ok(mesh) => {
                self.triangles.push(Triangles {
                    parts: self.paints.parts(file, &mesh),
                    vertices: mesh.vertices,
                    faces: mesh.faces,
                    normals: mesh.normals,
                    coordinates: mesh.coordinates,
                });
                Some(self.triangles.len() - 1)
            }
            Err(why) => {
                let message = format!("the mesh `{}` cannot be shown: {why}", file.display());
                self.warnings
                    .push(Diagnostic::warning("world_view::mesh", message));
                None
            }
        };
        self.meshes.insert(file.clone(), index);
        index
    }

    fn frames(&self) -> Vec<FrameInfo> {
        let frames = self.spawned.frames.values().filter_map(|entity| {
            let frame = self.world.get::<Frame>(*entity)?;
            Some(FrameInfo {
                name: frame.name.clone(),
                body: *self.body_indices.get(&frame.body)?,
                body_from_frame: frame.body_from_frame,
            })
        });
        frames.collect()
    }

    fn components(&mut self) -> Vec<ComponentInfo> {
        let mut components = self.world.query::<(
            &ComponentPath,
            &Mount,
            &UpdateRate,
            Option<&Described>,
            Option<&Mailbox>,
        )>();
        let seen =
            components
                .iter(self.world)
                .filter_map(|(path, mount, rate, sensor, actuator)| {
                    let (robot, kind) = match (sensor, actuator.map(Mailbox::sender)) {
                        (Some(sensor), _) => (sensor.0.robot.to_string(), sensor.0.kind),
                        (None, Some(actuator)) => {
                            (actuator.info.robot.to_string(), actuator.info.kind)
                        }
                        (None, None) => return None,
                    };
                    Some(ComponentInfo {
                        path: path.to_string(),
                        robot,
                        kind,
                        is_sensor: sensor.is_some(),
                        frequency: rate.frequency,
                        body: *self.body_indices.get(&mount.body)?,
                        body_from_component: mount.body_from_component,
                    })
                });
        let mut seen: Vec<_> = seen.collect();
        seen.sort_by(|one, two| one.path.cmp(&two.path));
        seen
    }
}
