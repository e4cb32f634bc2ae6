//! Bodies whose contacts are sensed: their contacts are solved here, and neither they nor the bodies on them sleep.
use bevy_rapier3d::rapier::prelude::{RigidBody, RigidBodyHandle};
use morse_api::contact::TouchPoint;

use super::{
    Trees,
    bodies::{moves, rigid},
};
use crate::engine::{EngineItem, Tables};

impl Trees {
    /// Sets the bodies whose contacts are sensed.
    pub(crate) fn set_sensed(&mut self, mut bodies: Vec<usize>) {
        bodies.sort_unstable();
        bodies.dedup();
        self.sensed = bodies;
    }

    /// Wakes the sensed bodies and the bodies that touch them, and couples those without joints.
    pub(super) fn keep_sensed_awake(&mut self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for index in 0..self.sensed.len() {
            let body = self.sensed[index];
            let Some(known) = rigid(engine, tables, body) else {
                continue;
            };
            if let Some((tree, _)) = self.of_body[body] {
                self.wake_requests[tree] |= moves(known) && known.is_sleeping();
            } else if moves(known) {
                if let Err(index) = self.state.coupled.binary_search(&body) {
                    self.state.coupled.insert(index, body);
                }
                wake(engine, tables.bodies[body].handle);
            }
            self.wake_neighbours(body, engine, tables);
        }
    }

    /// Wakes the bodies that touch a body.
    fn wake_neighbours(&self, body: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let count = rigid(engine, tables, body).map_or(0, |body| body.colliders().len());
        for index in 0..count {
            let own = rigid(engine, tables, body).map_or(&[][..], RigidBody::colliders)[index];
            loop {
                let sleeper = engine
                    .simulation
                    .narrow_phase
                    .contact_pairs_with(own)
                    .filter(|pair| pair.has_any_active_contact())
                    .flat_map(|pair| [pair.collider1, pair.collider2])
                    .filter_map(|collider| engine.colliders.colliders.get(collider)?.parent())
                    .find(|handle| {
                        let body = engine.bodies.bodies.get(*handle);
                        body.is_some_and(|body| moves(body) && body.is_sleeping())
                    });
                match sleeper {
                    Some(handle) => wake(engine, handle),
                    None => break,
                }
            }
        }
    }

    /// Adds the points at which a body is touched after the last step of `dt` seconds.
    pub(crate) fn touch_points(
        &self,
        body: usize,
        tables: &Tables,
        dt: f64,
        points: &mut Vec<TouchPoint>,
    ) {
        for touch in &self.constraints.contacts {
            let contact = &touch.contact;
            let is_active = contact.impulse.dot(&contact.normal) > 0.0 || contact.distance <= 0.0;
            for (own, other) in [(0, 1), (1, 0)] {
                if !is_active || touch.bodies[own] != body {
                    continue;
                }
                let frames = touch.key.geometry().map(|index| {
                    let geometry = tables.geometry.get(index as usize)?;
                    tables.frames.get(geometry.frame as usize)
                });
                let (Some(frame), Some(other_frame), Some(other)) = (
                    frames[own],
                    frames[other],
                    tables.bodies.get(touch.bodies[other]),
                ) else {
                    continue;
                };
                let sign = if own == 0 { -1.0 } else { 1.0 };
                points.push(TouchPoint {
                    frame: frame.entity,
                    other_frame: other_frame.entity,
                    other_body: other.entity,
                    point: contact.point.into(),
                    normal: contact.normal * sign,
                    force: contact.impulse * (sign / dt),
                    depth: (-contact.distance).max(0.0),
                });
            }
        }
    }
}

fn wake(engine: &mut EngineItem<'_, '_>, handle: RigidBodyHandle) {
    let simulation = &mut *engine.simulation;
    simulation
        .islands
        .wake_up(&mut engine.bodies.bodies, handle, true);
}
