//! Reference of a component to the component that carries it.

use super::span::Spanned;

/// A component that carries others.
#[derive(Clone, Debug)]
pub struct On {
    /// Name of the carrier.
    pub component: Spanned<String>,
    /// Origin of the poses of the carried components.
    pub from: CountedFrom,
}

/// Point of a carrier that is the origin of the poses of the carried components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedFrom {
    /// The carrier's plate: the end of an arm, the head of a pan-tilt unit.
    #[default]
    Tip,
    /// The base of an arm, with all joints at zero.
    Base,
}
