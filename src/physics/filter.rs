//! Who may touch whom, and how a driven robot stands on the ground.

use bevy::math::Vec3;
use bevy_rapier3d::rapier::{
    geometry::SolverFlags,
    pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks},
    prelude::{ColliderHandle, ColliderSet, RigidBodyHandle, RigidBodySet},
};

use super::{
    drives::Commanded,
    engine::{GeometryRow, Tables},
    rolling,
};

/// A driven robot stands on what pushes it up more than sideways: the cosine of 60°.
const SUPPORT: f32 = 0.5;

/// rad/s, from which a driven robot turns.
const TURNING: f32 = 1e-3;

/// What the engine asks about pairs of colliders that are marked for it.
pub(super) struct Hooks<'a> {
    pub tables: &'a Tables,
    pub commanded: &'a Commanded,
    /// Whether driven robots roll; otherwise friction brakes them between two ticks, as in MORSE.
    pub rolls: bool,
    /// Against gravity; zero without gravity.
    pub up: Vec3,
}

impl Hooks<'_> {
    fn geometry(&self, colliders: &ColliderSet, handle: ColliderHandle) -> Option<&GeometryRow> {
        let place = usize::try_from(colliders.get(handle)?.user_data).ok()?;
        self.tables.geometry.get(place)
    }

    fn is_driven(&self, bodies: &RigidBodySet, handle: Option<RigidBodyHandle>) -> bool {
        let body = handle.and_then(|handle| bodies.get(handle));
        let place = body.and_then(|body| usize::try_from(body.user_data).ok());
        place.is_some_and(|place| self.commanded.drives(place))
    }
}

impl PhysicsHooks for Hooks<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        let one = self.geometry(context.colliders, context.collider1);
        let two = self.geometry(context.colliders, context.collider2);
        let (Some(one), Some(two)) = (one, two) else {
            return Some(SolverFlags::default());
        };
        let frames = (one.frame.min(two.frame), one.frame.max(two.frame));
        let bodies = (one.body.min(two.body), one.body.max(two.body));
        let is_free = self.tables.allowed.binary_search(&frames).is_err()
            && self.tables.neighbours.binary_search(&bodies).is_err();
        is_free.then(SolverFlags::default)
    }

    /// A driven robot rolls: friction where it stands keeps the velocity that it was given instead of
    /// braking it, as wheels or tracks would, up to the friction there is. On a slope that holds it,
    /// on ice it does not. While it
    /// turns, it rolls without friction: then the velocity alone, set at every step, holds it. What stands on the robot, or touches its sides, rubs as ever.
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        rolling::put_below_axles(context);
        let drives_1 = self.is_driven(context.bodies, context.rigid_body1);
        let drives_2 = self.is_driven(context.bodies, context.rigid_body2);
        // The normal points from the first collider to the second.
        let lift = context.normal.dot(self.up);
        if !self.rolls || !(drives_1 && -lift > SUPPORT || drives_2 && lift > SUPPORT) {
            return;
        }
        let bodies = context.bodies;
        let turns = |handle: Option<RigidBodyHandle>| {
            let body = handle.and_then(|handle| bodies.get(handle));
            body.map_or(0.0, |body| body.angvel().dot(*context.normal))
        };
        // The engine's friction also brakes what turns on the spot, and cannot be told a rate to keep.
        if (turns(context.rigid_body1) - turns(context.rigid_body2)).abs() > TURNING {
            *context.friction = 0.0;
            return;
        }
        let velocity_of = |handle: Option<RigidBodyHandle>, point: Vec3| {
            let body = handle.and_then(|handle| bodies.get(handle));
            body.map_or(Vec3::ZERO, |body| body.velocity_at_point(point))
        };
        for contact in context.solver_contacts.iter_mut() {
            let point = (contact.anchor1 + contact.anchor2) / 2.0;
            let of_1 = velocity_of(context.rigid_body1, point);
            let of_2 = velocity_of(context.rigid_body2, point);
            contact.tangent_velocity = of_2 - of_1;
        }
    }
}
