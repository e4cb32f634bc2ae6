//! Turning of scanners and cameras that look elsewhere after each measurement.
use bevy::prelude::Component;
use morse_api::{
    prelude::{Deserialize, Serialize},
    state::Stateful,
};

/// Angle by which a scanner that turns has turned, rad, less than a full turn.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turned(pub f64);

impl Stateful for Turned {}
