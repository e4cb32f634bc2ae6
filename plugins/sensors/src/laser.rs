//! Common code of all laser scanners and range finders: rays, data, and measurements without allocation.
//!
//! A kind is a file in [`crate`] that declares the directions of its rays; most kinds use the macro `laser!` with other
//! defaults.
mod data;
#[cfg(test)]
mod tests;

use std::f64::consts::{PI, TAU};

use bevy::prelude::{Changed, Entity, Has, IntoScheduleConfigs as _, Local};
use morse_api::{
    component::{Level, Mount},
    prelude::*,
    rays::{CastRays, Hit, PlanarFan, Rays, ScanBuffer, Surface},
    threads::{Threads, reuse},
};
use nalgebra::{Isometry3, Matrix3};

use crate::turned::Turned;

pub use data::LaserScannerData;

/// One degree, rad.
pub const DEGREE: f64 = PI / 180.0;

/// Levels: all points and ranges; with the strength of the echoes; the shortest distance alone.
pub const LEVELS: &[&str] = &["raw", "rssi", "range"];

/// A kind of laser scanner.
pub trait Laser: Sensor<Data = LaserScannerData> {
    /// Returns the number of rays.
    fn count(&self) -> u64;

    /// Returns unit vectors along the rays in the frame of the sensor before it turns, in the order of the data.
    fn directions(&self) -> Vec<Vector3<f64>>;

    /// Returns the maximum range of the rays, m.
    fn range_max(&self) -> f64;

    /// Returns the angle by which the rays turn about z after each measurement, rad.
    fn turn(&self) -> f64 {
        0.0
    }
}

/// Adds a kind of laser scanner.
pub fn add<L: Laser>(app: &mut App) {
    app.init_resource::<Threads>()
        .register_state::<Turned>()
        .add_sensor::<L, _>(|| (aim::<L>, measure::<L>).chain());
}

/// Returns the memory for a number of rays at a level.
#[must_use]
pub fn memory(rays: u64, level: &str) -> Memory {
    let of_measurement = match level {
        "range" => 0,
        "rssi" => size_of::<[f64; 3]>() + 2 * size_of::<f64>(),
        _ => size_of::<[f64; 3]>() + size_of::<f64>(),
    };
    // A planar fan: six numbers and three counts per ray, and one more number per group.
    let of_fan = 7 * size_of::<f64>() + 3 * size_of::<u32>();
    let of_beams = 3 * size_of::<Vector3<f64>>() + size_of::<Option<Hit>>() + of_fan;
    Memory {
        measurement: rays.saturating_mul(of_measurement as u64),
        workspace: rays.saturating_mul(of_beams as u64),
    }
}

/// Directions of the rays, and buffers for a measurement. Derived from the settings and from the angle by which the scanner
/// has turned.
#[derive(Component, Default)]
pub struct Beams {
    /// Unit vectors in the frame of the sensor, before it turns.
    fan: Vec<Vector3<f64>>,
    /// Unit vectors in the frame of the sensor, turned.
    directions: Vec<Vector3<f64>>,
    /// Unit vectors in the world, turned.
    world_directions: Vec<Vector3<f64>>,
    /// Planar fan, if the rays lie in one plane of the sensor and do not turn.
    planar: Option<PlanarFan>,
    buffer: ScanBuffer,
    hits: Vec<Option<Hit>>,
}

/// Computes the directions when the settings change.
fn aim<L: Laser>(mut scanners: Query<(&L, Has<Turned>, &mut Beams), Changed<L>>) {
    for (scanner, turns, mut beams) in &mut scanners {
        let fan = scanner.directions();
        beams.planar = if turns { None } else { PlanarFan::new(&fan) };
        beams.directions.clone_from(&fan);
        beams.world_directions.clone_from(&fan);
        beams.hits = vec![None; fan.len()];
        beams.fan = fan;
    }
}

/// Components that a measurement reads and writes.
type Scanner<'a, L> = (
    &'a L,
    &'a Due,
    &'a WorldPose,
    &'a Mount,
    &'a Level,
    &'a mut Beams,
    Option<&'a mut Turned>,
    &'a mut LaserScannerData,
);

/// Inputs and outputs of one measurement, which any thread can compute.
struct Measurement<'a> {
    pose: &'a Isometry3<f64>,
    robot: Entity,
    level: &'static str,
    range_max: f64,
    beams: &'a mut Beams,
    data: &'a mut LaserScannerData,
}

