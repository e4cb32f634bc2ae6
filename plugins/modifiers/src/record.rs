//! Serialisation of data to a list of numbers, which the memory of a modifier stores, and back.
//!
//! Text is stored as its bytes; values with a length are preceded by it.
use bevy::reflect::{PartialReflect, ReflectMut, ReflectRef, TypeInfo};
use morse_api::{dynamic::DynamicValue, fields::is_sorted_map};

mod dynamic;
mod grow;

macro_rules! each_integer {
    ($macro:ident) => {
        $macro!(u8, u16, u32, i8, i16, i32)
    };
}
use each_integer;

/// Returns true if values of a type can be stored.
pub(super) fn can_keep(info: Option<&'static TypeInfo>) -> bool {
    let Some(info) = info else {
        return false;
    };
    macro_rules! is_integer {
        ($($type:ty),+) => { false $(|| info.is::<$type>())+ };
    }
    let is_plain = each_integer!(is_integer)
        || info.is::<f64>()
        || info.is::<f32>()
        || info.is::<bool>()
        || info.is::<u64>()
        || info.is::<i64>()
        || info.is::<String>()
        || info.is::<Vec<f64>>()
        || info.is::<Vec<[f64; 3]>>()
        || info.is::<Vec<String>>()
        || info.is::<DynamicValue>();
    is_plain
        || match info {
            TypeInfo::Array(array) => can_keep(array.item_info()),
            TypeInfo::Struct(fields) => fields.iter().all(|field| can_keep(field.type_info())),
            TypeInfo::List(list) => can_keep(list.item_info()),
            TypeInfo::Map(map) => {
                is_sorted_map(map) && can_keep(map.key_info()) && can_keep(map.value_info())
            }
            _ => false,
        }
}

/// Appends a value to a list.
pub(super) fn write(value: &dyn PartialReflect, row: &mut Vec<f64>) {
    macro_rules! integer {
        ($($type:ty),+) => {
            $(if let Some(number) = value.try_downcast_ref::<$type>() {
                return row.push(f64::from(*number));
            })+
        };
    }
    if let Some(number) = value.try_downcast_ref::<f64>() {
        return row.push(*number);
    }
    if let Some(numbers) = value.try_downcast_ref::<Vec<f64>>() {
        row.push(numbers.len() as f64);
        return row.extend(numbers);
    }
    if let Some(triples) = value.try_downcast_ref::<Vec<[f64; 3]>>() {
        row.push(triples.len() as f64);
        return row.extend(triples.as_flattened());
    }
    if let Some(text) = value.try_downcast_ref::<String>() {
        return write_text(text, row);
    }
    if let Some(texts) = value.try_downcast_ref::<Vec<String>>() {
        row.push(texts.len() as f64);
        return texts.iter().for_each(|text| write_text(text, row));
    }
    if let Some(flag) = value.try_downcast_ref::<bool>() {
        return row.push(f64::from(u8::from(*flag)));
    }
    if let Some(number) = value.try_downcast_ref::<f32>() {
        return row.push(f64::from(*number));
    }
    each_integer!(integer);
    if let Some(plain) = value.try_downcast_ref::<DynamicValue>() {
        return dynamic::write(plain, row);
    }
    if let Some(number) = value.try_downcast_ref::<u64>() {
        return write_halves(*number, row);
    }
    if let Some(number) = value.try_downcast_ref::<i64>() {
        return write_halves(u64::from_ne_bytes(number.to_ne_bytes()), row);
    }
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => fields
            .iter_fields()
            .for_each(|(_, field)| write(field, row)),
        ReflectRef::Array(elements) => elements.iter().for_each(|element| write(element, row)),
        ReflectRef::List(elements) => {
            row.push(elements.len() as f64);
            elements.iter().for_each(|element| write(element, row));
        }
        ReflectRef::Map(entries) => {
            row.push(entries.len() as f64);
            for (key, value) in entries.iter() {
                write(key, row);
                write(value, row);
            }
        }
        _ => {}
    }
}

/// Appends an integer that a single number would round.
fn write_halves(number: u64, row: &mut Vec<f64>) {
    row.extend([(number >> 32) as f64, (number & 0xffff_ffff) as f64]);
}

