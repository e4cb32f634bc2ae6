//! The guide: how to write scenes, components and tests. All its examples are run as tests.
//!
//! - [`first_steps`]: ten minutes with a table and a rover;
//! - [`coming_from_morse`]: for users with scripts, clients and tests of MORSE;
//! - [`coming_from_amino`]: for users of amino's scene compiler and library;
//! - [`coming_from_mujoco`]: for users with models in MJCF; [`coming_from_gazebo`]: with worlds and models in SDF;
//! - [`coming_from_ros_gz`]: for users of Gazebo with ROS 2;
//! - [`scene_language`]: scenes (`.robray`);
//! - [`simulation_file`]: simulations of scenes (`.ron`);
//! - [`robots`]: pictures of the robots and arms that the program contains;
//! - [`your_own_robot`]: robots in URDF and xacro, and their meshes;
//! - [`write_a_sensor`]: a new kind of sensor in one file;
//! - [`catalogue`]: every kind of sensor, actuator, modifier, overlay and middleware, and every service;
//! - [`services`]: requests, overlays, and handlers that call other services;
//! - [`noise`]: modifiers, seeds, and independent random streams;
//! - [`planning`]: kinematics and collisions of a scene without a simulation;
//! - [`mechanisms`]: dynamics of joints, for controllers;
//! - [`contacts_and_forces`]: sensors of contacts and of forces between parts;
//! - [`cameras`]: cameras, and images of runs;
//! - [`middlewares`]: ports, policies, readiness;
//! - [`controllers_as_objects`]: objects with a mailbox and credits, which drive robots;
//! - [`aibo`]: primitives, servos and vectors of an AIBO;
//! - [`ros2`]: a simulation as a node of ROS 2;
//! - [`rosbridge`]: topics and services for ROS clients;
//! - [`browser`]: the simulation in a browser;
//! - [`window`]: the simulation in a window;
//! - [`tests_with_a_verdict`]: scenarios with conditions, over seeds and sweeps;
//! - [`batches_and_clusters`]: grids and samples of runs, on all cores or many machines;
//! - [`the_same_bits`]: profiles, and proofs of determinism;
//! - [`headless_tests`]: simulations in `cargo test`;
//! - [`python`]: simulations in Python;
//! - [`learning`]: environments to learn in;
//! - [`compiled_scenes`]: scenes with meshes and hulls in one file that loads fast;
//! - [`editors`]: the language server, and files for editors;
//! - [`how_fast`]: speed, and comparison with other simulators;
//! - [`decisions`]: decisions that shaped the code, for contributors.

#[doc = include_str!("docs/first_steps.md")]
pub mod first_steps {}

#[doc = include_str!("docs/coming_from_morse.md")]
pub mod coming_from_morse {}

#[doc = include_str!("docs/coming_from_amino.md")]
pub mod coming_from_amino {}

#[doc = include_str!("docs/coming_from_mujoco.md")]
pub mod coming_from_mujoco {}
#[doc = include_str!("docs/coming_from_gazebo.md")]
pub mod coming_from_gazebo {}
#[doc = include_str!("docs/coming_from_ros_gz.md")]
pub mod coming_from_ros_gz {}

#[doc = include_str!("docs/scene_language.md")]
pub mod scene_language {}

#[doc = include_str!("docs/simulation_file.md")]
pub mod simulation_file {}

#[doc = include_str!("docs/robots.md")]
pub mod robots {}

#[doc = include_str!("docs/your_own_robot.md")]
pub mod your_own_robot {}

#[doc = include_str!("docs/write_a_sensor.md")]
pub mod write_a_sensor {}

#[doc = include_str!("docs/catalogue.md")]
pub mod catalogue {}

#[doc = include_str!("docs/services.md")]
pub mod services {}

#[doc = include_str!("docs/noise.md")]
pub mod noise {}

#[doc = include_str!("docs/planning.md")]
pub mod planning {}

#[doc = include_str!("docs/mechanisms.md")]
pub mod mechanisms {}

#[doc = include_str!("docs/contacts_and_forces.md")]
pub mod contacts_and_forces {}

#[doc = include_str!("docs/cameras.md")]
pub mod cameras {}

#[doc = include_str!("docs/middlewares.md")]
pub mod middlewares {}

#[doc = include_str!("docs/controllers_as_objects.md")]
pub mod controllers_as_objects {}

#[doc = include_str!("docs/aibo.md")]
pub mod aibo {}

#[doc = include_str!("docs/ros2.md")]
pub mod ros2 {}

#[doc = include_str!("docs/rosbridge.md")]
pub mod rosbridge {}

#[doc = include_str!("docs/browser.md")]
pub mod browser {}

#[doc = include_str!("docs/window.md")]
pub mod window {}

#[doc = include_str!("docs/tests_with_a_verdict.md")]
pub mod tests_with_a_verdict {}

#[doc = include_str!("docs/batches_and_clusters.md")]
pub mod batches_and_clusters {}

#[doc = include_str!("docs/the_same_bits.md")]
pub mod the_same_bits {}

#[doc = include_str!("docs/headless_tests.md")]
pub mod headless_tests {}

#[doc = include_str!("docs/python.md")]
pub mod python {}

#[doc = include_str!("docs/learning.md")]
pub mod learning {}

#[doc = include_str!("docs/compiled_scenes.md")]
pub mod compiled_scenes {}

#[doc = include_str!("docs/editors.md")]
pub mod editors {}

#[doc = include_str!("docs/how_fast.md")]
pub mod how_fast {}

/// Decisions that shaped the code: context, decision, consequences.
pub mod decisions {
    #[doc = include_str!("docs/decisions/two_solvers.md")]
    pub mod two_solvers {}

    #[doc = include_str!("docs/decisions/mechanisms_and_engine.md")]
    pub mod mechanisms_and_engine {}

    #[doc = include_str!("docs/decisions/own_ron_reader.md")]
    pub mod own_ron_reader {}

    #[doc = include_str!("docs/decisions/readers_from_crates.md")]
    pub mod readers_from_crates {}

    #[doc = include_str!("docs/decisions/no_async_runtime.md")]
    pub mod no_async_runtime {}

    #[doc = include_str!("docs/decisions/hash_on_demand.md")]
    pub mod hash_on_demand {}

    #[doc = include_str!("docs/decisions/f64_poses_over_an_f32_engine.md")]
    pub mod f64_poses_over_an_f32_engine {}

    #[doc = include_str!("docs/decisions/own_executor.md")]
    pub mod own_executor {}

    #[doc = include_str!("docs/decisions/own_format_of_compiled_scenes.md")]
    pub mod own_format_of_compiled_scenes {}

    #[doc = include_str!("docs/decisions/in_process_browser_page.md")]
    pub mod in_process_browser_page {}

    #[doc = include_str!("docs/decisions/release_build.md")]
    pub mod release_build {}
}

/// The examples of the README are run, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod readme {}
