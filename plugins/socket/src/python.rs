//! JSON in the format of Python's `json`: separators `", "` and `": "`, escaped non-ASCII characters, and `NaN` and
//! `Infinity` for numbers that JSON lacks.
use std::io::Write as _;

use bevy::reflect::{PartialReflect, ReflectRef};
use morse_api::{
    dynamic::{no_json_number, number_to_json},
    fields::{DynamicValue, Value, key_text, plain_name, view, walk},
    reading::{Reading, SensorInfo},
};
use serde_json::Value as Json;

use crate::image::{self, ImageEncoding};

/// Writes a JSON value.
pub fn write(out: &mut Vec<u8>, value: &Json) {
    match value {
        Json::Null => out.extend(b"null"),
        Json::Bool(flag) => write_flag(out, *flag),
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => write_number(out, float),
            _ => display(out, number),
        },
        Json::String(text) => write_text(out, text),
        Json::Array(items) => write_list(out, items, write),
        Json::Object(fields) => {
            if let Some(number) = no_json_number(value) {
                return write_number(out, number);
            }
            let fields = fields.iter().map(|(name, value)| (name.as_str(), value));
            write_map(out, fields, write);
        }
    }
}

/// Converts Python's JSON to standard JSON: infinite numbers and NaN are replaced by placeholders. `None` if the text has
/// none of these.
#[must_use]
pub fn without_python_numbers(text: &str) -> Option<String> {
    let mut converted = String::new();
    let (mut rest, mut is_text) = (text, false);
    while let Some(letter) = rest.chars().next() {
        let words = [
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("NaN", f64::NAN),
        ];
        let word = words
            .iter()
            .find(|(word, _)| !is_text && rest.starts_with(word));
        let length = match word {
            Some((word, number)) => {
                converted.push_str(&number_to_json(*number).to_string());
                word.len()
            }
            None => {
                is_text ^= letter == '"';
                // An escaped quotation mark does not end a string.
                let is_escape = is_text && letter == '\\';
                let escaped = rest.chars().nth(1).filter(|_| is_escape);
                let length = letter.len_utf8() + escaped.map_or(0, char::len_utf8);
                converted.push_str(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    (converted != text).then_some(converted)
}

/// Returns a reading as a line: the time and the exported fields, in order.
#[must_use]
pub fn record(info: &SensorInfo, reading: &Reading, image: ImageEncoding) -> Vec<u8> {
    let mut line = b"{".to_vec();
    write_name(&mut line, 0, "timestamp");
    write_number(&mut line, reading.seconds());
    let data = reading.data();
    for field in &info.fields.0 {
        let Some(value) = field.view(data) else {
            continue;
        };
        match value {
            // The entries of named values are written next to the other fields.
            Value::Named(named) => named.iter().for_each(|(name, number)| {
                write_name(&mut line, 1, name);
                write_number(&mut line, number);
            }),
            Value::Samples(samples) => {
                write_name(&mut line, 1, field.name);
                image.write(&mut line, samples);
            }
            Value::Other(other) if field.is_flat => match other.reflect_ref() {
                ReflectRef::Map(entries) => {
                    for (key, value) in entries.iter() {
                        write_name(&mut line, 1, &key_text(key));
                        write_field(&mut line, value);
                    }
                }
                _ => {
                    write_name(&mut line, 1, field.name);
                    write_value(&mut line, value);
                }
            },
            _ => {
                write_name(&mut line, 1, field.name);
                write_value(&mut line, value);
            }
        }
    }
    line.extend(b"}\n");
    line
}

/// Writes the value of a field of a reading.
pub fn write_field(out: &mut Vec<u8>, value: &dyn PartialReflect) {
    write_value(out, view(value));
}

/// Writes a value.
fn write_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Number(number) => write_number(out, number),
        Value::Integer(integer) => display(out, &integer),
        Value::Flag(flag) => write_flag(out, flag),
        Value::Text(text) => write_text(out, text),
        Value::Numbers(numbers) => {
            write_list(out, numbers, |out, number| write_number(out, *number));
        }
        Value::Triples(triples) => write_list(out, triples, |out, triple| {
            write_list(out, triple, |out, number| write_number(out, *number));
        }),
        Value::Texts(texts) => write_list(out, texts, |out, text| write_text(out, text)),
        Value::Samples(samples) => image::write(out, samples),
        Value::Dynamic(dynamic) => write_dynamic(out, dynamic),
        Value::Named(named) => {
            write_map(out, named.iter(), write_number);
        }
        Value::Other(other) => write_other(out, other),
    }
}

fn write_dynamic(out: &mut Vec<u8>, dynamic: &DynamicValue) {
    match dynamic {
        DynamicValue::Number(number) => write_number(out, *number),
        DynamicValue::Integer(integer) => display(out, integer),
        DynamicValue::Flag(flag) => write_flag(out, *flag),
        DynamicValue::Text(text) => write_text(out, text),
        DynamicValue::Numbers(numbers) => {
            write_list(out, numbers, |out, number| write_number(out, *number));
        }
        DynamicValue::Samples(block) => image::write(out, block.any()),
        DynamicValue::List(items) => write_list(out, items, write_dynamic),
        DynamicValue::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.as_str(), value));
            write_map(out, entries, write_dynamic);
        }
    }
}

