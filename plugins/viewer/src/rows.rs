//! Conversion of a reading to rows of name, value and unit. Short lists and maps become one row per element.
use bevy::reflect::{PartialReflect, ReflectRef};
use morse_api::{
    fields::{DynamicValue, Value, key_text, plain_name, view, walk},
    reading::{Reading, SensorInfo},
};

/// Maximum length of a list that is shown element by element.
const SHORT: usize = 16;

/// Maximum number of points, or of rows of a matrix, that are shown element by element.
const FEW: usize = 4;

/// A row of a reading.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Field, with the element in it: `position.x`.
    pub(crate) name: String,
    /// Value.
    pub(crate) cell: Cell,
    /// Unit; may be empty.
    pub(crate) unit: &'static str,
    /// Documentation of the field.
    pub(crate) docs: &'static str,
}

/// Display form of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A number, which can be plotted.
    Number(f64),
    /// A text.
    Text(String),
    /// An array of numbers.
    Strip(Vec<f32>),
}

/// Returns the rows of a reading.
pub(crate) fn of(info: &SensorInfo, reading: &Reading) -> Vec<Row> {
    let mut rows = Vec::new();
    for field in &info.fields.0 {
        let Some(value) = reading.data().field_at(field.index) else {
            continue;
        };
        let mut add = |name: String, cell| {
            rows.push(Row {
                name,
                cell,
                unit: field.unit.unwrap_or_default(),
                docs: field.docs.unwrap_or_default(),
            });
        };
        let name = if field.is_flat { "" } else { field.name };
        spread(name, value, &mut add);
    }
    rows
}

fn join(name: &str, element: &str) -> String {
    if name.is_empty() {
        element.to_owned()
    } else {
        format!("{name}.{element}")
    }
}

fn spread(name: &str, value: &dyn PartialReflect, add: &mut dyn FnMut(String, Cell)) {
    let own = name.to_owned();
    match view(value) {
        Value::Number(value) => add(own, Cell::Number(value)),
        Value::Integer(value) => add(own, Cell::Number(value as f64)),
        Value::Flag(flag) => add(own, Cell::Text(yes(flag))),
        Value::Text(text) => add(own, Cell::Text(text.to_owned())),
        Value::Numbers(values) => numbers(name, values, add),
        Value::Triples(rows) if (1..=FEW).contains(&rows.len()) => {
            for (index, row) in rows.iter().enumerate() {
                numbers(&join(name, &index.to_string()), row, add);
            }
        }
        Value::Triples(triples) => add(own, Cell::Text(format!("{} points", triples.len()))),
        Value::Samples(samples) => {
            let text = format!("{} × {}", samples.count(), samples.number());
            add(own, Cell::Text(text));
        }
        Value::Texts(texts) => add(own, Cell::Text(texts.join(", "))),
        Value::Dynamic(value) => dynamic(name, value, add),
        Value::Named(named) => {
            for (key, value) in named.iter() {
                add(join(name, key), Cell::Number(value));
            }
        }
        Value::Other(other) => walked(name, other, add),
    }
}

fn walked(name: &str, value: &dyn PartialReflect, add: &mut dyn FnMut(String, Cell)) {
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => {
            for (field, value) in fields.iter_fields() {
                spread(&join(name, plain_name(field)), value, add);
            }
        }
        ReflectRef::Map(entries) => {
            for (key, value) in entries.iter() {
                spread(&join(name, &key_text(key)), value, add);
            }
        }
        ReflectRef::Enum(variant) if variant.field_len() == 0 => {
            add(
                name.to_owned(),
                Cell::Text(variant.variant_name().to_owned()),
            );
        }
        ReflectRef::Opaque(_) => add(name.to_owned(), Cell::Text(format!("{value:?}"))),
        _ => {
            let mut count = 0;
            walk(value, &mut |_| count += 1);
            if count > SHORT {
                add(name.to_owned(), Cell::Text(format!("{count} parts")));
                return;
            }
            let mut index = 0;
            walk(value, &mut |element| {
                spread(&join(name, &index.to_string()), element, add);
                index += 1;
            });
        }
    }
}

