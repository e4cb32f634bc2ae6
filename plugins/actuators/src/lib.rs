//! The actuators, one per file: settings, command, `default_action`, tests; and overlays, which add services to those of a
//! component.
//!
//! To add one, write the file and add its name to the list below. The list is sorted: its order is the order of kinds within
//! a phase, and the order in which states enter the hash; each actuator writes its own drive and targets. Common modules:
//! - [`wheels`]: lookup and dimensions of the wheels of a robot; [`rotorcraft`]: attitude control by rotors;
//! - [`grasping`]: taking and releasing objects; `trajectory`: positions of joints over time;
//! - [`overlay`]: the overlays, with a list of their own.
pub mod grasping;
pub mod overlay;
pub mod rotorcraft;
pub mod trajectory;
pub mod wheels;

use bevy::prelude::App;

macro_rules! actuators {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in actuator.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// Names of the components of this crate, for the test that looks for missing files.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

actuators! {
    ackermann,
    armature,
    arucomarker,
    destination,
    drag,
    external_force,
    force_torque,
    gripper,
    joints,
    joystick,
    keyboard,
    light,
    orientation,
    pa_10,
    ptu,
    quadrotor_dynamic_control,
    rotorcraft_attitude,
    rotorcraft_velocity,
    rotorcraft_waypoint,
    sound,
    stabilized_quadrotor,
    steer_force,
    teleport,
    v_omega,
    v_omega_diff,
    waypoint,
    xy_omega,
}
