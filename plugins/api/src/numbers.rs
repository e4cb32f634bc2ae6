//! Numbers of a reading or command, selected by field names at load, and accessed by index.
//!
//! Modifiers that treat all numbers alike, such as a bias, use them.
mod leaf;
#[cfg(test)]
mod loose_tests;

use bevy::{
    prelude::*,
    reflect::{PartialReflect, ReflectMut, TypeInfo, structs::Struct},
};

use crate::{
    dynamic::DynamicValue,
    fields::{Field, Fields, is_sorted_map},
    modifier::BindError,
    samples::Samples,
};
use leaf::{Leaf, leaves};

/// Numbers of a data type: single numbers, vectors, lists, and those of nested structs. Integers, such as counts, are
/// excluded.
///
/// Loose numbers are those whose set changes, or of which there are very many: entries of maps, values whose form is
/// determined at run time, pixels (red, green and blue) and points.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Locations of the numbers; those with loose numbers come last.
    locations: Vec<Location>,
    /// Number of locations without loose numbers.
    firm: usize,
}

/// A field, or a component of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Location {
    index: usize,
    element: Option<usize>,
}

/// Predicate for fields that contain numbers.
type IsNumeric = fn(&Field) -> bool;

impl Numbers {
    /// Returns the numbers of the fields with these names, or of all fields if there are none. `velocity.0` is the first
    /// number of a vector or list, `rotation.yaw` one of a struct.
    ///
    /// Fields of a fixed size come before lists, whose length may change.
    ///
    /// # Errors
    ///
    /// A name is not that of numbers, or there are no numbers at all.
    pub fn of(fields: &Fields, names: &[String]) -> Result<Self, BindError> {
        Self::that(fields, names, is_firm)
    }

    /// Like [`Self::of`], with loose numbers: those in maps, those whose form is determined at run time, pixels and points.
    ///
    /// # Errors
    ///
    /// A name is not that of numbers, or there are no numbers at all.
    pub fn with_loose(fields: &Fields, names: &[String]) -> Result<Self, BindError> {
        Self::that(fields, names, |field| is_firm(field) || is_loose(field))
    }

    fn that(fields: &Fields, names: &[String], is_measured: IsNumeric) -> Result<Self, BindError> {
        let mut locations = Vec::new();
        for name in names {
            let location = find(fields, name, is_measured);
            let location = location.ok_or_else(|| bind_error(fields, name, is_measured))?;
            if !locations.contains(&location) {
                locations.push(location);
            }
        }
        if names.is_empty() {
            let whole = fields.0.iter().filter(|field| is_measured(field));
            locations.extend(whole.map(|field| Location {
                index: field.index,
                element: None,
            }));
        }
        if locations.is_empty() {
            return Err(BindError::needs("a field that holds numbers"));
        }
        let field_of =
            |location: &Location| fields.0.iter().find(|field| field.index == location.index);
        let is_loose =
            |location: &Location| field_of(location).is_some_and(|field| !is_firm(field));
        let is_list = |location: &Location| {
            let info = field_of(location).and_then(|field| field.info);
            location.element.is_none() && matches!(info, Some(TypeInfo::List(_)))
        };
        locations.sort_by_key(|location| (is_loose(location), is_list(location)));
        let firm = locations.partition_point(|location| !is_loose(location));
        Ok(Self { locations, firm })
    }

    /// Visits each number with its index.
    pub fn each(&self, data: &mut dyn Struct, mut visit: impl FnMut(usize, &mut f64)) {
        let mut count = 0;
        let mut visit = |number: &mut f64| {
            visit(count, number);
            count += 1;
        };
        each_leaf(&self.locations, data, &mut |leaf| {
            leaf.change_all(&mut visit);
        });
    }

    /// Visits each number that is not loose, and one loose number. `choose` gets the number of loose numbers and returns the
    /// index of the one to visit; it is not called if there are none.
    pub fn each_firm_and_one_loose(
        &self,
        data: &mut dyn Struct,
        choose: impl FnOnce(usize) -> usize,
        mut visit: impl FnMut(&mut f64),
    ) {
        let (firm, loose) = self.locations.split_at(self.firm);
        each_leaf(firm, data, &mut |leaf| {
            leaf.change_all(&mut visit);
        });
        let mut count = 0;
        each_leaf(loose, data, &mut |leaf| count += leaf.count());
        if count == 0 {
            return;
        }
        let chosen = choose(count);
        let mut before = 0;
        each_leaf(loose, data, &mut |leaf| {
            let end = before + leaf.count();
            if (before..end).contains(&chosen) {
                leaf.change(chosen - before..chosen - before + 1, &mut visit);
            }
            before = end;
        });
    }
}

