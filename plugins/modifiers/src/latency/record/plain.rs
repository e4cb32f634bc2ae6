//! Values whose form is known at run time only, as numbers: what they are comes first.
use morse_api::{
    plain::Plain,
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

/// Adds a value to a row.
pub(super) fn write(value: &Plain, row: &mut Vec<f64>) {
    match value {
        Plain::Number(number) => row.extend([f64::from(NUMBER), *number]),
        Plain::Integer(number) => {
            row.push(f64::from(INTEGER));
            write_halves(number.cast_unsigned(), row);
        }
        Plain::Flag(flag) => row.extend([FLAG, u8::from(*flag)].map(f64::from)),
        Plain::Text(text) => {
            row.push(f64::from(TEXT));
            write_text(text, row);
        }
        Plain::Numbers(numbers) => {
            row.extend([f64::from(NUMBERS), numbers.len() as f64]);
            row.extend(numbers);
        }
        Plain::Samples(Block::U8(samples)) => write_samples(BYTES, samples, row),
        Plain::Samples(Block::U16(samples)) => write_samples(WORDS, samples, row),
        Plain::Samples(Block::F32(samples)) => write_samples(REALS, samples, row),
        Plain::List(items) => {
            row.extend([f64::from(LIST), items.len() as f64]);
            items.iter().for_each(|item| write(item, row));
        }
        Plain::Map(entries) => {
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

/// `back` undoes what the making of an `f64` did.
fn read_samples<T: Sample>(row: &mut &[f64], back: impl Fn(f64) -> T) -> Samples<T> {
    let count = next(row) as usize;
    let mut samples = Samples::default();
    samples.rewrite(|values| {
        values.clear();
        values.extend(take(row, count).iter().map(|value| back(*value)));
    });
    samples
}

/// Takes a value off a row, reusing what the old one has allocated where it was of the same sort.
pub(super) fn read(value: &mut Plain, row: &mut &[f64]) {
    match next(row) as u8 {
        NUMBER => *value = Plain::Number(next(row)),
        INTEGER => *value = Plain::Integer(read_halves(row).cast_signed()),
        FLAG => *value = Plain::Flag(next(row) != 0.0),
        TEXT => {
            let mut text = match value {
                Plain::Text(text) => std::mem::take(text),
                _ => String::new(),
            };
            read_text(&mut text, row);
            *value = Plain::Text(text);
        }
        NUMBERS => {
            let mut numbers = match value {
                Plain::Numbers(numbers) => std::mem::take(numbers),
                _ => Vec::new(),
            };
            let count = next(row) as usize;
            numbers.clear();
            numbers.extend(take(row, count));
            *value = Plain::Numbers(numbers);
        }
        BYTES => {
            *value = Plain::Samples(Block::U8(read_samples(row, |number| number as u8)));
        }
        WORDS => {
            *value = Plain::Samples(Block::U16(read_samples(row, |number| number as u16)));
        }
        REALS => {
            *value = Plain::Samples(Block::F32(read_samples(row, |number| number as f32)));
        }
        LIST => {
            let mut items = match value {
                Plain::List(items) => std::mem::take(items),
                _ => Vec::new(),
            };
            items.resize(next(row) as usize, Plain::default());
            items.iter_mut().for_each(|item| read(item, row));
            *value = Plain::List(items);
        }
        _ => {
            let mut entries = match value {
                Plain::Map(entries) => std::mem::take(entries),
                _ => Vec::new(),
            };
            entries.resize(next(row) as usize, Default::default());
            for (name, value) in &mut entries {
                read_text(name, row);
                read(value, row);
            }
            *value = Plain::Map(entries);
        }
    }
}