fn measure<L: Laser>(
    (rays, threads): (Res<Rays>, Res<Threads>),
    surfaces: Query<&Surface>,
    mut scanners: Query<Scanner<'_, L>>,
    mut memory: Local<Vec<Measurement<'static>>>,
) {
    let mut due: Vec<Measurement<'_>> = reuse(std::mem::take(&mut memory));
    for (scanner, is_due, pose, mount, level, beams, turned, data) in &mut scanners {
        if !is_due.0 {
            continue;
        }
        let beams = beams.into_inner();
        if let Some(mut turned) = turned {
            beams.turn(turned.0);
            turned.0 = libm::fmod(turned.0 + scanner.turn(), TAU);
        }
        due.push(Measurement {
            pose: &pose.0,
            robot: mount.robot,
            level: level.0,
            range_max: scanner.range_max(),
            beams,
            data: data.into_inner(),
        });
    }
    if !due.is_empty() {
        rays.prepare();
        threads.each(&mut due, |one| one.make(&**rays, &surfaces));
    }
    *memory = reuse(due);
}

impl Measurement<'_> {
    fn make(&mut self, rays: &dyn CastRays, surfaces: &Query<&Surface>) {
        let Self {
            level,
            range_max,
            beams,
            data,
            ..
        } = self;
        beams.cast(rays, self.pose, *range_max, self.robot);
        let echo = |hit: &Hit| surfaces.get(hit.entity).map_or(0.0, Surface::intensity);
        data.report(level, *range_max, &beams.directions, &beams.hits, echo);
    }
}

impl Beams {
    /// Casts the rays, ignoring the geometry of `robot`.
    fn cast(&mut self, rays: &dyn CastRays, pose: &Isometry3<f64>, range_max: f64, robot: Entity) {
        let hits = &mut self.hits;
        if let Some(fan) = &self.planar {
            let buffer = &mut self.buffer;
            return rays.cast_planar(fan, pose, range_max, Some(robot), buffer, hits);
        }
        let rotation = pose.rotation.to_rotation_matrix();
        for (world, direction) in self.world_directions.iter_mut().zip(&self.directions) {
            *world = rotation * direction;
        }
        let origin = pose.translation.vector.into();
        rays.cast_fan(origin, &self.world_directions, range_max, Some(robot), hits);
    }

    fn turn(&mut self, angle: f64) {
        let (sine, cosine) = libm::sincos(angle);
        let turn = Matrix3::new(cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0);
        for (direction, unturned) in self.directions.iter_mut().zip(&self.fan) {
            *direction = turn * unturned;
        }
    }
}

/// Directions of rays in one plane or in several layers.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Angle between the first and the last ray of a layer, rad.
    pub window: f64,
    /// Angle between adjacent rays, rad.
    pub resolution: f64,
    /// Number of layers, one above the other.
    pub layers: u32,
    /// Angle between adjacent layers, rad.
    pub separation: f64,
    /// Angle by which the first, third, … layer is turned to the left, if there are several, rad.
    pub offset: f64,
    /// Angle of the middle of the layers above the xy plane, rad.
    pub middle: f64,
    /// Meaning of the angle of a layer.
    pub convention: LayerConvention,
}

/// Meaning of the angle v of a layer for its ray at angle a.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerConvention {
    /// Direction (cos a, sin a, sin v), with the elevation atan(sin v), as in MORSE.
    #[default]
    Morse,
    /// Direction (cos v cos a, cos v sin a, sin v), with the elevation v, as in Gazebo.
    Spherical,
}

impl LayerConvention {
    /// Returns the height of a ray above a point at distance 1 in the xy plane.
    fn slope(self, angle: f64) -> f64 {
        match self {
            Self::Morse => libm::sin(angle),
            Self::Spherical => libm::tan(angle),
        }
    }
}

impl Sweep {
    /// Returns the angles of the rays of a layer from the first one, rad.
    pub fn angles(&self) -> impl Iterator<Item = f64> + use<> {
        let resolution = self.resolution;
        (0..=self.last()).map(move |index| resolution * f64::from(index))
    }

    /// Returns the index of the last ray of a layer. A window that is a multiple of the resolution includes its last ray,
    /// whatever the rounding.
    fn last(&self) -> u32 {
        (self.window / self.resolution * (1.0 + 1e-9)) as u32
    }

    /// Returns the number of all rays.
    #[must_use]
    pub fn count(&self) -> u64 {
        (u64::from(self.last()) + 1) * u64::from(self.layers)
    }

