//! Deserialisation of lists and maps whose length changes, so that items are created.
use bevy::reflect::{
    PartialReflect, TypeInfo,
    array::DynamicArray,
    list::{DynamicList, List},
    map::{DynamicMap, Map},
    structs::DynamicStruct,
};
use morse_api::dynamic::DynamicValue;

use super::{each_integer, next, read};

/// Removes a list from a list of numbers.
pub(super) fn list(items: &mut dyn List, row: &mut &[f64]) {
    let count = next(row) as usize;
    while items.len() > count {
        items.pop();
    }
    for index in 0..count {
        match items.get_mut(index) {
            Some(item) => read(item, row),
            None => {
                let info = items.get_represented_list_info();
                let item = info.and_then(|info| make(info.item_info()?, row));
                item.into_iter().for_each(|item| items.push(item));
            }
        }
    }
}

/// Removes a map from a list of numbers.
pub(super) fn map(map: &mut dyn Map, row: &mut &[f64]) {
    let count = next(row) as usize;
    let info = map.get_represented_map_info();
    let mut old = map.drain().into_iter();
    for _ in 0..count {
        let entry = match old.next() {
            Some((mut key, mut value)) => {
                read(&mut *key, row);
                read(&mut *value, row);
                Some((key, value))
            }
            None => info.and_then(|info| {
                Some((make(info.key_info()?, row)?, make(info.value_info()?, row)?))
            }),
        };
        if let Some((key, value)) = entry {
            map.insert_boxed(key, value);
        }
    }
}

/// Returns a new value of a type, read from a list of numbers; `None` for a type that cannot be stored.
fn make(info: &'static TypeInfo, row: &mut &[f64]) -> Option<Box<dyn PartialReflect>> {
    macro_rules! plain {
        ($($type:ty),+) => {
            $(if info.is::<$type>() {
                let mut value = <$type>::default();
                read(&mut value, row);
                return Some(Box::new(value));
            })+
        };
    }
    plain!(
        f64,
        String,
        bool,
        f32,
        u64,
        i64,
        DynamicValue,
        Vec<f64>,
        Vec<[f64; 3]>,
        Vec<String>
    );
    each_integer!(plain);
    match info {
        TypeInfo::Struct(fields) => {
            let mut value = DynamicStruct::default();
            for field in fields.iter() {
                value.insert_boxed(field.name(), make(field.type_info()?, row)?);
            }
            Some(Box::new(value))
        }
        TypeInfo::Array(items) => {
            let item = items.item_info()?;
            let items = (0..items.capacity()).map(|_| make(item, row));
            let items: Option<Vec<_>> = items.collect();
            Some(Box::new(DynamicArray::new(items?.into())))
        }
        TypeInfo::List(items) => {
            let mut value = DynamicList::default();
            for _ in 0..next(row) as usize {
                value.push_box(make(items.item_info()?, row)?);
            }
            Some(Box::new(value))
        }
        TypeInfo::Map(entries) => {
            let mut value = DynamicMap::default();
            for _ in 0..next(row) as usize {
                let key = make(entries.key_info()?, row)?;
                value.insert_boxed(key, make(entries.value_info()?, row)?);
            }
            Some(Box::new(value))
        }
        _ => None,
    }
}
