//! The fields of a reading or command: names, units, levels, and access to their numbers without names.
//!
//! A field contains a number, a flag, text, a vector, a list or map of such values, a struct, or a [`DynamicValue`], whose
//! form is determined at run time. Maps are ordered, so that equal data have equal bits.
mod assign;
pub mod dynamic;
pub mod range;
mod value;

use std::any::TypeId;

use bevy::{
    prelude::*,
    reflect::{PartialReflect, ReflectRef, TypeInfo, Typed, map::MapInfo, structs::Struct},
};

use serde_json::Value as Json;

pub use assign::assign_map;
pub use dynamic::DynamicValue;
use range::ValueRange;
pub(crate) use value::is_seen;
pub use value::{Value, view};
use value::{Viewer, viewer};

pub use crate::attributes::{Fixed, Flat, Levels, Unit};
use crate::{
    hasher::StateHasher,
    json::{number_to_json, numbers_to_json},
    property::{Form, Property, form_of},
    samples::base64_text,
};

/// One field of a data type.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, as exported.
    pub name: &'static str,
    /// Index in the struct: `data.field_at(index)`.
    pub index: usize,
    /// Rust type.
    pub type_id: TypeId,
    /// Reflected information about the type.
    pub info: Option<&'static TypeInfo>,
    /// Short name of the type.
    pub type_name: &'static str,
    /// Unit, if one is given.
    pub unit: Option<&'static str>,
    /// Documentation.
    pub docs: Option<&'static str>,
    /// Levels at which it exists; `None` for all.
    pub levels: Option<&'static [&'static str]>,
    /// Name in MORSE, if MORSE has this setting.
    pub property: Option<&'static str>,
    /// Form of the value in MORSE, if it differs from that of simulation files.
    pub form: Option<Form>,
    /// Range of its numbers, for commands and settings.
    pub range: ValueRange,
    /// True if the field has a range of its own; otherwise the range is that of its unit.
    pub has_own_range: bool,
    /// True for a map whose entries are exported in its place.
    pub is_flat: bool,
    /// True if it is no measurement (see [`Fixed`]).
    pub is_fixed: bool,
    viewer: Viewer,
}

impl Field {
    /// Returns the value of the field in some data of its type. Faster than [`view`], for repeated access.
    #[must_use]
    pub fn view<'a>(&self, data: &'a dyn Struct) -> Option<Value<'a>> {
        Some(self.view_value(data.field_at(self.index)?))
    }

    /// Returns the value of the field, seen without its type.
    #[inline]
    #[must_use]
    pub fn view_value<'a>(&self, value: &'a dyn PartialReflect) -> Value<'a> {
        (self.viewer)(value)
    }
}

/// The fields of a data type that exist at one level, in the order they are exported.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    /// Returns the fields of a struct at a level; all fields if `level` is `None`.
    #[must_use]
    pub fn of(info: &'static TypeInfo, level: Option<&str>) -> Self {
        let TypeInfo::Struct(info) = info else {
            return Self::default();
        };
        let fields = info.iter().enumerate().map(|(index, field)| Field {
            name: plain_name(field.name()),
            index,
            type_id: field.type_id(),
            info: field.type_info(),
            type_name: field.type_path_table().short_path(),
            unit: field.get_attribute::<Unit>().map(|unit| unit.0),
            docs: field.docs().map(str::trim),
            levels: field.get_attribute::<Levels>().map(|levels| levels.0),
            property: field.get_attribute::<Property>().map(|name| name.0),
            form: form_of(field),
            range: ValueRange::of(field),
            has_own_range: field.has_attribute::<ValueRange>(),
            is_flat: field.has_attribute::<Flat>(),
            is_fixed: field.has_attribute::<Fixed>(),
            viewer: viewer(field.type_id()),
        });
        Self(fields.filter(|field| exists_at(field, level)).collect())
    }

    /// Returns the fields of `T` at a level.
    #[must_use]
    pub fn of_type<T: Typed>(level: Option<&str>) -> Self {
        Self::of(T::type_info(), level)
    }

    /// Returns the field of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|field| field.name == name)
    }

    /// Returns the field of that name, if it contains a `T`.
    #[must_use]
    pub fn of_kind<T: 'static>(&self, name: &str) -> Option<&Field> {
        self.get(name)
            .filter(|field| field.type_id == TypeId::of::<T>())
    }
}

impl Fields {
    /// Returns the field of this name, for iterations in the order of the struct: faster than [`get`](Self::get) if it has
    /// the given index here.
    pub(crate) fn get_near(&self, index: usize, name: &str) -> Option<&Field> {
        let here = self.0.get(index).filter(|field| field.name == name);
        here.or_else(|| self.get(name))
    }

