//! Contact filter of the engine: excluded pairs, contacts of trees, and friction of driven robots in MORSE's motion.

use bevy::math::Vec3;
use bevy_rapier3d::rapier::{
    geometry::SolverFlags,
    pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks},
    prelude::{ColliderHandle, ColliderSet, RigidBodyHandle, RigidBodySet},
};

use super::{
    commanded::Commanded,
    engine::{GeometryRow, Tables},
    grasp::Grasps,
    rolling,
    trees::Trees,
};

/// Minimum cosine between a supporting contact's normal and the vertical: that of 60°.
pub(super) const SUPPORT: f32 = 0.5;

/// Hooks that the engine calls for pairs of marked colliders.
pub(super) struct Hooks<'a> {
    pub tables: &'a Tables,
    pub commanded: &'a Commanded,
    pub trees: &'a Trees,
    pub grasps: &'a Grasps,
    /// True in MORSE's motion, where turning robots have no friction.
    pub is_morse: bool,
    /// Unit vector against gravity; zero without gravity.
    pub up: Vec3,
}

impl Hooks<'_> {
    fn geometry(&self, colliders: &ColliderSet, handle: ColliderHandle) -> Option<&GeometryRow> {
        let index = usize::try_from(colliders.get(handle)?.user_data).ok()?;
        self.tables.geometry.get(index)
    }

    /// Returns true if a body, or its base, is commanded to turn.
    fn turns(&self, bodies: &RigidBodySet, handle: Option<RigidBodyHandle>) -> bool {
        let base = body_index(bodies, handle).and_then(|index| self.tables.bases.get(index));
        base.is_some_and(|base| self.commanded.turns(*base))
    }
}

/// Returns true if contacts between two geometries count.
pub(super) fn is_admitted(
    tables: &Tables,
    grasps: &Grasps,
    one: &GeometryRow,
    two: &GeometryRow,
) -> bool {
    let frames = (one.frame.min(two.frame), one.frame.max(two.frame));
    let bodies = (one.body.min(two.body), one.body.max(two.body));
    tables.allowed.binary_search(&frames).is_err()
        && tables.neighbours.binary_search(&bodies).is_err()
        && !grasps.connect(bodies)
}

fn body_index(bodies: &RigidBodySet, handle: Option<RigidBodyHandle>) -> Option<usize> {
    let body = handle.and_then(|handle| bodies.get(handle));
    usize::try_from(body?.user_data).ok()
}

impl PhysicsHooks for Hooks<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        let one = self.geometry(context.colliders, context.collider1);
        let two = self.geometry(context.colliders, context.collider2);
        let (Some(one), Some(two)) = (one, two) else {
            return Some(SolverFlags::default());
        };
        if !is_admitted(self.tables, self.grasps, one, two) {
            return None;
        }
        let pair = [one.body, two.body];
        // A fixed base of a robot is not static: it can be teleported.
        let is_still = |body: usize| {
            let row = self.tables.bodies.get(body);
            row.is_some_and(|row| row.still.is_some())
        };
        if !pair.into_iter().any(is_still) {
            self.trees.note_near(pair);
        }
        let is_ours = pair.into_iter().any(|body| self.trees.moves(body))
            || self
                .trees
                .claim_bounce((pair, self.tables.restitution([one, two])), context);
        // The engine detects these contacts, and does not solve them.
        Some(if is_ours {
            SolverFlags::empty()
        } else {
            SolverFlags::default()
        })
    }

    /// Keeps rolling smooth. In MORSE's motion friction brakes a driven robot, unless it turns: see
    /// [`super::commanded::TURNING_SHARE`].
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        rolling::put_below_axles(context);
        if !self.is_morse {
            return;
        }
        let bodies = context.bodies;
        // The normal points from the first collider to the second.
        let lift = context.normal.dot(self.up);
        // The engine's friction also brakes turns on the spot, and has no target velocity.
        if (-lift > SUPPORT && self.turns(bodies, context.rigid_body1))
            || (lift > SUPPORT && self.turns(bodies, context.rigid_body2))
        {
            *context.friction = 0.0;
        }
    }
}
