//! Objects, zones and robots of a simulation file, prepared for queries by components.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use bevy::prelude::*;
use morse_api::object::{Bounds, GRASPABLE, Object, Objects, Property, ROBOT_TAG, Zone, Zones};
use morse_geometry::{GeometryOf, mesh};
use morse_scene::model::{Geometry, Shape};
use morse_simulation_file::{Simulation, model};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::spawn::{Frame, Spawned};

/// Type of robots; that of objects is `Object` by default.
const ROBOT: &str = "Robot";

/// Inserts [`Objects`] and [`Zones`] into a world whose scene has been spawned.
pub fn insert(world: &mut World, simulation: &Simulation, spawned: &Spawned) {
    let mut objects = Vec::new();
    for (name, object) in &simulation.objects {
        if let Some(&entity) = spawned.frames.get(name.as_str()) {
            objects.extend(thing(world, name, object, entity));
        }
    }
    for instance in simulation.expand() {
        if let Some(&base) = spawned.robots.get(&instance.name) {
            let properties = properties(&instance.robot.properties, ROBOT_TAG, true);
            objects.push(robot(&instance.name, properties, base));
        }
    }
    give_shapes(world, &mut objects);
    world.insert_resource(Objects::new(objects));
    let zones = simulation.zones.iter().map(|(name, zone)| Zone {
        name: name.value.clone(),
        kind: zone.kind.clone(),
        bounds: Bounds {
            center: zone.center.into(),
            half: zone.half,
        },
    });
    world.insert_resource(Zones(zones.collect()));
}

fn thing(world: &World, name: &str, written: &model::Object, entity: Entity) -> Option<Object> {
    let frame = world.get::<Frame>(entity)?;
    Some(Object {
        name: name.to_owned(),
        label: written.label.clone().unwrap_or_else(|| name.to_owned()),
        description: written.description.clone(),
        kind: written.kind.clone(),
        properties: properties(&written.properties, GRASPABLE, written.graspable),
        entity,
        body: frame.body,
        body_from_object: frame.body_from_frame,
        robot: None,
        bounds: None,
        geometry: Vec::new(),
        collides: false,
    })
}

fn robot(name: &str, properties: BTreeMap<String, Property>, base: Entity) -> Object {
    Object {
        name: name.to_owned(),
        label: name.to_owned(),
        description: String::new(),
        kind: ROBOT.to_owned(),
        properties,
        entity: base,
        body: base,
        body_from_object: Isometry3::identity(),
        robot: Some(base),
        bounds: None,
        geometry: Vec::new(),
        collides: false,
    }
}

/// Returns the properties of the file, and one with a default.
fn properties(
    written: &model::Properties,
    implied: &str,
    is_implied: bool,
) -> BTreeMap<String, Property> {
    let mut all = BTreeMap::new();
    if is_implied {
        all.insert(implied.to_owned(), Property::Flag(true));
    }
    for (name, value) in written {
        let value = match value {
            model::Property::Flag(value) => Property::Flag(*value),
            model::Property::Number(value) => Property::Number(*value),
            model::Property::Text(value) => Property::Text(value.clone()),
            model::Property::Numbers(value) => Property::Numbers(value.clone()),
        };
        all.insert(name.value.clone(), value);
    }
    all
}