fn dynamic(name: &str, value: &DynamicValue, add: &mut dyn FnMut(String, Cell)) {
    let own = name.to_owned();
    match value {
        DynamicValue::Number(value) => add(own, Cell::Number(*value)),
        DynamicValue::Integer(value) => add(own, Cell::Number(*value as f64)),
        DynamicValue::Flag(flag) => add(own, Cell::Text(yes(*flag))),
        DynamicValue::Text(text) => add(own, Cell::Text(text.clone())),
        DynamicValue::Numbers(values) => numbers(name, values, add),
        DynamicValue::List(items) if items.len() > SHORT => {
            add(own, Cell::Text(format!("{} parts", items.len())));
        }
        DynamicValue::List(items) => {
            for (index, item) in items.iter().enumerate() {
                dynamic(&join(name, &index.to_string()), item, add);
            }
        }
        DynamicValue::Map(entries) => {
            for (key, value) in entries {
                dynamic(&join(name, key), value, add);
            }
        }
        DynamicValue::Samples(block) => {
            let samples = block.any();
            add(
                own,
                Cell::Text(format!("{} × {}", samples.count(), samples.number())),
            );
        }
    }
}

fn numbers(name: &str, values: &[f64], add: &mut dyn FnMut(String, Cell)) {
    if values.len() > SHORT {
        let values = values.iter().map(|value| *value as f32).collect();
        add(name.to_owned(), Cell::Strip(values));
        return;
    }
    let names: &[&str] = match values.len() {
        2..=4 => &["x", "y", "z", "w"],
        _ => &[],
    };
    for (index, value) in values.iter().enumerate() {
        let element = names
            .get(index)
            .map_or_else(|| index.to_string(), |element| (*element).to_owned());
        add(join(name, &element), Cell::Number(*value));
    }
}

fn yes(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

/// Formats a number for display.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "∞"
        } else {
            "-∞"
        }
        .to_owned();
    }
    if value.fract() == 0.0 && size < 1e9 {
        // The addition converts -0 to 0.
        return format!("{}", value + 0.0);
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(value: &dyn PartialReflect) -> Vec<(String, Cell)> {
        let mut rows = Vec::new();
        spread("it", value, &mut |name, cell| rows.push((name, cell)));
        rows
    }

    #[test]
    fn short_lists_are_their_elements_and_long_ones_are_strips() {
        let three = rows(&vec![1.0, 2.0, 3.0]);
        let expected = [("it.x", 1.0), ("it.y", 2.0), ("it.z", 3.0)];
        assert_eq!(
            three,
            expected.map(|(name, value)| (name.to_owned(), Cell::Number(value)))
        );
        assert_eq!(rows(&vec![0.5; 5])[4].0, "it.4");
        assert_eq!(
            rows(&vec![0.5; 17]),
            [("it".to_owned(), Cell::Strip(vec![0.5; 17]))]
        );
        assert_eq!(
            rows(&true),
            [("it".to_owned(), Cell::Text("yes".to_owned()))]
        );
        let matrix = rows(&vec![
            [554.0, 0.0, 320.0],
            [0.0, 553.0, 240.0],
            [0.0, 0.0, 1.0],
        ]);
        assert_eq!(matrix.len(), 9);
        assert_eq!(matrix[4], ("it.1.y".to_owned(), Cell::Number(553.0)));
        assert_eq!(
            rows(&vec![[0.5; 3]; 5]),
            [("it".to_owned(), Cell::Text("5 points".to_owned()))]
        );
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (3.0, "3"),
            (0.123_456, "0.1235"),
            (-1234.567, "-1234.57"),
            (1.5e-6, "1.500e-6"),
            (f64::INFINITY, "∞"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
