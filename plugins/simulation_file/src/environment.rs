//! Time, gravity, solver settings and light of a simulation file, as plain data.
use morse_api::{
    lighting::Lighting,
    motion::{CombinationRule, MotionMode, TimeStrategy},
    world_view::{Lens, LookAt},
};
use nalgebra::Vector3;

use super::span::Spanned;

/// Time, gravity, solver settings and light.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Name of the simulation for clients; by default the name of the scene.
    pub name: Option<String>,
    /// Tick rate, Hz.
    pub rate: Spanned<f64>,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Position of the scene on Earth.
    pub origin: Option<Origin>,
    /// Mode in which commanded velocities are reached.
    pub motion: MotionMode,
    /// Time strategy that clients are shown; by default the one that follows from the pace of the run.
    pub time_strategy: Option<TimeStrategy>,
    /// Number of physics substeps per tick.
    pub substeps: u32,
    /// Natural frequency of contacts, Hz: a higher frequency makes contacts stiffer.
    pub contact_frequency: f64,
    /// Number of solver iterations per substep.
    pub solver_iterations: u32,
    /// Combination rule for the friction of two surfaces; by default the mean, and the product in MORSE's motion.
    pub friction_rule: Option<CombinationRule>,
    /// Combination rule for the restitution of two surfaces; by default the maximum, and the product in MORSE's motion.
    pub restitution_rule: Option<CombinationRule>,
    /// Density of the air, kg/m³; it acts on bodies with a drag area.
    pub air_density: f64,
    /// Water below a level.
    pub water: Option<Water>,
    /// Lighting of camera images and of the viewer.
    pub light: Lighting,
    /// Initial view of the viewer.
    pub view: View,
}

/// Initial view of the viewer; absent values have defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Position of the eye in the scene and the point at which it looks, m.
    pub look: Option<LookAt>,
    /// Lens of the viewer's camera.
    pub lens: Lens,
    /// Path of the component whose data are shown first.
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
            friction_rule: None,
            restitution_rule: None,
            air_density: 1.225,
            water: None,
            light: Lighting::default(),
            view: View::default(),
        }
    }
}

/// Water at rest, which fills all space below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of the surface, m.
    pub level: f64,
    /// Density, kg/m³.
    pub density: f64,
    /// Linear damping of fully submerged bodies, 1/s.
    pub linear_damping: f64,
    /// Angular damping of fully submerged bodies, 1/s.
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
    /// Latitude, degrees, north positive.
    pub latitude: f64,
    /// Longitude, degrees, east positive.
    pub longitude: f64,
    /// Altitude above the WGS 84 ellipsoid, m.
    pub altitude: f64,
    /// Angle of the scene's x axis from north, degrees, clockwise; by default 90, which is east.
    pub angle_against_north: f64,
}
