//! Overlays in the 3D view: grid, scans and their rays, trails, frames, camera frustums, contacts.
use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_egui::egui;
use morse_api::fields::{Value, view};
use nalgebra::{Isometry3, Point3};

use crate::{
    camera::OrbitCamera,
    camera_image::{intrinsic, whole},
    light::Theme,
    pick::Selected,
    replica::{Replica, SensorReplica, Watched},
    shape,
};

/// Distance of the points of a trail, m.
const STEP: f32 = 0.03;
/// Maximum number of points of a trail.
const LONGEST: usize = 4000;
/// Depth of the drawn camera frustums, m.
const FRUSTUM: f64 = 1.5;

/// Visible layers.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers {
    on: [bool; 9],
}

/// A layer of overlays, in the order of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Grid,
    Labels,
    Scans,
    Rays,
    Trails,
    Frames,
    Cameras,
    Contacts,
    Shadows,
}

/// Layers with their names.
const LAYERS: [(Layer, &str); 9] = [
    (Layer::Grid, "Grid"),
    (Layer::Labels, "Names"),
    (Layer::Scans, "Scans"),
    (Layer::Rays, "Rays of scanners"),
    (Layer::Trails, "Trails"),
    (Layer::Frames, "Frames"),
    (Layer::Cameras, "What cameras see"),
    (Layer::Contacts, "Contacts"),
    (Layer::Shadows, "Shadows"),
];

impl Default for Layers {
    fn default() -> Self {
        let shown = [Layer::Grid, Layer::Labels, Layer::Scans, Layer::Shadows];
        Self {
            on: LAYERS.map(|(layer, _)| shown.contains(&layer)),
        }
    }
}

impl Layers {
    /// Returns true if a layer is visible.
    pub(crate) fn has(&self, layer: Layer) -> bool {
        self.on.get(layer as usize).is_some_and(|on| *on)
    }

    /// Toggles the visibility of a layer.
    pub(crate) fn toggle(&mut self, index: usize) {
        if let Some(on) = self.on.get_mut(index) {
            *on = !*on;
        }
    }

    /// Draws a check box for each layer.
    pub(crate) fn menu(&mut self, ui: &mut egui::Ui) {
        for (index, ((_, name), on)) in LAYERS.iter().zip(&mut self.on).enumerate() {
            ui.checkbox(on, format!("{name} ({})", index + 1));
        }
    }
}

/// Gizmos that are drawn on top of everything, without a depth test.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OnTop;

/// Trails of robots: their past positions.
#[derive(Resource, Default)]
pub(crate) struct Trails {
    points: Vec<VecDeque<Vec3>>,
    tick: u64,
}

/// Adds all overlays.
pub(crate) fn plugin(app: &mut App) {
    let on_top = GizmoConfig {
        depth_bias: -1.0,
        ..default()
    };
    app.insert_gizmo_config(OnTop, on_top)
        .init_resource::<Layers>()
        .init_resource::<Trails>()
        .add_systems(Update, (watch, trace, shade))
        .add_systems(
            Update,
            (ground, scans, trails, axes, cameras, contacts).after(crate::camera::set_pose),
        );
}

/// Subscribes to scanners and cameras while a layer shows their data.
fn watch(layers: Res<Layers>, replica: Res<Replica>, mut watched: ResMut<Watched>) {
    let scans = layers.has(Layer::Scans) || layers.has(Layer::Rays);
    for (index, seen) in replica.sensors.iter().enumerate() {
        let fields = &seen.observer.info.fields;
        let is_scanner = scans && fields.get("point_list").is_some();
        let is_camera = layers.has(Layer::Cameras) && fields.get("intrinsic_matrix").is_some();
        if is_scanner || is_camera {
            watched.0.insert(index);
        }
    }
}

fn shade(layers: Res<Layers>, mut suns: Query<&mut DirectionalLight>) {
    for mut sun in &mut suns {
        let wanted = layers.has(Layer::Shadows);
        if sun.shadow_maps_enabled != wanted {
            sun.shadow_maps_enabled = wanted;
        }
    }
}

