//! Values of expressions, with Python's semantics.

use std::{cmp::Ordering, collections::BTreeMap, fmt};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

impl Value {
    /// Returns the value of a text: a number, a boolean, or the text itself.
    pub(super) fn of_text(text: &str) -> Self {
        let trimmed = text.trim();
        let quoted = |quote: char| {
            let inner = trimmed.strip_prefix(quote)?.strip_suffix(quote)?;
            (!inner.contains(quote)).then(|| inner.to_owned())
        };
        if trimmed.len() >= 2
            && let Some(inner) = quoted('\'').or_else(|| quoted('"'))
        {
            return Self::Text(inner);
        }
        let is_number =
            |letter: char| letter.is_ascii_digit() || ['+', '-', '.', 'e', 'E'].contains(&letter);
        if trimmed.starts_with(|letter: char| {
            letter.is_ascii_digit() || ['+', '-', '.'].contains(&letter)
        }) && trimmed.chars().all(is_number)
        {
            if let Ok(number) = trimmed.parse() {
                return Self::Int(number);
            }
            if let Ok(number) = trimmed.parse() {
                return Self::Float(number);
            }
        }
        match trimmed {
            "true" | "True" => Self::Bool(true),
            "false" | "False" => Self::Bool(false),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// Returns the value that the text represents, if the value is a text.
    pub(super) fn literal(self) -> Self {
        match self {
            Self::Text(text) => Self::of_text(&text),
            other => other,
        }
    }

    /// Compares two numbers or two texts.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            _ => self.number()?.partial_cmp(&other.number()?),
        }
    }

    /// Returns the value as a number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value as an integer, if it is one.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Bool(truth) => Some(i64::from(*truth)),
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns true if the value counts as true in a condition.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(truth) => *truth,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
        }
    }

    /// Returns the name of the type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a dictionary",
        }
    }

    /// Formats the value as an item of a list: texts in quotes.
    fn quoted(&self) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => f.write_str(&float(*number)),
            Self::Text(text) => f.write_str(text),
            Self::List(list) => {
                let items: Vec<String> = list.iter().map(Self::quoted).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Map(map) => {
                let items = map.iter();
                let items: Vec<String> = items
                    .map(|(key, value)| format!("'{key}': {}", value.quoted()))
                    .collect();
                write!(f, "{{{}}}", items.join(", "))
            }
        }
    }
}

/// Returns the shortest text that parses to the same number, in Python's format.
fn float(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && number.is_finite() && !(1e-4..1e16).contains(&size) {
        let text = format!("{number:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) => match exponent.strip_prefix('-') {
                Some(exponent) => format!("{digits}e-{exponent:0>2}"),
                None => format!("{digits}e+{exponent:0>2}"),
            },
            None => text,
        };
    }
    let text = format!("{number}");
    match number.is_finite() && !text.contains('.') {
        true => text + ".0",
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_python() {
        for (number, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e-5, "1e-05"),
            (1.5e16, "1.5e+16"),
            (123_456.0, "123456.0"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(Value::Float(number).to_string(), text);
        }
    }

    #[test]
    fn texts_stand_for_values() {
        assert_eq!(Value::of_text(" 5 "), Value::Int(5));
        assert_eq!(Value::of_text("-.5e1"), Value::Float(-5.0));
        assert_eq!(Value::of_text("true"), Value::Bool(true));
        assert_eq!(Value::of_text("'5'"), Value::Text("5".into()));
        for plain in ["0 0 1", "nan", "inf", "1_000", "base_link", "e", "-"] {
            assert_eq!(Value::of_text(plain), Value::Text(plain.into()), "{plain}");
        }
    }
}
