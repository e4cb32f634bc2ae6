//! Off-screen pictures by the graphics card: Bevy's renderer in an `App` of its own, on a separate thread.
use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    thread::{Builder, JoinHandle},
};

use bevy::{
    app::TerminalCtrlCHandlerPlugin,
    camera::{CameraProjection, RenderTarget, SubCameraView},
    core_pipeline::tonemapping::Tonemapping,
    ecs::system::RunSystemOnce as _,
    gilrs::GilrsPlugin,
    prelude::*,
    render::{
        RenderPlugin,
        gpu_readback::{Readback, ReadbackComplete},
        render_resource::{TextureFormat, TextureUsages},
        renderer::RenderAdapterInfo,
        settings::{RenderCreation, WgpuSettings},
    },
    window::ExitCondition,
    winit::WinitPlugin,
};
use crossbeam_channel::{Receiver, Sender, bounded};
use morse_api::{
    lighting::Lighting,
    render::{CameraView, Card, CardError, OpenCard},
    world_view::Scenery,
};
use nalgebra::{Isometry3, Vector3};

use crate::{
    entities::{self, Store},
    light::{self, Hurry},
    replica::transform,
    sky,
};

/// Maximum number of frames that are drawn until a picture arrives from the card.
const MAX_FRAMES: usize = 600;

/// Number of frames that are drawn before the first picture of a new camera.
const FRESH: usize = 4;

/// A graphics card that draws a scene.
pub struct Gpu {
    requests: Option<Sender<DrawRequest>>,
    thread: Option<JoinHandle<()>>,
    /// Name of the card.
    pub card: String,
}

/// Makes a card available to the renderer.
pub fn plugin(app: &mut App) {
    app.insert_resource(OpenCard(|scenery| Ok(Box::new(Gpu::open(scenery)?))));
}

/// Request for a picture.
struct DrawRequest {
    view: CameraView,
    poses: Vec<Isometry3<f64>>,
    answer: Sender<Result<Vec<u8>, CardError>>,
}

impl Gpu {
    /// Prepares a card for a scene.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no usable card, not even a software one such as llvmpipe.
    pub fn open(scenery: Arc<Scenery>) -> Result<Self, CardError> {
        has_card()?;
        let (requests, taken) = bounded(1);
        let (ready, is_ready) = bounded(1);
        let thread = Builder::new().name("gpu".to_owned()).spawn(move || {
            // The underlying libraries panic if the driver fails.
            let worked =
                std::panic::catch_unwind(AssertUnwindSafe(|| work(scenery, &ready, &taken)));
            if worked.is_err() {
                ready.try_send(Err(CardError::Driver)).ok();
            }
        });
        let thread = thread.map_err(|error| CardError::Thread(error.to_string()))?;
        let card = is_ready.recv().map_err(|_gone| CardError::Driver)??;
        Ok(Self {
            requests: Some(requests),
            thread: Some(thread),
            card,
        })
    }
}

impl Card for Gpu {
    fn draw(&self, view: &CameraView, poses: &[Isometry3<f64>]) -> Result<Vec<u8>, CardError> {
        let (answer, answered) = bounded(1);
        let request = DrawRequest {
            view: view.clone(),
            poses: poses.to_vec(),
            answer,
        };
        let requests = self.requests.as_ref().ok_or(CardError::Driver)?;
        requests.send(request).map_err(|_gone| CardError::Driver)?;
        answered.recv().map_err(|_gone| CardError::Driver)?
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // The thread's result has been sent already.
            thread.join().ok();
        }
    }
}

/// Checks that there is a card. Bevy would panic without one.
fn has_card() -> Result<(), CardError> {
    let settings = WgpuSettings::default();
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = settings.backends.unwrap_or_default();
    let instance = wgpu::Instance::new(wanted);
    let options = wgpu::RequestAdapterOptions::default();
    let adapter = bevy::tasks::block_on(instance.request_adapter(&options));
    adapter
        .map(drop)
        .map_err(|error| CardError::NotFound(error.to_string()))
}

/// Camera, render target, and the pixels that were read back.
#[derive(Resource, Default)]
struct OffscreenTarget {
    camera: Option<Entity>,
    target: Handle<Image>,
    size: [u32; 2],
    /// Number of frames to draw before one is read back.
    fresh: usize,
    done: Option<Vec<u8>>,
}

fn work(
    scenery: Arc<Scenery>,
    ready: &Sender<Result<String, CardError>>,
    requests: &Receiver<DrawRequest>,
) {
    let mut app = app(&scenery.lighting);
    raise(app.world_mut(), scenery);
    let card = app
        .world()
        .get_resource::<RenderAdapterInfo>()
        .map(|info| info.name.clone());
    ready.send(Ok(card.unwrap_or_default())).ok();
    for DrawRequest {
        view,
        poses,
        answer,
    } in requests
    {
        let picture = take(&mut app, &view, &poses);
        // The requester may have ended.
        answer.send(picture).ok();
    }
}

