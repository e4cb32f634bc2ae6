//! Values whose form is determined at run time, such as the data of other components.
use bevy::{
    prelude::*,
    reflect::{PartialReflect, ReflectRef, structs::Struct},
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Fields, Value, key_text, plain_name, view, walk};
use crate::json::numbers_to_json;
pub use crate::json::{no_json_number, number_to_json};
use crate::samples::{Block, base64_text};

/// Name of the time of a reading (s), exported beside its fields.
pub(crate) const TIMESTAMP: &str = "timestamp";

/// A number, a flag, text, or lists and maps of these.
#[derive(Reflect, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[reflect(opaque)]
pub enum DynamicValue {
    /// A number.
    Number(f64),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Flag(bool),
    /// Text.
    Text(String),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// Pixels or points.
    Samples(Block),
    /// An ordered list of values.
    List(Vec<DynamicValue>),
    /// Named values, in the order in which they are exported.
    Map(Vec<(String, DynamicValue)>),
}

/// An empty map.
impl Default for DynamicValue {
    fn default() -> Self {
        Self::Map(Vec::new())
    }
}

impl DynamicValue {
    /// Returns the exported fields of some data.
    #[must_use]
    pub fn of_data(fields: &Fields, data: &dyn Struct) -> Self {
        let mut dynamic = Self::default();
        dynamic.set_data(fields, data);
        dynamic
    }

    /// Copies the exported fields of some data. Nothing is allocated while their names stay the same.
    pub fn set_data(&mut self, fields: &Fields, data: &dyn Struct) {
        self.set_map(entries_of(fields, data));
    }

    /// Copies a reading: `timestamp` (s) and the exported fields.
    pub fn set_reading(&mut self, seconds: f64, fields: &Fields, data: &dyn Struct) {
        let time = std::iter::once((TIMESTAMP, seconds.as_partial_reflect()));
        self.set_map(time.chain(entries_of(fields, data)));
    }

    fn set_map<'v>(&mut self, entries: impl Iterator<Item = (&'v str, &'v dyn PartialReflect)>) {
        let Self::Map(map) = self else {
            *self = Self::default();
            return self.set_map(entries);
        };
        let mut count = 0;
        for (index, (name, value)) in entries.enumerate() {
            count = index + 1;
            match map.get_mut(index) {
                Some((known, dynamic)) => {
                    if known != name {
                        name.clone_into(known);
                    }
                    dynamic.set(value);
                }
                None => map.push((name.to_owned(), Self::of(value))),
            }
        }
        map.truncate(count);
    }

    /// Returns a reflected value as a dynamic one.
    #[must_use]
    pub fn of(value: &dyn PartialReflect) -> Self {
        let mut dynamic = Self::default();
        dynamic.set(value);
        dynamic
    }

    /// Copies a reflected value.
    pub fn set(&mut self, value: &dyn PartialReflect) {
        match view(value) {
            Value::Number(number) => *self = Self::Number(number),
            Value::Integer(integer) => *self = Self::Integer(integer),
            Value::Flag(flag) => *self = Self::Flag(flag),
            Value::Text(text) => match self {
                Self::Text(own) => text.clone_into(own),
                _ => *self = Self::Text(text.to_owned()),
            },
            Value::Numbers(numbers) => match self {
                Self::Numbers(own) => numbers.clone_into(own),
                _ => *self = Self::Numbers(numbers.to_vec()),
            },
            Value::Triples(triples) => {
                let lists = triples.iter().map(|triple| Self::Numbers(triple.to_vec()));
                *self = Self::List(lists.collect());
            }
            Value::Texts(texts) => {
                *self = Self::List(texts.iter().cloned().map(Self::Text).collect());
            }
            Value::Samples(samples) => *self = Self::Samples(samples.block()),
            Value::Dynamic(dynamic) => self.clone_from(dynamic),
            Value::Named(named) => {
                let entries = named.iter();
                let entries = entries.map(|(name, number)| (name.to_owned(), Self::Number(number)));
                *self = Self::Map(entries.collect());
            }
            Value::Other(other) => self.set_other(other),
        }
    }

    fn set_other(&mut self, other: &dyn PartialReflect) {
        match other.reflect_ref() {
            ReflectRef::Struct(fields) => self.set_map(
                fields
                    .iter_fields()
                    .map(|(name, field)| (plain_name(name), field)),
            ),
            ReflectRef::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (key_text(key), Self::of(value)));
                *self = Self::Map(entries.collect());
            }
            ReflectRef::Enum(word) if word.field_len() == 0 => {
                *self = Self::Text(word.variant_name().to_owned());
            }
            _ => {
                let mut list = Vec::new();
                walk(other, &mut |element| list.push(Self::of(element)));
                *self = Self::List(list);
            }
        }
    }

    /// Returns the value as JSON; numbers as in [`number_to_json`].
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Number(number) => number_to_json(*number),
            Self::Integer(integer) => (*integer).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Numbers(numbers) => numbers_to_json(numbers),
            Self::Samples(block) => base64_text(block.any()).into(),
            Self::List(list) => list.iter().map(Self::to_json).collect(),
            Self::Map(map) => {
                let entries = map
                    .iter()
                    .map(|(name, value)| (name.clone(), value.to_json()));
                Json::Object(entries.collect())
            }
        }
    }

    /// Returns true if all its numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Number(number) => number.is_finite(),
            Self::Numbers(numbers) => numbers.iter().all(|number| number.is_finite()),
            Self::Integer(_) | Self::Flag(_) | Self::Text(_) => true,
            Self::Samples(block) => block.any().is_finite(),
            Self::List(list) => list.iter().all(Self::is_finite),
            Self::Map(map) => map.iter().all(|(_, value)| value.is_finite()),
        }
    }
}

