//! Camera of the 3D view: it orbits a point, follows the selection, or flies. Keys and buttons are those of MORSE where
//! MORSE has equivalents.
use bevy::{
    input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit},
    prelude::*,
    render::renderer::RenderAdapterInfo,
};
use bevy_egui::input::EguiWantsInput;

use crate::{
    bar::Rest,
    light::is_slow,
    pick::{Dragging, Selected},
    replica::Replica,
};

/// Vertical opening angle, rad, unless the simulation sets one.
pub(crate) const ANGLE: f32 = 42.0 * std::f32::consts::PI / 180.0;
/// Maximum pitch, rad: below the vertical, so that the upward direction stays defined.
const STEEPEST: f32 = std::f32::consts::FRAC_PI_2 - 0.02;
/// Rotation per pixel of pointer motion, rad.
const TURN: f32 = 0.006;
/// Minimum and maximum distance from the target, m.
const REACH: [f32; 2] = [0.15, 2000.0];

/// Near and far clipping distance, m, unless the simulation sets them.
const NEAR: f32 = 0.02;
const FAR: f32 = 10_000.0;

/// State of the camera: target and viewpoint.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub(crate) struct OrbitCamera {
    /// Target: the point in the centre of the picture.
    pub(crate) target: Vec3,
    /// Distance from the target to the camera, m.
    pub(crate) distance: f32,
    /// Azimuth of the camera as seen from the target, about z, rad.
    pub(crate) yaw: f32,
    /// Elevation of the camera above the ground as seen from the target, rad.
    pub(crate) pitch: f32,
    /// True while the camera follows the selection.
    pub(crate) follows: bool,
    /// Vertical opening angle, rad.
    angle: f32,
}

impl OrbitCamera {
    /// Returns a camera at the initial viewpoint that the simulation recommends.
    pub(crate) fn new(replica: &Replica) -> Self {
        let [eye, target] =
            [replica.view.eye, replica.view.target].map(|point| replica.point(&point));
        let away = eye - target;
        let distance = away.length().clamp(REACH[0], REACH[1]);
        Self {
            target,
            distance,
            yaw: ops::atan2(away.y, away.x),
            pitch: ops::asin((away.z / distance).clamp(-1.0, 1.0)).clamp(-STEEPEST, STEEPEST),
            follows: false,
            angle: replica.lens.angle.map_or(ANGLE, |angle| angle as f32),
        }
    }

    /// Moves the camera near a point and makes the point its target.
    pub(crate) fn look_at(&mut self, point: Vec3) {
        self.target = point;
        self.distance = self.distance.min(6.0);
    }

    fn backward(&self) -> Vec3 {
        let (sin, cos) = ops::sin_cos(self.pitch);
        let (y, x) = ops::sin_cos(self.yaw);
        Vec3::new(cos * x, cos * y, sin)
    }

    /// Returns the pose of the camera.
    pub(crate) fn transform(&self) -> Transform {
        let at = self.target + self.backward() * self.distance;
        Transform::from_translation(at).looking_at(self.target, Vec3::Z)
    }

    fn turn(&mut self, by: Vec2) {
        self.yaw -= by.x * TURN;
        self.pitch = (self.pitch + by.y * TURN).clamp(-STEEPEST, STEEPEST);
    }

    /// Rotates the camera about its own position.
    fn aim(&mut self, by: Vec2) {
        let at = self.target + self.backward() * self.distance;
        self.turn(by * 0.5);
        self.target = at - self.backward() * self.distance;
        self.follows = false;
    }

    /// Moves the target by pixels of a picture with this height.
    fn pan(&mut self, by: Vec2, height: f32) {
        let scale = 2.0 * self.distance * ops::tan(self.angle / 2.0) / height.max(1.0);
        let pose = self.transform();
        self.target += (pose.right() * -by.x + pose.up() * by.y) * scale;
        self.follows = false;
    }

    fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance * factor).clamp(REACH[0], REACH[1]);
    }

    /// Moves the camera to the right, forward and up; forward is horizontal.
    fn fly(&mut self, by: Vec3) {
        let pose = self.transform();
        let forward = Vec3::new(pose.forward().x, pose.forward().y, 0.0).normalize_or_zero();
        self.target += pose.right() * by.x + forward * by.y + Vec3::Z * by.z;
        self.follows = false;
    }
}

/// Adds the camera and its systems.
pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Startup, open)
        .add_systems(Update, (steer, follow, set_pose).chain());
}

