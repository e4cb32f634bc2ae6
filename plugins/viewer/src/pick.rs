//! Selection by a click in the 3D view or in the tree. With shift a body is dragged, with alt it is pushed.
use bevy::{picking::mesh_picking::ray_cast::MeshRayCast, prelude::*};
use bevy_egui::input::EguiWantsInput;
use morse_api::{body::BodyKind, world_view::Scenery};
use nalgebra::Isometry3;
use serde_json::json;

use crate::{
    bar::Rest,
    entities::ShapeOf,
    replica::{Replica, Watched},
    requests::Requests,
};

/// Maximum motion of the pointer in a click, pixels.
const STILL: f32 = 5.0;
/// Change of velocity by a push, m/s.
const PUSH: f64 = 1.0;

/// Selected element, by its index in the scenery.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Selected {
    /// No selection.
    #[default]
    Nothing,
    /// A robot.
    Robot(usize),
    /// A sensor or actuator.
    Component(usize),
    /// A body.
    Body(usize),
}

impl Selected {
    /// Returns the name of the selection.
    pub(crate) fn name(self, scenery: &Scenery) -> String {
        let name = match self {
            Self::Nothing => None,
            Self::Robot(index) => scenery.robots.get(index).map(|robot| robot.name.clone()),
            Self::Component(index) => scenery
                .components
                .get(index)
                .map(|component| component.path.clone()),
            Self::Body(index) => scenery.bodies.get(index).map(|body| body.name.clone()),
        };
        name.unwrap_or_default()
    }

    /// Returns the selected body, or the body that carries the selection.
    pub(crate) fn body(self, scenery: &Scenery) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::Robot(index) => scenery.robots.get(index).map(|robot| robot.body),
            Self::Component(index) => scenery
                .components
                .get(index)
                .map(|component| component.body),
            Self::Body(index) => Some(index),
        }
    }

    /// Returns the pose of the selection in the simulation's world.
    pub(crate) fn pose(self, replica: &Replica) -> Option<Isometry3<f64>> {
        let body = self.body(&replica.scenery)?;
        let within = match self {
            Self::Component(index) => replica.scenery.components.get(index)?.body_from_component,
            _ => Isometry3::identity(),
        };
        Some(replica.carried(body, &within))
    }

    /// Returns the index among the sensors, if a sensor is selected.
    pub(crate) fn sensor(self, replica: &Replica) -> Option<usize> {
        let Self::Component(index) = self else {
            return None;
        };
        replica.sensor(&replica.scenery.components.get(index)?.path)
    }
}

/// Body that is being dragged, if there is one.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct Dragging(pub(crate) Option<DraggedBody>);

/// A body that is being dragged: its index, the height of the grip, and the displacement from the grip to the body's origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraggedBody {
    body: usize,
    height: f32,
    offset: Vec3,
}

/// Distance that the pointer has moved since the button was pressed.
#[derive(Resource, Default)]
pub(crate) struct Travelled(f32);

/// Adds selection, dragging and pushing.
pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Selected>()
        .init_resource::<Dragging>()
        .init_resource::<Travelled>()
        .add_systems(Startup, select_first)
        .add_systems(PreUpdate, (begin_drag, drag).chain())
        .add_systems(Update, (click, watch));
}

/// Selects the component that the simulation file names.
fn select_first(replica: Res<Replica>, mut selected: ResMut<Selected>) {
    let mut components = replica.scenery.components.iter();
    let wanted = |path: &String| components.position(|component| component.path == *path);
    if let Some(index) = replica.selected.as_ref().and_then(wanted) {
        *selected = Selected::Component(index);
    }
}

/// Returns the ray through the pointer.
fn ray(window: &Window, camera: &(&Camera, &GlobalTransform)) -> Option<Ray3d> {
    let (camera, at) = camera;
    camera.viewport_to_world(at, window.cursor_position()?).ok()
}

/// Returns the body that a ray hits, and the point of the hit.
fn hit(
    cast: &mut MeshRayCast<'_, '_>,
    shapes: &Query<&ShapeOf>,
    ray: Ray3d,
) -> Option<(usize, Vec3)> {
    let hits = cast.cast_ray(ray, &default());
    let (entity, hit) = hits.first()?;
    Some((shapes.get(*entity).ok()?.0, hit.point))
}

/// Begins and ends dragging.
fn begin_drag(
    mut dragging: ResMut<Dragging>,
    mut travelled: ResMut<Travelled>,
    replica: Res<Replica>,
    egui: Res<EguiWantsInput>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    rest: Res<Rest>,
    motion: Res<bevy::input::mouse::AccumulatedMouseMotion>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform), With<Camera3d>>,
    shapes: Query<&ShapeOf>,
    mut cast: MeshRayCast,
) {
    travelled.0 += motion.delta.length();
    if buttons.just_pressed(MouseButton::Left) {
        travelled.0 = 0.0;
        let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
        let hit_body = ray(&window, &camera).and_then(|ray| hit(&mut cast, &shapes, ray));
        if let (true, false, Some((body, point))) =
            (shift, !rest.has_pointer(&window, &egui), hit_body)
            && let Some(body) = carrier(&replica.scenery, body)
        {
            let offset = replica.body(body).translation - point;
            dragging.0 = Some(DraggedBody {
                body,
                height: point.z,
                offset,
            });
        }
    } else if !buttons.pressed(MouseButton::Left) {
        dragging.0 = None;
    }
}

