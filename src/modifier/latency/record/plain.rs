//! Values whose form is known at run time only, as numbers: what they are comes first.
use morse_api::plain::Plain;

use super::{next, read_halves, read_text, take, write_halves, write_text};

const NUMBER: f64 = 0.0;
const INTEGER: f64 = 1.0;
const FLAG: f64 = 2.0;
const TEXT: f64 = 3.0;
const NUMBERS: f64 = 4.0;
const LIST: f64 = 5.0;
const MAP: f64 = 6.0;

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
