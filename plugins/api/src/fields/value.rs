//! Values of fields, seen without their types.
use std::any::TypeId;

use bevy::reflect::{PartialReflect, TypeInfo};

use super::DynamicValue;
use crate::{
    named::Named,
    samples::{AnySamples, Samples},
};

/// Value of a field, seen without its type.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Flag(bool),
    /// Text.
    Text(&'a str),
    /// Numbers: a vector, a quaternion, a list of ranges.
    Numbers(&'a [f64]),
    /// Points or other triples.
    Triples(&'a [[f64; 3]]),
    /// Names.
    Texts(&'a [String]),
    /// Pixels or points, which copies share.
    Samples(&'a dyn AnySamples),
    /// Something known at run time only.
    Dynamic(&'a DynamicValue),
    /// Numbers by names that the scene gives.
    Named(&'a Named),
    /// Anything else, to be walked by reflection.
    Other(&'a dyn PartialReflect),
}

/// Look at the values of one type.
pub(super) type Viewer = for<'a> fn(&'a dyn PartialReflect) -> Value<'a>;

macro_rules! seen {
    ($($type:ty => $view:expr),+ $(,)?) => {
        /// The look at the values of a type.
        pub(super) fn viewer(type_id: TypeId) -> Viewer {
            $(if type_id == TypeId::of::<$type>() {
                return |value| match value.try_downcast_ref::<$type>() {
                    Some(value) => ($view as for<'a> fn(&'a $type) -> Value<'a>)(value),
                    None => Value::Other(value),
                };
            })+
            |value| Value::Other(value)
        }

        /// Tells whether values of a type are something else to [`view`] than parts to be walked.
        pub(crate) fn is_seen(info: &TypeInfo) -> bool {
            false $(|| info.is::<$type>())+
        }
    };
}

/// Looks at a field. Who does so in each tick asks the [`Field`](super::Field), which knows its type.
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