/// Inserts the geometry on each object's frame and on its descendants, and the bounding box of all geometry that is fixed to
/// it.
fn give_shapes(world: &mut World, objects: &mut [Object]) {
    if objects.is_empty() {
        return;
    }
    let mut frames: BTreeMap<String, Entity> = BTreeMap::new();
    let mut owners = Owners::default();
    for (index, object) in objects.iter().enumerate() {
        owners.by_frame.insert(object.entity, index);
    }
    for (entity, frame) in world.query::<(Entity, &Frame)>().iter(world) {
        frames.insert(frame.name.clone(), entity);
        owners.parents.insert(entity, frame.parent);
    }
    let mut corners: BTreeMap<usize, Vec<Point3<f64>>> = BTreeMap::new();
    let mut meshes = Meshes::default();
    let mut geometries = world.query::<(Entity, &GeometryOf)>();
    for (entity, of) in geometries.iter(world) {
        let mut next = frames.get(&of.frame).copied();
        while let Some((frame, index)) = next.and_then(|frame| owners.nearest(frame)) {
            next = owners.parents.get(&frame).copied().flatten();
            let Some(object) = objects.get_mut(index) else {
                continue;
            };
            object.geometry.push(entity);
            object.robot = object.robot.or(of.robot);
            object.collides |=
                of.geometry.collision && !matches!(of.geometry.shape, Shape::Grid { .. });
            if of.body == object.body {
                let object_from_frame = object.body_from_object.inverse() * of.body_from_frame;
                let around = meshes.around(&of.geometry, &object_from_frame);
                corners.entry(index).or_default().extend(around);
            }
        }
    }
    for (index, object) in objects.iter_mut().enumerate() {
        object.geometry.sort_unstable();
        object.bounds = corners.remove(&index).and_then(Bounds::around);
    }
}

/// Objects by their frames, for walks from a frame to the objects above it.
#[derive(Default)]
struct Owners {
    /// Indices of the objects, by their frames.
    by_frame: BTreeMap<Entity, usize>,
    parents: BTreeMap<Entity, Option<Entity>>,
    /// Results of [`nearest`](Self::nearest): a walk passes each frame once, however long the chains are.
    known: BTreeMap<Entity, Option<(Entity, usize)>>,
}

impl Owners {
    /// Returns the frame and the index of the first object at or above a frame.
    fn nearest(&mut self, frame: Entity) -> Option<(Entity, usize)> {
        let mut passed = Vec::new();
        let mut next = Some(frame);
        let mut nearest = None;
        while let Some(current) = next {
            if let Some(known) = self.known.get(&current) {
                nearest = *known;
                break;
            }
            if let Some(&index) = self.by_frame.get(&current) {
                nearest = Some((current, index));
                break;
            }
            passed.push(current);
            next = self.parents.get(&current).copied().flatten();
        }
        for frame in passed {
            self.known.insert(frame, nearest);
        }
        nearest
    }
}

/// Meshes that were read already.
#[derive(Default)]
pub(crate) struct Meshes {
    vertices: BTreeMap<PathBuf, Vec<[f32; 3]>>,
    /// Corners of the boxes around meshes, by file, scale and pose.
    boxes: BTreeMap<(PathBuf, [u64; 8]), Vec<Point3<f64>>>,
}

impl Meshes {
    /// Returns points whose bounding box is that of a shape.
    pub(crate) fn around(
        &mut self,
        geometry: &Geometry,
        pose: &Isometry3<f64>,
    ) -> Vec<Point3<f64>> {
        let scale = geometry.scale;
        let disc = |radius: f64, height: f64| {
            let axis = pose.rotation * Vector3::z();
            let sides = axis.map(|value| (1.0 - value * value).max(0.0).sqrt());
            let extent = sides * (radius * scale).abs();
            let center = pose * Point3::new(0.0, 0.0, height * scale);
            [center - extent, center + extent]
        };
        let ball = |radius: f64, height: f64| {
            let extent = Vector3::repeat((radius * scale).abs());
            let center = pose * Point3::new(0.0, 0.0, height * scale);
            [center - extent, center + extent]
        };
        match &geometry.shape {
            Shape::Box { dimension } => {
                let half = Vector3::from(*dimension) * (scale / 2.0);
                let corner = |number: u32| {
                    let sign = |bit: u32| if number & bit == 0 { -1.0 } else { 1.0 };
                    let signs = Vector3::new(sign(1), sign(2), sign(4));
                    pose * Point3::from(half.component_mul(&signs))
                };
                (0..8).map(corner).collect()
            }
            Shape::Sphere { radius } => ball(*radius, 0.0).to_vec(),
            Shape::Cylinder { radius, height } => {
                [disc(*radius, 0.0), disc(*radius, *height)].concat()
            }
            Shape::Cone {
                start_radius,
                end_radius,
                height,
            } => [disc(*start_radius, 0.0), disc(*end_radius, *height)].concat(),
            Shape::Capsule { radius, height } => {
                [ball(*radius, 0.0), ball(*radius, *height)].concat()
            }
            Shape::Grid { .. } => Vec::new(),
            Shape::Mesh(mesh) => self.around_mesh(&mesh.resolved, scale, pose),
        }
    }

