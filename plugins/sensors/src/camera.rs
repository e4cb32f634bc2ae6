//! Common parts of all cameras: a lens, frames on request, and pictures without allocation.
//!
//! A kind is a file in [`crate`] that says what it makes of a picture; its settings are the macro
//! `camera!`. Without a rotation a camera looks along the x axis of what it is on; its own axes, in which
//! points are given, are those of pictures: z forward, x right, y down.
//!
//! - [`lens`]: settings and what follows from them;
//! - [`capture`]: frames on request; [`cloud`]: points;
//! - here: the frame itself.
pub mod capture;
pub mod cloud;
pub mod lens;

use std::{f64::consts::TAU, sync::Arc};

use morse_api::{
    component::Level,
    distortion::Distortion,
    prelude::*,
    render::{CameraView, Picture, Renderer, RendererKind, Wants},
};
use nalgebra::Quaternion;

pub use capture::Capture;
pub use lens::Lens;

use crate::turned::Turned;

/// A kind of camera.
pub trait Camera: Sensor {
    /// Its lens, as its settings say.
    fn lens(&self) -> Lens;

    /// Its lens at a level.
    fn lens_at(&self, _level: &str) -> Lens {
        self.lens()
    }

    /// Views: poses in the frame of the mount, of cameras that look along x, and what is wanted of each.
    fn views(&self, level: &str, views: &mut Vec<View>);

    /// Number of points that its data hold at most.
    fn points(&self) -> u64 {
        0
    }

    /// Angle by which it has turned to the left after each frame, rad.
    fn turn(&self) -> f64 {
        0.0
    }

    /// Makes data of pictures, for a level. What it takes from them need not be put back.
    fn write_data(
        &self,
        level: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut Self::Data,
    );
}

/// One look of a camera.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its pose in the frame of the mount.
    pub pose: Isometry3<f64>,
    /// Contents that its picture is to hold.
    pub wants: Wants,
}

impl View {
    /// Straight ahead.
    #[must_use]
    pub fn ahead(wants: Wants) -> Self {
        Self {
            pose: Isometry3::identity(),
            wants,
        }
    }
}

/// The pictures of a camera, whose memory is used again and again.
#[derive(Component, Default)]
pub struct PictureBuffers {
    views: Vec<View>,
    /// One for each view.
    pub pictures: Vec<Picture>,
    /// The poses of the views in the axes of the camera.
    pub camera_from_view: Vec<Isometry3<f64>>,
    /// Distortion of the lens, worked out for the first frame.
    pub bend: Option<Arc<Distortion>>,
}

/// Most memory that a camera takes at a level.
pub fn memory<C: Camera>(camera: &C, level: &str) -> Memory {
    let lens = camera.lens_at(level);
    let pixels = u64::from(lens.width) * u64::from(lens.height);
    let mut views = Vec::new();
    camera.views(level, &mut views);
    // Red, green, blue and 255; a depth; a number of a thing: see `Picture`.
    let bytes = |view: &View| {
        4 * u64::from(view.wants.color)
            + 4 * u64::from(view.wants.depth)
            + 2 * u64::from(view.wants.things)
    };
    let pictures = pixels.saturating_mul(views.iter().map(bytes).sum());
    let bend = if lens.is_ideal() { 0 } else { 16 };
    // A list of points that grows has up to twice the room that it needs.
    let points = camera.points().saturating_mul(2 * 3 * 4);
    Memory {
        measurement: pictures.saturating_add(points),
        workspace: pictures.saturating_add(pixels.saturating_mul(bend)),
    }
}

/// Adds a kind of camera.
pub fn add<C: Camera>(app: &mut App) {
    prepare::<C>(app);
    app.add_sensor::<C, _>(render_views::<C>);
}

/// Adds what a kind of camera needs besides its own system, which contains [`render_views`].
pub fn prepare<C: Camera>(app: &mut App) {
    app.register_state::<Turned>()
        .register_state::<Capture>()
        .add_service::<C>(capture::service());
    let mut queries = app.world_mut().get_resource_or_init::<GpuQueries>();
    queries.0.push(wants_card_of::<C>);
}

/// Queries of the cameras of each kind: whether one of them wants to be drawn by the graphics card.
#[derive(Resource, Default)]
struct GpuQueries(Vec<fn(&mut World) -> bool>);

