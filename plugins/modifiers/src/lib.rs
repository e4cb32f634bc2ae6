//! Modifiers, one per file: noise, faults, and changes of frame.
//!
//! To add one, write the file, and add its name to the list below. Shared modules:
//! - [`faults`]: noise and faults; [`coordinates`]: positions on Earth; [`record`]: data stored as numbers.
pub mod coordinates;
pub mod faults;
pub mod record;

use bevy::prelude::App;

macro_rules! modifiers {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in modifier.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// The files of this crate, for the test that detects a missing one.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

modifiers! {
    bias,
    bias_jump,
    depth_noise,
    dropout,
    ecef,
    feet,
    freeze,
    gaussian,
    geocentric,
    geodetic,
    gps_noise,
    image_noise,
    imu_noise,
    latency,
    meters,
    ned,
    odometry_noise,
    orientation_noise,
    pose_noise,
    position_noise,
    quantization,
    random_walk,
    range_noise,
    salt_and_pepper,
    saturation,
    silence,
    spike,
    utm,
    utm_offset,
}