/// Draws lines on the ground, whose distance depends on the distance of the camera.
fn ground(layers: Res<Layers>, camera: Res<OrbitCamera>, theme: Res<Theme>, mut gizmos: Gizmos) {
    if !layers.has(Layer::Grid) {
        return;
    }
    let coarse = ops::powf(
        10.0,
        ops::log10(camera.distance.max(1.0) / 4.0).floor().max(0.0),
    );
    let middle = |coordinate: f32| (coordinate / coarse).round() * coarse;
    let (x, y) = (middle(camera.target.x), middle(camera.target.y));
    let half_length = 20.0 * coarse;
    let color = theme.lines();
    for line in -20..=20 {
        let at = f32::from(i8::try_from(line).unwrap_or(0)) * coarse;
        // Slightly above the ground, to avoid z-fighting with a floor.
        let point = |x, y| Vec3::new(x, y, 0.004);
        gizmos.line(
            point(x + at, y - half_length),
            point(x + at, y + half_length),
            color,
        );
        gizmos.line(
            point(x - half_length, y + at),
            point(x + half_length, y + at),
            color,
        );
    }
}

/// Returns the pose of a sensor in the simulation's world at its last measurement.
fn pose(seen: &SensorReplica) -> Option<Isometry3<f64>> {
    let reading = seen.reading.as_ref()?;
    Some(reading.robot_pose * reading.on_robot(&seen.observer.info))
}

/// Draws the points that scanners measured, and the rays to them.
fn scans(layers: Res<Layers>, replica: Res<Replica>, mut gizmos: Gizmos) {
    let (has_points, has_rays) = (layers.has(Layer::Scans), layers.has(Layer::Rays));
    if !has_points && !has_rays {
        return;
    }
    let (dot, ray) = (
        Color::srgb(1.0, 0.35, 0.2),
        Color::srgba(1.0, 0.45, 0.3, 0.16),
    );
    for seen in &replica.sensors {
        let field_index = seen
            .observer
            .info
            .fields
            .get("point_list")
            .map(|field| field.index);
        let (Some(field_index), Some(reading), Some(pose)) =
            (field_index, &seen.reading, pose(seen))
        else {
            continue;
        };
        let Some(Value::Triples(points)) = reading.data().field_at(field_index).map(view) else {
            continue;
        };
        let origin = replica.point(&Point3::from(pose.translation.vector));
        // A point at the sensor itself is a ray without a hit.
        for point in points
            .iter()
            .filter(|point| point.iter().any(|coordinate| coordinate.abs() > 1e-6))
        {
            let at = replica.point(&(pose * Point3::from(*point)));
            if has_points {
                gizmos.cross(at, 0.025, dot);
            }
            if has_rays {
                gizmos.line(origin, at, ray);
            }
        }
    }
}

/// Extends the trails of robots.
fn trace(replica: Res<Replica>, mut trails: ResMut<Trails>) {
    if replica.poses.tick < trails.tick {
        trails.points.clear();
    }
    trails.tick = replica.poses.tick;
    let robots = &replica.scenery.robots;
    trails.points.resize(robots.len(), VecDeque::new());
    for (robot, points) in robots.iter().zip(&mut trails.points) {
        let at = replica.body(robot.body).translation;
        if points.back().is_none_or(|last| last.distance(at) > STEP) {
            points.push_back(at);
            if points.len() > LONGEST {
                points.pop_front();
            }
        }
    }
}

fn trails(layers: Res<Layers>, trails: Res<Trails>, mut gizmos: Gizmos) {
    if layers.has(Layer::Trails) {
        for (index, points) in trails.points.iter().enumerate() {
            let hue = (index as f32 * 137.5 + 200.0) % 360.0;
            let lifted = points.iter().map(|point| *point + Vec3::Z * 0.02);
            gizmos.linestrip(lifted, Color::hsl(hue, 0.8, 0.6));
        }
    }
}

