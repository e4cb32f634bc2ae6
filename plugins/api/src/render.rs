//! Images of the world, for cameras.
use std::sync::Arc;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{
    distortion::{Distortion, bent, straight},
    world_view::Scenery,
};

/// Camera that takes an image: a pinhole, or a lens with distortion.
///
/// The camera's axes are those of images: z forward, x right, y down. The pixel in column `u` and row `v`, counted from 0 at
/// the top left, shows the point at ((u - `center[0]`) / `focal`, (v - `center[1]`) / `focal`, 1) times its depth, before
/// lens distortion.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraView {
    /// Pose in the world.
    pub world_from_camera: Isometry3<f64>,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Focal length, pixels.
    pub focal: f64,
    /// Principal point: column and row.
    pub center: [f64; 2],
    /// Lens distortion, precomputed for these pixels.
    pub lens: Option<Arc<Distortion>>,
    /// Minimum depth, greater than 0, m.
    pub near: f64,
    /// Maximum depth, m.
    pub far: f64,
    /// True if lights cast shadows.
    pub shadows: bool,
    /// Requested outputs.
    pub channels: Channels,
    /// Renderer to use; `None` for the default one of the run.
    pub renderer: Option<RendererKind>,
}

/// Outputs of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Colours.
    pub color: bool,
    /// Depths.
    pub depth: bool,
    /// Geometries.
    pub things: bool,
}

impl CameraView {
    /// Returns the number of pixels.
    #[must_use]
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the direction that the pixel at a position shows, at a depth of 1, in the camera's axes; the forward
    /// direction where the lens shows nothing.
    #[must_use]
    pub fn direction(&self, u: f64, v: f64) -> Vector3<f64> {
        let seen = [
            (u - self.center[0]) / self.focal,
            (v - self.center[1]) / self.focal,
        ];
        let [x, y] = match &self.lens {
            Some(lens) => straight(&lens.coefficients(), seen).unwrap_or_default(),
            None => seen,
        };
        Vector3::new(x, y, 1.0)
    }

    /// Returns column, row and depth of a point of the world; `None` for a point that is not in front of the camera.
    #[must_use]
    pub fn project(&self, point: &Point3<f64>) -> Option<[f64; 3]> {
        let at = self.world_from_camera.inverse() * point;
        let [u, v] = self.center;
        if at.z <= 0.0 {
            return None;
        }
        let Some(lens) = &self.lens else {
            return Some([
                u + self.focal * at.x / at.z,
                v + self.focal * at.y / at.z,
                at.z,
            ]);
        };
        let [x, y] = bent(&lens.coefficients(), [at.x / at.z, at.y / at.z]);
        Some([u + self.focal * x, v + self.focal * y, at.z])
    }
}

/// Image of a camera, row by row from the top left. Outputs that were not requested are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Red, green, blue and 255, a byte each (sRGB).
    pub color: Vec<u8>,
    /// Depth along the camera's z axis, m; infinite where nothing is between `near` and `far`.
    pub depth: Vec<f32>,
    /// Geometry of each pixel: its index in [`Render::geometry`] plus one, or 0 for none.
    pub things: Vec<u16>,
}

impl Picture {
    /// Resizes the buffers for the requested outputs; their contents are undefined until they are written.
    pub fn fit(&mut self, camera: &CameraView) {
        let room = |wanted: bool| if wanted { camera.pixels() } else { 0 };
        self.color.resize(4 * room(camera.channels.color), 0);
        self.depth.resize(room(camera.channels.depth), 0.0);
        self.things.resize(room(camera.channels.things), 0);
    }
}

/// Renders everything that is visible, as it is after the last tick.
///
/// Equal worlds and cameras give equal pixels, for any number of threads.
pub trait Render: Send + Sync {
    /// Renders an image.
    fn render(&self, camera: &CameraView, picture: &mut Picture);

    /// Returns the entities of all visible geometries, in the order of their indices.
    fn geometry(&self) -> Vec<Entity>;
}

/// Renderers that a program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RendererKind {
    /// The processor: exact, equal on all machines, and part of every program.
    #[default]
    Software,
    /// The graphics card, for colours only: textures, soft light. Its pixels differ between cards.
    Gpu,
}

/// The world's renderer.
#[derive(Resource)]
pub struct Renderer(pub Box<dyn Render>);

/// A graphics card that renders colours. Depths and geometries are always rendered by `software`.
pub trait Card: Send + Sync {
    /// Renders the view of a camera, with the bodies at these poses (in the order of the scenery). Returns red, green, blue
    /// and 255 for each pixel (sRGB), row by row from the top left.
    ///
    /// # Errors
    ///
    /// The card failed.
    fn draw(&self, camera: &CameraView, poses: &[Isometry3<f64>]) -> Result<Vec<u8>, CardError>;
}

/// Reason why a graphics card does not render.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// There is no card, nor one in software; the message of the library.
    #[error("no graphics card was found: {0}")]
    NotFound(String),
    /// The system cannot start a thread for it; the reason.
    #[error("its thread could not be started: {0}")]
    Thread(String),
    /// The driver failed.
    #[error("its driver failed")]
    Driver,
    /// An image was rendered and not returned.
    #[error("the picture did not come back from the graphics card")]
    Lost,
}

/// Function that prepares a card for a scene; registered by the crate that has one.
#[derive(Resource, Clone, Copy)]
pub struct OpenCard(pub fn(Arc<Scenery>) -> Result<Box<dyn Card>, CardError>);

/// Marks entities with cameras; while one exists, the renderer follows the world.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct UsesRenderer;

/// Label of a geometry, for cameras that name objects. A component of the geometry's entity.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name of the robot to which it belongs, or else of the frame.
    pub instance: Arc<str>,
    /// Classes of the scene that it inherits from, sorted; also `robot` on a robot.
    pub classes: Arc<[String]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_where_its_pixel_looks() {
        let camera = CameraView {
            world_from_camera: Isometry3::new(
                Vector3::new(1.0, 2.0, 3.0),
                Vector3::new(0.3, -0.2, 0.9),
            ),
            width: 64,
            height: 48,
            focal: 70.0,
            center: [32.0, 24.0],
            lens: None,
            renderer: None,
            near: 0.1,
            far: 10.0,
            shadows: false,
            channels: Channels::default(),
        };
        let point = camera.world_from_camera * Point3::from(camera.direction(10.0, 40.0) * 2.5);
        let [u, v, depth] = camera.project(&point).unwrap();
        for (actual, expected) in [(u, 10.0), (v, 40.0), (depth, 2.5)] {
            assert!(
                (actual - expected).abs() < 1e-12,
                "{actual} is not {expected}"
            );
        }
        let behind = camera.world_from_camera * Point3::new(0.0, 0.0, -1.0);
        assert_eq!(camera.project(&behind), None);
        let barrel = Distortion::new(
            [-0.2, 0.01, 0.001, 0.002, 0.0],
            [64, 48],
            70.0,
            camera.center,
        );
        let bent = CameraView {
            lens: Some(Arc::new(barrel.unwrap())),
            ..camera
        };
        let point = bent.world_from_camera * Point3::from(bent.direction(60.0, 3.0) * 2.5);
        let [u, v, depth] = bent.project(&point).unwrap();
        assert!((u - 60.0).abs() < 1e-9 && (v - 3.0).abs() < 1e-9);
        assert!((depth - 2.5).abs() < 1e-12);
        let straight = CameraView { lens: None, ..bent };
        let [u, _, _] = straight.project(&point).unwrap();
        assert!(u > 61.0, "a barrel pulls the picture together: {u}");
    }
}
