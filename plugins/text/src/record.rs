//! Text form of a reading.
use std::{any::TypeId, io::Write as _};

use bevy::reflect::{ReflectRef, TypeInfo};
use morse_api::{
    fields::{DynamicValue, Field, Value, key_text, plain_name, view, walk},
    named::Named,
    reading::{Reading, SensorInfo},
    samples::AnySamples,
};
use nalgebra::Isometry3;

/// Writes the header of a file of MORSE's records.
pub fn header(out: &mut Vec<u8>, info: &SensorInfo) {
    let [x, y, z] = info.robot_from_sensor.translation.vector.into();
    let [yaw, pitch, roll] = angles(&info.robot_from_sensor);
    line(out, format_args!("ROBOT: {}", info.robot));
    line(out, format_args!("SENSOR: {} ({})", info.path, info.kind));
    line(
        out,
        format_args!(
            "RELATIVE POSITION: x, y, z: [{x:.6}, {y:.6}, {z:.6}] yaw, pitch, roll: [{yaw:.6}, {pitch:.6}, {roll:.6}]"
        ),
    );
    line(out, format_args!(""));
}

/// Writes one reading as a paragraph: the robot's pose, the reading's number, the time, a line per field.
pub fn paragraph(out: &mut Vec<u8>, info: &SensorInfo, reading: &Reading, number: u64) {
    let [x, y, z] = reading.robot_pose.translation.vector.into();
    let [yaw, pitch, roll] = angles(&reading.robot_pose);
    line(
        out,
        format_args!(
            "==> Data at x, y, z: [{x:.6}, {y:.6}, {z:.6}] yaw, pitch, roll: [{yaw:.6}, {pitch:.6}, {roll:.6}] | index {number} | time {}",
            reading.seconds()
        ),
    );
    line(out, format_args!("\ttimestamp = {:?}", reading.seconds()));
    for (field, value) in values(info, reading) {
        match value {
            Value::Named(named) => {
                let each =
                    |(name, number): (&str, f64)| line(out, format_args!("\t{name} = {number:?}"));
                named.iter().for_each(each);
            }
            Value::Other(other) if field.is_flat => match other.reflect_ref() {
                ReflectRef::Map(entries) => {
                    for (key, value) in entries.iter() {
                        pair(out, &key_text(key), view(value));
                    }
                }
                _ => pair(out, field.name, value),
            },
            _ => pair(out, field.name, value),
        }
    }
    out.push(b'\n');
}

fn pair(out: &mut Vec<u8>, name: &str, value: Value<'_>) {
    out.push(b'\t');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" = ");
    write_value(out, value);
    out.push(b'\n');
}

/// Returns true if the header line depends on the first reading.
#[must_use]
pub fn waits(info: &SensorInfo) -> bool {
    let named = TypeId::of::<Named>();
    info.fields.0.iter().any(|field| field.type_id == named)
}

/// Writes the header line of a CSV file. A vector has a column for each of its numbers, and so do numbers with names that
/// the scene gives, which a reading provides.
pub fn csv_header(out: &mut Vec<u8>, info: &SensorInfo, reading: Option<&Reading>) {
    out.extend_from_slice(b"timestamp");
    for field in &info.fields.0 {
        let value = reading.and_then(|reading| field.view(reading.data()));
        if let Some(Value::Named(named)) = value {
            let names = named.iter();
            names.for_each(|(name, _)| put(out, format_args!(";{name}")));
            continue;
        }
        match columns(field) {
            Some(count) => (0..count).for_each(|n| put(out, format_args!(";{}[{n}]", field.name))),
            None => put(out, format_args!(";{}", field.name)),
        }
    }
    out.push(b'\n');
}

/// Writes one reading as a line.
pub fn csv_line(out: &mut Vec<u8>, info: &SensorInfo, reading: &Reading) {
    put(out, format_args!("{:?}", reading.seconds()));
    for (field, value) in values(info, reading) {
        match value {
            Value::Numbers(numbers) if columns(field).is_some() => {
                numbers
                    .iter()
                    .for_each(|number| put(out, format_args!(";{number:?}")));
            }
            Value::Other(elements) if columns(field).is_some() => {
                walk(elements, &mut |number| {
                    out.push(b';');
                    write_value(out, view(number));
                });
            }
            Value::Named(named) => {
                let numbers = named.values.iter();
                numbers.for_each(|number| put(out, format_args!(";{number:?}")));
            }
            Value::Text(text) => {
                out.push(b';');
                quote(out, text);
            }
            _ => {
                out.push(b';');
                write_value(out, value);
            }
        }
    }
    out.push(b'\n');
}

/// Returns the number of columns of a field with a fixed number of numbers.
fn columns(field: &Field) -> Option<usize> {
    let Some(TypeInfo::Array(array)) = field.info else {
        return None;
    };
    let element_type = array.item_ty().id();
    macro_rules! is_one_of {
        ($($number:ty),+ $(,)?) => {
            $(element_type == TypeId::of::<$number>())||+
        };
    }
    is_one_of![f64, f32, i32, i64, u8, u16, u32, u64].then(|| array.capacity())
}

fn values<'a>(
    info: &'a SensorInfo,
    reading: &'a Reading,
) -> impl Iterator<Item = (&'a Field, Value<'a>)> {
    info.fields
        .0
        .iter()
        .filter_map(|field| Some((field, field.view(reading.data())?)))
}

