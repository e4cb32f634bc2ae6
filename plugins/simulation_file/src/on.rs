//! Carriers that components sit on, as a simulation file names them.

use super::span::Spanned;

/// A component that carries others.
#[derive(Clone, Debug)]
pub struct On {
    /// Its name.
    pub component: Spanned<String>,
    /// Origin of the poses of what it carries.
    pub from: CountedFrom,
}

/// Place of a carrier from which poses count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedFrom {
    /// The place that things are put on: an arm's end, the head of a pan-tilt unit.
    #[default]
    Tip,
    /// The beginning of an arm while all its joints are at zero.
    Base,
}