fn app(lighting: &Lighting) -> App {
    let mut app = App::new();
    let plugins = DefaultPlugins
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(RenderPlugin {
            render_creation: RenderCreation::Automatic(Box::default()),
            // Waits for the compilation of pipelines, so that no shape is absent from a picture.
            synchronous_pipeline_compilation: true,
            ..default()
        })
        .disable::<WinitPlugin>()
        // Off-screen pictures do not read gamepads.
        .disable::<GilrsPlugin>()
        .disable::<TerminalCtrlCHandlerPlugin>();
    app.add_plugins(plugins).init_resource::<OffscreenTarget>();
    light::plugin(&mut app, lighting, Hurry::Looks);
    sky::plugin(&mut app, lighting);
    while app.plugins_state() == bevy::app::PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    app
}

/// Spawns all bodies and shapes at their initial poses.
fn raise(world: &mut World, scenery: Arc<Scenery>) {
    let spawn = move |mut commands: Commands<'_, '_>, mut store: Store<'_>| {
        let start = |body: usize| scenery.bodies.get(body).map(|body| transform(&body.pose));
        let pose_of = |body: usize| start(body).unwrap_or_default();
        entities::raise(&scenery, pose_of, &mut commands, &mut store);
    };
    // Cannot fail: the system has no run conditions.
    world.run_system_once(spawn).ok();
}

/// Draws a picture and reads it back.
fn take(app: &mut App, view: &CameraView, poses: &[Isometry3<f64>]) -> Result<Vec<u8>, CardError> {
    let world = app.world_mut();
    prepare(world, view);
    let origin = view.world_from_camera.translation.vector;
    let mut bodies = world.query::<(&entities::Body, &mut Transform)>();
    for (body, mut at) in bodies.iter_mut(world) {
        if let Some(pose) = poses.get(body.0) {
            *at = seen_from(&origin, pose);
        }
    }
    // The first frames of a new camera lack data that are still being transferred to the card.
    let frames = std::mem::replace(
        &mut app.world_mut().resource_mut::<OffscreenTarget>().fresh,
        1,
    );
    (0..frames).for_each(|_| app.update());
    let target = app.world().resource::<OffscreenTarget>().target.clone();
    let reader = app
        .world_mut()
        .spawn(Readback::texture(target))
        .observe(keep)
        .id();
    for _ in 0..MAX_FRAMES {
        app.update();
        if let Some(done) = app
            .world_mut()
            .resource_mut::<OffscreenTarget>()
            .done
            .take()
        {
            app.world_mut().despawn(reader);
            return Ok(done);
        }
    }
    app.world_mut().despawn(reader);
    Err(CardError::Lost)
}

/// Returns a pose relative to the camera's position, where single precision suffices, regardless of the camera's distance
/// from the origin.
fn seen_from(origin: &Vector3<f64>, pose: &Isometry3<f64>) -> Transform {
    let near = Isometry3::from_parts((pose.translation.vector - origin).into(), pose.rotation);
    transform(&near)
}

fn keep(read: On<ReadbackComplete>, mut offscreen: ResMut<OffscreenTarget>) {
    let [width, height] = offscreen.size;
    // Rows may have padding after their pixels.
    let (row, stride) = (
        4 * width as usize,
        read.data.len() / (height as usize).max(1),
    );
    let rows = read
        .data
        .chunks_exact(stride.max(1))
        .filter_map(|line| line.get(..row));
    offscreen.done = Some(rows.flatten().copied().collect());
}

/// Sets the pose of the camera, and creates a render target of the size of the view.
fn prepare(world: &mut World, view: &CameraView) {
    let size = [view.width, view.height];
    let known = world.resource::<OffscreenTarget>();
    if let (Some(camera), true) = (known.camera, known.size != size) {
        world.despawn(camera);
        world.resource_mut::<OffscreenTarget>().camera = None;
    }
    if world.resource::<OffscreenTarget>().camera.is_none() {
        let mut image =
            Image::new_target_texture(view.width, view.height, TextureFormat::Rgba8UnormSrgb, None);
        image.texture_descriptor.usage |= TextureUsages::COPY_SRC;
        let target = world.resource_mut::<Assets<Image>>().add(image);
        let camera = (
            Camera3d::default(),
            RenderTarget::Image(target.clone().into()),
            Tonemapping::None,
            Msaa::Sample4,
        );
        let camera = Some(world.spawn(camera).id());
        *world.resource_mut::<OffscreenTarget>() = OffscreenTarget {
            camera,
            target,
            size,
            fresh: FRESH,
            done: None,
        };
    }
    // Bevy's cameras look along -z with y up, those of `CameraView` along z with y down.
    let turned = view.world_from_camera.rotation
        * nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let pose = transform(&Isometry3::from_parts(
        nalgebra::Translation3::identity(),
        turned,
    ));
    if let Some(camera) = world.resource::<OffscreenTarget>().camera {
        let lens = Pinhole::of(view);
        world
            .entity_mut(camera)
            .insert((pose, Projection::custom(lens)));
    }
}

