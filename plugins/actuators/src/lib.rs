//! The actuators, one a file: settings, command, `default_action`, tests; and overlays, services over those of
//! a component.
//!
//! To add one: write the file, and put its name into the list below. What several of them share:
//! - [`wheels`]: the wheels of a robot, found and measured; [`rotorcraft`]: how rotors hold an attitude;
//! - [`grasping`]: taking things and letting them go;
//! - [`overlay`]: the overlays, a list of their own.
pub mod grasping;
pub mod overlay;
pub mod rotorcraft;
pub mod wheels;

use bevy::prelude::App;

macro_rules! actuators {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Adds every built-in actuator.
        pub fn plugin(app: &mut App) {
            $($name::plugin(app);)+
        }

        /// The parts of this crate, for the test that looks for a forgotten file.
        pub const FILES: &[&str] = &[$(stringify!($name)),+];
    };
}

actuators! {
    arucomarker,
    ackermann,
    destination,
    drag,
    external_force,
    armature,
    force_torque,
    gripper,
    joints,
    joystick,
    keyboard,
    light,
    sound,
    orientation,
    steer_force,
    pa_10,
    ptu,
    quadrotor_dynamic_control,
    rotorcraft_attitude,
    rotorcraft_velocity,
    rotorcraft_waypoint,
    stabilized_quadrotor,
    teleport,
    v_omega,
    v_omega_diff,
    waypoint,
    xy_omega,
}
