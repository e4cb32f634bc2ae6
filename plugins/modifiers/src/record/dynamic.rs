//! Serialisation of values whose form is determined at run time; the form comes first.
use morse_api::{
    dynamic::DynamicValue,
    samples::{Block, Sample, Samples},
};

use super::{next, read_halves, read_text, take, write_halves, write_text};

const NUMBER: u8 = 0;
const INTEGER: u8 = 1;
const FLAG: u8 = 2;
const TEXT: u8 = 3;
const NUMBERS: u8 = 4;
const LIST: u8 = 5;
const MAP: u8 = 6;
const BYTES: u8 = 7;
const WORDS: u8 = 8;
const REALS: u8 = 9;

/// Appends a value to a list.
pub(super) fn write(value: &DynamicValue, row: &mut Vec<f64>) {
    match value {
        DynamicValue::Number(number) => row.extend([f64::from(NUMBER), *number]),
        DynamicValue::Integer(number) => {
            row.push(f64::from(INTEGER));
            write_halves(number.cast_unsigned(), row);
        }
        DynamicValue::Flag(flag) => row.extend([FLAG, u8::from(*flag)].map(f64::from)),
        DynamicValue::Text(text) => {
            row.push(f64::from(TEXT));
            write_text(text, row);
        }
        DynamicValue::Numbers(numbers) => {
            row.extend([f64::from(NUMBERS), numbers.len() as f64]);
            row.extend(numbers);
        }
        DynamicValue::Samples(Block::U8(samples)) => write_samples(BYTES, samples, row),
        DynamicValue::Samples(Block::U16(samples)) => write_samples(WORDS, samples, row),
        DynamicValue::Samples(Block::F32(samples)) => write_samples(REALS, samples, row),
        DynamicValue::List(items) => {
            row.extend([f64::from(LIST), items.len() as f64]);
            items.iter().for_each(|item| write(item, row));
        }
        DynamicValue::Map(entries) => {
            row.extend([f64::from(MAP), entries.len() as f64]);
            for (name, value) in entries {
                write_text(name, row);
                write(value, row);
            }
        }
    }
}

fn write_samples<T: Sample + Into<f64>>(sort: u8, samples: &Samples<T>, row: &mut Vec<f64>) {
    let values = samples.values();
    row.extend([f64::from(sort), values.len() as f64]);
    row.extend(values.iter().map(|value| -> f64 { (*value).into() }));
}

/// Reads samples; `back` converts from `f64`.
fn read_samples<T: Sample>(row: &mut &[f64], back: impl Fn(f64) -> T) -> Samples<T> {
    let count = next(row) as usize;
    let mut samples = Samples::default();
    samples.rewrite(|values| {
        values.clear();
        values.extend(take(row, count).iter().map(|value| back(*value)));
    });
    samples
}

/// Removes a value from a list, reusing the memory of an old value of the same form.
pub(super) fn read(value: &mut DynamicValue, row: &mut &[f64]) {
    match next(row) as u8 {
        NUMBER => *value = DynamicValue::Number(next(row)),
        INTEGER => *value = DynamicValue::Integer(read_halves(row).cast_signed()),
        FLAG => *value = DynamicValue::Flag(next(row) != 0.0),
        TEXT => {
            let mut text = match value {
                DynamicValue::Text(text) => std::mem::take(text),
                _ => String::new(),
            };
            read_text(&mut text, row);
            *value = DynamicValue::Text(text);
        }
        NUMBERS => {
            let mut numbers = match value {
                DynamicValue::Numbers(numbers) => std::mem::take(numbers),
                _ => Vec::new(),
            };
            let count = next(row) as usize;
            numbers.clear();
            numbers.extend(take(row, count));
            *value = DynamicValue::Numbers(numbers);
        }
        BYTES => {
            *value = DynamicValue::Samples(Block::U8(read_samples(row, |number| number as u8)));
        }
        WORDS => {
            *value = DynamicValue::Samples(Block::U16(read_samples(row, |number| number as u16)));
        }
        REALS => {
            *value = DynamicValue::Samples(Block::F32(read_samples(row, |number| number as f32)));
        }
        LIST => {
            let mut items = match value {
                DynamicValue::List(items) => std::mem::take(items),
                _ => Vec::new(),
            };
            items.resize(next(row) as usize, DynamicValue::default());
            items.iter_mut().for_each(|item| read(item, row));
            *value = DynamicValue::List(items);
        }
        _ => {
            let mut entries = match value {
                DynamicValue::Map(entries) => std::mem::take(entries),
                _ => Vec::new(),
            };
            entries.resize(next(row) as usize, Default::default());
            for (name, value) in &mut entries {
                read_text(name, row);
                read(value, row);
            }
            *value = DynamicValue::Map(entries);
        }
    }
}
