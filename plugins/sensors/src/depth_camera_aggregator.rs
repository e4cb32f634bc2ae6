//! Several depth cameras in one: MORSE's `VLP16_180`.
use morse_api::{prelude::*, render::Channels, samples::Samples};

use crate::{
    camera::{
        self, Camera, Lens, PictureBuffers, View,
        cloud::{Cloud, check_lines, most_points},
        lens::camera,
    },
    laser::DEGREE,
};

/// Rows of MORSE's `VLP16_180`.
const VLP16: [u32; 16] = [
    1, 17, 34, 51, 68, 85, 102, 120, 137, 154, 171, 188, 205, 222, 239, 255,
];

camera! {
    /// Several depth cameras at the same position, each turned to the left by an angle, whose points form one cloud. The
    /// default is three cameras with 16 rows that cover 180° ahead: MORSE's `VLP16_180`.
    ///
    /// Points are in the axes of a camera that looks straight ahead (z forward, x right, y down); in MORSE they are in the
    /// axes of the first camera.
    DepthCameraAggregator: 512 by 256, focal 0.0277 m, from 1.0 to 20.0 m, top row first false;
    /// Angle by which each camera is turned to the left.
    #[reflect(@Unit("rad"), @ValueRange(-6.3, 6.3))]
    yaws: Vec<f64> = vec![-60.0 * DEGREE, 0.0, 60.0 * DEGREE],
    /// Rows that are kept, counted from 1 at the bottom; an empty list keeps all.
    #[reflect(@ValueRange(1.0, 16_384.0), @Property("keep_list"), @Changeable)]
    keep_list: Vec<u32> = VLP16.to_vec(),
    /// True if a pixel without a depth still yields a point: (0, 0, 0).
    #[reflect(@Property("keep_resolution"))]
    keep_resolution: bool = true,
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DepthCameraAggregatorData {
    /// x, y and z of each point, 32-bit numbers, camera by camera.
    #[reflect(@Unit("m"))]
    pub points: Samples<f32>,
    /// Number of points.
    pub nb_points: u32,
}

impl Sensor for DepthCameraAggregator {
    const KIND: &'static str = "depth_camera_aggregator";
    const FREQUENCY: Option<f64> = Some(10.0);
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Points]];
    const MORSE_CLASSES: &'static [&'static str] = &["DepthCameraAggregator"];
    type Data = DepthCameraAggregatorData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()?;
        check_lines(Some(&self.keep_list), &self.lens())
    }
}

impl Camera for DepthCameraAggregator {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn points(&self) -> u64 {
        let lines = Some(self.keep_list.as_slice()).filter(|lines| !lines.is_empty());
        most_points(lines, &self.lens()) * self.yaws.len() as u64
    }

    fn views(&self, _: &str, views: &mut Vec<View>) {
        let channels = Channels {
            depth: true,
            ..Channels::default()
        };
        views.extend(self.yaws.iter().map(|&yaw| View {
            pose: Isometry3::rotation(Vector3::z() * yaw),
            channels,
        }));
    }

    fn write_data(
        &self,
        _: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut DepthCameraAggregatorData,
    ) {
        let cloud = Cloud {
            lines: Some(self.keep_list.as_slice()).filter(|lines| !lines.is_empty()),
            blank: self.keep_resolution.then_some(0.0),
        };
        data.points
            .rewrite(|points| cloud.write(lens, buffers, points));
        data.nb_points = u32::try_from(data.points.values().len() / 3).unwrap_or(u32::MAX);
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<DepthCameraAggregator>(app);
}