/// Returns the exported fields of some data. Named numbers stand beside the other fields.
fn entries_of<'d>(
    fields: &'d Fields,
    data: &'d dyn Struct,
) -> impl Iterator<Item = (&'d str, &'d dyn PartialReflect)> {
    let values = fields.0.iter().filter_map(|field| {
        let value = data.field_at(field.index)?;
        Some((field.name, value))
    });
    values.flat_map(|(name, value)| {
        let (named, own) = match view(value) {
            Value::Named(named) => (Some(named), None),
            _ => (None, Some((name, value))),
        };
        let named = named.into_iter().flat_map(|named| {
            let values = named.values.iter().map(PartialReflect::as_partial_reflect);
            named.names.iter().map(String::as_str).zip(values)
        });
        named.chain(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::Named;

    #[derive(Reflect)]
    struct Data {
        x: f64,
        name: String,
        points: Vec<[f64; 3]>,
        velocity: [f64; 3],
        silent: u32,
    }

    #[test]
    fn numbers_with_names_stand_beside_the_other_fields() {
        #[derive(Reflect)]
        struct Arm {
            load: f64,
            joints: Named,
        }
        let mut joints = Named::zero(vec!["shoulder".to_owned(), "elbow".to_owned()]);
        joints.values = vec![0.5, -1.0];
        let data = Arm { load: 2.0, joints };
        let dynamic = DynamicValue::of_data(&Fields::of_type::<Arm>(None), &data);
        let expected = serde_json::json!({ "load": 2.0, "shoulder": 0.5, "elbow": -1.0 });
        assert_eq!(dynamic.to_json(), expected);
    }

    #[test]
    fn data_are_taken_over_whatever_was_there() {
        let data = Data {
            x: 1.5,
            name: "a".into(),
            points: vec![[1.0, 2.0, 3.0]],
            velocity: [0.0, 1.0, 0.0],
            silent: 7,
        };
        let mut fields = Fields::of_type::<Data>(None);
        fields.0.truncate(4);
        let expected = serde_json::json!({
            "x": 1.5, "name": "a", "points": [[1.0, 2.0, 3.0]], "velocity": [0.0, 1.0, 0.0],
        });
        let mut dynamic = DynamicValue::of_data(&fields, &data);
        assert_eq!(dynamic.to_json(), expected);
        dynamic.set_data(&fields, &data);
        assert_eq!(dynamic.to_json(), expected);
        let mut used = DynamicValue::Map(vec![("y".into(), DynamicValue::Flag(true)); 9]);
        used.set_data(&fields, &data);
        assert_eq!(used, dynamic);
        let mut used = DynamicValue::Number(3.0);
        used.set_data(&fields, &data);
        assert_eq!(used, dynamic);
        let bytes = postcard::to_stdvec(&dynamic).unwrap();
        assert_eq!(
            postcard::from_bytes::<DynamicValue>(&bytes).unwrap(),
            dynamic
        );
    }
}