    /// Returns the indices of fields that each contain a number.
    ///
    /// # Errors
    ///
    /// One of them is missing or contains something else.
    pub fn numbers<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], BindError> {
        self.indices_of::<f64, N>(names, "number")
    }

    /// Returns the indices of fields that each contain a vector of three numbers.
    ///
    /// # Errors
    ///
    /// One of them is missing or contains something else.
    pub fn vectors<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], BindError> {
        self.indices_of::<[f64; 3], N>(names, "vector of three numbers")
    }

    /// Returns the indices of fields that each contain a length in metres. The `x` of a position is one, that of a magnetic
    /// field is not.
    ///
    /// # Errors
    ///
    /// One of them is missing or contains something else.
    pub fn lengths<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], BindError> {
        let indices = self.numbers(names)?;
        for name in names {
            if self.get(name).is_none_or(|field| field.unit != Some("m")) {
                return Err(BindError::needs(format!("a number `{name}` in metres")));
            }
        }
        Ok(indices)
    }

    /// Returns the indices of `x`, `y` and `z` if they are a position in the scene, and not relative to the robot's start as
    /// in odometry, where velocities stand beside them.
    ///
    /// # Errors
    ///
    /// They are no position.
    pub fn position(&self) -> Result<[usize; 3], BindError> {
        match self.lengths(["x", "y", "z"]) {
            Ok(indices) if self.get("vx").is_none() => Ok(indices),
            _ => Err(BindError::needs(
                "a position in the scene: numbers `x`, `y` and `z` in metres",
            )),
        }
    }

    /// Sets the units of the fields with these indices.
    pub fn set_units(&mut self, indices: &[usize], units: &[&'static str]) {
        for (index, unit) in indices.iter().zip(units) {
            for field in self.0.iter_mut().filter(|field| field.index == *index) {
                field.unit = Some(unit);
            }
        }
    }

    fn indices_of<T: 'static, const N: usize>(
        &self,
        names: [&str; N],
        noun: &str,
    ) -> Result<[usize; N], BindError> {
        let mut indices = [0; N];
        for (index, name) in indices.iter_mut().zip(names) {
            let field = self.of_kind::<T>(name);
            *index = field
                .ok_or_else(|| BindError::needs(format!("a {noun} `{name}`")))?
                .index;
        }
        Ok(indices)
    }
}

/// A modifier does not fit the data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it needs {needs}")]
pub struct BindError {
    /// The fields that the modifier requires.
    pub needs: String,
}

impl BindError {
    /// Returns the error of a modifier that requires fields such as "`x`, `y` and `z`".
    #[must_use]
    pub fn needs(fields: impl Into<String>) -> Self {
        Self {
            needs: fields.into(),
        }
    }
}

/// Returns the exported name of a field: Rust's prefix for keywords, as in `r#type`, is removed.
#[must_use]
pub fn plain_name(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Returns the field with an index for writing, if it contains a `T`.
pub fn at_mut<T: Reflect>(data: &mut dyn Struct, index: usize) -> Option<&mut T> {
    data.field_at_mut(index)?.try_downcast_mut()
}

fn exists_at(field: &Field, level: Option<&str>) -> bool {
    match (field.levels, level) {
        (Some(levels), Some(level)) => levels.contains(&level),
        _ => true,
    }
}

/// Adds the raw bits of a field's value to a hash.
pub fn hash(value: &dyn PartialReflect, hasher: &mut StateHasher) {
    hash_value(view(value), hasher);
}

/// Adds the raw bits of a value to a hash.
pub(crate) fn hash_value(value: Value<'_>, hasher: &mut StateHasher) {
    match value {
        Value::Number(number) => hasher.f64(number),
        Value::Integer(integer) => hasher.u64(u64::from_ne_bytes(integer.to_ne_bytes())),
        Value::Flag(flag) => hasher.bytes(&[u8::from(flag)]),
        Value::Text(text) => hash_text(text, hasher),
        Value::Numbers(numbers) => {
            hasher.u64(numbers.len() as u64);
            hasher.f64s(numbers);
        }
        Value::Triples(triples) => {
            hasher.u64(triples.len() as u64);
            hasher.f64s(triples.as_flattened());
        }
        Value::Texts(texts) => {
            hasher.u64(texts.len() as u64);
            texts.iter().for_each(|text| hash_text(text, hasher));
        }
        Value::Named(named) => {
            hasher.u64(named.values.len() as u64);
            hasher.f64s(&named.values);
        }
        Value::Samples(samples) => {
            hasher.u64(samples.count() as u64);
            hasher.bytes(&samples.digest().to_le_bytes());
        }
        Value::Dynamic(dynamic) => hasher.value(dynamic),
        Value::Other(other) => {
            // The lengths separate adjacent lists.
            match other.reflect_ref() {
                ReflectRef::List(list) => hasher.u64(list.len() as u64),
                ReflectRef::Map(map) => hasher.u64(map.len() as u64),
                _ => {}
            }
            walk(other, &mut |element| hash(element, hasher));
        }
    }
}

fn hash_text(text: &str, hasher: &mut StateHasher) {
    hasher.u64(text.len() as u64);
    hasher.bytes(text.as_bytes());
}

/// Returns a field as JSON; numbers as in [`number_to_json`], pixels and points as base64.
#[must_use]
pub fn to_json(value: &dyn PartialReflect) -> Json {
    value_to_json(view(value))
}

/// Returns a value as JSON.
fn value_to_json(value: Value<'_>) -> Json {
    match value {
        Value::Number(number) => number_to_json(number),
        Value::Integer(integer) => integer.into(),
        Value::Flag(flag) => flag.into(),
        Value::Text(text) => text.into(),
        Value::Numbers(numbers) => numbers_to_json(numbers),
        Value::Triples(triples) => triples
            .iter()
            .map(|triple| numbers_to_json(triple))
            .collect(),
        Value::Texts(texts) => texts.into(),
        Value::Samples(samples) => base64_text(samples).into(),
        Value::Dynamic(dynamic) => dynamic.to_json(),
        Value::Named(named) => {
            let entries = named.iter();
            Json::Object(
                entries
                    .map(|(name, value)| (name.to_owned(), number_to_json(value)))
                    .collect(),
            )
        }
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Struct(fields) => {
                let fields = fields
                    .iter_fields()
                    .map(|(name, field)| (plain_name(name).to_owned(), to_json(field)));
                Json::Object(fields.collect())
            }
            ReflectRef::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (key_text(key), to_json(value)));
                Json::Object(entries.collect())
            }
            ReflectRef::Enum(variant) if variant.field_len() == 0 => variant.variant_name().into(),
            _ => {
                let mut list = Vec::new();
                walk(other, &mut |element| list.push(to_json(element)));
                list.into()
            }
        },
    }
}

