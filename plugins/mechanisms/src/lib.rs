//! Trees of joints in reduced coordinates, in double precision: one number a joint, no drift, no softness.
//!
//! Nothing here knows an engine or an entity. In reading order:
//! - [`spatial`]: velocities, forces, inertias and poses of rigid bodies;
//! - [`tree`]: links and the joints between them; [`state`]: their positions and speeds;
//! - [`work`]: the memory of the calculations, poses, Jacobians, the centre of mass;
//! - [`dynamics`]: inverse and forward dynamics, the mass matrix; [`factor`]: its factors;
//! - [`step`]: a step of time, with motors, friction and limits;
//! - [`island`]: a step of trees and free bodies that touch each other.
pub mod dynamics;
pub mod factor;
pub mod island;
pub mod spatial;
pub mod state;
pub mod step;
pub mod tree;
pub mod work;

#[cfg(test)]
mod reference;

pub use spatial::{Force, Inertia, Motion, Pose};
pub use state::State;
pub use tree::{Axis, Joint, Link, Tree, TreeError, Variable};
pub use work::{Base, Work};
