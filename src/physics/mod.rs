//! The physics: the only folder that names the engine.

use bevy::prelude::*;

/// The numerical settings of a world.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct Settings {
    /// Ticks a second, Hz.
    pub rate: f64,
    /// m/s².
    pub gravity: [f64; 3],
    /// Steps of the engine a tick.
    pub substeps: u32,
    /// Natural frequency of contacts, Hz: the higher, the stiffer.
    pub contact_frequency: f64,
    /// Iterations of the engine's solver a substep.
    pub solver_iterations: u32,
    /// How commanded speeds are reached.
    pub motion: Motion,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate: 60.0,
            gravity: [0.0, 0.0, -9.81],
            substeps: 2,
            contact_frequency: 120.0,
            solver_iterations: 4,
            motion: Motion::Default,
        }
    }
}

/// How commanded speeds are reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// The commanded speed is reached and held.
    #[default]
    Default,
    /// As in MORSE: the velocity is set once a tick, friction acts in between, and the friction
    /// coefficients of two surfaces are multiplied.
    Morse,
}

/// Adds the physics: the engine's world exists when this returns, its step runs in
/// [`Tick::Physics`](morse_api::tick::Tick::Physics).
pub fn plugin(app: &mut App, settings: Settings) {
    app.insert_resource(settings);
}