fn each_leaf(locations: &[Location], data: &mut dyn Struct, visit: &mut dyn FnMut(Leaf<'_>)) {
    for location in locations {
        let Some(field) = data.field_at_mut(location.index) else {
            continue;
        };
        match location.element {
            None => leaves(field, visit),
            Some(index) => {
                if let Some(element) = element_mut(field, index) {
                    leaves(element, visit);
                }
            }
        }
    }
}

fn bind_error(fields: &Fields, name: &str, is_measured: IsNumeric) -> BindError {
    let known: Vec<String> = fields
        .0
        .iter()
        .filter(|field| is_measured(field))
        .map(|field| format!("`{}`", field.name))
        .collect();
    let known = if known.is_empty() {
        "it has none at all".to_owned()
    } else {
        format!("it has {}", known.join(", "))
    };
    BindError::needs(format!("numbers in a field `{name}` ({known})"))
}

fn find(fields: &Fields, name: &str, is_measured: IsNumeric) -> Option<Location> {
    let numeric = |name: &str| fields.get(name).filter(|field| is_measured(field));
    if let Some(field) = numeric(name) {
        return Some(Location {
            index: field.index,
            element: None,
        });
    }
    let (whole, element) = name.split_once('.')?;
    let field = numeric(whole)?;
    Some(Location {
        index: field.index,
        element: Some(element_index(field, element)?),
    })
}

/// Returns the index of a component in a field.
fn element_index(field: &Field, element: &str) -> Option<usize> {
    match field.info? {
        TypeInfo::Struct(info) => {
            let index = info.index_of(element)?;
            is_numeric(info.field_at(index)?.type_info()).then_some(index)
        }
        TypeInfo::Array(info) => element
            .parse()
            .ok()
            .filter(|&index| index < info.capacity()),
        TypeInfo::List(_) => element.parse().ok(),
        _ => None,
    }
}

fn is_firm(field: &Field) -> bool {
    !field.is_fixed && is_numeric(field.info)
}

/// Returns true if a field contains loose numbers. Images of integers without a unit contain identifiers, and no numbers.
fn is_loose(field: &Field) -> bool {
    let is_name = field.unit.is_none() && field.info.is_some_and(TypeInfo::is::<Samples<u16>>);
    !field.is_fixed && !is_name && has_loose(field.info)
}

fn has_loose(info: Option<&'static TypeInfo>) -> bool {
    let Some(info) = info else {
        return false;
    };
    match info {
        TypeInfo::Array(array) => has_loose(array.item_info()),
        TypeInfo::List(list) => has_loose(list.item_info()),
        TypeInfo::Struct(fields) => fields.iter().any(|field| has_loose(field.type_info())),
        TypeInfo::Map(map) => {
            let value = map.value_info();
            is_sorted_map(map) && (is_numeric(value) || has_loose(value))
        }
        _ => {
            info.is::<DynamicValue>()
                || info.is::<Samples<u8>>()
                || info.is::<Samples<u16>>()
                || info.is::<Samples<f32>>()
        }
    }
}

fn is_numeric(info: Option<&'static TypeInfo>) -> bool {
    let Some(info) = info else {
        return false;
    };
    match info {
        TypeInfo::Array(array) => is_numeric(array.item_info()),
        TypeInfo::List(list) => is_numeric(list.item_info()),
        TypeInfo::Struct(fields) => fields.iter().any(|field| is_numeric(field.type_info())),
        _ => info.is::<f64>() || info.is::<f32>(),
    }
}

fn element_mut(value: &mut dyn PartialReflect, index: usize) -> Option<&mut dyn PartialReflect> {
    match value.reflect_mut() {
        ReflectMut::Struct(fields) => fields.field_at_mut(index),
        ReflectMut::Array(elements) => elements.get_mut(index),
        ReflectMut::List(elements) => elements.get_mut(index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Reflect, Default)]
    struct Angles {
        yaw: f64,
        pitch: f64,
    }

    #[derive(Reflect, Default)]
    struct Data {
        ranges: Vec<f64>,
        count: u32,
        name: String,
        x: f64,
        velocity: [f64; 3],
        rotation: Angles,
        quaternion: [f64; 4],
        points: Vec<[f64; 3]>,
        gain: f32,
    }

    fn data() -> Data {
        Data {
            ranges: vec![1.0, 2.0],
            points: vec![[0.0; 3]; 2],
            ..Data::default()
        }
    }

    fn visited(names: &[&str]) -> Vec<usize> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let numbers = Numbers::of(&Fields::of_type::<Data>(None), &names).unwrap();
        let mut indices = Vec::new();
        numbers.each(&mut data(), |index, _| indices.push(index));
        indices
    }

    #[test]
    fn every_number_is_visited_once() {
        // 1 + 3 + 2 + 4 + 1 of fixed size, 2 ranges, and 2 points.
        assert_eq!(visited(&[]), (0..19).collect::<Vec<_>>());
        assert_eq!(visited(&["velocity", "x", "x"]).len(), 4);
    }

    #[test]
    fn an_element_is_chosen_by_a_dot() {
        let fields = Fields::of_type::<Data>(None);
        let chosen = |name: &str| Numbers::of(&fields, &[name.to_owned()]);
        let mut changed = data();
        for name in ["velocity.1", "rotation.pitch", "ranges.1", "gain"] {
            chosen(name)
                .unwrap()
                .each(&mut changed, |_, number| *number += 7.0);
        }
        assert_eq!(changed.velocity, [0.0, 7.0, 0.0]);
        assert_eq!((changed.rotation.yaw, changed.rotation.pitch), (0.0, 7.0));
        assert_eq!((changed.ranges, changed.gain), (vec![1.0, 9.0], 7.0));
        for name in [
            "velocity.3",
            "rotation.roll",
            "x.0",
            "count",
            "name",
            "",
            ".",
        ] {
            let bind_error = chosen(name).unwrap_err().to_string();
            assert!(bind_error.contains(&format!("`{name}`")), "{bind_error}");
            assert!(bind_error.contains("`velocity`"), "{bind_error}");
        }
    }

    #[test]
    fn lists_come_last() {
        let numbers = Numbers::of(&Fields::of_type::<Data>(None), &[]).unwrap();
        let mut seen = Vec::new();
        numbers.each(&mut data(), |index, number| {
            if *number == 1.0 {
                seen.push(index);
            }
        });
        assert_eq!(seen, [11]);
    }
}