/// Returns the body whose pose must be set in order to move a body: the base of its robot, or the body itself if it is
/// movable.
fn carrier(scenery: &Scenery, body: usize) -> Option<usize> {
    let seen = scenery.bodies.get(body)?;
    let base = seen.robot.as_ref().and_then(|name| {
        let robot = scenery.robots.iter().find(|robot| robot.name == *name);
        robot.map(|robot| robot.body)
    });
    let body = base.unwrap_or(body);
    let moves = |seen: &morse_api::world_view::BodyInfo| seen.kind != BodyKind::Fixed;
    scenery.bodies.get(body).is_some_and(moves).then_some(body)
}

/// Moves the dragged body to the pointer, at the height of the grip.
fn drag(
    dragging: Res<Dragging>,
    replica: Res<Replica>,
    requests: Res<Requests>,
    motion: Res<bevy::input::mouse::AccumulatedMouseMotion>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform), With<Camera3d>>,
) {
    let Some(DraggedBody {
        body,
        height,
        offset,
    }) = dragging.0.filter(|_| motion.delta != Vec2::ZERO)
    else {
        return;
    };
    let Some(point) = ray(&window, &camera).and_then(|ray| {
        let along = ray.intersect_plane(Vec3::Z * height, InfinitePlane3d::new(Vec3::Z))?;
        Some(ray.get_point(along))
    }) else {
        return;
    };
    let Some(seen) = replica.scenery.bodies.get(body) else {
        return;
    };
    let to = (point + offset).as_dvec3().to_array();
    let to: Vec<f64> = to
        .iter()
        .zip(replica.origin.iter())
        .map(|(coordinate, origin)| coordinate + origin)
        .collect();
    requests.send(
        &replica,
        "simulation",
        "set_object_position",
        json!([seen.name, to]),
    );
}

/// Selects or pushes the clicked body.
fn click(
    mut selected: ResMut<Selected>,
    travelled: Res<Travelled>,
    dragging: Res<Dragging>,
    replica: Res<Replica>,
    requests: Res<Requests>,
    egui: Res<EguiWantsInput>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    rest: Res<Rest>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform), With<Camera3d>>,
    shapes: Query<&ShapeOf>,
    mut cast: MeshRayCast,
) {
    let is_click = buttons.just_released(MouseButton::Left) && travelled.0 < STILL;
    if !is_click || !rest.has_pointer(&window, &egui) || dragging.0.is_some() {
        return;
    }
    let Some(ray) = ray(&window, &camera) else {
        return;
    };
    let hit_body = hit(&mut cast, &shapes, ray);
    if keys.any_pressed([KeyCode::AltLeft, KeyCode::AltRight]) {
        if let Some((body, point)) = hit_body {
            push(&replica, &requests, body, point, ray);
        }
        return;
    }
    *selected = hit_body.map_or(Selected::Nothing, |(body, _)| {
        owner(&replica.scenery, *selected, body)
    });
}

/// Returns the robot to which a body belongs, or the body itself if its robot was selected before.
fn owner(scenery: &Scenery, before: Selected, body: usize) -> Selected {
    let name = scenery
        .bodies
        .get(body)
        .and_then(|body| body.robot.as_ref());
    let robot = scenery
        .robots
        .iter()
        .position(|robot| Some(&robot.name) == name);
    robot
        .map(Selected::Robot)
        .filter(|robot| *robot != before)
        .unwrap_or(Selected::Body(body))
}

/// Pushes a body at a point, in the direction of view.
fn push(replica: &Replica, requests: &Requests, body: usize, point: Vec3, ray: Ray3d) {
    let Some(seen) = replica.scenery.bodies.get(body) else {
        return;
    };
    let impulse = (ray.direction.as_dvec3() * PUSH * seen.mass).to_array();
    let at = point.as_dvec3().to_array();
    let at: Vec<f64> = at
        .iter()
        .zip(replica.origin.iter())
        .map(|(coordinate, origin)| coordinate + origin)
        .collect();
    requests.send(
        replica,
        "simulation",
        "push_object",
        json!([seen.name, impulse, at]),
    );
}

/// Subscribes to the data of the selection.
fn watch(selected: Res<Selected>, replica: Res<Replica>, mut watched: ResMut<Watched>) {
    watched.0.extend(selected.sensor(&replica));
}

#[cfg(test)]
mod tests {
    use morse_api::world_view::{BodyInfo, RobotInfo};

    use super::*;

    fn scenery() -> Scenery {
        let body = |name: &str, robot: Option<&str>, kind| BodyInfo {
            name: name.to_owned(),
            robot: robot.map(str::to_owned),
            kind,
            mass: 1.0,
            pose: Isometry3::identity(),
        };
        Scenery {
            bodies: vec![
                body("floor", None, BodyKind::Fixed),
                body("base", Some("rover"), BodyKind::Dynamic),
                body("wheel", Some("rover"), BodyKind::Dynamic),
                body("box", None, BodyKind::Dynamic),
            ],
            robots: vec![RobotInfo {
                name: "rover".to_owned(),
                body: 1,
            }],
            ..Scenery::default()
        }
    }

    #[test]
    fn a_robot_is_dragged_by_its_base() {
        let scenery = scenery();
        let dragged = [0, 1, 2, 3].map(|body| carrier(&scenery, body));
        assert_eq!(dragged, [None, Some(1), Some(1), Some(3)]);
    }

    #[test]
    fn a_second_click_selects_the_body() {
        let scenery = scenery();
        let first = owner(&scenery, Selected::Nothing, 2);
        assert_eq!(first, Selected::Robot(0));
        assert_eq!(owner(&scenery, first, 2), Selected::Body(2));
        assert_eq!(owner(&scenery, first, 3), Selected::Body(3));
    }
}
