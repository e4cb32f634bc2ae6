//! Suspension of the physics.
use bevy::prelude::*;
use morse_api::state::Stateful;
use serde::{Deserialize, Serialize};

/// True while the physics is suspended. It is state.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspended(pub bool);

impl Stateful for Suspended {}