fn wants_card_of<C: Camera>(world: &mut World) -> bool {
    let mut cameras = world.query::<&C>();
    let mut cameras = cameras.iter(world);
    cameras.any(|camera| camera.lens().renderer == Some(RendererKind::Gpu))
}

/// Tells whether a camera wants to be drawn by the graphics card.
pub fn wants_card(world: &mut World) -> bool {
    let queries = world.get_resource_or_init::<GpuQueries>().0.clone();
    queries.into_iter().any(|is_wanted| is_wanted(world))
}

/// From the axes of a picture to those of a mount that looks along x.
#[must_use]
pub fn mount_from_camera() -> Isometry3<f64> {
    let turn = Quaternion::new(0.5, -0.5, 0.5, -0.5);
    Isometry3::from_parts(Vector3::zeros().into(), UnitQuaternion::new_unchecked(turn))
}

/// Components that a frame reads and writes.
type Body<'a, C> = (
    &'a C,
    &'a Level,
    &'a mut Due,
    &'a WorldPose,
    (&'a mut PictureBuffers, &'a mut Capture, &'a mut Task),
    Option<&'a mut Turned>,
    &'a mut <C as Sensor>::Data,
);

/// Takes the pictures of all cameras of a kind that are due. One that takes none is not due after all: it
/// exports nothing.
pub fn render_views<C: Camera>(renderer: Option<Res<Renderer>>, mut cameras: Query<Body<'_, C>>) {
    for (camera, level, mut due, pose, (mut buffers, mut capture, mut task), turned, mut data) in
        &mut cameras
    {
        let lens = camera.lens_at(level.0);
        due.0 &= lens.capturing && capture.is_on();
        let (true, Some(renderer)) = (due.0, renderer.as_deref()) else {
            continue;
        };
        let buffers = &mut *buffers;
        if buffers.bend.is_none() {
            // A lens that cannot be worked out was refused when it was read.
            buffers.bend = lens.bend().ok().flatten().map(Arc::new);
        }
        let mut turn = UnitQuaternion::identity();
        if let Some(mut turned) = turned {
            turn = UnitQuaternion::from_scaled_axis(Vector3::z() * turned.0);
            turned.0 = libm::fmod(turned.0 + camera.turn(), TAU);
        }
        buffers.views.clear();
        camera.views(level.0, &mut buffers.views);
        buffers
            .pictures
            .resize_with(buffers.views.len(), Picture::default);
        buffers.camera_from_view.clear();
        let to_camera = mount_from_camera();
        for (view, picture) in buffers.views.iter().zip(&mut buffers.pictures) {
            let mount_from_view = turn * view.pose * to_camera;
            buffers
                .camera_from_view
                .push(to_camera.inverse() * mount_from_view);
            let camera_view = CameraView {
                wants: view.wants,
                lens: buffers.bend.clone(),
                ..lens.camera_view(pose.0 * mount_from_view)
            };
            renderer.0.render(&camera_view, picture);
        }
        camera.write_data(level.0, &lens, buffers, &mut data);
        capture.count(&mut task);
    }
}

/// The level of depths as devices give them.
pub const RAW: &str = "raw";

/// Depths in whole millimetres; 0 for those that are infinite, before `near`, or too large for 16 bits.
pub fn millimeters(depths: &[f32], near: f64, raw: &mut Vec<u16>) {
    raw.clear();
    raw.extend(depths.iter().map(|&depth| {
        let depth = f64::from(depth);
        let rounded = (depth * 1000.0).round();
        let is_known = depth >= near && rounded <= f64::from(u16::MAX);
        if is_known { rounded as u16 } else { 0 }
    }));
}

/// Turns an image upside down, row by row, if the camera's lowest row comes first.
pub fn flip<T>(image: &mut [T], lens: &Lens) {
    let row = image.len() / lens.height.max(1) as usize;
    if lens.vertical_flip || row == 0 {
        return;
    }
    let half = image.len() / row / 2 * row;
    let (top, bottom) = image.split_at_mut(half);
    for (one, other) in top.chunks_exact_mut(row).zip(bottom.rchunks_exact_mut(row)) {
        one.swap_with_slice(other);
    }
}

#[cfg(test)]
mod tests;