    /// Returns the corners of the box around a mesh. Copies of a robot share them.
    fn around_mesh(&mut self, file: &Path, scale: f64, pose: &Isometry3<f64>) -> Vec<Point3<f64>> {
        let [x, y, z] = pose.translation.vector.into();
        let [i, j, k, w] = pose.rotation.coords.into();
        let key = (
            file.to_owned(),
            [scale, x, y, z, i, j, k, w].map(f64::to_bits),
        );
        if let Some(known) = self.boxes.get(&key) {
            return known.clone();
        }
        let corners = self.corners(file).iter();
        let corners =
            corners.map(|corner| pose * Point3::from(corner.map(|value| f64::from(value) * scale)));
        let ends = corners.fold(None, |ends: Option<[Point3<f64>; 2]>, corner| {
            let [low, high] = ends.unwrap_or([corner; 2]);
            Some([low.inf(&corner), high.sup(&corner)])
        });
        let corners: Vec<_> = ends.into_iter().flatten().collect();
        self.boxes.insert(key, corners.clone());
        corners
    }

    /// Returns the vertices of a mesh; empty if it cannot be read, which the physics or a viewer reports.
    fn corners(&mut self, file: &Path) -> &[[f32; 3]] {
        self.vertices.entry(file.to_owned()).or_insert_with(|| {
            mesh::read(file).map_or_else(|_| Vec::new(), |triangles| triangles.vertices)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use super::*;

    #[track_caller]
    fn assert_around(shape: Shape, scale: f64, pose: &Isometry3<f64>, expected: [[f64; 3]; 2]) {
        let mut geometry = Geometry::new(shape);
        geometry.scale = scale;
        let bounds = Bounds::around(Meshes::default().around(&geometry, pose)).unwrap();
        let [lower, upper] = expected.map(Point3::from);
        let error = (bounds.center - bounds.half - lower).norm()
            + (bounds.center + bounds.half - upper).norm();
        assert!(error < 1e-12, "{bounds:?}");
    }

    #[test]
    fn boxes_around_shapes() {
        let still = Isometry3::translation(1.0, 0.0, 0.0);
        assert_around(
            Shape::Sphere { radius: 0.5 },
            2.0,
            &still,
            [[0.0, -1.0, -1.0], [2.0, 1.0, 1.0]],
        );
        let up = Shape::Cylinder {
            radius: 0.5,
            height: 3.0,
        };
        assert_around(up, 1.0, &still, [[0.5, -0.5, 0.0], [1.5, 0.5, 3.0]]);
        // A cube on its edge is √2 wide and high; so is a disc of half the height on its side.
        let turned = Isometry3::rotation(Vector3::x() * FRAC_PI_4);
        let cube = Shape::Box {
            dimension: [1.0; 3],
        };
        let half = 0.5 * 2.0_f64.sqrt();
        assert_around(
            cube,
            1.0,
            &turned,
            [[-0.5, -half, -half], [0.5, half, half]],
        );
        let disc = Shape::Cylinder {
            radius: 1.0,
            height: 1e-300,
        };
        let lean = 0.5_f64.sqrt();
        assert_around(
            disc,
            1.0,
            &turned,
            [[-1.0, -lean, -lean], [1.0, lean, lean]],
        );
        let capsule = Shape::Capsule {
            radius: 0.2,
            height: -1.0,
        };
        let none = Isometry3::identity();
        assert_around(capsule, 1.0, &none, [[-0.2, -0.2, -1.2], [0.2, 0.2, 0.2]]);
    }
}
