//! Axes along which, or about which, a body does not move.

/// Locked world axes of a body. No force, contact or commanded velocity moves its centre of mass along the axes in
/// [`Self::translation`] or turns it about the axes in [`Self::rotation`]. Its pose can still be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locked {
    /// True if translation is locked along x, y and z.
    pub translation: [bool; 3],
    /// True if rotation is locked about x, y and z.
    pub rotation: [bool; 3],
}

impl Locked {
    /// Names of the axes in simulation files.
    pub const WORDS: [(&'static str, Axis); 6] = [
        ("x", Axis::Along(0)),
        ("y", Axis::Along(1)),
        ("z", Axis::Along(2)),
        ("rotation_x", Axis::About(0)),
        ("rotation_y", Axis::About(1)),
        ("rotation_z", Axis::About(2)),
    ];

    /// Returns the axes that are locked in either of the two.
    #[must_use]
    pub fn and(&self, other: Self) -> Self {
        let either =
            |one: [bool; 3], two: [bool; 3]| std::array::from_fn(|axis| one[axis] || two[axis]);
        Self {
            translation: either(self.translation, other.translation),
            rotation: either(self.rotation, other.rotation),
        }
    }

    /// Locks an axis. Returns false if it is locked already.
    pub fn lock(&mut self, axis: Axis) -> bool {
        let slot = match axis {
            Axis::Along(number) => self.translation.get_mut(number),
            Axis::About(number) => self.rotation.get_mut(number),
        };
        slot.is_some_and(|slot| !std::mem::replace(slot, true))
    }
}

/// A translation or rotation, by the index of its world axis: x is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Translation along the axis.
    Along(usize),
    /// Rotation about the axis.
    About(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_an_axis_of_its_own() {
        let mut locked = Locked::default();
        for (word, axis) in Locked::WORDS {
            assert!(locked.lock(axis), "{word}");
            assert!(!locked.lock(axis), "{word} again");
        }
        assert_eq!(
            (locked.translation, locked.rotation),
            ([true; 3], [true; 3])
        );
    }
}
