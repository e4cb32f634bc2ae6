//! Ranges of the numbers of files: every number that a file may hold has one.
use std::fmt;

use morse_api::range::Range;

/// Values that a number of a file may have: wide enough for every robot, and narrow enough that physics, which
/// reckons in single precision, can bear them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
    /// The smallest magnitude of a number that is not zero; below it, physics takes a number for zero.
    pub smallest: f64,
}

impl Bounds {
    /// Any number, for what is only carried along.
    pub const ANY: Self = Self::between(f64::MIN, f64::MAX);

    /// From the least to the greatest, both included.
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        Self {
            least,
            most,
            smallest: 0.0,
        }
    }

    /// As far from zero in either direction.
    #[must_use]
    pub const fn within(most: f64) -> Self {
        Self::between(-most, most)
    }

    /// Zero, or from the smallest to the greatest.
    #[must_use]
    pub const fn zero_or(smallest: f64, most: f64) -> Self {
        Self {
            smallest,
            ..Self::between(0.0, most)
        }
    }

    /// The same, where numbers that are not zero have at least a magnitude.
    #[must_use]
    pub const fn no_smaller_than(self, smallest: f64) -> Self {
        Self { smallest, ..self }
    }

    /// Tells whether a number is within.
    #[must_use]
    pub fn contains(self, number: f64) -> bool {
        let is_zero = number.abs() <= 0.0;
        (self.least..=self.most).contains(&number) && (is_zero || number.abs() >= self.smallest)
    }

    /// The first of some numbers that is not within.
    #[must_use]
    pub fn violation(self, numbers: &[f64]) -> Option<f64> {
        let mut numbers = numbers.iter().copied();
        numbers.find(|number| !self.contains(*number))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most, smallest] = [self.least, self.most, self.smallest].map(Range::shown);
        if *self == Self::ANY {
            f.write_str("finite")
        } else if self.smallest <= 0.0 {
            write!(f, "from {least} to {most}")
        } else if self.least < 0.0 {
            write!(f, "0, or from {smallest} to {most} in magnitude")
        } else {
            write!(f, "0, or from {smallest} to {most}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_say_what_they_hold() {
        for (bounds, inside, outside, said) in [
            (
                Bounds::between(0.0, 1.0),
                [0.0, 1.0],
                [-1e-9, 1.1],
                "from 0 to 1",
            ),
            (
                Bounds::within(1e8),
                [-1e8, 1e-320],
                [1.1e8, f64::NAN],
                "from -1e8 to 1e8",
            ),
            (
                Bounds::zero_or(1e-9, 5.0),
                [0.0, 1e-9],
                [1e-320, -1.0],
                "0, or from 1e-9 to 5",
            ),
            (
                Bounds::within(10.0).no_smaller_than(0.5),
                [-0.5, 0.0],
                [0.1, f64::INFINITY],
                "0, or from 0.5 to 10 in magnitude",
            ),
        ] {
            assert!(
                inside.iter().all(|number| bounds.contains(*number)),
                "{said}"
            );
            assert_eq!(bounds.violation(&[inside[0], outside[0]]), Some(outside[0]));
            assert!(
                outside.iter().all(|number| !bounds.contains(*number)),
                "{said}"
            );
            assert_eq!(bounds.to_string(), said);
        }
    }
}