/// Writes a value as Python would print it: lists in brackets, structs and maps in braces, True and False, text in quotes.
fn write_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Number(number) => put(out, format_args!("{number:?}")),
        Value::Integer(number) => put(out, format_args!("{number}")),
        Value::Flag(flag) => put(out, format_args!("{}", if flag { "True" } else { "False" })),
        Value::Text(text) => put(out, format_args!("{text:?}")),
        Value::Numbers(numbers) => put(out, format_args!("{numbers:?}")),
        Value::Triples(triples) => put(out, format_args!("{triples:?}")),
        Value::Texts(texts) => put(out, format_args!("{texts:?}")),
        Value::Named(named) => put(out, format_args!("{:?}", named.values)),
        Value::Samples(samples) => write_samples(out, samples),
        Value::Dynamic(dynamic) => write_dynamic(out, dynamic),
        Value::Other(other) => match other.reflect_ref() {
            ReflectRef::Struct(fields) => {
                let fields = fields.iter_fields();
                let fields = fields.map(|(name, field)| (plain_name(name), field));
                between(out, *b"{}", fields, |out, (name, field)| {
                    put(out, format_args!("{name:?}: "));
                    write_value(out, view(field));
                });
            }
            ReflectRef::Map(entries) => {
                let entries = entries.iter().map(|(key, entry)| (key_text(key), entry));
                between(out, *b"{}", entries, |out, (name, entry)| {
                    put(out, format_args!("{name:?}: "));
                    write_value(out, view(entry));
                });
            }
            ReflectRef::Enum(word) if word.field_len() == 0 => {
                put(out, format_args!("{:?}", word.variant_name()));
            }
            _ => {
                out.push(b'[');
                let mut is_first = true;
                walk(other, &mut |element| {
                    if !std::mem::take(&mut is_first) {
                        out.extend_from_slice(b", ");
                    }
                    write_value(out, view(element));
                });
                out.push(b']');
            }
        },
    }
}

/// Writes a summary of pixels and points: their number, their type, and a hash that distinguishes two images.
fn write_samples(out: &mut Vec<u8>, samples: &dyn AnySamples) {
    put(out, format_args!("<{samples:?}>"));
}

fn write_dynamic(out: &mut Vec<u8>, dynamic: &DynamicValue) {
    match dynamic {
        DynamicValue::Number(number) => put(out, format_args!("{number:?}")),
        DynamicValue::Integer(number) => put(out, format_args!("{number}")),
        DynamicValue::Flag(flag) => put(
            out,
            format_args!("{}", if *flag { "True" } else { "False" }),
        ),
        DynamicValue::Text(text) => put(out, format_args!("{text:?}")),
        DynamicValue::Numbers(numbers) => put(out, format_args!("{numbers:?}")),
        DynamicValue::Samples(block) => write_samples(out, block.any()),
        DynamicValue::List(items) => between(out, *b"[]", items, write_dynamic),
        DynamicValue::Map(entries) => between(out, *b"{}", entries, |out, (name, value)| {
            put(out, format_args!("{name:?}: "));
            write_dynamic(out, value);
        }),
    }
}

/// Writes items with commas between them, in brackets.
fn between<P>(
    out: &mut Vec<u8>,
    [open, close]: [u8; 2],
    items: impl IntoIterator<Item = P>,
    mut write: impl FnMut(&mut Vec<u8>, P),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        write(out, item);
    }
    out.push(close);
}

/// Writes a text cell, in quotes where it would be read as several cells.
fn quote(out: &mut Vec<u8>, text: &str) {
    if text.contains([';', '"', '\n', '\r']) {
        put(out, format_args!("\"{}\"", text.replace('"', "\"\"")));
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

fn angles(pose: &Isometry3<f64>) -> [f64; 3] {
    let (roll, pitch, yaw) = pose.rotation.euler_angles();
    [yaw, pitch, roll]
}

fn line(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    put(out, text);
    out.push(b'\n');
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory does not fail.
    out.write_fmt(text).ok();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bevy::reflect::{PartialReflect, Reflect};
    use morse_api::fields::Fields;

    use super::*;

    /// Something seen.
    #[derive(Reflect)]
    struct Seen {
        r#type: String,
        at: [f64; 3],
        visible: bool,
    }

    /// Numbers of every length.
    #[derive(Reflect, Clone, Default)]
    struct Wheels {
        pair: [f64; 2],
        speeds: [f64; 8],
        counts: [u32; 5],
        gains: [f32; 1],
        rows: [[f64; 3]; 2],
        open: Vec<f64>,
    }

    #[test]
    fn arrays_of_numbers_have_a_column_each() {
        let fields = Fields::of_type::<Wheels>(None).0;
        let counts: Vec<_> = fields.iter().map(columns).collect();
        assert_eq!(counts, [Some(2), Some(8), Some(5), Some(1), None, None]);
    }

    fn written(value: &dyn PartialReflect) -> String {
        let mut out = Vec::new();
        write_value(&mut out, view(value));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nested_values_are_python() {
        let seen = Seen {
            r#type: "cup".into(),
            at: [1.0, 0.5, -0.0],
            visible: true,
        };
        assert_eq!(
            written(&vec![seen]),
            r#"[{"type": "cup", "at": [1.0, 0.5, -0.0], "visible": True}]"#
        );
        let near = BTreeMap::from([("b".to_owned(), 2.0), ("a".to_owned(), 1.5)]);
        assert_eq!(written(&near), r#"{"a": 1.5, "b": 2.0}"#);
        let dynamic = DynamicValue::Map(vec![
            ("x".into(), DynamicValue::Number(1.0)),
            (
                "list".into(),
                DynamicValue::List(vec![DynamicValue::Integer(3), DynamicValue::Flag(false)]),
            ),
            ("none".into(), DynamicValue::List(Vec::new())),
        ]);
        assert_eq!(
            written(&dynamic),
            r#"{"x": 1.0, "list": [3, False], "none": []}"#
        );
    }
}
