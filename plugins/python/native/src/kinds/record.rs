//! Settings, data and commands of kinds that are written in Python: structs whose fields are declared at run time.
use std::{any::Any, fmt, marker::PhantomData};

use bevy::{
    prelude::Component,
    reflect::{
        ApplyError, PartialReflect, Reflect, ReflectKind, ReflectMut, ReflectOwned, ReflectRef,
        TypeInfo, TypePath, Typed,
        structs::{FieldIter, Struct, StructInfo, struct_partial_eq},
        utility::GenericTypeInfoCell,
    },
};
use morse_api::state::Stateful;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use super::shape::{Shape, Value};

/// Marks settings.
#[derive(TypePath, Clone, Debug, Default)]
pub(crate) struct Setting;
/// Marks data of sensors.
#[derive(TypePath, Clone, Debug, Default)]
pub(crate) struct Datum;
/// Marks commands of actuators.
#[derive(TypePath, Clone, Debug, Default)]
pub(crate) struct Order;

/// Purpose of a record.
pub(crate) trait Role:
    TypePath + Clone + fmt::Debug + Default + Send + Sync + 'static
{
}

impl Role for Setting {}
impl Role for Datum {}
impl Role for Order {}

/// Values of the fields that a class declares. The default record has no fields.
#[derive(Component, TypePath, Clone, Debug, Default)]
pub(crate) struct Record<R: Role> {
    shape: Option<&'static Shape>,
    pub(crate) values: Vec<Value>,
    #[type_path(ignore)]
    role: PhantomData<R>,
}

impl<R: Role> Record<R> {
    /// Returns the defaults of a class.
    pub(crate) fn new(shape: &'static Shape) -> Self {
        Self {
            shape: Some(shape),
            values: shape.defaults.clone(),
            role: PhantomData,
        }
    }

    /// Iterates over names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let names = self.shape.map_or(&[][..], |shape| shape.names);
        names.iter().copied().zip(&self.values)
    }
}

impl<R: Role> Stateful for Record<R> {}

impl<R: Role> Serialize for Record<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.shape.map(|shape| shape.id), &self.values).serialize(serializer)
    }
}

/// Reads what [`Record::serialize`] wrote, in the same process.
impl<'de, R: Role> Deserialize<'de> for Record<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (id, values) = <(Option<usize>, Vec<Value>)>::deserialize(deserializer)?;
        let unknown = || D::Error::custom("the class is of another process");
        let shape = id.map(|id| Shape::by_id(id).ok_or_else(unknown));
        Ok(Self {
            shape: shape.transpose()?,
            values,
            role: PhantomData,
        })
    }
}

/// Reads the fields of a shape from a simulation file; fields that are left out have their defaults.
pub(crate) fn read<'de, R: Role, D: Deserializer<'de>>(
    shape: &'static Shape,
    deserializer: D,
) -> Result<Record<R>, D::Error> {
    let mut record = Record::new(shape);
    let fields = Fields(shape, &mut record.values);
    deserializer.deserialize_struct("Settings", shape.names, fields)?;
    Ok(record)
}

struct Fields<'v>(&'static Shape, &'v mut [Value]);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("settings of a kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(shape, values) = self;
        let mut is_set = vec![false; values.len()];
        while let Some(name) = map.next_key::<String>()? {
            let index = shape.index_of(&name);
            let slot = index.and_then(|index| Some((index, values.get_mut(index)?)));
            let Some((index, value)) = slot else {
                map.next_value::<IgnoredAny>()?;
                return Err(A::Error::unknown_field(&name, shape.names));
            };
            if std::mem::replace(&mut is_set[index], true) {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
            map.next_value_seed(Like(value))?;
        }
        Ok(())
    }
}

/// Reads a value of the same type.
struct Like<'v>(&'v mut Value);

