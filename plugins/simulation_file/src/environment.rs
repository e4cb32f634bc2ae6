//! Time, gravity, the numerical settings and the light of a simulation file, as plain data.
use morse_api::{
    lighting::Lighting,
    motion::{MotionMode, RestitutionRule, TimeStrategy},
    world_view::{Lens, LookAt},
};
use nalgebra::Vector3;

use super::span::Spanned;

/// Time, gravity, the numerical settings and the light.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Name that clients are told; that of the scene unless given.
    pub name: Option<String>,
    /// Ticks a second, in Hz.
    pub rate: Spanned<f64>,
    /// In m/s².
    pub gravity: Vector3<f64>,
    /// Seed of all randomness.
    pub seed: u64,
    /// Position of the scene on Earth.
    pub origin: Option<Origin>,
    /// Mode in which commanded speeds are reached.
    pub motion: MotionMode,
    /// Way in which time passes, as clients are told; that of the run's pace unless given.
    pub time_strategy: Option<TimeStrategy>,
    /// Steps of the physics engine a tick.
    pub substeps: u32,
    /// Natural frequency of contacts, in Hz: the higher, the stiffer.
    pub contact_frequency: f64,
    /// Iterations of the physics engine's solver a substep.
    pub solver_iterations: u32,
    /// Restitution of two surfaces that meet; the greater one of both unless given, and in MORSE's motion the product.
    pub restitution_rule: Option<RestitutionRule>,
    /// In kg/m³; felt by what has a drag area.
    pub air_density: f64,
    /// Water below a level, if there is any.
    pub water: Option<Water>,
    /// Lighting of pictures.
    pub light: Lighting,
    /// First view of people who look on.
    pub view: View,
}

/// First view of people who look on, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Position of the eye in the scene, in m, and the point that it looks at.
    pub look: Option<LookAt>,
    /// Lens to look through.
    pub lens: Lens,
    /// Path of the component whose data are shown.
    pub selected: Option<Spanned<String>>,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            name: None,
            rate: 60.0.into(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            seed: 0,
            origin: None,
            motion: MotionMode::Default,
            time_strategy: None,
            substeps: 2,
            contact_frequency: 120.0,
            solver_iterations: 4,
            restitution_rule: None,
            air_density: 1.225,
            water: None,
            light: Lighting::default(),
            view: View::default(),
        }
    }
}

/// Water at rest, everywhere below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of the surface, in m.
    pub level: f64,
    /// In kg/m³.
    pub density: f64,
    /// Of what is wholly in it, in 1/s.
    pub linear_damping: f64,
    /// Of what is wholly in it, in 1/s.
    pub angular_damping: f64,
}

impl Default for Water {
    fn default() -> Self {
        Self {
            level: 0.0,
            density: 1000.0,
            linear_damping: 0.5,
            angular_damping: 0.5,
        }
    }
}

/// Position of the scene's origin on Earth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Origin {
    /// In degrees, north positive.
    pub latitude: f64,
    /// In degrees, east positive.
    pub longitude: f64,
    /// Above the WGS 84 ellipsoid, in m.
    pub altitude: f64,
    /// The angle of the scene's x axis from north, in degrees, clockwise; 90, that is east, unless
    /// given.
    pub angle_against_north: f64,
}
