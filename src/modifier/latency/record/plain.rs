//! Values whose form is known at run time only, as numbers: what they are comes first.
use morse_api::{
    plain::Plain,
    samples::{Block, Sample, Samples},
};

use super::{next, read_halves, read_text, take, write_halves, write_text};

const NUMBER: f64 = 0.0;
const INTEGER: f64 = 1.0;
const FLAG: f64 = 2.0;
const TEXT: f64 = 3.0;
const NUMBERS: f64 = 4.0;
const LIST: f64 = 5.0;
const MAP: f64 = 6.0;
const BYTES: f64 = 7.0;
const WORDS: f64 = 8.0;
const REALS: f64 = 9.0;

/// Adds a value to a row.
pub(super) fn write(value: &Plain, row: &mut Vec<f64>) {
    match value {
        Plain::Number(number) => row.extend([NUMBER, *number]),
        Plain::Integer(number) => {
            row.push(INTEGER);
            write_halves(number.cast_unsigned(), row);
        }
        Plain::Flag(flag) => row.extend([FLAG, f64::from(u8::from(*flag))]),
        Plain::Text(text) => {
            row.push(TEXT);
            write_text(text, row);
        }
        Plain::Numbers(numbers) => {
            row.extend([NUMBERS, numbers.len() as f64]);
            row.extend(numbers);
        }
        Plain::Samples(Block::U8(samples)) => write_samples(BYTES, samples, row),
        Plain::Samples(Block::U16(samples)) => write_samples(WORDS, samples, row),
        Plain::Samples(Block::F32(samples)) => write_samples(REALS, samples, row),
        Plain::List(items) => {
            row.extend([LIST, items.len() as f64]);
            items.iter().for_each(|item| write(item, row));
        }
        Plain::Map(entries) => {
            row.extend([MAP, entries.len() as f64]);
            for (name, value) in entries {
                write_text(name, row);
                write(value, row);
            }
        }
    }
}

fn write_samples<T: Sample + Into<f64>>(sort: f64, samples: &Samples<T>, row: &mut Vec<f64>) {
    let values = samples.values();
    row.extend([sort, values.len() as f64]);
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
    let sort = next(row);
    if sort == NUMBER {
        *value = Plain::Number(next(row));
    } else if sort == INTEGER {
        *value = Plain::Integer(read_halves(row).cast_signed());
    } else if sort == FLAG {
        *value = Plain::Flag(next(row) != 0.0);
    } else if sort == TEXT {
        let mut text = match value {
            Plain::Text(text) => std::mem::take(text),
            _ => String::new(),
        };
        read_text(&mut text, row);
        *value = Plain::Text(text);
    } else if sort == NUMBERS {
        let mut numbers = match value {
            Plain::Numbers(numbers) => std::mem::take(numbers),
            _ => Vec::new(),
        };
        let count = next(row) as usize;
        numbers.clear();
        numbers.extend(take(row, count));
        *value = Plain::Numbers(numbers);
    } else if sort == BYTES {
        *value = Plain::Samples(Block::U8(read_samples(row, |number| number as u8)));
    } else if sort == WORDS {
        *value = Plain::Samples(Block::U16(read_samples(row, |number| number as u16)));
    } else if sort == REALS {
        *value = Plain::Samples(Block::F32(read_samples(row, |number| number as f32)));
    } else if sort == LIST {
        let mut items = match value {
            Plain::List(items) => std::mem::take(items),
            _ => Vec::new(),
        };
        items.resize(next(row) as usize, Plain::default());
        items.iter_mut().for_each(|item| read(item, row));
        *value = Plain::List(items);
    } else {
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
