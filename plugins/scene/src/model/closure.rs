//! Closures of kinematic loops: constraints between two frames besides the tree of joints.
use serde::{Deserialize, Serialize};

use super::{Origin, Scene};

/// A constraint between two frames that no joint connects: it closes a loop of joints, or connects two mechanisms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopClosure {
    /// Directions that are constrained.
    pub kind: ClosureKind,
    /// Names of the two frames.
    pub frames: [String; 2],
    /// Source position of the statement.
    #[serde(skip)]
    pub source: Origin,
}

/// Directions that a closure constrains. The names are those of MuJoCo's equality constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClosureKind {
    /// The origins of the frames coincide: a ball joint. A hinge of a planar linkage is one, too.
    Connect,
    /// The frames coincide, with their axes.
    Weld,
}

impl ClosureKind {
    /// All kinds, by their keywords.
    pub const WORDS: [(&'static str, Self); 2] = [("connect", Self::Connect), ("weld", Self::Weld)];

    /// Returns the keyword of the scene language and of simulation files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Weld => "weld",
        }
    }
}

impl Scene {
    /// Returns all loop closures, in the order of declaration. Their frames need not exist; a world is not built then.
    #[must_use]
    pub fn closures(&self) -> &[LoopClosure] {
        &self.closures
    }

    /// Adds a loop closure at the end.
    pub fn add_closure(&mut self, closure: LoopClosure) {
        self.closures.push(closure);
    }
}
