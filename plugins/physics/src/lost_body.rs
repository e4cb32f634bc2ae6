//! Bodies that went where no number follows: what the engine gave up, and what is absurdly far.

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, BodyState},
    component::Path,
    tick::Clock,
};

use super::engine::{EngineItem, Tables};

/// m from the origin: further than this, single precision tells kilometres apart at best.
const FARTHEST: f64 = 1e9;

/// The first body that the physics lost, and when: from there on the simulation means nothing.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstLost(pub Option<LostBody>);

/// A body that the physics lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "body `{body}` was lost in tick {tick}: {what}; look for a force, speed or mass that is far too large or small"
)]
pub struct LostBody {
    /// The body's name.
    pub body: String,
    /// The tick in which it was lost.
    pub tick: u64,
    /// Fault in its motion or position, in words.
    pub what: &'static str,
}

impl Tables {
    /// Keeps in mind what the engine gave up in the step that was made; it reports each step alone.
    pub(super) fn first_lost(&self, engine: &EngineItem<'_, '_>) -> Option<usize> {
        let lost = engine.simulation.pipeline.quarantine();
        let bodies = lost.bodies().iter().copied();
        let colliders = lost.colliders().iter();
        let parents = colliders.filter_map(|collider| {
            let collider = engine.colliders.colliders.get(*collider)?;
            collider.parent()
        });
        bodies
            .chain(parents)
            .filter_map(|handle| {
                let body = engine.bodies.bodies.get(handle)?;
                usize::try_from(body.user_data).ok()
            })
            .min()
    }
}

/// Bodies that the engine gave up in this tick.
#[derive(Resource, Default)]
pub(super) struct GivenUp(pub Option<usize>);

/// Looks whether all bodies are somewhere.
pub(super) fn find(
    clock: Option<Res<Clock>>,
    tables: Res<Tables>,
    given_up: Res<GivenUp>,
    bodies: Query<(&BodyState, Option<&Path>)>,
    mut first_lost: ResMut<FirstLost>,
) {
    if first_lost.0.is_some() {
        return;
    }
    let rows = tables.bodies.iter().enumerate();
    for (place, row) in rows.filter(|(_, row)| row.kind != BodyKind::Fixed) {
        let Ok((state, path)) = bodies.get(row.entity) else {
            continue;
        };
        let what = if given_up.0 == Some(place) {
            "its motion is no longer a number"
        } else if let Some(what) = wrong(state) {
            what
        } else {
            continue;
        };
        first_lost.0 = Some(LostBody {
            body: path.map_or_else(String::new, ToString::to_string),
            tick: clock.as_ref().map_or(0, |clock| clock.tick),
            what,
        });
        return;
    }
}

/// Finds the fault in the pose and the motion of a body, if there is one.
fn wrong(state: &BodyState) -> Option<&'static str> {
    let place = &state.pose.translation.vector;
    let motion = state.linear_velocity + state.angular_velocity;
    let sum = place.sum() + state.pose.rotation.coords.sum() + motion.sum();
    if !sum.is_finite() {
        Some("its motion is no longer a number")
    } else if place.amax() > FARTHEST {
        Some("it is more than a million kilometres away")
    } else {
        None
    }
}
