//! The contract of morse-sim: what the simulator, its components and its middlewares agree on.
//!
//! A sensor, actuator, modifier or middleware needs this crate alone, so it can live in the simulator, in
//! a crate beside it, or in a user's own repository.
//!
//! In reading order:
//! - [`tick`]: the phases of a tick, and its exact time;
//! - [`component`]: what every sensor and actuator has: a path, a mount, a schedule;
//! - [`sensor`], [`actuator`], [`modifier`], [`service`], [`middleware`]: the five kinds of parts;
//! - [`reading`], [`command`], [`port`]: what travels between the tick and the outside, and how;
//! - [`body`], [`joint`], [`rays`]: the world that sensors see and actuators move;
//! - [`fields`], [`names`]: units, levels and access to the numbers of a reading; patterns of names;
//! - [`random`], [`state`]: reproducible noise, and everything that outlives a tick;
//! - [`complaint`]: what components have to say to the user.
pub mod actuator;
pub mod body;
pub mod command;
pub mod complaint;
pub mod component;
pub mod fields;
pub mod joint;
pub mod kind;
pub mod middleware;
pub mod modifier;
pub mod names;
pub mod port;
pub mod random;
pub mod rays;
pub mod reading;
pub mod sensor;
pub mod service;
pub mod state;
pub mod tick;

/// Everything a component's file usually names.
pub mod prelude {
    pub use crate::{
        actuator::{Actuator, AddActuator as _, Control},
        body::{BodyState, Drive, Inertia},
        component::{Due, Mount, Path, Period, WorldPose, WorldVelocity},
        fields::{Fields, Levels, Unit},
        modifier::{AddModifier as _, Memory, Misfit, Modifier, Modify},
        random::Random,
        sensor::{AddSensor as _, Sensor},
        service::{AddService as _, Outcome, Refused, Service, Task},
        state::AddState as _,
        tick::{Clock, Tick},
    };
    pub use bevy::prelude::{
        App, Component, Entity, Query, Reflect, Res, ResMut, Resource, Startup, With, World,
    };
    pub use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
    pub use serde::{Deserialize, Serialize};
}
