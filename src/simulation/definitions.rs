//! Definitions of bodies, joint variables and components in the files, as texts: two are equal if nothing about them has
//! changed that matters for their motion. Names stand for indices, and source positions and appearance are left out.
use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use morse_api::kind::{About, Kinds};
use morse_scene::{
    assembly::{Assembly, BodyLayout, JointMode, Layout, layout},
    model::{Frame, Geometry, Origin, Shape, stretched},
};
use morse_simulation_file::{
    Simulation,
    model::{Component, Settings},
};

/// Returns true if a file has changed since the world was built.
pub(super) type IsChanged<'a> = &'a dyn Fn(&Path) -> bool;

/// Definitions by name.
pub(super) type Texts = BTreeMap<String, Arc<str>>;

/// All definitions. Frames have the definition of their body.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) bodies: Texts,
    pub(super) frames: Texts,
    pub(super) variables: Texts,
    pub(super) components: Texts,
}

impl Definitions {
    /// Returns the definitions in the files of a world. A body with a mesh whose file `is_changed` equals no other.
    pub(super) fn of(
        assembly: &Assembly,
        simulation: &Simulation,
        kinds: &Kinds,
        is_changed: IsChanged<'_>,
    ) -> Self {
        let assembly = &*assembly.anchored();
        // A contradictory assembly has no world.
        let layout = layout(assembly).unwrap_or_default();
        let site = Site {
            assembly,
            layout: &layout,
            is_changed,
        };
        let mut all = Self::default();
        for body in &layout.bodies {
            let text: Arc<str> = site.body(body).into();
            let frames = body.frames.iter();
            let names = frames.filter_map(|frame| site.name(*frame));
            all.frames
                .extend(names.map(|name| (name.to_owned(), text.clone())));
            if let Some(name) = site.name(body.head) {
                all.bodies.insert(name.to_owned(), text);
            }
        }
        for variable in &layout.variables {
            let moved = variable.bodies.iter();
            let moved = moved.filter_map(|body| layout.bodies.get(*body));
            let moved: Vec<String> = moved.map(|body| site.body(body)).collect();
            let range = (variable.limits, variable.max_velocity, variable.max_effort);
            let text = format!("{:?}", (range, &variable.settings, &variable.robot, moved));
            all.variables.insert(variable.name.clone(), text.into());
        }
        all.components = components(simulation, kinds);
        all
    }
}

/// Context of the definition of a body.
struct Site<'a> {
    assembly: &'a Assembly,
    layout: &'a Layout,
    is_changed: IsChanged<'a>,
}

impl Site<'_> {
    fn name(&self, frame: usize) -> Option<&str> {
        self.layout
            .frames
            .get(frame)
            .map(|frame| frame.name.as_str())
    }

    fn body(&self, body: &BodyLayout) -> String {
        let joint = body.attachment.as_ref().map(|joint| {
            let parent = self.layout.bodies.get(joint.parent);
            let variable = self.layout.variables.get(joint.variable);
            (
                parent.and_then(|parent| self.name(parent.head)),
                variable.map(|variable| (&variable.name, variable.settings.mode)),
                joint.shape(),
                (joint.damping, joint.dry_friction, joint.armature),
            )
        });
        // The pose of a body on a dynamic joint follows from those of its parent and of the joint.
        let follows = joint.is_some_and(|(_, variable, ..)| {
            variable.is_some_and(|(_, mode)| mode == JointMode::Dynamic)
        });
        let pose = (!follows).then_some(body.pose);
        let robot = (&body.robot, body.robot_friction);
        let mut text = format!("{:?}", (body.kind, &body.settings, pose, robot, joint));
        for frame in &body.frames {
            let known = self.layout.frames.get(*frame);
            let Some(known) = known else { continue };
            let in_scene = self.assembly.scene.frames().get(known.in_scene);
            // Writing to a text cannot fail.
            write!(text, "{:?}{:?}", known.name, known.body_from_frame).ok();
            if let Some(frame) = in_scene {
                write!(text, "{:?}", plain_frame(frame)).ok();
                let files = frame.geometry.iter().filter_map(mesh_of);
                for file in files.filter(|file| (self.is_changed)(file)) {
                    write!(text, "changed: {}", file.display()).ok();
                }
            }
        }
        text
    }
}

/// Returns the file of a geometry's mesh.
fn mesh_of(geometry: &Geometry) -> Option<&Path> {
    match &geometry.shape {
        Shape::Mesh(mesh) => Some(stretched(&mesh.resolved).0),
        _ => None,
    }
}

/// Returns a frame without its source position and without appearance.
fn plain_frame(frame: &Frame) -> Frame {
    let mut frame = frame.clone();
    frame.source = Origin(None);
    for geometry in &mut frame.geometry {
        let plain = Geometry {
            tags: geometry.tags.clone(),
            scale: geometry.scale,
            visual: geometry.visual,
            collision: geometry.collision,
            friction: geometry.friction,
            restitution: geometry.restitution,
            density: geometry.density,
            ..Geometry::new(geometry.shape.clone())
        };
        *geometry = plain;
    }
    frame
}

/// Returns the definitions of all sensors and actuators, by path.
pub(super) fn components(simulation: &Simulation, kinds: &Kinds) -> Texts {
    let seed = simulation.environment.seed;
    let mut all = BTreeMap::new();
    for instance in simulation.expand() {
        let robot = instance.robot;
        let sensors = robot.sensors.iter();
        let sensors = sensors.map(|(name, sensor)| {
            let about = kinds.sensors.get(sensor.component.kind.as_str());
            (name, &sensor.component, about.map(|kind| &kind.about))
        });
        let actuators = robot.actuators.iter();
        let actuators = actuators.map(|(name, actuator)| {
            let about = kinds.actuators.get(actuator.component.kind.as_str());
            (name, &actuator.component, about.map(|kind| &kind.about))
        });
        for (name, component, about) in sensors.chain(actuators) {
            let path = format!("{}.{}", instance.name, name.value);
            let text = component_text(component, about, kinds);
            all.insert(path, format!("{seed} {text}").into());
        }
    }
    all
}

fn component_text(component: &Component, about: Option<&About>, kinds: &Kinds) -> String {
    let modifiers = component.modifiers.iter().map(|modifier| {
        let about = kinds.modifiers.get(modifier.kind.as_str());
        let text = settings_text(&modifier.settings, about.map(|kind| &kind.about));
        (modifier.kind.as_str(), text)
    });
    let mount = &component.mount;
    format!(
        "{:?}",
        (
            component.kind.as_str(),
            component.level.as_ref().map(|level| level.value.as_str()),
            component
                .frequency
                .as_ref()
                .map(|frequency| frequency.value),
            component.active,
            (
                mount.pose,
                mount.frame.as_ref().map(|frame| frame.value.as_str())
            ),
            component.on.as_ref().map(|on| on.component.value.as_str()),
            modifiers.collect::<Vec<_>>(),
            settings_text(&component.settings, about),
        )
    )
}

/// Returns settings of a kind as text.
pub(crate) fn settings_text(settings: &Settings, about: Option<&About>) -> String {
    let view = about.and_then(|about| (about.view)(&settings.0));
    view.map_or_else(String::new, |view| {
        format!("{:?}", view.as_partial_reflect())
    })
}
