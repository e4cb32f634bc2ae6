//! Lens of a camera: settings and derived values.
use morse_api::{
    distortion::{Distortion, FoldError},
    prelude::*,
    render::{CameraView, Channels, RendererKind},
};

/// Width of the image sensor of MORSE's cameras, m.
const CHIP: f64 = 0.032;

/// Settings that all cameras have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Columns of the image.
    pub width: u32,
    /// Rows of the image.
    pub height: u32,
    /// Focal length, m.
    pub focal: f64,
    /// Horizontal field of view, rad; instead of `focal`.
    pub fov: Option<f64>,
    /// Minimum depth, m.
    pub near: f64,
    /// Maximum depth, m.
    pub far: f64,
    /// True if the top row comes first.
    pub vertical_flip: bool,
    /// True if frames are taken.
    pub capturing: bool,
    /// True if lights cast shadows.
    pub shadows: bool,
    /// Distortion: k1, k2, p1, p2 and k3.
    pub distortion: [f64; 5],
    /// Renderer of its pictures; without it, that of the run.
    pub renderer: Option<RendererKind>,
}

impl Lens {
    /// Focal length in pixels. The width counts, also where the height is greater.
    #[must_use]
    pub fn pixels(&self) -> f64 {
        let width = f64::from(self.width);
        self.fov.map_or(width * self.focal / CHIP, |fov| {
            width / 2.0 / libm::tan(fov / 2.0)
        })
    }

    /// Returns column and row of the optical axis.
    #[must_use]
    pub fn center(&self) -> [f64; 2] {
        [self.width, self.height].map(|size| f64::from(size) / 2.0)
    }

    /// Returns the intrinsic matrix, which maps points at depth 1 to columns and rows.
    #[must_use]
    pub fn intrinsic_matrix(&self) -> [[f64; 3]; 3] {
        let ([u, v], focal) = (self.center(), self.pixels());
        [[focal, 0.0, u], [0.0, focal, v], [0.0, 0.0, 1.0]]
    }

    /// Returns the view of a camera with this lens.
    #[must_use]
    pub fn camera_view(&self, world_from_camera: Isometry3<f64>) -> CameraView {
        CameraView {
            world_from_camera,
            width: self.width,
            height: self.height,
            focal: self.pixels(),
            center: self.center(),
            lens: None,
            renderer: self.renderer,
            near: self.near,
            far: self.far,
            shadows: self.shadows,
            channels: Channels::default(),
        }
    }

    /// Returns true if the lens has no distortion.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        self.distortion == [0.0; 5]
    }

    /// Computes the distortion of the lens for all pixels; `None` if the lens is ideal.
    ///
    /// # Errors
    ///
    /// The distortion folds the image.
    pub fn bend(&self) -> Result<Option<Distortion>, FoldError> {
        if self.is_ideal() {
            return Ok(None);
        }
        let size = [self.width, self.height];
        Distortion::new(self.distortion, size, self.pixels(), self.center()).map(Some)
    }

    /// Checks that the settings are consistent; the range of each is already checked.
    ///
    /// # Errors
    ///
    /// The settings that are not.
    pub fn check(&self) -> Result<(), CheckError> {
        if self.far <= self.near {
            return Err(CheckError::setting("`far` must be above `near`"));
        }
        self.bend()
            .map(drop)
            .map_err(|why| CheckError::setting(format!("`distortion`: {why}")))
    }
}

/// Declares the settings of a kind of camera: the common ones with its own defaults, and its additional ones.
macro_rules! camera {
    (
        $(#[doc = $docs:literal])*
        $name:ident: $width:literal by $height:literal, focal $focal:literal m, from $near:literal to $far:literal m, top row first $flip:literal;
        $($(#[$meta:meta])* $field:ident: $type:ty = $default:expr,)*
    ) => {
        $(#[doc = $docs])*
        #[derive(Component, Reflect, Clone, Debug, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[require($crate::camera::PictureBuffers, $crate::camera::Capture, Task, morse_api::render::UsesRenderer)]
        pub struct $name {
            /// Columns of the image.
            #[reflect(@ValueRange(1.0, 16_384.0), @Property("cam_width"))]
            pub width: u32,
            /// Rows of the image.
            #[reflect(@ValueRange(1.0, 16_384.0), @Property("cam_height"))]
            pub height: u32,
            /// Focal length, for an image sensor 0.032 m wide.
            #[reflect(@Unit("m"), @ValueRange(1e-5, 100.0), @Property("cam_focal"), @Form::Millimetres)]
            pub focal: f64,
            /// Horizontal field of view, below π; instead of `focal`.
            #[reflect(@Unit("rad"), @ValueRange(0.001, 3.13), @Property("cam_fov"), @Form::Degrees)]
            pub fov: Option<f64>,
            /// Minimum depth.
            #[reflect(@Unit("m"), @ValueRange(1e-6, 1e6), @Property("cam_near"))]
            pub near: f64,
            /// Maximum depth.
            #[reflect(@Unit("m"), @ValueRange(1e-6, 1e8), @Property("cam_far"))]
            pub far: f64,
            /// True if the top row comes first; otherwise the lowest row does.
            #[reflect(@Property("Vertical_Flip"))]
            pub vertical_flip: bool,
            /// True if frames are taken.
            #[reflect(@Property("capturing"))]
            pub capturing: bool,
            /// True if the sun and lamps cast shadows in the images, which takes time.
            pub shadows: bool,
            /// Distortion of the lens: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`; 0 is an ideal lens.
            #[reflect(@Unit(""), @ValueRange(-1000.0, 1000.0))]
            pub distortion: [f64; 5],
            /// Renderer of the colours, `software` or `gpu`; by default the renderer of the run (`--renderer`).
            pub renderer: Option<morse_api::render::RendererKind>,
            $($(#[$meta])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    width: $width,
                    height: $height,
                    focal: $focal,
                    fov: None,
                    near: $near,
                    far: $far,
                    vertical_flip: $flip,
                    capturing: true,
                    shadows: false,
                    distortion: [0.0; 5],
                    renderer: None,
                    $($field: $default,)*
                }
            }
        }

        impl $name {
            fn common(&self) -> $crate::camera::Lens {
                $crate::camera::Lens {
                    width: self.width,
                    height: self.height,
                    focal: self.focal,
                    fov: self.fov,
                    near: self.near,
                    far: self.far,
                    vertical_flip: self.vertical_flip,
                    capturing: self.capturing,
                    shadows: self.shadows,
                    distortion: self.distortion,
                    renderer: self.renderer,
                }
            }
        }
    };
}

pub(crate) use camera;
