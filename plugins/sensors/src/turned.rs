//! Rotation of scanners and cameras that change direction after each measurement.
use bevy::prelude::Component;
use morse_api::{
    prelude::{Deserialize, Serialize},
    state::Stateful,
};

/// Angle by which a rotating sensor has turned, rad, less than a full turn.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turned(pub f64);

impl Stateful for Turned {}
