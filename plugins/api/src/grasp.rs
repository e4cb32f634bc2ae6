//! Bodies that hold other bodies: the interface of grippers and hands to the physics.
use bevy::prelude::*;

/// Reason why a body cannot be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotHold {
    /// One of the two is not a body of this world, or both are the same.
    #[error("these are not two bodies")]
    NoBodies,
    /// Physics does not move it.
    #[error("physics does not move it")]
    NotDynamic,
    /// Another body holds it already.
    #[error("it is held already")]
    Held,
    /// Physics lost one of the two bodies; a warning reported it.
    #[error("physics lost it")]
    Lost,
}

/// Functions of the physics that hold bodies, in worlds that have them.
#[derive(Resource, Clone, Copy)]
pub struct Holding {
    /// Checks whether a body (first) could hold another one.
    pub can_hold: fn(&World, Entity, Entity) -> Result<(), CannotHold>,
    /// Fixes the second body to the first one, at a frame of it, where they are now: holder, frame, held body.
    pub hold: fn(&mut World, Entity, Entity, Entity) -> Result<(), CannotHold>,
    /// Releases the second body.
    pub let_go: fn(&mut World, Entity, Entity),
}

/// Checks whether a body could be held by another one: it moves by forces, and no other body holds it.
///
/// # Errors
///
/// The reason why it cannot be held.
pub fn can_hold(world: &World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    let holding = world.get_resource::<Holding>();
    (holding.ok_or(CannotHold::NoBodies)?.can_hold)(world, holder, held)
}

/// Fixes a body to another one at their present relative pose. Both keep their masses, and pass through each other. The force
/// acts on a frame of the holder, which counts for sensors of forces.
///
/// # Errors
///
/// The body cannot be held.
pub fn hold(
    world: &mut World,
    holder: Entity,
    frame: Entity,
    held: Entity,
) -> Result<(), CannotHold> {
    let holding = world.get_resource::<Holding>();
    (holding.ok_or(CannotHold::NoBodies)?.hold)(world, holder, frame, held)
}

/// Releases a body, which keeps its velocity. Does nothing if the holder does not hold it.
pub fn let_go(world: &mut World, holder: Entity, held: Entity) {
    if let Some(holding) = world.get_resource::<Holding>().copied() {
        (holding.let_go)(world, holder, held);
    }
}
