//! Bodies that hold other bodies: what grippers and hands ask of the physics.
use bevy::prelude::*;

/// Reason why a body cannot be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotHold {
    /// One of the two is no body of this world, or both are the same.
    #[error("these are not two bodies")]
    NoBodies,
    /// Physics does not move it.
    #[error("physics does not move it")]
    NotDynamic,
    /// Somebody holds it already.
    #[error("it is held already")]
    Held,
    /// Physics lost one of the two: see the warning that told so.
    #[error("physics lost it")]
    Lost,
}

/// The physics' way of holding bodies, in worlds that have it.
#[derive(Resource, Clone, Copy)]
pub struct Holding {
    /// Finds out whether a body (first) could hold another one.
    pub can_hold: fn(&World, Entity, Entity) -> Result<(), CannotHold>,
    /// Fixes the second body to the first one where they are now.
    pub hold: fn(&mut World, Entity, Entity) -> Result<(), CannotHold>,
    /// Lets the second body go.
    pub let_go: fn(&mut World, Entity, Entity),
}

/// Finds out whether a body could be held by another one: it moves by forces, and nobody holds it.
///
/// # Errors
///
/// Why not.
pub fn can_hold(world: &World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    let holding = world.get_resource::<Holding>();
    (holding.ok_or(CannotHold::NoBodies)?.can_hold)(world, holder, held)
}

/// Fixes a body to another one where they are now. Both keep their masses, and pass through each other.
///
/// # Errors
///
/// When it cannot be held.
pub fn hold(world: &mut World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    let holding = world.get_resource::<Holding>();
    (holding.ok_or(CannotHold::NoBodies)?.hold)(world, holder, held)
}

/// Lets a body go, which keeps its velocity. Nothing happens if it is not held by that holder.
pub fn let_go(world: &mut World, holder: Entity, held: Entity) {
    if let Some(holding) = world.get_resource::<Holding>().copied() {
        (holding.let_go)(world, holder, held);
    }
}