fn write_map<'a, T>(
    out: &mut Vec<u8>,
    entries: impl Iterator<Item = (&'a str, T)>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'{');
    for (index, (name, value)) in entries.enumerate() {
        write_name(out, index, name);
        write(out, value);
    }
    out.push(b'}');
}

fn write_other(out: &mut Vec<u8>, value: &dyn PartialReflect) {
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => {
            let fields = fields.iter_fields();
            let fields = fields.map(|(name, field)| (plain_name(name), field));
            write_map(out, fields, write_field);
        }
        ReflectRef::Map(entries) => {
            out.push(b'{');
            for (index, (key, entry)) in entries.iter().enumerate() {
                write_name(out, index, &key_text(key));
                write_field(out, entry);
            }
            out.push(b'}');
        }
        ReflectRef::Enum(variant) if variant.field_len() == 0 => {
            write_text(out, variant.variant_name());
        }
        _ => {
            out.push(b'[');
            let mut is_first = true;
            walk(value, &mut |element| {
                if !std::mem::take(&mut is_first) {
                    out.extend(b", ");
                }
                write_field(out, element);
            });
            out.push(b']');
        }
    }
}

/// Writes the name of a field, with the separator before it.
pub fn write_name(out: &mut Vec<u8>, index: usize, name: &str) {
    if index > 0 {
        out.extend(b", ");
    }
    write_text(out, name);
    out.extend(b": ");
}

fn write_list<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.extend(b", ");
        }
        write(out, item);
    }
    out.push(b']');
}

/// Writes a number so that it is read back as the same bits.
pub fn write_number(out: &mut Vec<u8>, number: f64) {
    if number.is_nan() {
        out.extend(b"NaN");
    } else if number.is_infinite() {
        out.extend(if number > 0.0 {
            &b"Infinity"[..]
        } else {
            b"-Infinity"
        });
    } else {
        // Writing to memory does not fail.
        write!(out, "{number:?}").ok();
    }
}

fn write_flag(out: &mut Vec<u8>, flag: bool) {
    out.extend(if flag { &b"true"[..] } else { b"false" });
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for letter in text.chars() {
        match letter {
            '"' => out.extend(b"\\\""),
            '\\' => out.extend(b"\\\\"),
            '\n' => out.extend(b"\\n"),
            '\r' => out.extend(b"\\r"),
            '\t' => out.extend(b"\\t"),
            ' '..='~' => out.push(letter as u8),
            _ => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}").ok();
                }
            }
        }
    }
    out.push(b'"');
}

fn display(out: &mut Vec<u8>, value: &dyn std::fmt::Display) {
    write!(out, "{value}").ok();
}

/// Returns true if Python treats a value as false: MORSE leaves it out of a reply.
#[must_use]
pub fn is_falsy(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(flag) => !flag,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use morse_api::dynamic::number_to_json;
    use serde_json::json;

    use super::*;

    fn written(value: &Json) -> String {
        let mut out = Vec::new();
        write(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn as_python_writes_it() {
        // Expected: `json.dumps` of Python 3.11.
        let value = json!({"a": [1, 2.5, -0.0], "b": {"c": null, "d": true}, "e": "é\"\\\n\u{1F916}\u{7f}"});
        let expected = r#"{"a": [1, 2.5, -0.0], "b": {"c": null, "d": true}, "e": "\u00e9\"\\\n\ud83e\udd16\u007f"}"#;
        assert_eq!(written(&value), expected);
        let mut out = Vec::new();
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1, 1.0, 1e300] {
            write_number(&mut out, number);
            out.push(b' ');
        }
        assert_eq!(out, b"NaN Infinity -Infinity 0.1 1.0 1e300 ");
        let value = json!([1.5, number_to_json(f64::NEG_INFINITY), "NaN"]);
        assert_eq!(written(&value), r#"[1.5, -Infinity, "NaN"]"#);
    }

    #[test]
    fn falsy_as_in_python() {
        for value in [
            json!(null),
            json!(false),
            json!(0),
            json!(-0.0),
            json!(""),
            json!([]),
            json!({}),
        ] {
            assert!(is_falsy(&value), "{value}");
        }
        for value in [
            json!(true),
            json!(0.1),
            json!("0"),
            json!([0]),
            json!({"a": 0}),
        ] {
            assert!(!is_falsy(&value), "{value}");
        }
    }
}
