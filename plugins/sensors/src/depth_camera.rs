//! Depth camera: points in space.
use morse_api::{prelude::*, render::Channels, samples::Samples};

use crate::camera::{
    self, Camera, Lens, PictureBuffers, View,
    cloud::{Cloud, check_lines, most_points},
    lens::camera,
};

camera! {
    /// Camera that returns the point in space of each pixel, in its own axes (z forward, x right, y down).
    ///
    /// The pixel in column u and row l, counted from 1 at the bottom, has x = z · (u − width/2) / f and y = z · (height − l
    /// − height/2) / f, where f is the focal length in pixels (MORSE counts rows from 0 and reads beyond its table). Objects
    /// that are mostly transparent (alpha below 0.5) are ignored.
    DepthCamera: 256 by 256, focal 0.035 m, from 1.0 to 20.0 m, top row first false;
    /// Rows that are kept, counted from 1 at the bottom; all by default.
    #[reflect(@ValueRange(1.0, 16_384.0), @Property("keep_list"))]
    keep_list: Option<Vec<u32>> = None,
    /// True if a pixel without a depth still yields a point: (0, 0, 0).
    #[reflect(@Property("keep_resolution"))]
    keep_resolution: bool = false,
    /// True if points follow ROS (REP 117): a pixel without a depth yields NaN. Requires `keep_resolution`.
    ros: bool = false,
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DepthCameraData {
    /// Rows of the image.
    pub height: u32,
    /// Columns of the image.
    pub width: u32,
    /// x, y and z of each point, 32-bit numbers.
    #[reflect(@Unit("m"))]
    pub points: Samples<f32>,
    /// Number of points.
    pub nb_points: u32,
    /// Intrinsic matrix: maps points at depth 1 to columns and rows.
    #[reflect(@Unit("px"), @Fixed)]
    pub intrinsic_matrix: [[f64; 3]; 3],
    /// Distortion of the lens: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`.
    #[reflect(@Unit(""), @Fixed)]
    pub distortion: [f64; 5],
}

impl Sensor for DepthCamera {
    const KIND: &'static str = "depth_camera";
    const FREQUENCY: Option<f64> = Some(20.0);
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Points]];
    const MORSE_CLASSES: &'static [&'static str] = &["DepthCamera"];
    type Data = DepthCameraData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()?;
        check_lines(self.keep_list.as_deref(), &self.lens())
    }
}

impl Camera for DepthCamera {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn points(&self) -> u64 {
        most_points(self.keep_list.as_deref(), &self.lens())
    }

    fn views(&self, _: &str, views: &mut Vec<View>) {
        views.push(View::ahead(Channels {
            depth: true,
            ..Channels::default()
        }));
    }

    fn write_data(
        &self,
        _: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut DepthCameraData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        data.distortion = lens.distortion;
        let blank = if self.ros { f32::NAN } else { 0.0 };
        let cloud = Cloud {
            lines: self.keep_list.as_deref(),
            blank: self.keep_resolution.then_some(blank),
        };
        data.points
            .rewrite(|points| cloud.write(lens, buffers, points));
        data.nb_points = u32::try_from(data.points.values().len() / 3).unwrap_or(u32::MAX);
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<DepthCamera>(app);
}
