//! Deserializer of one value of the tree.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer as _, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::trace::{Located, SettingsError, Trace};
use super::{Fields, unknown_field};
use crate::problem::{error, quoted};
use crate::tree::{Field, Kind, Node};

/// A value, and the field to which it belongs.
#[derive(Clone, Copy)]
pub(super) struct Value<'n> {
    pub(super) node: &'n Node,
    pub(super) name: &'n str,
    pub(super) file: SourceId,
    pub(super) trace: &'n Trace,
}

/// Context of named fields in the settings: their span and name.
#[derive(Clone, Copy)]
pub(super) struct Context<'n> {
    pub(super) span: Span,
    pub(super) name: &'n str,
    pub(super) file: SourceId,
    pub(super) trace: &'n Trace,
}

impl Context<'_> {
    /// Records the span of an error, unless a more precise span is recorded already.
    pub(super) fn traced<T>(self, result: Result<T, SettingsError>) -> Result<T, SettingsError> {
        result.inspect_err(|error| {
            self.trace.note(|| Located {
                span: self.span,
                field: self.name.to_owned(),
                actual: "something else".to_owned(),
                error: error.clone(),
                help: None,
            });
        })
    }
}

impl<'n> Value<'n> {
    fn context(self) -> Context<'n> {
        Context {
            span: self.node.span,
            name: self.name,
            file: self.file,
            trace: self.trace,
        }
    }

    pub(super) fn traced<T>(self, result: Result<T, SettingsError>) -> Result<T, SettingsError> {
        result.inspect_err(|error| {
            self.trace.note(|| Located {
                span: self.node.span,
                field: self.name.to_owned(),
                actual: self.node.description(),
                error: error.clone(),
                help: self.remedy(error),
            });
        })
    }

    /// Returns the remedy for a word without quotes where a text is expected, the most frequent error.
    fn remedy(self, error: &SettingsError) -> Option<String> {
        match (&self.node.kind, error) {
            (Kind::Word(word), SettingsError::Wanted(wanted)) if wanted == "a text in quotes" => {
                Some(format!("write {}", quoted(&format!("\"{word}\""))))
            }
            _ => None,
        }
    }

    fn refuse<T>(self, wanted: impl Into<String>) -> Result<T, SettingsError> {
        self.traced(Err(SettingsError::Wanted(wanted.into())))
    }

    fn float<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        match self.node.kind {
            Kind::Float(value) if !value.is_finite() => self.refuse("a finite number"),
            Kind::Float(value) => self.traced(visitor.visit_f64(value)),
            // Integers up to 2⁵³ are exact; further digits are not significant.
            Kind::Integer(value) => self.traced(visitor.visit_f64(value as f64)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn items(self) -> Option<&'n [Node]> {
        self.node.items()
    }

    fn seq<'de, V: Visitor<'de>>(
        self,
        length: Option<usize>,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        let wanted = || match length {
            Some(count) => format!("{count} values in `( )`"),
            None => "a list `[ ]`".to_owned(),
        };
        match self.items() {
            Some(items) if length.is_none_or(|length| length == items.len()) => {
                self.traced(visitor.visit_seq(Items::new(items, self)))
            }
            _ => self.refuse(wanted()),
        }
    }

    /// Returns the name of a value with a name, which can only be a variant.
    fn name(self) -> Option<(&'n str, Span)> {
        match &self.node.kind {
            Kind::Word(word) | Kind::Text(word) => Some((word, self.node.span)),
            Kind::Tuple(Some(name), _) | Kind::Struct(Some(name), _) => {
                Some((&name.value, self.node.name_span()))
            }
            _ => None,
        }
    }
}