/// Draws the axes of frames, and of the selection.
fn axes(
    layers: Res<Layers>,
    replica: Res<Replica>,
    selected: Res<Selected>,
    camera: Res<OrbitCamera>,
    mut gizmos: Gizmos<OnTop>,
) {
    if layers.has(Layer::Frames) {
        for frame in &replica.scenery.frames {
            let pose = replica.carried(frame.body, &frame.body_from_frame);
            gizmos.axes(replica.transform(&pose), 0.2);
        }
    }
    if let Some(pose) = selected.pose(&replica) {
        let at = replica.transform(&pose);
        gizmos.axes(at, (0.08 * camera.distance).clamp(0.1, 1.0));
        let ring = shape::circle((0.06 * camera.distance).clamp(0.1, 2.0));
        gizmos.linestrip(
            ring.map(|point| at.translation + point),
            Color::srgb(1.0, 0.75, 0.2),
        );
    }
}

/// Draws the frustums of cameras.
fn cameras(layers: Res<Layers>, replica: Res<Replica>, mut gizmos: Gizmos) {
    if !layers.has(Layer::Cameras) {
        return;
    }
    let color = Color::srgb(0.35, 0.75, 1.0);
    for seen in &replica.sensors {
        let info = &seen.observer.info;
        let (Some(reading), Some(pose)) = (&seen.reading, pose(seen)) else {
            continue;
        };
        let (Some(matrix), Some(width), Some(height)) = (
            intrinsic(info, reading),
            whole(info, reading, "width"),
            whole(info, reading, "height"),
        ) else {
            continue;
        };
        let origin = replica.point(&Point3::from(pose.translation.vector));
        let corners = corners(&matrix, width as f64, height as f64)
            .map(|corner| replica.point(&(pose * corner)));
        for (index, corner) in corners.into_iter().enumerate() {
            gizmos.line(origin, corner, color);
            gizmos.line(corner, corners[(index + 1) % 4], color);
        }
    }
}

/// Returns the corners of a camera's view at a depth, in the axes of a sensor that looks along x.
fn corners(matrix: &[[f64; 3]; 3], width: f64, height: f64) -> [Point3<f64>; 4] {
    let ([fx, _, cx], [_, fy, cy]) = (matrix[0], matrix[1]);
    [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)].map(|(u, v)| {
        let (right, down) = ((u - cx) / fx, (v - cy) / fy);
        Point3::new(1.0, -right, -down) * FRUSTUM
    })
}

/// Draws contact points, and arrows for the contact forces.
fn contacts(layers: Res<Layers>, replica: Res<Replica>, mut gizmos: Gizmos<OnTop>) {
    replica.request_contacts(layers.has(Layer::Contacts));
    if !layers.has(Layer::Contacts) {
        return;
    }
    for contact in &replica.poses.contacts {
        let at = replica.point(&contact.point);
        let force = Vec3::new(
            contact.force.x as f32,
            contact.force.y as f32,
            contact.force.z as f32,
        );
        // One centimetre per newton, up to one metre.
        let arrow = force * (0.01_f32).min(1.0 / force.length().max(1e-6));
        gizmos.cross(at, 0.03, Color::srgb(1.0, 0.2, 0.8));
        gizmos.arrow(at, at + arrow, Color::srgb(1.0, 0.2, 0.8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_indices() {
        for (index, (layer, name)) in LAYERS.into_iter().enumerate() {
            assert_eq!(layer as usize, index, "{name}");
        }
        let mut layers = Layers::default();
        assert!(layers.has(Layer::Grid) && !layers.has(Layer::Contacts));
        layers.toggle(Layer::Contacts as usize);
        layers.toggle(99);
        assert!(layers.has(Layer::Contacts));
    }

    #[test]
    fn a_camera_sees_a_pyramid() {
        // Opening angles of 90 degrees horizontally and 53.13 degrees vertically.
        let matrix = [[50.0, 0.0, 50.0], [0.0, 50.0, 25.0], [0.0, 0.0, 1.0]];
        let [first, .., last] = corners(&matrix, 100.0, 50.0);
        // The first pixel is in the upper left corner.
        assert_eq!(first, Point3::new(1.0, 1.0, 0.5) * FRUSTUM);
        assert_eq!(last, Point3::new(1.0, 1.0, -0.5) * FRUSTUM);
    }
}