/// Perspective projection of a pinhole camera with an arbitrary principal point.
#[derive(Clone, Debug)]
struct Pinhole {
    /// Twice the focal length divided by width and height.
    scale: Vec2,
    /// Principal point, -1 to 1, to the right and up.
    middle: Vec2,
    near: f32,
    far: f32,
}

impl Pinhole {
    fn of(view: &CameraView) -> Self {
        let size = [f64::from(view.width), f64::from(view.height)];
        // The centre of the first pixel is at 0 in a view, and at half a pixel on a card.
        let middle = |axis: usize| 2.0 * (view.center[axis] + 0.5) / size[axis] - 1.0;
        let scale = |axis: usize| (2.0 * view.focal / size[axis]) as f32;
        Self {
            scale: Vec2::new(scale(0), scale(1)),
            middle: Vec2::new(middle(0) as f32, -middle(1) as f32),
            near: view.near as f32,
            far: view.far as f32,
        }
    }
}

impl CameraProjection for Pinhole {
    /// Reversed depth: 1 at `near` and 0 at `far`, which is precise at great distances too.
    fn get_clip_from_view(&self) -> Mat4 {
        let Self {
            scale,
            middle,
            near,
            far,
        } = self;
        let span = far - near;
        Mat4::from_cols(
            Vec4::new(scale.x, 0.0, 0.0, 0.0),
            Vec4::new(0.0, scale.y, 0.0, 0.0),
            Vec4::new(-middle.x, -middle.y, near / span, -1.0),
            Vec4::new(0.0, 0.0, near * far / span, 0.0),
        )
    }

    fn get_clip_from_view_for_sub(&self, _: &SubCameraView) -> Mat4 {
        self.get_clip_from_view()
    }

    fn update(&mut self, _: f32, _: f32) {}

    fn far(&self) -> f32 {
        self.far
    }

    fn get_frustum_corners(&self, near: f32, far: f32) -> [Vec3A; 8] {
        let corner = |right: f32, up: f32, depth: f32| {
            let at = (Vec2::new(right, up) - self.middle) / self.scale * depth.abs();
            Vec3A::new(at.x, at.y, -depth.abs())
        };
        let plane = |depth| {
            [
                corner(1.0, -1.0, depth),
                corner(1.0, 1.0, depth),
                corner(-1.0, 1.0, depth),
                corner(-1.0, -1.0, depth),
            ]
        };
        let ([a, b, c, d], [e, f, g, h]) = (plane(near), plane(far));
        [a, b, c, d, e, f, g, h]
    }
}

#[cfg(test)]
mod tests {
    use morse_api::render::Channels;
    use nalgebra::Point3;

    use super::*;

    fn view() -> CameraView {
        CameraView {
            world_from_camera: Isometry3::identity(),
            width: 64,
            height: 48,
            focal: 70.0,
            center: [30.0, 26.5],
            lens: None,
            renderer: None,
            near: 0.1,
            far: 10.0,
            shadows: false,
            channels: Channels::default(),
        }
    }

    #[test]
    fn a_point_is_in_the_pixel_that_the_view_says() {
        let view = view();
        let point = Point3::new(0.4, -0.3, 2.0);
        let [u, v, _] = view.project(&point).unwrap();
        let lens = Pinhole::of(&view);
        let clip = lens.get_clip_from_view() * Vec4::new(0.4, 0.3, -2.0, 1.0);
        let at = clip.truncate() / clip.w;
        let column = f64::from((at.x + 1.0) / 2.0) * 64.0 - 0.5;
        let row = f64::from((1.0 - at.y) / 2.0) * 48.0 - 0.5;
        assert!(
            (column - u).abs() < 1e-4 && (row - v).abs() < 1e-4,
            "{column} {row} is not {u} {v}"
        );
        assert!(at.z > 0.0 && at.z < 1.0);
    }

    #[test]
    fn depths_are_the_other_way_round() {
        let lens = Pinhole::of(&view());
        let depth = |depth: f32| {
            let clip = lens.get_clip_from_view() * Vec4::new(0.0, 0.0, -depth, 1.0);
            clip.z / clip.w
        };
        assert!((depth(0.1) - 1.0).abs() < 1e-5 && depth(10.0).abs() < 1e-5);
    }

    #[test]
    fn corners_are_the_corners_of_the_picture() {
        let lens = Pinhole::of(&view());
        let [lower_right, _, upper_left, ..] = lens.get_frustum_corners(2.0, 5.0);
        for (corner, expected) in [(lower_right, [1.0, -1.0]), (upper_left, [-1.0, 1.0])] {
            let clip = lens.get_clip_from_view() * corner.extend(1.0);
            let at = clip.truncate() / clip.w;
            assert!((at.x - expected[0]).abs() < 1e-5 && (at.y - expected[1]).abs() < 1e-5);
        }
    }
}
