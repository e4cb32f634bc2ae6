//! Ranges: the values that a number of a setting or command may have.
//!
//! A field's own range is an attribute, `#[reflect(@ValueRange(0.0, 1.0))]`. Without one it has the range of its unit, which is
//! wide enough for every robot and narrow enough for the physics to stay stable.
mod violation;

use std::fmt;

use bevy::{
    prelude::Reflect,
    reflect::{NamedField, PartialReflect, TypeInfo, Typed, structs::Struct},
};

pub use violation::{Violation, range_of, violations};

use super::{Unit, Value, view, walk};

/// The minimum and maximum of a number, both included: `#[reflect(@ValueRange(0.0, 1.0))]`. A maximum of infinity also accepts
/// infinity itself, which a kind may use for "without limit".
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct ValueRange(pub f64, pub f64);

/// Symmetric ranges by unit: the greatest absolute value. Positions reach around the Earth, so that UTM and Earth-centred
/// coordinates are within.
const UNITS: [(&str, f64); 11] = [
    ("m", 1e8),
    ("m/s", 1e4),
    ("m/s²", 1e5),
    ("rad", 1e6),
    ("rad/s", 1e5),
    ("rad or m", 1e6),
    ("rad/s or m/s", 1e4),
    ("N", 1e8),
    ("N·m", 1e8),
    ("N·m or N", 1e8),
    ("N·s", 1e6),
];

/// Range of numbers with any other unit.
const OTHERS: f64 = 1e9;

impl ValueRange {
    /// Returns the range of a field: its own, or that of its unit.
    #[must_use]
    pub fn of(field: &NamedField) -> Self {
        let unit = field.get_attribute::<Unit>().map_or("", |unit| unit.0);
        let own = field.get_attribute::<Self>().copied();
        own.unwrap_or_else(|| Self::of_unit(unit))
    }

    /// Returns the range of numbers with a unit.
    #[must_use]
    pub fn of_unit(unit: &str) -> Self {
        Self::of_known_unit(unit).unwrap_or(Self(-OTHERS, OTHERS))
    }

    fn of_known_unit(unit: &str) -> Option<Self> {
        let known = UNITS.iter().find(|(known, _)| *known == unit);
        known.map(|(_, most)| Self(-most, *most))
    }

    /// Returns true if a number is within the range.
    #[must_use]
    pub fn contains(self, number: f64) -> bool {
        (self.0..=self.1).contains(&number)
    }

    /// Returns a number as people write it: 1e300 would have 301 digits.
    #[must_use]
    pub fn shown(number: f64) -> String {
        let (plain, short) = (number.to_string(), format!("{number:e}"));
        let is_long = plain.trim_start_matches('-').len() > 6 && short.len() < plain.len();
        if is_long { short } else { plain }
    }

    /// Returns true if all numbers in a viewed value are finite and within the range.
    pub(crate) fn accepts(self, value: Value<'_>) -> bool {
        let is_fine = |number: &f64| number.is_finite() && self.contains(*number);
        match value {
            Value::Number(number) => is_fine(&number),
            Value::Numbers(numbers) => numbers.iter().all(is_fine),
            Value::Triples(triples) => triples.as_flattened().iter().all(is_fine),
            Value::Integer(_) | Value::Flag(_) | Value::Text(_) | Value::Texts(_) => true,
            Value::Named(_) | Value::Samples(_) | Value::Dynamic(_) | Value::Other(_) => {
                value.is_finite() && self.violation_in(value).is_none()
            }
        }
    }

    /// Returns the first number in a value that is out of range or not a number.
    #[must_use]
    pub fn violation(self, value: &dyn PartialReflect) -> Option<f64> {
        self.violation_in(view(value))
    }