/// Visits named fields, and reports unknown and repeated ones.
pub(super) fn struct_map<'de, V: Visitor<'de>>(
    fields: &[Field],
    known: &[&'static str],
    context: Context<'_>,
    visitor: V,
) -> Result<V::Value, SettingsError> {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    let mut wanted = Vec::new();
    for field in fields {
        let name = field.name.value.as_str();
        if let Some(first) = seen.get(name) {
            context.trace.push(twice(field, *first));
        } else if known.contains(&name) {
            wanted.push(field);
        } else {
            let of = quoted(context.name);
            context
                .trace
                .push(unknown_field(field, &of, known.iter().copied()));
        }
        seen.entry(name).or_insert(field.name_span());
    }
    context.traced(visitor.visit_map(Fields::new(wanted, context)))
}

fn twice(field: &Field, first: Span) -> Diagnostic {
    let message = format!("{} is written twice", quoted(&field.name.value));
    error("simulation::duplicate", field.name_span(), message)
        .at(first, "first written here")
        .help("rename or remove one of them")
}

macro_rules! deserialize_with_float {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
            self.float(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = SettingsError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        let result = match &self.node.kind {
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Integer(value) => match (u64::try_from(*value), i64::try_from(*value)) {
                (Ok(value), _) => visitor.visit_u64(value),
                (_, Ok(value)) => visitor.visit_i64(value),
                _ => visitor.visit_i128(*value),
            },
            Kind::Float(value) => visitor.visit_f64(*value),
            Kind::Text(text) => visitor.visit_str(text),
            Kind::Character(c) => visitor.visit_char(*c),
            Kind::Word(word) if word == "None" => visitor.visit_none(),
            Kind::Word(_) | Kind::Tuple(Some(_), _) | Kind::Struct(Some(_), _) => {
                visitor.visit_enum(self)
            }
            Kind::Tuple(None, items) if items.is_empty() => visitor.visit_unit(),
            Kind::List(items) | Kind::Tuple(None, items) => {
                visitor.visit_seq(Items::new(items, self))
            }
            Kind::Struct(None, fields) => {
                visitor.visit_map(Fields::new(fields.iter().collect(), self.context()))
            }
            Kind::Map(pairs) => visitor.visit_map(Pairs::new(pairs, self)),
        };
        self.traced(result)
    }

    deserialize_with_float!(deserialize_f32 deserialize_f64);

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        match &self.node.kind {
            // Shells remove quotes: on the command line a bare word is accepted as a text.
            Kind::Word(word) if self.node.span.source != self.file => {
                self.traced(visitor.visit_str(word))
            }
            Kind::Word(_) => self.refuse("a text in quotes"),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        if self.node.is_none() {
            visitor.visit_none()
        } else {
            self.traced(visitor.visit_some(self))
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        let inner = match &self.node.kind {
            Kind::Tuple(_, items) if items.len() == 1 => items.first(),
            _ => None,
        };
        let node = inner.unwrap_or(self.node);
        self.traced(visitor.visit_newtype_struct(Self { node, ..self }))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        self.seq(None, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        self.seq(Some(length), visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        self.seq(Some(length), visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        match &self.node.kind {
            Kind::Map(pairs) => self.traced(visitor.visit_map(Pairs::new(pairs, self))),
            Kind::Struct(None, _) => self.deserialize_any(visitor),
            _ => self.refuse("a map `{ }`"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        match &self.node.kind {
            Kind::Struct(word, fields) if word.as_ref().is_none_or(|word| word.value == name) => {
                struct_map(fields, known, self.context(), visitor)
            }
            Kind::Tuple(word, items)
                if items.is_empty() && word.as_ref().is_none_or(|word| word.value == name) =>
            {
                struct_map(&[], known, self.context(), visitor)
            }
            _ => self.refuse("named fields in `( )`"),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        match self.name() {
            Some((word, _)) if variants.contains(&word) => self.traced(visitor.visit_enum(self)),
            Some((word, span)) => {
                let result = Err(SettingsError::Variant(word.to_owned(), variants));
                Context {
                    span,
                    ..self.context()
                }
                .traced(result)
            }
            None => self.refuse(format!("one of {}", variants.join(", "))),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        match self.name() {
            Some((word, _)) => self.traced(visitor.visit_str(word)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char bytes byte_buf unit unit_struct
    }
}

/// Values of a list, in sequence.
struct Items<'n> {
    items: std::slice::Iter<'n, Node>,
    whole: Value<'n>,
}

impl<'n> Items<'n> {
    fn new(items: &'n [Node], whole: Value<'n>) -> Self {
        Self {
            items: items.iter(),
            whole,
        }
    }
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = SettingsError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SettingsError> {
        let Some(node) = self.items.next() else {
            return Ok(None);
        };
        seed.deserialize(Value { node, ..self.whole }).map(Some)
    }
}

/// Pairs of a map, in sequence.
struct Pairs<'n> {
    pairs: std::slice::Iter<'n, (Node, Node)>,
    value: Option<&'n Node>,
    whole: Value<'n>,
}

impl<'n> Pairs<'n> {
    fn new(pairs: &'n [(Node, Node)], whole: Value<'n>) -> Self {
        Self {
            pairs: pairs.iter(),
            value: None,
            whole,
        }
    }
}

impl<'de> MapAccess<'de> for Pairs<'_> {
    type Error = SettingsError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SettingsError> {
        let Some((node, value)) = self.pairs.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(Value { node, ..self.whole }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, SettingsError> {
        match self.value.take() {
            Some(node) => seed.deserialize(Value { node, ..self.whole }),
            None => Err(de::Error::custom("the value was requested before its key")),
        }
    }
}

impl<'de> EnumAccess<'de> for Value<'_> {
    type Error = SettingsError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), SettingsError> {
        let (word, _) = self.name().unwrap_or(("", self.node.span));
        let name: de::value::StrDeserializer<'_, SettingsError> = word.into_deserializer();
        Ok((self.traced(seed.deserialize(name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Value<'_> {
    type Error = SettingsError;

    fn unit_variant(self) -> Result<(), SettingsError> {
        match &self.node.kind {
            Kind::Word(_) | Kind::Text(_) => Ok(()),
            _ => self.refuse("a bare word"),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, SettingsError> {
        match &self.node.kind {
            Kind::Tuple(Some(_), items) if items.len() == 1 => match items.first() {
                Some(node) => seed.deserialize(Value { node, ..self }),
                None => self.refuse("one value in `( )`"),
            },
            _ => self.refuse("one value in `( )`"),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        match &self.node.kind {
            Kind::Tuple(Some(_), items) if items.len() == length => {
                self.traced(visitor.visit_seq(Items::new(items, self)))
            }
            _ => self.refuse(format!("{length} values in `( )`")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        match &self.node.kind {
            Kind::Struct(_, fields) => struct_map(fields, known, self.context(), visitor),
            _ => self.refuse("named fields in `( )`"),
        }
    }
}
