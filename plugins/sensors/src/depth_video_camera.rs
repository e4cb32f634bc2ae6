//! Depth images.
use morse_api::{component::Level, prelude::*, render::Channels, samples::Samples};

use crate::camera::{self, Camera, Lens, PictureBuffers, RAW, View, lens::camera};

camera! {
    /// Camera whose pixels are depths. Objects that are mostly transparent (alpha below 0.5) are ignored.
    ///
    /// Level `depth` has floating-point numbers with the meaning that `values` selects; with `values: ros` they are ROS's
    /// `32FC1`. Level `raw` has millimetres, as devices report them: ROS's `16UC1`.
    DepthVideoCamera: 256 by 256, focal 0.035 m, from 1.0 to 20.0 m, top row first false;
    /// Meaning of the numbers at level `depth`.
    values: Values = Values::Depth,
}

/// Meaning of the numbers of a depth image.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Depth along the camera's z axis, m; `far` where no surface is visible, as in MORSE.
    #[default]
    Depth,
    /// Depth as in ROS (REP 118): +∞ where no surface is visible, −∞ where a surface is before `near`.
    Ros,
    /// Value of a z-buffer: from 0 at `near` to 1 at `far`, (1/near − 1/z) / (1/near − 1/far). MORSE's `RawImage`.
    Zbuffer,
}

/// Depth from which surfaces are rendered if those before `near` are reported, as by ROS and devices, m.
const NEAREST: f64 = 1e-3;

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("Image", "PointCloud2"))]
pub struct DepthVideoCameraData {
    /// Rows of the image.
    pub height: u32,
    /// Columns of the image.
    pub width: u32,
    /// Depth of each pixel, 32-bit numbers, row by row.
    #[reflect(@Unit("m"), @Levels(&["depth"]))]
    pub image: Samples<f32>,
    /// Depth of each pixel along the camera's z axis, rounded, 16-bit numbers, row by row; 0 where no surface is visible or
    /// one is before `near`, and beyond 65.535 m.
    #[reflect(@Unit("mm"), @Levels(&["raw"]))]
    pub raw: Samples<u16>,
    /// Intrinsic matrix: maps points at depth 1 to columns and rows.
    #[reflect(@Unit("px"), @Fixed)]
    pub intrinsic_matrix: [[f64; 3]; 3],
    /// Distortion of the lens: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`.
    #[reflect(@Unit(""), @Fixed)]
    pub distortion: [f64; 5],
}

impl Sensor for DepthVideoCamera {
    const KIND: &'static str = "depth_video_camera";
    const LEVELS: &'static [&'static str] = &["depth", "raw"];
    const FREQUENCY: Option<f64> = Some(20.0);
    const ROS: &'static [&'static [RosMessage]] = &[
        &[RosMessage::DepthImage, RosMessage::CameraInfo],
        &[RosMessage::MillimetreImage, RosMessage::CameraInfo],
    ];
    const MORSE_CLASSES: &'static [&'static str] = &["DepthVideoCamera"];
    type Data = DepthVideoCameraData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, world: &World, camera: Entity) -> Result<(), CheckError> {
        let is_raw = world
            .get::<Level>(camera)
            .is_some_and(|level| level.0 == RAW);
        if is_raw && self.values != Values::Depth {
            return Err(CheckError::setting(
                "`values` is for `level: depth`; level `raw` is always millimetres",
            ));
        }
        self.common().check()
    }
}

impl Camera for DepthVideoCamera {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn lens_at(&self, level: &str) -> Lens {
        let lens = self.common();
        let looks_closer = self.values == Values::Ros || level == RAW;
        let near = if looks_closer {
            NEAREST.min(lens.near)
        } else {
            lens.near
        };
        Lens { near, ..lens }
    }

    fn views(&self, _: &str, views: &mut Vec<View>) {
        views.push(View::ahead(Channels {
            depth: true,
            ..Channels::default()
        }));
    }

    fn write_data(
        &self,
        level: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut DepthVideoCameraData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        data.distortion = lens.distortion;
        let [picture] = buffers.pictures.as_mut_slice() else {
            return;
        };
        if level == RAW {
            data.raw.rewrite(|raw| {
                camera::millimeters(&picture.depth, self.near, raw);
                camera::flip(raw, lens);
            });
            return;
        }
        data.image.rewrite(|image| {
            std::mem::swap(image, &mut picture.depth);
            image
                .iter_mut()
                .for_each(|depth| *depth = self.value(*depth));
            camera::flip(image, lens);
        });
    }
}

impl DepthVideoCamera {
    fn value(&self, depth: f32) -> f32 {
        let (near, far) = (self.near as f32, self.far as f32);
        match self.values {
            Values::Depth => depth.min(far),
            Values::Ros if depth < near => f32::NEG_INFINITY,
            Values::Ros => depth,
            Values::Zbuffer => {
                let share = (1.0 / near - 1.0 / depth) / (1.0 / near - 1.0 / far);
                share.clamp(0.0, 1.0)
            }
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<DepthVideoCamera>(app);
}