fn open(replica: Res<Replica>, card: Option<Res<RenderAdapterInfo>>, mut commands: Commands) {
    let camera = OrbitCamera::new(&replica);
    let smoothing = if is_slow(card.as_deref()) {
        Msaa::Off
    } else {
        Msaa::Sample4
    };
    commands.spawn((
        Camera3d::default(),
        smoothing,
        Projection::Perspective(PerspectiveProjection {
            fov: camera.angle,
            near: replica.lens.near.map_or(NEAR, |near| near as f32),
            far: replica.lens.far.map_or(FAR, |far| far as f32),
            ..default()
        }),
        camera.transform(),
    ));
    commands.insert_resource(camera);
}

/// Rotates, pans, zooms and flies by pointer and keys.
fn steer(
    mut camera: ResMut<OrbitCamera>,
    egui: Res<EguiWantsInput>,
    dragging: Res<Dragging>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    window: Single<&Window>,
    rest: Res<Rest>,
    mut began: Local<bool>,
    time: Res<Time<Real>>,
) {
    let any = [MouseButton::Left, MouseButton::Right, MouseButton::Middle];
    let is_over = rest.has_pointer(&window, &egui);
    // A drag that began in the view continues wherever the pointer moves.
    if buttons.any_just_pressed(any) || !buttons.any_pressed(any) {
        *began = is_over;
    }
    if *began && dragging.0.is_none() {
        let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
        let control = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
        if motion.delta != Vec2::ZERO {
            if buttons.any_pressed([MouseButton::Right, MouseButton::Middle]) {
                camera.pan(motion.delta, window.height());
            } else if buttons.pressed(MouseButton::Left) && control {
                camera.aim(motion.delta);
            } else if buttons.pressed(MouseButton::Left) && !shift {
                camera.turn(motion.delta);
            }
        }
        if scroll.delta.y != 0.0 && is_over {
            let lines = match scroll.unit {
                MouseScrollUnit::Line => scroll.delta.y,
                MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
            };
            camera.zoom(ops::exp(-0.12 * lines));
        }
    }
    let modified = keys.any_pressed([
        KeyCode::ControlLeft,
        KeyCode::ControlRight,
        KeyCode::AltLeft,
        KeyCode::AltRight,
    ]);
    if egui.wants_any_keyboard_input() || modified {
        return;
    }
    let pressed = |one, other| {
        let sign = |key| f32::from(u8::from(keys.pressed(key)));
        sign(one) - sign(other)
    };
    let direction = Vec3::new(
        pressed(KeyCode::KeyD, KeyCode::KeyA),
        pressed(KeyCode::KeyW, KeyCode::KeyS),
        pressed(KeyCode::KeyR, KeyCode::KeyF),
    );
    if direction != Vec3::ZERO {
        let speed = camera.distance.clamp(1.0, 50.0);
        camera.fly(direction * speed * time.delta_secs());
    }
}

/// Moves the target with the selection.
fn follow(mut camera: ResMut<OrbitCamera>, replica: Res<Replica>, selected: Res<Selected>) {
    if !camera.follows {
        return;
    }
    match selected.pose(&replica) {
        Some(pose) => camera.target = replica.transform(&pose).translation,
        None => camera.follows = false,
    }
}

pub(crate) fn set_pose(
    camera: Res<OrbitCamera>,
    mut cameras: Query<&mut Transform, With<Camera3d>>,
) {
    for mut at in &mut cameras {
        at.set_if_neq(camera.transform());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> OrbitCamera {
        OrbitCamera {
            target: Vec3::new(1.0, 2.0, 0.5),
            distance: 4.0,
            yaw: 0.3,
            pitch: 0.4,
            follows: true,
            angle: ANGLE,
        }
    }

    #[test]
    fn it_looks_at_its_target_with_z_up() {
        let pose = camera().transform();
        let ahead = pose.translation + pose.forward() * 4.0;
        assert!(ahead.distance(Vec3::new(1.0, 2.0, 0.5)) < 1e-5);
        assert!(pose.up().z > 0.0 && pose.right().z.abs() < 1e-6);
    }

    #[test]
    fn aiming_stays_and_turning_does_not() {
        let before = camera();
        let mut aimed = before;
        aimed.aim(Vec2::new(50.0, -20.0));
        let displacement = aimed.transform().translation - before.transform().translation;
        assert!(displacement.length() < 1e-5);
        assert!(!aimed.follows);
        let mut turned = before;
        turned.turn(Vec2::new(50.0, 1e6));
        assert_eq!(turned.target, before.target);
        assert_eq!(turned.pitch, STEEPEST);
    }

    #[test]
    fn panning_moves_a_point_with_the_pointer() {
        let mut camera = camera();
        let before = camera.transform();
        let target = camera.target;
        camera.pan(Vec2::new(0.0, 400.0), 800.0);
        // Half the height of the picture: the lower edge of the view.
        let shift = (camera.target - target).dot(*before.up());
        assert!((shift - 4.0 * ops::tan(ANGLE / 2.0)).abs() < 1e-5);
    }
}