impl<'de> DeserializeSeed<'de> for Like<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        match self.0 {
            Value::Number(number) => *number = Deserialize::deserialize(source)?,
            Value::Integer(integer) => *integer = Deserialize::deserialize(source)?,
            Value::Flag(flag) => *flag = Deserialize::deserialize(source)?,
            Value::Text(text) => *text = Deserialize::deserialize(source)?,
            Value::Vector(vector) => *vector = Deserialize::deserialize(source)?,
            Value::Numbers(numbers) => *numbers = Deserialize::deserialize(source)?,
            Value::Texts(texts) => *texts = Deserialize::deserialize(source)?,
        }
        Ok(())
    }
}

impl<R: Role> Typed for Record<R> {
    fn type_info() -> &'static TypeInfo {
        static CELL: GenericTypeInfoCell = GenericTypeInfoCell::new();
        CELL.get_or_insert::<Self, _>(|| TypeInfo::Struct(StructInfo::new::<Self>(&[])))
    }
}

impl<R: Role> Struct for Record<R> {
    fn field(&self, name: &str) -> Option<&dyn PartialReflect> {
        self.field_at(self.index_of_name(name)?)
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut dyn PartialReflect> {
        self.field_at_mut(self.index_of_name(name)?)
    }

    fn field_at(&self, index: usize) -> Option<&dyn PartialReflect> {
        self.values.get(index).map(Value::as_reflect)
    }

    fn field_at_mut(&mut self, index: usize) -> Option<&mut dyn PartialReflect> {
        self.values.get_mut(index).map(Value::as_reflect_mut)
    }

    fn name_at(&self, index: usize) -> Option<&str> {
        self.shape?.names.get(index).copied()
    }

    fn index_of_name(&self, name: &str) -> Option<usize> {
        self.shape?.index_of(name)
    }

    fn field_len(&self) -> usize {
        self.values.len()
    }

    fn iter_fields(&self) -> FieldIter<'_> {
        FieldIter::new(self)
    }
}

impl<R: Role> PartialReflect for Record<R> {
    fn get_represented_type_info(&self) -> Option<&'static TypeInfo> {
        Some(self.shape.map_or_else(Self::type_info, |shape| shape.info))
    }

    fn into_partial_reflect(self: Box<Self>) -> Box<dyn PartialReflect> {
        self
    }

    fn as_partial_reflect(&self) -> &dyn PartialReflect {
        self
    }

    fn as_partial_reflect_mut(&mut self) -> &mut dyn PartialReflect {
        self
    }

    fn try_into_reflect(self: Box<Self>) -> Result<Box<dyn Reflect>, Box<dyn PartialReflect>> {
        Ok(self)
    }

    fn try_as_reflect(&self) -> Option<&dyn Reflect> {
        Some(self)
    }

    fn try_as_reflect_mut(&mut self) -> Option<&mut dyn Reflect> {
        Some(self)
    }

    fn try_apply(&mut self, value: &dyn PartialReflect) -> Result<(), ApplyError> {
        for (name, value) in value.reflect_ref().as_struct()?.iter_fields() {
            if let Some(field) = self.field_mut(name) {
                field.try_apply(value)?;
            }
        }
        Ok(())
    }

    fn reflect_kind(&self) -> ReflectKind {
        ReflectKind::Struct
    }

    fn reflect_ref(&self) -> ReflectRef<'_> {
        ReflectRef::Struct(self)
    }

    fn reflect_mut(&mut self) -> ReflectMut<'_> {
        ReflectMut::Struct(self)
    }

    fn reflect_owned(self: Box<Self>) -> ReflectOwned {
        ReflectOwned::Struct(self)
    }

    fn reflect_partial_eq(&self, value: &dyn PartialReflect) -> Option<bool> {
        struct_partial_eq(self, value)
    }
}

impl<R: Role> Reflect for Record<R> {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_reflect(self: Box<Self>) -> Box<dyn Reflect> {
        self
    }

    fn as_reflect(&self) -> &dyn Reflect {
        self
    }

    fn as_reflect_mut(&mut self) -> &mut dyn Reflect {
        self
    }

    fn set(&mut self, value: Box<dyn Reflect>) -> Result<(), Box<dyn Reflect>> {
        *self = value.take()?;
        Ok(())
    }
}
