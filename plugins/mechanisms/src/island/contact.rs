//! Contacts and welds of an island.
use nalgebra::Vector3;

use crate::spatial::{Force, Motion};

/// One side of a contact or weld.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A body with prescribed motion; its velocity at the point, m/s.
    Prescribed(Vector3<f64>),
    /// A link of a member.
    Link {
        /// Index of the member.
        member: usize,
        /// Index of the link in its tree.
        link: usize,
    },
    /// Index of a free body.
    Body(usize),
}

/// A contact point, or a point where two surfaces are close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The sides in contact.
    pub sides: [Side; 2],
    /// The sides on which friction acts: equal to `sides`, except for a driven robot, where it acts on its base instead of a
    /// wheel.
    pub friction_sides: [Side; 2],
    /// Position in the world in the middle of the step, m.
    pub point: Vector3<f64>,
    /// Unit normal from the first side to the second.
    pub normal: Vector3<f64>,
    /// Normal velocity at the end of the step, m/s, if the contact was active: on entry that of the last step, on return
    /// that of this step.
    pub separation_velocity: Option<f64>,
    /// Tangential velocity of the second side relative to the first at the end of the step, m/s: on entry that of the last
    /// step, or `None` if the contact is driven; on return that of this step. Used where friction has held a free body.
    pub slip: Option<Vector3<f64>>,
    /// Gap along the normal in the middle of the step, m; negative for a penetration.
    pub distance: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Target of the tangential velocity of the second side relative to the first, m/s.
    pub tangent_velocity: Vector3<f64>,
    /// Stiffness relative to the other contacts of the same two bodies: the part of a line or face for which this point
    /// stands.
    pub share: f64,
    /// Impulse on the second side, world axes, N·s: on entry that of the last step (warm start), on return that of this
    /// step.
    pub impulse: Vector3<f64>,
}

/// A constraint that fixes two sides to each other, in some or all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weld {
    /// Holder and held side.
    pub sides: [Side; 2],
    /// Position in the world, m.
    pub point: Vector3<f64>,
    /// Deviation of the second side from its target, m and rad.
    pub error: Motion,
    /// True for each translation and rotation along world axes that is constrained.
    pub holds: [bool; 6],
    /// Angular velocity of the second side relative to the first as far as sides are prescribed, world axes, rad/s.
    pub turning: Vector3<f64>,
    /// Velocity of the second side relative to the first at `point`, world axes, m/s and rad/s: on entry that at the end of
    /// the last step, on return that of this step. `None` if the sides are to have equal velocities at the end of the step
    /// (a grasp, whose sides may meet at any velocity, and whose holder may be moved past physics), `Some` if they are to be
    /// symmetric about its middle, which conserves energy.
    pub velocity: Option<Motion>,
    /// Impulse on the second side about `point`, world axes, N·s and N·m·s: on return that of this step.
    pub impulse: Force,
}
