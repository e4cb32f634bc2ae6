//! Chains of joints: which joints an arm has, from root to tip, and where they put its end.
//!
//! - [`chain`]: the joints, found in the scene, and forward kinematics;
//! - [`inverse`]: from a pose of the end to the joints;
//! - here: steps of limited speed, which all joints are moved by.
pub mod chain;
pub mod inverse;

pub use chain::{Chain, Joint, Tip};
pub use inverse::{Goal, METRES_PER_RADIAN, Solver};

/// A value that is moved towards another by at most a step, and never past it.
#[must_use]
pub fn approach(from: f64, to: f64, step: f64) -> f64 {
    let way = to - from;
    if way.abs() <= step {
        to
    } else {
        from + step.copysign(way)
    }
}
