//! Binary encoding of readings, little-endian; `values.js` of the page decodes it.
//!
//! A value begins with a byte for its type: 0 nothing, 1 a number (f64), 2 an integer (f64), 3 false, 4 true, 5 text, 6 a
//! list of f64, 7 a list of f32, 8 a list of points (f32), 9 a list of values, 10 names with values, 11 bytes. Texts, lists
//! and bytes begin with their length, encoded by [`length`].
use bevy::reflect::{PartialReflect, ReflectRef};
use morse_api::{
    fields::{DynamicValue, Value, key_text, plain_name, view, walk},
    reading::{Reading, SensorInfo},
    samples::{AnySamples, Block},
};

/// Maximum length of lists in double precision: joints and quaternions, not ranges of a scanner.
const EXACT: usize = 32;

/// Encodes a reading: its time in s (f64), then the exported fields in order.
pub(crate) fn reading(info: &SensorInfo, reading: &Reading) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(reading.seconds().to_le_bytes());
    for field in &info.fields.0 {
        match reading.data().field_at(field.index) {
            Some(value) => write(&mut out, value),
            None => out.push(0),
        }
    }
    out
}

/// Encodes a length: seven bits per byte, the lowest first; the highest bit is set if more bytes follow (LEB128).
pub(crate) fn length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

fn write(out: &mut Vec<u8>, value: &dyn PartialReflect) {
    if let Some(bytes) = value.try_downcast_ref::<Vec<u8>>() {
        begin(out, 11, bytes.len());
        out.extend(bytes);
        return;
    }
    if let Some(numbers) = value.try_downcast_ref::<Vec<f32>>() {
        begin(out, 7, numbers.len());
        out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        return;
    }
    match view(value) {
        Value::Number(value) => number(out, 1, value),
        Value::Integer(value) => number(out, 2, value as f64),
        Value::Flag(flag) => out.push(3 + u8::from(flag)),
        Value::Text(value) => text(out, value),
        Value::Numbers(values) => numbers(out, values),
        Value::Triples(triples) => {
            begin(out, 8, triples.len());
            let coordinates = triples.as_flattened().iter();
            out.extend(coordinates.flat_map(|value| (*value as f32).to_le_bytes()));
        }
        Value::Samples(values) => samples(out, values),
        Value::Texts(texts) => {
            begin(out, 9, texts.len());
            texts.iter().for_each(|value| text(out, value));
        }
        Value::Dynamic(value) => dynamic(out, value),
        Value::Named(named) => {
            begin(out, 10, named.names.len());
            for (own, value) in named.iter() {
                name(out, own);
                number(out, 1, value);
            }
        }
        Value::Other(other) => walked(out, other),
    }
}

fn walked(out: &mut Vec<u8>, value: &dyn PartialReflect) {
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => {
            begin(out, 10, fields.field_len());
            for (own, field) in fields.iter_fields() {
                name(out, plain_name(own));
                write(out, field);
            }
        }
        ReflectRef::Map(entries) => {
            begin(out, 10, entries.len());
            for (key, entry) in entries.iter() {
                name(out, &key_text(key));
                write(out, entry);
            }
        }
        ReflectRef::Enum(variant) if variant.field_len() == 0 => text(out, variant.variant_name()),
        ReflectRef::Opaque(_) => out.push(0),
        _ => {
            let mut count = 0;
            walk(value, &mut |_| count += 1);
            begin(out, 9, count);
            walk(value, &mut |element| write(out, element));
        }
    }
}

fn dynamic(out: &mut Vec<u8>, value: &DynamicValue) {
    match value {
        DynamicValue::Number(value) => number(out, 1, *value),
        DynamicValue::Integer(value) => number(out, 2, *value as f64),
        DynamicValue::Flag(flag) => out.push(3 + u8::from(*flag)),
        DynamicValue::Text(value) => text(out, value),
        DynamicValue::Numbers(values) => numbers(out, values),
        DynamicValue::Samples(block) => samples(out, block.any()),
        DynamicValue::List(items) => {
            begin(out, 9, items.len());
            items.iter().for_each(|item| dynamic(out, item));
        }
        DynamicValue::Map(entries) => {
            begin(out, 10, entries.len());
            for (own, entry) in entries {
                name(out, own);
                dynamic(out, entry);
            }
        }
    }
}

