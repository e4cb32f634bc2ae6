//! Steps of the engine that would change nothing: no body is active, and nothing has changed since the last step. They are
//! left out, since a step without work still takes as long as the motion of a robot arm.
//!
//! Every mutable access to one of the engine's sets counts as a change, by Bevy's change detection. The state of a
//! simulation contains the flag, so that a restored simulation makes the same steps.
use bevy::{ecs::change_detection::Tick, prelude::*};
use bevy_rapier3d::{
    plugin::context::{
        RapierContextColliders, RapierContextJoints, RapierContextSimulation, RapierRigidBodySet,
    },
    rapier::dynamics::RigidBody,
};

use super::engine::{EngineItem, LastStep};

impl EngineItem<'_, '_> {
    /// Returns true if a step would change nothing.
    pub(super) fn is_idle(&mut self) -> bool {
        let ticks = [
            self.simulation.last_changed(),
            self.colliders.last_changed(),
            self.joints.last_changed(),
            self.bodies.last_changed(),
        ];
        if !self.last_step.is_mark_of(ticks) {
            return false;
        }
        if !self.last_step.all_sleep {
            // Bodies that were put to sleep stay active until the next step, which moves none of them.
            let mut active = self.simulation.islands.active_bodies();
            self.last_step.all_sleep = active.all(|handle| {
                let body = self.bodies.bodies.get(handle);
                body.is_none_or(RigidBody::is_sleeping)
            });
        }
        self.last_step.all_sleep
    }

    /// Returns true if the last step was left out, and no body has changed since then.
    pub(super) fn rests(&self) -> bool {
        self.last_step.all_sleep && !self.has_changed()
    }

    /// Returns true if a body may have changed since the last step, or since it was left out.
    pub(super) fn has_changed(&self) -> bool {
        self.last_step.mark != Some(self.bodies.last_changed())
    }

    /// Marks the engine's sets as unchanged after a step that was made, or left out, given the change tick of the system that
    /// makes it.
    pub(super) fn mark_step(&mut self, is_made: bool, this_run: Tick) {
        // Later changes have the tick of this system, or of a later one.
        let mark = Tick::new(this_run.get().wrapping_sub(1));
        self.simulation.set_last_changed(mark);
        self.colliders.set_last_changed(mark);
        self.joints.set_last_changed(mark);
        self.bodies.set_last_changed(mark);
        self.last_step.mark = Some(mark);
        self.last_step.all_sleep &= !is_made;
    }
}

impl LastStep {
    fn is_mark_of(self, ticks: [Tick; 4]) -> bool {
        self.mark.is_some_and(|mark| ticks == [mark; 4])
    }
}

/// Returns true if nothing has changed in the engine's sets since its last step.
pub(super) fn is_unchanged(world: &World, engine: Entity) -> bool {
    let ticks = || {
        let entity = world.get_entity(engine).ok()?;
        Some([
            entity.get_ref::<RapierContextSimulation>()?.last_changed(),
            entity.get_ref::<RapierContextColliders>()?.last_changed(),
            entity.get_ref::<RapierContextJoints>()?.last_changed(),
            entity.get_ref::<RapierRigidBodySet>()?.last_changed(),
        ])
    };
    let last_step = world.get::<LastStep>(engine);
    last_step
        .zip(ticks())
        .is_some_and(|(last_step, ticks)| last_step.is_mark_of(ticks))
}
