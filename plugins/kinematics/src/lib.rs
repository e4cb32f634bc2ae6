//! Kinematic chains: the joints of an arm, forward and inverse kinematics.
//!
//! - [`chain`]: joints of the scene, and forward kinematics;
//! - [`inverse`]: joint positions for a pose of the tip;
//! - here: steps of limited speed.
pub mod chain;
pub mod inverse;

pub use chain::{Chain, Joint, Tip};
pub use inverse::{Goal, METRES_PER_RADIAN, Solver};

/// Returns a value moved towards another one by at most a step, and not past it.
#[must_use]
pub fn approach(from: f64, to: f64, step: f64) -> f64 {
    let difference = to - from;
    if difference.abs() <= step {
        to
    } else {
        from + step.copysign(difference)
    }
}
