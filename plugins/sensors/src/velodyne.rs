//! Laser scanner with a rotating fan of rays, as those of Velodyne.
use morse_api::prelude::*;

use crate::{
    laser::{self, DEGREE, Laser, LaserScannerData, LayerConvention, Sweep},
    turned::Turned,
};

/// 64 rays, one above the other, that turn to the left by a degree after each measurement (MORSE's `VelodyneRayCast`).
///
/// The rays are ordered from the lowest to the highest. Points are in the frame of the mounted sensor, which does not turn,
/// so that the points of several measurements form one cloud; in MORSE the sensor itself turns, and points are in the turned
/// frame.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(laser::Beams, Turned)]
pub struct Velodyne {
    /// Angle between the lowest and the highest ray.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("scan_window"), @Form::Degrees)]
    pub scan_window: f64,
    /// Angle between adjacent rays.
    #[reflect(@Unit("rad"), @ValueRange(1e-5, 6.3), @Property("resolution"), @Form::Degrees)]
    pub resolution: f64,
    /// Range of the rays.
    #[reflect(@Unit("m"), @ValueRange(0.001, 1e6), @Property("laser_range"))]
    pub laser_range: f64,
    /// Angle by which the middle of the window points down.
    #[reflect(@Unit("rad"), @ValueRange(-6.3, 6.3))]
    pub tilt: f64,
    /// Angle by which the rays turn to the left after each measurement.
    #[reflect(@Unit("rad"), @ValueRange(-6.3, 6.3))]
    pub turn: f64,
}

impl Default for Velodyne {
    fn default() -> Self {
        Self {
            scan_window: 31.5 * DEGREE,
            resolution: 0.5 * DEGREE,
            laser_range: 50.0,
            tilt: 12.0 * DEGREE,
            turn: 0.01745,
        }
    }
}

impl Sensor for Velodyne {
    const KIND: &'static str = "velodyne";
    const LEVELS: &'static [&'static str] = laser::LEVELS;
    const FREQUENCY: Option<f64> = Some(60.0);
    const ROS: &'static [&'static [RosMessage]] = &[
        &[RosMessage::PointList],
        &[RosMessage::PointList],
        &[RosMessage::Range],
    ];
    const MORSE_CLASSES: &'static [&'static str] = &["LaserScannerRotationZ"];
    type Data = LaserScannerData;

    fn memory(&self, level: &str) -> Memory {
        laser::memory(self.count(), level)
    }
}

impl Velodyne {
    fn sweep(&self) -> Sweep {
        Sweep {
            window: self.scan_window,
            resolution: self.resolution,
            layers: 1,
            separation: 0.0,
            offset: 0.0,
            middle: 0.0,
            convention: LayerConvention::Spherical,
        }
    }
}

impl Laser for Velodyne {
    fn count(&self) -> u64 {
        self.sweep().count()
    }

    fn directions(&self) -> Vec<Vector3<f64>> {
        let lowest = -self.scan_window / 2.0 - self.tilt;
        let upwards = |angle: f64| {
            let (sine, cosine) = libm::sincos(lowest + angle);
            Vector3::new(cosine, 0.0, sine)
        };
        self.sweep().angles().map(upwards).collect()
    }

    fn range_max(&self) -> f64 {
        self.laser_range
    }

    fn turn(&self) -> f64 {
        self.turn
    }
}

pub(super) fn plugin(app: &mut App) {
    laser::add::<Velodyne>(app);
}
