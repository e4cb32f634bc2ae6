//! Common code of all cameras: lens, frames on request, and images without allocation per frame.
//!
//! A kind of camera is a file in [`crate`] that converts images to data; its settings are declared by the macro `camera!`.
//! Without a rotation a camera looks along the x axis of its mount. Points are given in the axes of the image: z forward, x
//! right, y down.
//!
//! - [`lens`]: settings and derived values;
//! - [`capture`]: frames on request; [`cloud`]: points;
//! - this file: the frame itself.
pub mod capture;
pub mod cloud;
pub mod lens;

use std::{f64::consts::TAU, sync::Arc};

use morse_api::{
    component::Level,
    distortion::Distortion,
    prelude::*,
    render::{CameraView, Channels, Picture, Renderer, RendererKind},
};
use nalgebra::Quaternion;

pub use capture::Capture;
pub use lens::Lens;

use crate::turned::Turned;

/// A kind of camera.
pub trait Camera: Sensor {
    /// Returns its lens, from the settings.
    fn lens(&self) -> Lens;

    /// Returns its lens at a level.
    fn lens_at(&self, _level: &str) -> Lens {
        self.lens()
    }

    /// Writes the views of a frame: poses in the frame of the mount, of cameras that look along x, with the requested
    /// contents.
    fn views(&self, level: &str, views: &mut Vec<View>);

    /// Returns the maximum number of points in its data.
    fn points(&self) -> u64 {
        0
    }

    /// Returns the angle by which the camera turns to the left after each frame, rad.
    fn turn(&self) -> f64 {
        0.0
    }

    /// Converts images to the data of a level. The images may be moved out of the buffers.
    fn write_data(
        &self,
        level: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut Self::Data,
    );
}

/// View of a camera: one image per frame.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Pose in the frame of the mount.
    pub pose: Isometry3<f64>,
    /// Contents of the image.
    pub channels: Channels,
}

impl View {
    /// Returns a view along the camera's axis.
    #[must_use]
    pub fn ahead(channels: Channels) -> Self {
        Self {
            pose: Isometry3::identity(),
            channels,
        }
    }
}

/// Images of a camera, with reused memory.
#[derive(Component, Default)]
pub struct PictureBuffers {
    views: Vec<View>,
    /// Images, one per view.
    pub pictures: Vec<Picture>,
    /// Poses of the views in the axes of the camera.
    pub camera_from_view: Vec<Isometry3<f64>>,
    /// Distortion of the lens, computed for the first frame.
    pub bend: Option<Arc<Distortion>>,
}

/// Returns the maximum memory of a camera at a level.
pub fn memory<C: Camera>(camera: &C, level: &str) -> Memory {
    let lens = camera.lens_at(level);
    let pixels = u64::from(lens.width) * u64::from(lens.height);
    let mut views = Vec::new();
    camera.views(level, &mut views);
    // Colour (4 bytes), depth and index of the instance per pixel: see `Picture`.
    let bytes = |view: &View| {
        4 * u64::from(view.channels.color)
            + 4 * u64::from(view.channels.depth)
            + 2 * u64::from(view.channels.things)
    };
    let pictures = pixels.saturating_mul(views.iter().map(bytes).sum());
    let bend = if lens.is_ideal() { 0 } else { 16 };
    // A growing list of points has up to twice the capacity that it needs.
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

/// Adds all systems of a kind of camera except its own system, which contains [`render_views`].
pub fn prepare<C: Camera>(app: &mut App) {
    app.register_state::<Turned>()
        .register_state::<Capture>()
        .add_service::<C>(capture::service());
    let mut queries = app.world_mut().get_resource_or_init::<GpuQueries>();
    queries.0.push(requires_gpu_of::<C>);
}

/// Queries of the cameras of each kind: true if a camera is to be rendered by the graphics card.
#[derive(Resource, Default)]
struct GpuQueries(Vec<fn(&mut World) -> bool>);

fn requires_gpu_of<C: Camera>(world: &mut World) -> bool {
    let mut cameras = world.query::<&C>();
    let mut cameras = cameras.iter(world);
    cameras.any(|camera| camera.lens().renderer == Some(RendererKind::Gpu))
}

/// Returns true if a camera is to be rendered by the graphics card.
pub fn requires_gpu(world: &mut World) -> bool {
    let queries = world.get_resource_or_init::<GpuQueries>().0.clone();
    queries.into_iter().any(|is_wanted| is_wanted(world))
}

/// Returns the rotation from the axes of an image to the axes of a mount that looks along x.
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

/// Renders the images of all cameras of a kind that are due. A camera that takes no frame is set not due: it exports
/// nothing.
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
            // Invalid lenses were rejected when the settings were read.
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
                channels: view.channels,
                lens: buffers.bend.clone(),
                ..lens.camera_view(pose.0 * mount_from_view)
            };
            renderer.0.render(&camera_view, picture);
        }
        camera.write_data(level.0, &lens, buffers, &mut data);
        capture.count(&mut task);
    }
}

/// Level with depths as devices report them.
pub const RAW: &str = "raw";

/// Writes depths in whole millimetres; 0 for depths that are infinite, before `near`, or too large for 16 bits.
pub fn millimeters(depths: &[f32], near: f64, raw: &mut Vec<u16>) {
    raw.clear();
    raw.extend(depths.iter().map(|&depth| {
        let depth = f64::from(depth);
        let rounded = (depth * 1000.0).round();
        let is_known = depth >= near && rounded <= f64::from(u16::MAX);
        if is_known { rounded as u16 } else { 0 }
    }));
}

/// Reverses the order of the rows of an image if the camera's lowest row comes first.
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