fn write_text(text: &str, row: &mut Vec<f64>) {
    row.push(text.len() as f64);
    row.extend(text.bytes().map(f64::from));
}

/// Removes the first number from a list.
fn next(row: &mut &[f64]) -> f64 {
    let Some((first, rest)) = row.split_first() else {
        return 0.0;
    };
    *row = rest;
    *first
}

/// Removes numbers from the front of a list.
fn take<'a>(row: &mut &'a [f64], count: usize) -> &'a [f64] {
    let (taken, rest) = row.split_at(count.min(row.len()));
    *row = rest;
    taken
}

/// Removes a value from a list, reusing the memory of the old value.
pub(super) fn read(value: &mut dyn PartialReflect, row: &mut &[f64]) {
    macro_rules! integer {
        ($($type:ty),+) => {
            $(if let Some(number) = value.try_downcast_mut::<$type>() {
                *number = next(row) as $type;
                return;
            })+
        };
    }
    if let Some(number) = value.try_downcast_mut::<f64>() {
        *number = next(row);
        return;
    }
    if let Some(numbers) = value.try_downcast_mut::<Vec<f64>>() {
        let count = next(row) as usize;
        numbers.clear();
        return numbers.extend(take(row, count));
    }
    if let Some(triples) = value.try_downcast_mut::<Vec<[f64; 3]>>() {
        let count = next(row) as usize;
        triples.clear();
        return triples.extend(take(row, 3 * count).as_chunks::<3>().0);
    }
    if let Some(text) = value.try_downcast_mut::<String>() {
        return read_text(text, row);
    }
    if let Some(texts) = value.try_downcast_mut::<Vec<String>>() {
        texts.resize(next(row) as usize, String::new());
        return texts.iter_mut().for_each(|text| read_text(text, row));
    }
    if let Some(flag) = value.try_downcast_mut::<bool>() {
        *flag = next(row) != 0.0;
        return;
    }
    if let Some(number) = value.try_downcast_mut::<f32>() {
        *number = next(row) as f32;
        return;
    }
    each_integer!(integer);
    if let Some(plain) = value.try_downcast_mut::<DynamicValue>() {
        return dynamic::read(plain, row);
    }
    if let Some(number) = value.try_downcast_mut::<u64>() {
        *number = read_halves(row);
        return;
    }
    if let Some(number) = value.try_downcast_mut::<i64>() {
        *number = i64::from_ne_bytes(read_halves(row).to_ne_bytes());
        return;
    }
    read_children(value, row);
}

fn read_children(value: &mut dyn PartialReflect, row: &mut &[f64]) {
    match value.reflect_mut() {
        ReflectMut::Struct(fields) => {
            for index in 0..fields.field_len() {
                if let Some(field) = fields.field_at_mut(index) {
                    read(field, row);
                }
            }
        }
        ReflectMut::Array(elements) => {
            for index in 0..elements.len() {
                if let Some(element) = elements.get_mut(index) {
                    read(element, row);
                }
            }
        }
        ReflectMut::List(elements) => grow::list(elements, row),
        ReflectMut::Map(entries) => grow::map(entries, row),
        _ => {}
    }
}

fn read_halves(row: &mut &[f64]) -> u64 {
    let high = next(row) as u64;
    (high << 32) | next(row) as u64
}

