//! The sensors, one per file: settings, local data, `default_action`, tests.
//!
//! To add one, write the file and add its name to the list below. The list is sorted: its order is the order of kinds within
//! a phase, in which no kind reads what another one writes, and the order in which states enter the hash. Common modules:
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
    accelerometer,
    airspeed,
    armature_pose,
    attitude,
    barometer,
    battery,
    clock,
    collision,
    compound,
    contact,
    depth_camera,
    depth_camera_aggregator,
    depth_video_camera,
    foot_switch,
    force_torque,
    gps,
    gyroscope,
    hokuyo,
    human_posture,
    imu,
    infrared,
    joint_state,
    kinect,
    laser_scanner,
    magnetometer,
    odometry,
    pose,
    proximity,
    ptu_posture,
    radar_altimeter,
    search_and_rescue,
    segmentation_camera,
    semantic_camera,
    sick,
    sick_ldmrs,
    stereo_unit,
    thermometer,
    velocity,
    velodyne,
    velodyne_zb,
    video_camera,
}