/// Returns the value of a field from JSON; `None` if the JSON does not fit. Vectors and quaternions may also be objects with
/// `x`, `y`, `z` (and `w`).
#[must_use]
pub fn from_json(field: &Field, json: &Json) -> Option<Box<dyn PartialReflect>> {
    let coordinates = ["x", "y", "z", "w"].map(|name| json.get(name).cloned());
    let listed = match coordinates {
        [Some(x), Some(y), Some(z), Some(w)] => Json::Array(vec![x, y, z, w]),
        [Some(x), Some(y), Some(z), None] => Json::Array(vec![x, y, z]),
        _ => json.clone(),
    };
    macro_rules! read_as {
        ($($type:ty),+ $(,)?) => {
            $(if field.type_id == TypeId::of::<$type>() {
                let value = serde_json::from_value::<$type>(listed).ok()?;
                return Some(Box::new(value));
            })+
        };
    }
    read_as! {
        f64, bool, String, [f64; 2], [f64; 3], [f64; 4], Vec<f64>, Vec<[f64; 3]>, Vec<String>,
        Option<f64>, Option<[f64; 3]>, u8, u32, u64, i32, i64, f32,
    }
    None
}

/// Returns the fields of some data as one JSON object, as they are exported. Named numbers and the entries of flat maps
/// stand beside the other fields.
#[must_use]
pub fn data_to_json(fields: &Fields, data: &dyn Struct) -> Json {
    let mut object = serde_json::Map::new();
    for field in &fields.0 {
        let Some(value) = field.view(data) else {
            continue;
        };
        match value_to_json(value) {
            Json::Object(entries) if field.is_flat || matches!(value, Value::Named(_)) => {
                object.extend(entries);
            }
            value => {
                object.insert(field.name.to_owned(), value);
            }
        }
    }
    Json::Object(object)
}

/// Returns the key of a map as text.
#[must_use]
pub fn key_text(key: &dyn PartialReflect) -> String {
    match view(key) {
        Value::Text(text) => text.to_owned(),
        Value::Integer(integer) => integer.to_string(),
        _ => format!("{key:?}"),
    }
}

/// Returns true if maps of a type iterate in a defined order.
#[must_use]
pub fn is_sorted_map(info: &MapInfo) -> bool {
    info.type_path()
        .starts_with("alloc::collections::BTreeMap<")
}

/// Returns true if all numbers of a value are finite.
#[must_use]
pub fn is_finite(value: &dyn PartialReflect) -> bool {
    view(value).is_finite()
}

/// Visits the components of a struct, list, tuple, map or enum.
pub fn walk(value: &dyn PartialReflect, visit: &mut dyn FnMut(&dyn PartialReflect)) {
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => fields.iter_fields().for_each(|(_, field)| visit(field)),
        ReflectRef::TupleStruct(fields) => fields.iter_fields().for_each(visit),
        ReflectRef::Tuple(elements) => elements.iter_fields().for_each(visit),
        ReflectRef::List(elements) => elements.iter().for_each(visit),
        ReflectRef::Array(elements) => elements.iter().for_each(visit),
        ReflectRef::Map(entries) => entries.iter().for_each(|(key, value)| {
            visit(key);
            visit(value);
        }),
        ReflectRef::Enum(variant) => {
            visit(&variant.variant_name().to_owned());
            variant.iter_fields().for_each(|field| visit(field.value()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
