//! Settings of kinds: a serde deserializer of the tree that keeps source spans.

mod trace;
mod value;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use serde::de::{self, Deserializer, IntoDeserializer as _, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::problem::{Problems, Wording as _, error, quoted};
use super::tree::{Field, Kind, Node};
use super::vocabulary::{Family, Fault, Vocabulary};
use crate::model::Settings;
use trace::{SettingsError, Trace};
use value::{Context, Value};

/// Maximum number of errors that are reported in the settings of one component.
const MOST_ATTEMPTS: usize = 16;

/// Description of a component that contains the settings of its kind.
pub(super) struct Written<'n> {
    pub(super) family: Family,
    pub(super) word: &'n str,
    /// Span of the kind's name, at which absent fields are reported.
    pub(super) kind: Span,
    /// Fields that are not common to all kinds.
    pub(super) own: Vec<&'n Field>,
    /// Common fields, which a kind can read too.
    pub(super) common: Vec<&'n Field>,
    /// Names of all common fields.
    pub(super) common_names: &'n [&'static str],
    /// Simulation file.
    pub(super) file: SourceId,
}

/// Reads the settings of a kind; reports all errors in them.
pub(super) fn read(
    mut written: Written<'_>,
    vocabulary: &dyn Vocabulary,
    problems: &mut Problems,
) -> Settings {
    let mut left_out = Vec::new();
    for _ in 0..MOST_ATTEMPTS {
        let trace = Trace::default();
        let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(Top {
            written: &written,
            trace: &trace,
        });
        let result = vocabulary.read(written.family, written.word, &mut erased);
        let (unknown, first) = trace.into_results();
        for problem in unknown {
            problems.push(problem);
        }
        let failure = match result {
            Ok(settings) => {
                for fault in vocabulary.faults(written.family, written.word, &settings) {
                    problems.push(fault_at_its_span(&fault, &written));
                }
                return Settings(settings);
            }
            Err(failure) => first.unwrap_or_else(|| SettingsError::other(written.kind, &failure)),
        };
        let span = failure.span;
        if !failure.is_missing_one_of(&left_out) {
            problems.push(failure.worded(written.word));
        }
        // An error in one field must not hide those in the others: continue without that field.
        let field = take_with(&mut written.own, span);
        let Some(field) = field.or_else(|| take_with(&mut written.common, span)) else {
            break;
        };
        left_out.push(field.name.value.clone());
    }
    Settings::default()
}

/// Returns the error for an invalid value in otherwise valid settings, at the span of the value, or at the kind's name if
/// the value has no span.
fn fault_at_its_span(fault: &Fault, written: &Written<'_>) -> Diagnostic {
    let mut steps = fault.path.iter();
    let first = steps.next();
    let mut fields = written.own.iter().chain(&written.common);
    let field = fields.find(|field| Some(&field.name.value) == first);
    let span = field.map_or(written.kind, |field| {
        steps
            .try_fold(&field.value, |node, step| element(node, step).ok_or(node))
            .unwrap_or_else(|last| last)
            .span
    });
    let (name, word) = (quoted(&fault.path.join(".")), quoted(written.word));
    let message = format!("{name} of {word}: {}", fault.message);
    error("simulation::out-of-range", span, message).label(format!("expected {}", fault.wanted))
}

/// Returns the element of a value with this name, index or key.
fn element<'n>(node: &'n Node, step: &str) -> Option<&'n Node> {
    match &node.kind {
        Kind::Struct(_, fields) => {
            let field = fields.iter().find(|field| field.name.value == step);
            field.map(|field| &field.value)
        }
        Kind::List(items) | Kind::Tuple(_, items) => items.get(step.parse::<usize>().ok()?),
        Kind::Map(pairs) => {
            let pair = pairs.iter().find(|(key, _)| match &key.kind {
                Kind::Text(text) | Kind::Word(text) => text == step,
                Kind::Integer(number) => number.to_string() == step,
                _ => false,
            });
            pair.map(|(_, value)| value)
        }
        _ => None,
    }
}

/// Removes the field that contains a span.
fn take_with<'n>(fields: &mut Vec<&'n Field>, span: Span) -> Option<&'n Field> {
    let holds = |whole: Span| {
        whole.source == span.source && whole.start <= span.start && span.end <= whole.end
    };
    let at_fault = |field: &&Field| holds(field.name_span()) || holds(field.value.span);
    let index = fields.iter().position(at_fault)?;
    Some(fields.remove(index))
}

/// The settings as a whole.
struct Top<'n> {
    written: &'n Written<'n>,
    trace: &'n Trace,
}

impl<'n> Top<'n> {
    fn context(&self) -> Context<'n> {
        Context {
            span: self.written.kind,
            name: self.written.word,
            file: self.written.file,
            trace: self.trace,
        }
    }

    /// Reports the fields that the settings do not have.
    fn refuse_unknown(&self, known: &[&'static str]) {
        let common = self.written.common_names;
        // A kind that declares a common field itself, such as `level`, has it in both lists.
        let own = || known.iter().filter(|name| !common.contains(name));
        let names = || common.iter().chain(own()).copied();
        for field in &self.written.own {
            if !known.contains(&field.name.value.as_str()) {
                let (family, word) = (self.written.family.noun(), quoted(self.written.word));
                self.trace
                    .push(unknown_field(field, &format!("{family} {word}"), names()));
            }
        }
    }
}

/// Returns the error `unknown field …`, with the known fields.
fn unknown_field<'k>(field: &Field, of: &str, known: impl Iterator<Item = &'k str>) -> Diagnostic {
    let name = &field.name.value;
    let message = format!("unknown field {} of {of}", quoted(name));
    error("simulation::unknown-field", field.name_span(), message).known(name, known)
}

impl<'de> Deserializer<'de> for Top<'_> {
    type Error = SettingsError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        let fields = self.written.own.clone();
        let result = visitor.visit_map(Fields::new(fields, self.context()));
        self.context().traced(result)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        self.refuse_unknown(known);
        let fields = self.written.own.iter().chain(&self.written.common);
        let fields = fields
            .filter(|field| known.contains(&field.name.value.as_str()))
            .copied()
            .collect();
        let result = visitor.visit_map(Fields::new(fields, self.context()));
        self.context().traced(result)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        self.refuse_unknown(&[]);
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SettingsError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingsError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

/// Named fields, in sequence.
struct Fields<'n> {
    fields: std::vec::IntoIter<&'n Field>,
    value: Option<&'n Field>,
    context: Context<'n>,
}

impl<'n> Fields<'n> {
    fn new(fields: Vec<&'n Field>, context: Context<'n>) -> Self {
        Self {
            fields: fields.into_iter(),
            value: None,
            context,
        }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = SettingsError;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SettingsError> {
        self.value = self.fields.next();
        let Some(field) = self.value else {
            return Ok(None);
        };
        let name: de::value::StrDeserializer<'_, SettingsError> =
            field.name.value.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, SettingsError> {
        match self.value.take() {
            Some(field) => {
                let value = Value {
                    node: &field.value,
                    name: &field.name.value,
                    file: self.context.file,
                    trace: self.context.trace,
                };
                // A kind may refuse a value that was read without error.
                value.traced(seed.deserialize(value))
            }
            None => Err(de::Error::custom("the value was requested before its name")),
        }
    }
}