/// Encodes pixels and points unchanged, and integers with more than a byte as f32, which represents them exactly.
fn samples(out: &mut Vec<u8>, values: &dyn AnySamples) {
    match values.block() {
        Block::U8(bytes) => {
            begin(out, 11, bytes.count());
            out.extend(bytes.bytes());
        }
        Block::U16(numbers) => {
            begin(out, 7, numbers.count());
            let wide = numbers.values().iter().map(|number| f32::from(*number));
            out.extend(wide.flat_map(f32::to_le_bytes));
        }
        Block::F32(numbers) => {
            begin(out, 7, numbers.count());
            out.extend(
                numbers
                    .values()
                    .iter()
                    .flat_map(|number| number.to_le_bytes()),
            );
        }
    }
}

fn begin(out: &mut Vec<u8>, what: u8, count: usize) {
    out.push(what);
    length(out, count);
}

fn number(out: &mut Vec<u8>, what: u8, value: f64) {
    out.push(what);
    out.extend(value.to_le_bytes());
}

fn name(out: &mut Vec<u8>, value: &str) {
    length(out, value.len());
    out.extend(value.as_bytes());
}

fn text(out: &mut Vec<u8>, value: &str) {
    out.push(5);
    name(out, value);
}

fn numbers(out: &mut Vec<u8>, values: &[f64]) {
    if values.len() <= EXACT {
        begin(out, 6, values.len());
        out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    } else {
        begin(out, 7, values.len());
        out.extend(
            values
                .iter()
                .flat_map(|value| (*value as f32).to_le_bytes()),
        );
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::Reflect;
    use std::collections::BTreeMap;

    use super::*;

    fn bytes(value: &dyn PartialReflect) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, value);
        out
    }

    #[test]
    fn lengths() {
        for (number, expected) in [
            (0, vec![0]),
            (127, vec![127]),
            (128, vec![0x80, 1]),
            (300, vec![0xac, 2]),
            (1 << 21, vec![0x80, 0x80, 0x80, 1]),
        ] {
            let mut out = Vec::new();
            length(&mut out, number);
            assert_eq!(out, expected, "{number}");
        }
    }

    #[test]
    fn values() {
        #[derive(Reflect)]
        struct Pair {
            r#type: bool,
            b: u8,
        }
        #[derive(Reflect)]
        enum Mode {
            Idle,
        }
        let pair = Pair { r#type: true, b: 7 };
        assert_eq!(bytes(&1.5), [&[1][..], &1.5_f64.to_le_bytes()].concat());
        assert_eq!(bytes(&"hé".to_owned()), [5, 3, b'h', 0xc3, 0xa9]);
        let seven = 7.0_f64.to_le_bytes();
        assert_eq!(
            bytes(&pair),
            [&b"\x0a\x02\x04type\x04\x01b\x02"[..], &seven].concat()
        );
        assert_eq!(bytes(&Mode::Idle), b"\x05\x04Idle");
        assert_eq!(bytes(&vec![1_u8, 2, 255]), [11, 3, 1, 2, 255]);
        let map = BTreeMap::from([("a".to_owned(), false)]);
        assert_eq!(bytes(&map), [10, 1, 1, b'a', 3]);
        assert_eq!(bytes(&vec!["x".to_owned()]), [9, 1, 5, 1, b'x']);
        assert_eq!(bytes(&vec![[0.0, 1.0, 0.5]])[..2], [8, 1]);
        assert_eq!(bytes(&vec![0.0; 40])[..2], [7, 40]);
        assert_eq!(bytes(&vec![0.0; 40]).len(), 2 + 40 * 4);
        assert_eq!(bytes(&[0.0; 4]).len(), 2 + 4 * 8);
        let list = DynamicValue::List(vec![DynamicValue::Flag(true), DynamicValue::Integer(7)]);
        assert_eq!(bytes(&list), [&[9, 2, 4, 2][..], &seven].concat());
    }
}
