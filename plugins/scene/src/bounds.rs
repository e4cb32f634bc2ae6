//! Ranges of numbers in input files: every number has one.
use std::fmt;

use morse_api::range::ValueRange;

/// Range of the values of a number in an input file: wide enough for every robot, and narrow enough for physics in single
/// precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Minimum.
    pub least: f64,
    /// Maximum.
    pub most: f64,
    /// Smallest magnitude of a number that is not zero; physics would treat a smaller number as zero.
    pub smallest: f64,
}

impl Bounds {
    /// All finite numbers, for values that no calculation uses.
    pub const ANY: Self = Self::between(f64::MIN, f64::MAX);

    /// Returns the range from a minimum to a maximum, both included.
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        Self {
            least,
            most,
            smallest: 0.0,
        }
    }

    /// Returns the range from `-most` to `most`.
    #[must_use]
    pub const fn within(most: f64) -> Self {
        Self::between(-most, most)
    }

    /// Returns the range that consists of zero and the interval from the smallest to the greatest number.
    #[must_use]
    pub const fn zero_or(smallest: f64, most: f64) -> Self {
        Self {
            smallest,
            ..Self::between(0.0, most)
        }
    }

    /// Returns the range with a minimum magnitude of the numbers that are not zero.
    #[must_use]
    pub const fn no_smaller_than(self, smallest: f64) -> Self {
        Self { smallest, ..self }
    }

    /// Returns true if the number is within the range.
    #[must_use]
    pub fn contains(self, number: f64) -> bool {
        let is_zero = number.abs() <= 0.0;
        (self.least..=self.most).contains(&number) && (is_zero || number.abs() >= self.smallest)
    }

    /// Returns the first of the numbers that is out of range.
    #[must_use]
    pub fn violation(self, numbers: &[f64]) -> Option<f64> {
        let mut numbers = numbers.iter().copied();
        numbers.find(|number| !self.contains(*number))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most, smallest] = [self.least, self.most, self.smallest].map(ValueRange::shown);
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
