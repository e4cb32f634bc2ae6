//! Rotating depth camera: MORSE's `Velodyne`.
use morse_api::{prelude::*, render::Channels, samples::Samples};

use crate::{
    camera::{
        self, Camera, Lens, PictureBuffers, View,
        cloud::{Cloud, check_lines, most_points},
        lens::camera,
    },
    turned::Turned,
};

camera! {
    /// Depth camera that turns to the left after each frame (MORSE's `Velodyne`, built on a z-buffer).
    ///
    /// By default it turns by its own field of view, so that a few frames cover the full circle. Points are in the axes of
    /// the camera as mounted, which do not turn, so that the points of several frames form one cloud; in MORSE they are in
    /// the turned axes.
    VelodyneZb: 256 by 256, focal 0.035 m, from 1.0 to 20.0 m, top row first false;
    /// Angle by which the camera turns to the left after each frame; its field of view by default.
    #[reflect(@Unit("rad"), @ValueRange(-6.3, 6.3), @Property("rotation"))]
    rotation: Option<f64> = None,
    /// Rows that are kept, counted from 1 at the bottom; all by default.
    #[reflect(@ValueRange(1.0, 16_384.0), @Property("keep_list"))]
    keep_list: Option<Vec<u32>> = None,
    /// True if a pixel without a depth still yields a point: (0, 0, 0).
    #[reflect(@Property("keep_resolution"))]
    keep_resolution: bool = false,
}

/// One frame.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VelodyneZbData {
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
}

impl Sensor for VelodyneZb {
    const KIND: &'static str = "velodyne_zb";
    const FREQUENCY: Option<f64> = Some(20.0);
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Points]];
    const MORSE_CLASSES: &'static [&'static str] = &["DepthCameraRotationZ"];
    type Data = VelodyneZbData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()?;
        check_lines(self.keep_list.as_deref(), &self.lens())
    }
}

impl Camera for VelodyneZb {
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

    fn turn(&self) -> f64 {
        let lens = self.lens();
        let opening = 2.0 * libm::atan(f64::from(lens.width) / 2.0 / lens.pixels());
        self.rotation.unwrap_or(opening)
    }

    fn write_data(
        &self,
        _: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut VelodyneZbData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        let cloud = Cloud {
            lines: self.keep_list.as_deref(),
            blank: self.keep_resolution.then_some(0.0),
        };
        data.points
            .rewrite(|points| cloud.write(lens, buffers, points));
        data.nb_points = u32::try_from(data.points.values().len() / 3).unwrap_or(u32::MAX);
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::add::<VelodyneZb>(app);
    app.register_required_components::<VelodyneZb, Turned>();
}