fn read_text(text: &mut String, row: &mut &[f64]) {
    let count = next(row) as usize;
    let mut bytes = std::mem::take(text).into_bytes();
    bytes.clear();
    bytes.extend(take(row, count).iter().map(|byte| *byte as u8));
    // The bytes were those of a text.
    *text = String::from_utf8(bytes).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use bevy::reflect::{Reflect, Typed as _};

    use super::*;

    #[derive(Reflect, Clone, Debug, Default, PartialEq)]
    struct Inner {
        count: u64,
        change: i64,
        gain: f32,
    }

    #[derive(Reflect, Clone, Debug, Default, PartialEq)]
    struct All {
        number: f64,
        flag: bool,
        small: u8,
        negative: i32,
        inner: Inner,
        vector: [f64; 3],
        pair: [u32; 2],
        list: Vec<f64>,
        points: Vec<[f64; 3]>,
        name: String,
        names: Vec<String>,
    }

    #[derive(Reflect, Clone, Debug, Default, PartialEq)]
    struct Deep {
        structs: Vec<Inner>,
        vectors: Vec<Vec<[u8; 2]>>,
        distances: BTreeMap<String, f64>,
        maps: BTreeMap<u64, BTreeMap<String, All>>,
        plain: BTreeMap<String, DynamicValue>,
    }

    #[derive(Reflect)]
    struct Unsorted {
        map: HashMap<String, f64>,
    }

    #[derive(Reflect)]
    struct Maybe {
        number: Option<f64>,
    }

    fn deep(count: u64) -> Deep {
        let all = |at: u64| All {
            number: at as f64,
            points: vec![[1.0, 2.0, at as f64]; at as usize],
            pair: [at as u32, 7],
            ..All::default()
        };
        let inner = |at: u64| Inner {
            count: u64::MAX - at,
            ..Inner::default()
        };
        let plain = |at: u64| match at % 7 {
            0 => DynamicValue::Number(0.5),
            1 => DynamicValue::Integer(i64::MIN + 1),
            2 => DynamicValue::Flag(true),
            3 => DynamicValue::Text("größer".to_owned()),
            4 => DynamicValue::Numbers(vec![1.0; at as usize]),
            5 => DynamicValue::List(vec![DynamicValue::Flag(false), DynamicValue::Number(-0.0)]),
            _ => DynamicValue::Map(vec![("a".to_owned(), DynamicValue::List(Vec::new()))]),
        };
        let name = |at: u64| format!("{}{at}", "x".repeat(at as usize));
        let numbers = 0..count;
        Deep {
            structs: numbers.clone().map(inner).collect(),
            vectors: numbers
                .clone()
                .map(|at| vec![[1, 2]; at as usize])
                .collect(),
            distances: numbers.clone().map(|at| (name(at), at as f64)).collect(),
            maps: numbers
                .clone()
                .map(|at| (at << 40, (0..at).map(|at| (name(at), all(at))).collect()))
                .collect(),
            plain: numbers.map(|at| (name(at), plain(at + count))).collect(),
        }
    }

    #[test]
    fn lists_and_maps_grow_shrink_and_change_their_names() {
        let mut back = deep(3);
        back.distances = BTreeMap::from([("a".to_owned(), 1.0), ("b".to_owned(), 2.0)]);
        for count in [0, 7, 2, 9, 9, 1] {
            let meant = deep(count);
            let mut row = Vec::new();
            write(&meant, &mut row);
            let mut rest = row.as_slice();
            read(&mut back, &mut rest);
            assert_eq!(back, meant);
            assert!(rest.is_empty(), "{count}: {} left", rest.len());
        }
        assert!(can_keep(Some(Deep::type_info())));
        assert!(!can_keep(Some(Unsorted::type_info())) && !can_keep(Some(Maybe::type_info())));
    }

    #[test]
    fn everything_comes_back() {
        let all = All {
            number: -0.0,
            flag: true,
            small: 255,
            negative: i32::MIN,
            inner: Inner {
                count: u64::MAX,
                change: i64::MIN + 1,
                gain: 0.1,
            },
            vector: [f64::INFINITY, 1e-300, 2.0],
            pair: [u32::MAX, 0],
            list: vec![1.0, 2.0],
            points: vec![[3.0, 4.0, 5.0]],
            name: "größer €".to_owned(),
            names: vec![String::new(), "a".to_owned()],
        };
        let mut row = Vec::new();
        write(&all, &mut row);
        let mut back = All {
            list: vec![9.0; 7],
            names: vec!["b".to_owned(); 3],
            name: "old".to_owned(),
            ..All::default()
        };
        let mut rest = row.as_slice();
        read(&mut back, &mut rest);
        assert_eq!(back, all);
        assert!(back.number.is_sign_negative() && rest.is_empty());
        assert!(can_keep(Some(All::type_info())));
        assert!(!can_keep(None));
    }

    #[test]
    fn a_row_that_is_too_short_does_no_harm() {
        let mut all = All::default();
        read(&mut all, &mut [1.0, 1.0].as_slice());
        assert_eq!(all.number, 1.0);
    }
}
