//! Values of fields, seen without their types.
use std::any::TypeId;

use bevy::reflect::{PartialReflect, TypeInfo};

use super::{DynamicValue, walk};
use crate::{
    named::Named,
    samples::{AnySamples, Samples},
};

/// Value of a field, seen without its type.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A number.
    Number(f64),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Flag(bool),
    /// Text.
    Text(&'a str),
    /// A list of numbers: a vector, a quaternion, ranges.
    Numbers(&'a [f64]),
    /// Points or other triples.
    Triples(&'a [[f64; 3]]),
    /// Names.
    Texts(&'a [String]),
    /// Pixels or points, which copies share.
    Samples(&'a dyn AnySamples),
    /// A value whose form is determined at run time.
    Dynamic(&'a DynamicValue),
    /// Numbers with names that the scene gives.
    Named(&'a Named),
    /// Any other value, visited by reflection.
    Other(&'a dyn PartialReflect),
}

impl Value<'_> {
    /// Returns true if all numbers of the value are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Number(number) => number.is_finite(),
            Self::Numbers(numbers) => numbers.iter().all(|number| number.is_finite()),
            Self::Triples(triples) => triples.iter().flatten().all(|number| number.is_finite()),
            Self::Named(named) => named.values.iter().all(|number| number.is_finite()),
            Self::Integer(_) | Self::Flag(_) | Self::Text(_) | Self::Texts(_) => true,
            Self::Samples(samples) => samples.is_finite(),
            Self::Dynamic(dynamic) => dynamic.is_finite(),
            Self::Other(other) => {
                let mut is_finite = true;
                walk(*other, &mut |element| {
                    is_finite &= view(element).is_finite();
                });
                is_finite
            }
        }
    }
}

/// Function that returns the values of one type.
pub(super) type Viewer = for<'a> fn(&'a dyn PartialReflect) -> Value<'a>;

macro_rules! seen {
    ($($type:ty => $view:expr),+ $(,)?) => {
        /// Returns the viewer for values of a type.
        pub(super) fn viewer(type_id: TypeId) -> Viewer {
            $(if type_id == TypeId::of::<$type>() {
                return |value| match value.try_downcast_ref::<$type>() {
                    Some(value) => ($view as for<'a> fn(&'a $type) -> Value<'a>)(value),
                    None => Value::Other(value),
                };
            })+
            |value| Value::Other(value)
        }

        /// Returns true if [`view`] returns values of a type as a whole, and not as a value to be visited by reflection.
        pub(crate) fn is_seen(info: &TypeInfo) -> bool {
            false $(|| info.is::<$type>())+
        }
    };
}

/// Returns the value of a field. For access in each tick, [`Field::view`](super::Field::view) is faster, since its type is
/// resolved.
#[must_use]
pub fn view(value: &dyn PartialReflect) -> Value<'_> {
    match value.try_as_reflect() {
        Some(whole) => viewer(whole.as_any().type_id())(value),
        None => Value::Other(value),
    }
}

seen! {
    f64 => |v| Value::Number(*v),
    [f64; 3] => |v| Value::Numbers(v),
    bool => |v| Value::Flag(*v),
    Vec<f64> => |v| Value::Numbers(v),
    Vec<[f64; 3]> => |v| Value::Triples(v),
    [f64; 4] => |v| Value::Numbers(v),
    [f64; 2] => |v| Value::Numbers(v),
    String => |v| Value::Text(v),
    Vec<String> => |v| Value::Texts(v),
    Named => |v| Value::Named(v),
    i64 => |v| Value::Integer(*v),
    i32 => |v| Value::Integer(i64::from(*v)),
    u32 => |v| Value::Integer(i64::from(*v)),
    u8 => |v| Value::Integer(i64::from(*v)),
    u16 => |v| Value::Integer(i64::from(*v)),
    u64 => |v| Value::Integer(i64::from_ne_bytes(v.to_ne_bytes())),
    usize => |v| Value::Integer(i64::from_ne_bytes((*v as u64).to_ne_bytes())),
    i8 => |v| Value::Integer(i64::from(*v)),
    i16 => |v| Value::Integer(i64::from(*v)),
    f32 => |v| Value::Number(f64::from(*v)),
    DynamicValue => |v| Value::Dynamic(v),
    [[f64; 3]; 3] => |v| Value::Triples(v),
    Samples<u8> => |v| Value::Samples(v),
    Samples<u16> => |v| Value::Samples(v),
    Samples<f32> => |v| Value::Samples(v),
}
