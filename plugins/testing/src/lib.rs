//! Worlds for unit tests of components: the tick, one robot with a prescribed motion, and the components under test. There
//! is no physics: a sensor measures the prescribed motion exactly, and an actuator's drive can be read.
//!
//! ```
//! use morse_api::prelude::*;
//! use morse_testing::{TestWorld, moving};
//!
//! /// Height above the ground.
//! #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
//! #[serde(default, deny_unknown_fields)]
//! struct Height {}
//!
//! /// One measurement.
//! #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
//! struct HeightData {
//!     /// Above the scene's origin.
//!     #[reflect(@Unit("m"))]
//!     height: f64,
//! }
//!
//! impl Sensor for Height {
//!     const KIND: &'static str = "height";
//!     type Data = HeightData;
//! }
//!
//! fn default_action(mut sensors: Query<(&Due, &WorldPose, &mut HeightData), With<Height>>) {
//!     for (due, pose, mut data) in &mut sensors {
//!         if due.0 {
//!             data.height = pose.0.translation.z;
//!         }
//!     }
//! }
//!
//! let still = |height| moving([0.0, 0.0, height], 0.0, [0.0; 3], [0.0; 3]);
//! let plugin = |app: &mut App| {
//!     app.add_sensor::<Height, _>(default_action);
//! };
//! let mut world = TestWorld::new(60.0, plugin, still(0.0));
//! let mount = Isometry3::translation(0.0, 0.0, 0.5);
//! let sensor = world.sensor::<Height>("rover.height", "()", 60.0, mount);
//! world.step(still(2.0));
//! assert_eq!(world.read::<HeightData>(sensor).height, 2.5);
//! ```
//!
//! - [`TestWorld`]: a robot with components; [`moving`], [`circling`]: its motion; [`thing`]: objects around it;
//! - [`settings`]: a component's settings from text; [`out_of_range`]: those that are out of range;
//! - [`TestModifier`]: data under one modifier;
//! - [`statistics`]: tests of the distribution of samples;
//! - [`gltf`]: a small mesh in glTF.
pub mod gltf;
mod modifier;
pub mod statistics;
// The program's own tick: its order is declared once, there.
#[path = "../../../src/tick.rs"]
pub mod tick;
mod world;

pub use modifier::TestModifier;
pub use statistics::{allan_variance, spread};
pub use world::TestWorld;

use std::sync::Arc;

use bevy::{prelude::Entity, reflect::Typed};
use morse_api::{
    body::BodyState,
    kind::{About, ErasedSettings},
    object::{Bounds, Object, Property},
    range::Violation,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use serde::de::DeserializeOwned;

/// Reads settings from text as in a simulation file.
///
/// # Panics
///
/// The text does not fit the settings.
#[must_use]
pub fn settings<S: DeserializeOwned>(text: &str) -> S {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .from_str(text)
        .expect("settings of this type")
}

/// Returns the fields of settings, read from text, whose numbers are out of range: `["sigma.1"]`.
///
/// # Panics
///
/// The text does not fit the settings.
#[must_use]
pub fn out_of_range<S: DeserializeOwned + Typed + Send + Sync>(text: &str) -> Vec<String> {
    let parsed: ErasedSettings = Arc::new(settings::<S>(text));
    let violations = About::of::<S>().violations(&parsed);
    violations.iter().map(Violation::field).collect()
}

/// Returns a body at a position with a yaw that moves with a velocity in the world; its centre of mass is its origin.
#[must_use]
pub fn moving(position: [f64; 3], yaw: f64, linear: [f64; 3], angular: [f64; 3]) -> BodyState {
    let position = Vector3::from(position);
    BodyState {
        pose: Isometry3::new(position, Vector3::z() * yaw),
        linear_velocity: linear.into(),
        angular_velocity: angular.into(),
        center_of_mass: Point3::from(position),
        mass: 10.0,
    }
}

/// Returns a body on a circle with a radius (m) about the origin, `turn` rad after the point (radius, 0, 0), moving along it
/// at `omega` rad/s.
#[must_use]
pub fn circling(radius: f64, omega: f64, turn: f64) -> BodyState {
    let (sin, cos) = libm::sincos(turn);
    let speed = radius * omega;
    moving(
        [radius * cos, radius * sin, 0.0],
        turn + std::f64::consts::FRAC_PI_2,
        [-speed * sin, speed * cos, 0.0],
        [0.0, 0.0, omega],
    )
}

/// Returns a cube of 1 m with properties, at a pose.
#[must_use]
pub fn thing(
    name: &str,
    position: [f64; 3],
    properties: &[(&str, Property)],
) -> (Object, Isometry3<f64>) {
    let properties = properties.iter();
    let object = Object {
        name: name.into(),
        label: name.into(),
        description: String::new(),
        kind: "Object".into(),
        properties: properties
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        entity: Entity::PLACEHOLDER,
        body: Entity::PLACEHOLDER,
        body_from_object: Isometry3::identity(),
        robot: None,
        bounds: Some(Bounds {
            center: Point3::origin(),
            half: Vector3::repeat(0.5),
        }),
        geometry: Vec::new(),
        collides: false,
    };
    (
        object,
        Isometry3::from_parts(Vector3::from(position).into(), UnitQuaternion::identity()),
    )
}
