//! Colour and depth images from two positions, as Microsoft's Kinect.
use morse_api::{prelude::*, render::Channels, samples::Samples};

use crate::camera::{self, Camera, Lens, PictureBuffers, RAW, View, lens::camera};

camera! {
    /// Camera and depth camera side by side (MORSE's `Kinect`), which take their images at the same time.
    ///
    /// Level `depth` has depths in metres, level `raw` in millimetres, as the device reports them: ROS's `16UC1`.
    Kinect: 128 by 128, focal 0.035 m, from 0.1 to 100.0 m, top row first true;
    /// Position of the camera in the frame of the sensor.
    #[reflect(@Unit("m"), @ValueRange(-1000.0, 1000.0))]
    rgb_at: [f64; 3] = [0.06, 0.08, 0.04],
    /// Position of the depth camera in the frame of the sensor.
    #[reflect(@Unit("m"), @ValueRange(-1000.0, 1000.0))]
    depth_at: [f64; 3] = [0.06, -0.08, 0.04],
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KinectData {
    /// Rows of both images.
    pub height: u32,
    /// Columns of both images.
    pub width: u32,
    /// Red, green, blue and 255 for each pixel of the camera, a byte each (sRGB), row by row.
    pub image: Samples<u8>,
    /// Depth of each pixel of the depth camera along its z axis, 32-bit numbers; infinite where no surface is visible.
    #[reflect(@Unit("m"), @Levels(&["depth"]))]
    pub depth: Samples<f32>,
    /// Depth of each pixel, rounded, 16-bit numbers; 0 where no surface is visible, and beyond 65.535 m.
    #[reflect(@Unit("mm"), @Levels(&["raw"]))]
    pub raw: Samples<u16>,
    /// Intrinsic matrix of both cameras: maps points at depth 1 to columns and rows.
    #[reflect(@Unit("px"), @Fixed)]
    pub intrinsic_matrix: [[f64; 3]; 3],
    /// Distortion of the lenses: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`.
    #[reflect(@Unit(""), @Fixed)]
    pub distortion: [f64; 5],
}

impl Sensor for Kinect {
    const KIND: &'static str = "kinect";
    const LEVELS: &'static [&'static str] = &["depth", "raw"];
    const FREQUENCY: Option<f64> = Some(20.0);
    const ROS: &'static [&'static [RosMessage]] = &[
        &[
            RosMessage::KinectColor,
            RosMessage::KinectColorInfo,
            RosMessage::KinectDepth,
            RosMessage::KinectDepthInfo,
        ],
        &[
            RosMessage::KinectColor,
            RosMessage::KinectColorInfo,
            RosMessage::KinectMillimetres,
            RosMessage::KinectDepthInfo,
        ],
    ];
    type Data = KinectData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()
    }
}

impl Camera for Kinect {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn views(&self, _: &str, views: &mut Vec<View>) {
        let view = |[x, y, z]: [f64; 3], channels| View {
            pose: Isometry3::translation(x, y, z),
            channels,
        };
        let (mut color, mut depth) = (Channels::default(), Channels::default());
        (color.color, depth.depth) = (true, true);
        views.extend([view(self.rgb_at, color), view(self.depth_at, depth)]);
    }

    fn write_data(
        &self,
        level: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut KinectData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        data.distortion = lens.distortion;
        if let [color, depth] = buffers.pictures.as_mut_slice() {
            data.image.rewrite(|image| {
                std::mem::swap(image, &mut color.color);
                camera::flip(image, lens);
            });
            if level == RAW {
                data.raw.rewrite(|raw| {
                    camera::millimeters(&depth.depth, self.near, raw);
                    camera::flip(raw, lens);
                });
                return;
            }
            data.depth.rewrite(|image| {
                std::mem::swap(image, &mut depth.depth);
                camera::flip(image, lens);
            });
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<Kinect>(app);
}