    /// Returns unit vectors along all rays, from right to left, top layer first.
    #[must_use]
    pub fn directions(&self) -> Vec<Vector3<f64>> {
        let layers = self.layers;
        let top = self.middle + self.separation * f64::from(layers.saturating_sub(1)) / 2.0;
        let mut directions = Vec::with_capacity(self.count() as usize);
        for layer in 0..layers {
            let angle = top - self.separation * f64::from(layer);
            let slope = self.convention.slope(angle);
            let is_shifted = layers > 1 && layer % 2 == 0;
            let right = if is_shifted { self.offset } else { 0.0 } - self.window / 2.0;
            directions.extend(self.angles().map(|angle| {
                let (sine, cosine) = libm::sincos(right + angle);
                Vector3::new(cosine, sine, slope).normalize()
            }));
        }
        directions
    }
}

/// Declares a kind of laser scanner with rays in one plane or in several layers: its settings, and `plugin`.
///
/// Angles of the defaults are in degrees.
macro_rules! laser {
    (
        $(#[doc = $docs:literal])*
        $name:ident, $kind:literal, every $frequency:expr;
        $window:literal deg by $resolution:literal deg to $range:literal m, $layers:literal layers
    ) => {
        use morse_api::prelude::*;

        use crate::laser::{DEGREE, Laser, self, Sweep};

        $(#[doc = $docs])*
        #[derive(Component, Reflect, Clone, Debug, PartialEq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[require(laser::Beams)]
        pub struct $name {
            /// Angle between the first and the last ray of a layer.
            #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("scan_window"), @Form::Degrees)]
            pub scan_window: f64,
            /// Angle between adjacent rays.
            #[reflect(@Unit("rad"), @ValueRange(1e-5, 6.3), @Property("resolution"), @Form::Degrees)]
            pub resolution: f64,
            /// Range of the rays.
            #[reflect(@Unit("m"), @ValueRange(0.001, 1e6), @Property("laser_range"))]
            pub laser_range: f64,
            /// Number of layers, one above the other.
            #[reflect(@ValueRange(1.0, 1024.0), @Property("layers"))]
            pub layers: u32,
            /// Angle between adjacent layers.
            #[reflect(@Unit("rad"), @ValueRange(-3.2, 3.2), @Property("layer_separation"), @Form::Degrees)]
            pub layer_separation: f64,
            /// Angle by which the first, third, … layer is turned to the left, if there are several.
            #[reflect(@Unit("rad"), @ValueRange(-3.2, 3.2), @Property("layer_offset"), @Form::Degrees)]
            pub layer_offset: f64,
            /// Angle of the middle between the highest and the lowest layer above the sensor's xy plane.
            #[reflect(@Unit("rad"), @ValueRange(-1.5, 1.5))]
            pub layer_middle: f64,
            /// Meaning of the angles of layers: `morse` has the elevation atan(sin v) for an angle v, `spherical` the angle
            /// itself.
            pub convention: laser::LayerConvention,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    scan_window: $window * DEGREE,
                    resolution: $resolution * DEGREE,
                    laser_range: $range,
                    layers: $layers,
                    layer_separation: 0.8 * DEGREE,
                    layer_offset: 0.125 * DEGREE,
                    layer_middle: 0.0,
                    convention: laser::LayerConvention::Morse,
                }
            }
        }

        impl Sensor for $name {
            const KIND: &'static str = $kind;
            const LEVELS: &'static [&'static str] = laser::LEVELS;
            const FREQUENCY: Option<f64> = $frequency;
            const ROS: &'static [&'static [RosMessage]] =
                &[&[RosMessage::LaserScan], &[RosMessage::LaserScan], &[RosMessage::Range]];
            const MORSE_CLASSES: &'static [&'static str] = &["LaserScanner"];
            type Data = laser::LaserScannerData;

            fn memory(&self, level: &str) -> Memory {
                laser::memory(self.count(), level)
            }
        }

        impl $name {
            fn sweep(&self) -> Sweep {
                Sweep {
                    window: self.scan_window,
                    resolution: self.resolution,
                    layers: self.layers,
                    separation: self.layer_separation,
                    offset: self.layer_offset,
                    middle: self.layer_middle,
                    convention: self.convention,
                }
            }
        }

        impl Laser for $name {
            fn count(&self) -> u64 {
                self.sweep().count()
            }

            fn directions(&self) -> Vec<Vector3<f64>> {
                self.sweep().directions()
            }

            fn range_max(&self) -> f64 {
                self.laser_range
            }
        }

        pub(super) fn plugin(app: &mut App) {
            laser::add::<$name>(app);
        }
    };
}
pub(crate) use laser;