    /// Returns the first number in a viewed value that is out of range or not a number.
    #[must_use]
    pub fn violation_in(self, value: Value<'_>) -> Option<f64> {
        let first = |numbers: &[f64]| {
            let mut numbers = numbers.iter().copied();
            numbers.find(|number| !self.contains(*number))
        };
        match value {
            Value::Number(number) => first(&[number]),
            Value::Numbers(numbers) => first(numbers),
            Value::Triples(triples) => first(triples.as_flattened()),
            Value::Named(named) => first(&named.values),
            Value::Other(other) => {
                let mut violation = None;
                walk(other, &mut |element| {
                    violation = violation.or_else(|| self.violation(element));
                });
                violation
            }
            Value::Integer(_)
            | Value::Flag(_)
            | Value::Text(_)
            | Value::Texts(_)
            | Value::Samples(_)
            | Value::Dynamic(_) => None,
        }
    }
}

/// Returns the first field of a struct with a number out of range, and that number.
#[must_use]
pub fn violation<T: Struct + Typed>(value: &T) -> Option<(&'static NamedField, f64)> {
    let TypeInfo::Struct(info) = T::type_info() else {
        return None;
    };
    info.iter().enumerate().find_map(|(index, field)| {
        let number = ValueRange::of(field).violation(value.field_at(index)?)?;
        Some((field, number))
    })
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = Self::shown(self.0);
        if self.1 == f64::INFINITY {
            return write!(f, "{least} or more");
        }
        write!(f, "{least} to {}", Self::shown(self.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Reflect)]
    struct Setpoint {
        #[reflect(@Unit("m/s"))]
        v: f64,
        #[reflect(@Unit(""), @ValueRange(-1.0, 1.0))]
        steering: [f64; 3],
        names: Vec<String>,
    }

    fn of(name: &str) -> ValueRange {
        use bevy::reflect::{TypeInfo, Typed as _};
        let TypeInfo::Struct(info) = Setpoint::type_info() else {
            unreachable!("it is a struct")
        };
        ValueRange::of(info.field(name).unwrap())
    }

    #[test]
    fn a_field_has_its_own_range_or_that_of_its_unit() {
        assert_eq!(of("v"), ValueRange(-1e4, 1e4));
        assert_eq!(of("steering"), ValueRange(-1.0, 1.0));
        assert_eq!(of("names"), ValueRange(-1e9, 1e9));
        assert_eq!(of("v").to_string(), "-10000 to 10000");
        assert_eq!(ValueRange(-1e300, 2.5).to_string(), "-1e300 to 2.5");
        assert_eq!(ValueRange(1e-9, 1e8).to_string(), "1e-9 to 1e8");
        assert_eq!(
            ValueRange(0.001, 67_108_864.0).to_string(),
            "0.001 to 67108864"
        );
    }

    #[test]
    fn values_are_accepted_if_all_numbers_are_finite_and_within() {
        let range = ValueRange(0.0, f64::INFINITY);
        let (least, infinite) = (vec![0.0, 1e300], vec![1.0, f64::INFINITY]);
        let triples = vec![[1.0; 3], [0.0, -1.0, 0.0]];
        for (value, is_fine) in [
            (Value::Number(0.5), true),
            (Value::Number(-0.5), false),
            (Value::Number(f64::NAN), false),
            (Value::Numbers(&least), true),
            (Value::Numbers(&infinite), false),
            (Value::Triples(&triples[..1]), true),
            (Value::Triples(&triples), false),
            (Value::Integer(-1), true),
            (Value::Other(&Some(0.5)), true),
            (Value::Other(&Some(-0.5)), false),
        ] {
            assert_eq!(range.accepts(value), is_fine, "{value:?}");
            let is_alike = value.is_finite() && range.violation_in(value).is_none();
            assert_eq!(is_alike, is_fine, "{value:?}");
        }
    }

    #[test]
    fn the_first_number_that_is_not_within_is_reported() {
        let range = of("steering");
        assert_eq!(range.violation(&[0.5, -1.0, 1.0]), None);
        assert_eq!(range.violation(&[0.5, -2.0, 3.0]), Some(-2.0));
        assert_eq!(range.violation(&1.5), Some(1.5));
        assert!(range.violation(&f64::NAN).is_some_and(f64::is_nan));
        assert_eq!(range.violation(&"far".to_owned()), None);
        assert_eq!(range.violation(&vec![[0.0; 3], [0.0, 0.0, 9.0]]), Some(9.0));
    }
}
