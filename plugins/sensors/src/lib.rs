//! The sensors, one per file: settings, local data, `default_action`, tests.
//!
//! To add one, write the file and add its name to the list below. Common parts:
//! - [`laser`]: scanners; [`camera`]: cameras;
//! - [`turned`]: rotation of sensors that change direction after each measurement;
//! - [`motion`]: velocity and acceleration of a sensor, live or from its poses.
pub mod camera;
pub mod laser;
pub mod motion;
pub mod turned;

use bevy::prelude::App;

macro_rules! sensors {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in sensor.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// Names of the components of this crate, for the test that looks for missing files.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

sensors! {
    battery,
    accelerometer,
    airspeed,
    armature_pose,
    attitude,
    barometer,
    clock,
    depth_camera,
    depth_camera_aggregator,
    depth_video_camera,
    collision,
    compound,
    gps,
    hokuyo,
    gyroscope,
    human_posture,
    imu,
    infrared,
    joint_state,
    kinect,
    laser_scanner,
    magnetometer,
    odometry,
    pose,
    sick,
    sick_ldmrs,
    proximity,
    search_and_rescue,
    segmentation_camera,
    semantic_camera,
    thermometer,
    ptu_posture,
    radar_altimeter,
    velocity,
    velodyne,
    velodyne_zb,
    video_camera,
    stereo_unit,
}
