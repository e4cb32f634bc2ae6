//! Values of expressions, as components of data.
use bevy::reflect::{PartialReflect, ReflectRef};
use morse_api::fields::{DynamicValue, Value, key_text, view};
use morse_diagnostics::printable;

/// A scalar value in a tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Number(f64),
    Flag(bool),
    Text(String),
}

impl Scalar {
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Flag(_) => "`true` or `false`",
            Self::Text(_) => "a text",
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", rounded(*number)),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Text(text) => write!(f, "'{}'", printable(text)),
        }
    }
}

/// Rounds to six digits, for messages.
fn rounded(number: f64) -> String {
    let plain = format!("{number}");
    if plain.len() <= 9 || !number.is_finite() {
        return plain;
    }
    let decimals = match number.abs() {
        size if !(1e-4..1e9).contains(&size) => return format!("{number:.5e}"),
        size if size >= 1e4 => 2,
        size if size >= 1.0 => 5,
        _ => 6,
    };
    format!("{number:.decimals$}")
}

/// Failure to resolve a component of a value.
pub(super) enum Lack {
    /// The component does not exist in any tick.
    Never(String),
    /// The component does not exist in this tick: a list may be longer in another one.
    Now(String),
}

/// Returns a component of a value: one number, flag or text.
pub(super) fn scalar_at(value: &dyn PartialReflect, steps: &[String]) -> Result<Scalar, Lack> {
    let Some((step, rest)) = steps.split_first() else {
        return whole(value);
    };
    let no_entry = || Lack::Never(format!("there is no part `{}`", printable(step)));
    match view(value) {
        Value::Numbers(numbers) => {
            let is_fixed = matches!(value.reflect_ref(), ReflectRef::Array(_));
            item(numbers, step, is_fixed).map(|number| Scalar::Number(*number))
        }
        Value::Triples(triples) => {
            let is_fixed = matches!(value.reflect_ref(), ReflectRef::Array(_));
            scalar_at(item(triples, step, is_fixed)?, rest)
        }
        Value::Texts(texts) => item(texts, step, false).map(|text| Scalar::Text(text.clone())),
        Value::Named(named) => named.get(step).map(Scalar::Number).ok_or_else(no_entry),
        Value::Dynamic(dynamic) => dynamic_scalar_at(dynamic, steps),
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Struct(fields) => scalar_at(fields.field(step).ok_or_else(no_entry)?, rest),
            ReflectRef::Map(map) => {
                let entry = map.iter().find(|(key, _)| key_text(*key) == *step);
                let missing = || Lack::Now(format!("there is no entry `{}`", printable(step)));
                scalar_at(entry.ok_or_else(missing)?.1, rest)
            }
            ReflectRef::List(list) => {
                let element = index(step)?.and_then(|index| list.get(index));
                scalar_at(element.ok_or_else(|| too_short(step, list.len()))?, rest)
            }
            ReflectRef::Array(list) => {
                let element = index(step)?.and_then(|index| list.get(index));
                scalar_at(element.ok_or_else(no_entry)?, rest)
            }
            _ => Err(no_entry()),
        },
        Value::Number(_) | Value::Integer(_) | Value::Flag(_) | Value::Text(_) => Err(no_entry()),
        Value::Samples(_) => Err(Lack::Never("pixels and points have no parts here".into())),
    }
}

/// Returns a value that is a single number, flag or text.
fn whole(value: &dyn PartialReflect) -> Result<Scalar, Lack> {
    let several = |what: &str| {
        Err(Lack::Never(format!(
            "it is {what}: add an index or a name, as in `.0`"
        )))
    };
    match view(value) {
        Value::Number(number) => Ok(Scalar::Number(number)),
        Value::Integer(number) => Ok(Scalar::Number(number as f64)),
        Value::Flag(flag) => Ok(Scalar::Flag(flag)),
        Value::Text(text) => Ok(Scalar::Text(text.to_owned())),
        Value::Dynamic(dynamic) => dynamic_scalar_at(dynamic, &[]),
        Value::Numbers(numbers) => several(&format!("a list of {} numbers", numbers.len())),
        Value::Triples(_) | Value::Texts(_) => several("a list"),
        Value::Named(_) => several("numbers by name"),
        Value::Samples(_) => several("an image or a cloud"),
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Enum(word) if word.field_len() == 0 => {
                Ok(Scalar::Text(word.variant_name().to_owned()))
            }
            _ => several("made of several parts"),
        },
    }
}

fn dynamic_scalar_at(value: &DynamicValue, steps: &[String]) -> Result<Scalar, Lack> {
    let missing = |step: &str| Lack::Now(format!("there is no part `{}`", printable(step)));
    match (value, steps.split_first()) {
        (DynamicValue::Number(number), None) => Ok(Scalar::Number(*number)),
        (DynamicValue::Integer(number), None) => Ok(Scalar::Number(*number as f64)),
        (DynamicValue::Flag(flag), None) => Ok(Scalar::Flag(*flag)),
        (DynamicValue::Text(text), None) => Ok(Scalar::Text(text.clone())),
        (DynamicValue::Numbers(numbers), Some((step, []))) => {
            item(numbers, step, false).map(|number| Scalar::Number(*number))
        }
        (DynamicValue::List(list), Some((step, rest))) => {
            dynamic_scalar_at(item(list, step, false)?, rest)
        }
        (DynamicValue::Map(entries), Some((step, rest))) => {
            let entry = entries.iter().find(|(name, _)| name == step);
            dynamic_scalar_at(&entry.ok_or_else(|| missing(step))?.1, rest)
        }
        (_, Some((step, _))) => Err(missing(step)),
        (_, None) => Err(Lack::Now("it is made of several parts".to_owned())),
    }
}

fn index(step: &str) -> Result<Option<usize>, Lack> {
    match step.parse() {
        Ok(index) => Ok(Some(index)),
        Err(_) => Err(Lack::Never(format!(
            "it is a list: an index is wanted instead of `{}`, counted from 0",
            printable(step)
        ))),
    }
}

fn item<'l, T>(list: &'l [T], step: &str, is_fixed: bool) -> Result<&'l T, Lack> {
    let item = index(step)?.and_then(|index| list.get(index));
    item.ok_or_else(|| match (is_fixed, too_short(step, list.len())) {
        (true, Lack::Now(why) | Lack::Never(why)) => Lack::Never(why),
        (false, lack) => lack,
    })
}

fn too_short(step: &str, count: usize) -> Lack {
    Lack::Now(format!(
        "there is no part {step}: it has {count}, counted from 0"
    ))
}
