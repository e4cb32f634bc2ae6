//! Mechanisms: trees of joints in reduced coordinates, in double precision; one coordinate per joint, no drift, no
//! compliance.
//!
//! Independent of the engine and of the ECS. In reading order:
//! - [`number`]: `f64`, or four of them; `linear`: vectors and matrices of numbers; [`spatial`]: velocities, forces, inertias
//!   and poses of rigid bodies;
//! - [`tree`]: links and joints; [`state`]: positions and velocities;
//! - [`workspace`]: workspace, forward kinematics, Jacobians, centre of mass;
//! - [`dynamics`]: inverse dynamics (RNEA), mass matrix (CRBA), forward dynamics; [`factor`]: LTDL factorisation;
//! - `articulated`: articulated-body factorisation; `equations`: choice between the two;
//! - `changes`: bound of the motion of links;
//! - [`step`]: time step of a tree, with motors, friction and limits;
//! - [`island`]: time step of trees and free bodies with contacts;
//! - [`joint_forces`]: forces that joints transmit in a step;
//! - [`lanes`]: several equal trees at the same time.
mod articulated;
mod changes;
pub mod dynamics;
mod equations;
pub mod factor;
pub mod island;
pub mod joint_forces;
pub mod lanes;
mod linear;
pub mod number;
pub mod spatial;
pub mod state;
pub mod step;
pub mod tree;
pub mod workspace;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod test_run;

pub use spatial::{Force, Inertia, Motion, Pose};
pub use state::State;
pub use tree::{Axis, Joint, Link, Tree, TreeError, Variable};
pub use workspace::{Base, Workspace};
