//! The contract of morse-sim: what the simulator, its components and its middlewares agree on.
//!
//! A sensor, actuator, modifier or middleware needs this crate alone, so it can live in the simulator, in
//! a crate beside it, or in a user's own repository.
//!
//! In reading order:
//! - [`tick`]: the phases of a tick, and its exact time; [`turn`]: the part of each kind in it;
//! - [`component`]: what every sensor and actuator has: a path, a mount, a schedule;
//! - [`sensor`], [`actuator`], [`modifier`], [`service`], [`overlay`], [`middleware`]: the kinds of parts;
//! - [`reading`], [`command`], [`port`]: what travels between the tick and the outside, and how; [`log`]: what acted;
//! - [`body`], [`joint`], [`frame`], [`vehicle`], [`rays`], [`contact`]: the world that sensors see and actuators
//!   move; [`mechanism`]: dynamics of joints; [`grasp`]: bodies that hold others; [`angles`]: orientations as angles;
//! - [`render`]: pictures of it; [`lighting`], [`paint`]: the light in them, and what is
//!   painted on things; [`distortion`]: lenses that bend rays;
//! - [`motion`]: the rules of motion, physics' or MORSE's; [`rival`]: several actuators that move one robot;
//! - [`object`]: its things by name and property, and zones; [`carrier`]: components that carry others;
//! - [`fields`], [`numbers`], [`named`], [`dynamic`], [`names`]: units, levels and access to the numbers of a reading;
//!   numbers whose names the scene gives, values whose form is known at run time only; patterns of names;
//! - [`samples`]: images and clouds, which copies share;
//! - [`settings`]: settings of components while the simulation runs; [`property`]: MORSE's names and units of them;
//! - [`range`]: the values that numbers of settings and commands may have; [`memory`]: the memory that robots and sensors may take;
//! - [`threads`]: threads of a simulation, for many components of a kind;
//! - [`random`], [`state`]: reproducible noise, and everything that outlives a tick;
//! - [`world_view`]: what middlewares that look on are shown;
//! - [`warning`]: what components have to say to the user; [`check`]: reasons why they cannot work;
//! - [`whole_file`]: files that are there as a whole or not at all.
mod about;
pub mod actuator;
pub mod angles;
mod attributes;
pub mod body;
pub mod carrier;
pub mod check;
pub mod command;
pub mod component;
pub mod contact;
pub mod distortion;
pub mod fields;
mod form;
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
pub mod rival;
pub mod samples;
pub mod sensor;
pub mod service;
pub mod settings;
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

/// Everything a component's file usually names.
pub mod prelude {
    pub use crate::{
        actuator::{Actuator, AddActuator as _, Control},
        body::{BodyState, Drive, Gravity, Inertia},
        check::CheckError,
        component::{Due, Level, Mount, Path, UpdateRate, WorldPose, WorldVelocity},
        fields::{Fields, Fixed, Levels, Unit},
        kind::Example,
        memory::Memory,
        modifier::{AddModifier as _, BindError, Carries, Modifier, ModifierState, Modify},
        property::{Form, Property},
        random::Random,
        range::Range,
        rays::Rays,
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
