//! Colour images.
use morse_api::{prelude::*, render::Channels, samples::Samples};

use crate::camera::{self, Camera, Lens, PictureBuffers, View, lens::camera};

camera! {
    /// Colour camera. Without a rotation it looks along the x axis of its mount.
    ///
    /// The pixel in column u and row v of the image, counted from 0 at the top left, shows the direction
    /// `intrinsic_matrix`⁻¹ · (u, v, 1) in the camera's axes (z forward, x right, y down). Level `rgbd` includes depths
    /// (MORSE's `retrieve_depth`). Objects that are mostly transparent (alpha below 0.5) are ignored by depths.
    VideoCamera: 256 by 256, focal 0.035 m, from 0.1 to 100.0 m, top row first true;
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("Image", "CameraInfo"))]
pub struct VideoCameraData {
    /// Rows of the image.
    pub height: u32,
    /// Columns of the image.
    pub width: u32,
    /// Red, green, blue and 255 for each pixel, a byte each (sRGB), row by row.
    pub image: Samples<u8>,
    /// Depth of each pixel along the camera's z axis, 32-bit numbers; infinite where no surface is visible.
    #[reflect(@Unit("m"), @Levels(&["rgbd"]))]
    pub depth: Samples<f32>,
    /// Intrinsic matrix: maps points at depth 1 to columns and rows.
    #[reflect(@Unit("px"), @Fixed)]
    pub intrinsic_matrix: [[f64; 3]; 3],
    /// Distortion of the lens: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`.
    #[reflect(@Unit(""), @Fixed)]
    pub distortion: [f64; 5],
}

impl Sensor for VideoCamera {
    const KIND: &'static str = "video_camera";
    const LEVELS: &'static [&'static str] = &["rgb", "rgbd"];
    const FREQUENCY: Option<f64> = Some(20.0);
    const ROS: &'static [&'static [RosMessage]] =
        &[&[RosMessage::ColorImage, RosMessage::CameraInfo]];
    const MORSE_CLASSES: &'static [&'static str] = &["VideoCamera"];
    type Data = VideoCameraData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()
    }
}

impl Camera for VideoCamera {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn views(&self, level: &str, views: &mut Vec<View>) {
        views.push(View::ahead(Channels {
            color: true,
            depth: level == "rgbd",
            things: false,
        }));
    }

    fn write_data(
        &self,
        _: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut VideoCameraData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        data.distortion = lens.distortion;
        if let [picture] = buffers.pictures.as_mut_slice() {
            data.image.rewrite(|image| {
                std::mem::swap(image, &mut picture.color);
                camera::flip(image, lens);
            });
            data.depth.rewrite(|depth| {
                std::mem::swap(depth, &mut picture.depth);
                camera::flip(depth, lens);
            });
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<VideoCamera>(app);
}
