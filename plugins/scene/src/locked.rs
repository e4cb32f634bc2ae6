//! Axes along which, or about which, a body does not move.

/// Axes of the world that a body is locked on: no force, contact or commanded velocity moves it along those of
/// [`Self::translation`], as far as its centre of mass goes, or turns it about those of [`Self::rotation`]. It can still
/// be put elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locked {
    /// Along x, y and z.
    pub translation: [bool; 3],
    /// About x, y and z.
    pub rotation: [bool; 3],
}

impl Locked {
    /// The words of simulation files, each with its axis.
    pub const WORDS: [(&'static str, Axis); 6] = [
        ("x", Axis::Along(0)),
        ("y", Axis::Along(1)),
        ("z", Axis::Along(2)),
        ("rotation_x", Axis::About(0)),
        ("rotation_y", Axis::About(1)),
        ("rotation_z", Axis::About(2)),
    ];

    /// Axes that either locks.
    #[must_use]
    pub fn and(&self, other: Self) -> Self {
        let either = |one: [bool; 3], two: [bool; 3]| std::array::from_fn(|at| one[at] || two[at]);
        Self {
            translation: either(self.translation, other.translation),
            rotation: either(self.rotation, other.rotation),
        }
    }

    /// Locks an axis; false if it is locked already.
    pub fn lock(&mut self, axis: Axis) -> bool {
        let slot = match axis {
            Axis::Along(number) => self.translation.get_mut(number),
            Axis::About(number) => self.rotation.get_mut(number),
        };
        slot.is_some_and(|slot| !std::mem::replace(slot, true))
    }
}

/// An axis of the world by its number: x is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Translation along it.
    Along(usize),
    /// Rotation about it.
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
