//! Pictures in colour.
use morse_api::{prelude::*, render::Wants, samples::Samples};

use crate::camera::{self, Camera, Lens, PictureBuffers, View, lens::camera};

camera! {
    /// A camera. Without a rotation it looks along the x axis of what it is on.
    ///
    /// The pixel in column u and row v of the picture, counted from the top left from 0, shows what lies in the
    /// direction `intrinsic_matrix`⁻¹ · (u, v, 1) in the camera's axes (z forward, x right, y down). Level `rgbd`
    /// has depths as well (MORSE's `retrieve_depth`). Things that are mostly transparent (alpha below 0.5) are
    /// seen through by depths.
    VideoCamera: 256 by 256, focal 0.035 m, from 0.1 to 100.0 m, top row first true;
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VideoCameraData {
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
    /// Red, green, blue and 255 of each pixel, a byte each (sRGB), row by row.
    pub image: Samples<u8>,
    /// Depth of each pixel along the camera's z axis; infinite where nothing is seen. 32-bit numbers.
    #[reflect(@Unit("m"), @Levels(&["rgbd"]))]
    pub depth: Samples<f32>,
    /// From places at a depth of 1 to columns and rows.
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
        views.push(View::ahead(Wants {
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
