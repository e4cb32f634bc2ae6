//! The modifiers, one a file: noise, faults, and changes of frame.
//!
//! To add one: write the file, and put its name into the list below. What several of them share:
//! - [`faults`]: noise and faults; [`coordinates`]: places on Earth; [`record`]: data that wait as numbers.
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

        /// The parts of this crate, for the test that looks for a forgotten file.
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
    salt_and_pepper,
    saturation,
    silence,
    spike,
    utm,
    utm_offset,
}
