//! The contract of morse-sim between the simulator, its components and its middlewares.
//!
//! A sensor, actuator, modifier or middleware depends on this crate only, so that it can be part of the simulator, of a
//! crate beside it, or of a user's own repository.
//!
//! In reading order:
//! - [`tick`]: the phases of a tick, and its exact time; [`turn`]: the systems of each kind in it;
//! - [`component`]: what every sensor and actuator has: a path, a mount, a schedule;
//! - [`sensor`], [`actuator`], [`modifier`], [`service`], [`overlay`], [`middleware`]: the kinds of components;
//! - [`reading`], [`command`], [`port`]: data between the tick and the outside; [`log`]: the commands that took effect;
//!   [`ros`]: messages in which readings are published;
//! - [`body`], [`joint`], [`frame`], [`vehicle`], [`rays`], [`contact`]: the world that sensors see and actuators
//!   move; [`mechanism`]: dynamics of joints; [`grasp`]: bodies that hold others; [`angles`]: orientations as angles;
//! - [`render`]: images of the world; [`lighting`], [`shape`], [`paint`]: its light, shapes, and textures of surfaces; [`distortion`]: lens
//!   distortion;
//! - [`motion`]: the rules of motion, default or MORSE's; [`arbitration`]: several actuators that move one robot;
//! - [`object`]: objects by name and property, and zones; [`carrier`]: components that carry others;
//! - [`fields`], [`numbers`], [`named`], [`dynamic`], [`names`]: units, levels and access to the numbers of a reading;
//!   numbers whose names the scene gives, values whose form is determined at run time; patterns of names;
//! - [`samples`]: images and point clouds, shared by copies;
//! - [`settings`]: settings of components while the simulation runs; [`property`]: MORSE's names and units of them;
//! - [`range`]: ranges of numbers of settings and commands; [`memory`]: memory that robots and sensors may take;
//! - [`threads`]: threads of a simulation, for kinds with many components;
//! - [`random`], [`state`]: reproducible noise, and all state that outlives a tick;
//! - [`world_view`]: the world as middlewares that display it receive it;
//! - [`warning`]: warnings of components for the user; [`check`]: reasons why they cannot work; [`fault`]: why they failed;
//! - [`whole_file`]: files that are written completely or not at all.
// Examples with warnings would teach bad style.
#![doc(test(attr(deny(warnings))))]
mod about;
pub mod actuator;
pub mod angles;
pub mod arbitration;
mod attributes;
pub mod body;
pub mod carrier;
pub mod check;
pub mod command;
pub mod component;
pub mod contact;
pub mod distortion;
pub mod fault;
pub mod fields;
pub mod frame;
pub mod grasp;
mod hasher;
pub mod joint;
mod json;
pub mod kind;
pub mod lighting;
pub mod log;
pub mod mechanism;
pub mod memory;
pub mod middleware;
pub mod modifier;
pub mod motion;
pub mod named;
pub mod names;
pub mod numbers;
pub mod object;
pub mod overlay;
pub mod paint;
mod path;
pub mod port;
pub mod property;
pub mod random;
pub mod rays;
pub mod reading;
pub mod render;
pub mod ros;
pub mod samples;
pub mod sensor;
pub mod service;
pub mod settings;
pub mod shape;
mod stamp;
pub mod state;
pub mod threads;
pub mod tick;
pub mod turn;
pub mod vehicle;
mod wake;
pub mod warning;
pub mod whole_file;
pub mod world_view;

pub use fields::{dynamic, range};

/// Everything that the file of a component usually names.
pub mod prelude {
    pub use crate::{
        actuator::{Actuator, AddActuator as _, Control},
        body::{BodyState, Drive, Gravity, Inertia},
        check::CheckError,
        component::{ComponentPath, Due, Level, Mount, UpdateRate, WorldPose, WorldVelocity},
        fields::{Fields, Fixed, Levels, Unit},
        kind::Example,
        memory::Memory,
        modifier::{AddModifier as _, BindError, Carries, Modifier, ModifierState, Modify},
        property::{Form, Property},
        random::Random,
        range::ValueRange,
        rays::Rays,
        ros::RosMessage,
        sensor::{AddSensor as _, Sensor},
        service::{AddService as _, Outcome, Service, ServiceError, Task},
        settings::{AtLoad, Changeable},
        state::{AddState as _, Stateful},
        tick::{Clock, Tick},
    };
    pub use bevy::prelude::{
        App, Component, Entity, Query, Reflect, Res, ResMut, Resource, Startup, With, World,
    };
    pub use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
    pub use serde::{Deserialize, Serialize};
}
