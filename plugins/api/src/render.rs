//! Pictures of the world, for cameras: what is drawn, from where, and who draws.
use std::sync::Arc;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{
    distortion::{Distortion, bent, straight},
    world_view::Scenery,
};

/// Camera that takes a picture: a pinhole, or a lens that bends rays.
///
/// Its axes are those of pictures: z forward, x right, y down. The pixel in column `u` and row `v`, counted
/// from the top left from 0, shows what lies at ((u - `center[0]`) / `focal`, (v - `center[1]`) / `focal`, 1)
/// times its depth; or what a lens bends to there.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraView {
    /// Its pose in the world.
    pub world_from_camera: Isometry3<f64>,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Distance of the picture's plane, in pixels.
    pub focal: f64,
    /// Column and row of what lies straight ahead.
    pub center: [f64; 2],
    /// Lens that bends rays, worked out for these pixels.
    pub lens: Option<Arc<Distortion>>,
    /// Depth from which on it sees, above 0, m.
    pub near: f64,
    /// Depth to which it sees, m.
    pub far: f64,
    /// True if lights cast shadows.
    pub shadows: bool,
    /// Parts of the picture that are wanted.
    pub wants: Wants,
    /// Renderer that draws; without it, whichever draws for the run.
    pub renderer: Option<RendererKind>,
}

/// Parts that a picture is to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Colours.
    pub color: bool,
    /// Depths.
    pub depth: bool,
    /// Geometry at each pixel.
    pub things: bool,
}

impl CameraView {
    /// Number of pixels.
    #[must_use]
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Direction of what the pixel at a place shows, at a depth of 1, in the camera's axes; the middle, where
    /// the lens shows nothing.
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

    /// Column, row and depth of a point of the world; `None` for one that is not ahead.
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

/// Picture of a camera, row by row from the top left. What was not wanted is left empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Red, green, blue and 255, a byte each (sRGB).
    pub color: Vec<u8>,
    /// Depth along the camera's z axis, m; infinite where nothing is between `near` and `far`.
    pub depth: Vec<f32>,
    /// The geometry: its place in [`Render::geometry`] plus one, or 0 for none.
    pub things: Vec<u16>,
}

impl Picture {
    /// Makes room for what is wanted; whatever it holds then is to be written over.
    pub fn fit(&mut self, camera: &CameraView) {
        let room = |wanted: bool| if wanted { camera.pixels() } else { 0 };
        self.color.resize(4 * room(camera.wants.color), 0);
        self.depth.resize(room(camera.wants.depth), 0.0);
        self.things.resize(room(camera.wants.things), 0);
    }
}

/// Draws everything that is to be seen, as it stands after the last tick.
///
/// Equal worlds and cameras give equal pixels, however many threads draw.
pub trait Render: Send + Sync {
    /// Takes a picture.
    fn render(&self, camera: &CameraView, picture: &mut Picture);

    /// The entities of all geometry that is drawn, in the order of its numbers.
    fn geometry(&self) -> Vec<Entity>;
}

/// Renderer that a program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RendererKind {
    /// The processor: exact, the same everywhere, and in every program.
    #[default]
    Software,
    /// The graphics card, for colours alone: textures, soft light. Its pixels differ from card to card.
    Gpu,
}

/// The world's renderer.
#[derive(Resource)]
pub struct Renderer(pub Box<dyn Render>);

/// A graphics card that draws colours. Depths, and which geometry is where, stay with the renderer `software`.
pub trait Card: Send + Sync {
    /// Draws what a camera sees, with the bodies at these poses (in the order of the scenery): red, green, blue and
    /// 255 of each pixel (sRGB), row by row from the top left.
    ///
    /// # Errors
    ///
    /// The card failed.
    fn draw(&self, camera: &CameraView, poses: &[Isometry3<f64>]) -> Result<Vec<u8>, CardError>;
}

/// Reason for which a graphics card does not draw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// There is none, not even one of software: what was said of it.
    #[error("no graphics card was found: {0}")]
    NotFound(String),
    /// The system starts no thread for it: its reason.
    #[error("its thread could not be started: {0}")]
    Thread(String),
    /// The driver failed.
    #[error("its driver failed")]
    Driver,
    /// A picture was drawn and not handed out.
    #[error("the picture did not come back from the graphics card")]
    Lost,
}

/// Gets a card ready to draw a scene; registered by the crate that can, in programs that have it.
#[derive(Resource, Clone, Copy)]
pub struct OpenCard(pub fn(Arc<Scenery>) -> Result<Box<dyn Card>, CardError>);

/// On what has cameras for: as long as one is there, the renderer follows the world.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct UsesRenderer;

/// Label of a geometry, for who names what is in a picture. On the geometry's entity.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name of what it is a part of: the robot, or else the frame.
    pub instance: Arc<str>,
    /// Classes of the scene that it inherits from, sorted; `robot` as well on a robot.
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
            wants: Wants::default(),
        };
        let point = camera.world_from_camera * Point3::from(camera.direction(10.0, 40.0) * 2.5);
        let [u, v, depth] = camera.project(&point).unwrap();
        for (found, expected) in [(u, 10.0), (v, 40.0), (depth, 2.5)] {
            assert!(
                (found - expected).abs() < 1e-12,
                "{found} is not {expected}"
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
