//! Labels with the names of robots and of the selection.
use bevy::{camera::primitives::Aabb, prelude::*};
use bevy_egui::{EguiContexts, egui};
use morse_api::world_view::Scenery;

use crate::{
    bar::Rest,
    camera::OrbitCamera,
    entities::ShapeOf,
    gizmos::{Layer, Layers},
    pick::Selected,
    replica::Replica,
};

/// Height of a label above its object, m.
const OVER: f32 = 0.05;
/// Maximum distance of legible labels, as a multiple of the camera's distance from its target.
const READABLE: f32 = 6.0;

/// Maximum z of the shapes of each body, by the body's index; for a body without shapes, the height of its origin.
struct Tops(Vec<f32>);

impl Tops {
    fn new(replica: &Replica, shapes: &Query<(&ShapeOf, &Aabb, &GlobalTransform)>) -> Self {
        let bodies = 0..replica.scenery.bodies.len();
        let mut tops: Vec<f32> = bodies
            .map(|body| replica.body(body).translation.z)
            .collect();
        for (of, bounds, at) in shapes {
            let axes = at.affine().matrix3;
            let half = bounds.half_extents;
            let extent = (axes.x_axis.z * half.x).abs()
                + (axes.y_axis.z * half.y).abs()
                + (axes.z_axis.z * half.z).abs();
            let middle = at.transform_point(bounds.center.into()).z;
            if let Some(top) = tops.get_mut(of.0) {
                *top = top.max(middle + extent);
            }
        }
        Self(tops)
    }

    /// Returns the maximum over the bodies of a robot.
    fn of_robot(&self, owners: &[Option<usize>], robot: usize) -> f32 {
        let own = self.0.iter().zip(owners);
        own.filter(|(_, owner)| **owner == Some(robot))
            .map(|(top, _)| *top)
            .fold(f32::NEG_INFINITY, f32::max)
    }
}

/// Returns the robot to which each body belongs.
fn owners(scenery: &Scenery) -> Vec<Option<usize>> {
    let robot = |name: &String| scenery.robots.iter().position(|robot| robot.name == *name);
    let bodies = scenery.bodies.iter();
    bodies.map(|body| robot(body.robot.as_ref()?)).collect()
}

pub(crate) fn draw(
    mut contexts: EguiContexts,
    layers: Res<Layers>,
    replica: Res<Replica>,
    selected: Res<Selected>,
    orbit: Res<OrbitCamera>,
    rest: Res<Rest>,
    camera: Single<(&Camera, &Transform), With<Camera3d>>,
    shapes: Query<(&ShapeOf, &Aabb, &GlobalTransform)>,
    mut known: Local<Option<Vec<Option<usize>>>>,
) -> Result {
    let context = contexts.ctx_mut()?;
    let painter = context
        .layer_painter(egui::LayerId::background())
        .with_clip_rect(rest.left());
    let (camera, at) = *camera;
    // Bevy computes the global transform later in the frame: the present one is that of the last frame.
    let at = GlobalTransform::from(*at);
    let write = |point: Vec3, name: &str, color: egui::Color32| {
        let is_near = point.distance(at.translation()) < READABLE * orbit.distance.max(4.0);
        if let (true, Ok(position)) = (is_near, camera.world_to_viewport(&at, point)) {
            let position = egui::pos2(position.x, position.y);
            let font = egui::FontId::proportional(13.0);
            let shade = egui::Color32::from_black_alpha(170);
            painter.text(
                position + egui::vec2(1.0, 1.0),
                egui::Align2::CENTER_BOTTOM,
                name,
                font.clone(),
                shade,
            );
            painter.text(position, egui::Align2::CENTER_BOTTOM, name, font, color);
        }
    };
    let owners = known.get_or_insert_with(|| owners(&replica.scenery));
    let tops = Tops::new(&replica, &shapes);
    let over = |point: Vec3, top: f32| Vec3::new(point.x, point.y, point.z.max(top) + OVER);
    if layers.has(Layer::Labels) {
        for (index, robot) in replica.scenery.robots.iter().enumerate() {
            if *selected != Selected::Robot(index) {
                let point = replica.body(robot.body).translation;
                let point = over(point, tops.of_robot(owners, index));
                write(point, &robot.name, egui::Color32::WHITE);
            }
        }
    }
    if let Some(pose) = selected.pose(&replica) {
        let top = match *selected {
            Selected::Robot(robot) => tops.of_robot(owners, robot),
            Selected::Body(body) => tops.0.get(body).copied().unwrap_or_default(),
            Selected::Component(_) | Selected::Nothing => f32::NEG_INFINITY,
        };
        write(
            over(replica.transform(&pose).translation, top),
            &selected.name(&replica.scenery),
            egui::Color32::from_rgb(255, 200, 80),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use morse_api::{
        body::BodyKind,
        world_view::{BodyInfo, RobotInfo},
    };
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn bodies_belong_to_their_robots() {
        let body = |robot: Option<&str>| BodyInfo {
            name: String::new(),
            robot: robot.map(str::to_owned),
            kind: BodyKind::Dynamic,
            mass: 1.0,
            pose: Isometry3::identity(),
        };
        let robot = |name: &str| RobotInfo {
            name: name.to_owned(),
            body: 0,
        };
        let scenery = Scenery {
            bodies: vec![body(None), body(Some("b")), body(Some("a"))],
            robots: vec![robot("a"), robot("b")],
            ..Scenery::default()
        };
        assert_eq!(owners(&scenery), [None, Some(1), Some(0)]);
        let tops = Tops(vec![9.0, 0.5, 0.25]);
        assert_eq!(tops.of_robot(&owners(&scenery), 1), 0.5);
    }
}
