//! Numbers of settings that are out of their ranges, at any depth.
use std::fmt;

use bevy::reflect::{
    NamedField, PartialReflect, ReflectRef, TypeInfo, UnnamedField,
    attributes::CustomAttributes,
    enums::{Enum, VariantInfo},
};

use super::ValueRange;
use crate::fields::{Field, Unit, key_text, plain_name};

/// A number that is out of the range of its field.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Path from the settings: names of fields, indices in lists, keys of maps.
    pub path: Vec<String>,
    /// The number.
    pub number: f64,
    /// The range.
    pub range: ValueRange,
    /// Unit of the range; empty for a pure number.
    pub unit: &'static str,
}

impl Violation {
    /// Returns the path as text: `sigma.0`, `wheels.1.radius`.
    #[must_use]
    pub fn field(&self) -> String {
        self.path.join(".")
    }

    /// Returns the range with its unit: `0 to 1000 m`.
    #[must_use]
    pub fn wanted(&self) -> String {
        // The numbers of a modifier have the units of the fields that it changes.
        let unit = if self.unit.starts_with("field's") {
            ""
        } else {
            self.unit
        };
        format!("{} {unit}", self.range).trim_end().to_owned()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = ValueRange::shown(self.number);
        write!(f, "{number} is out of range: {}", self.wanted())
    }
}

/// Returns all numbers of settings that are out of the ranges of their fields.
///
/// A number in a list, an array, an option or a map has the range of the field that contains it. In a nested struct each
/// field has its own range, or else that of the field that contains the struct.
#[must_use]
pub fn violations(settings: &dyn PartialReflect) -> Vec<Violation> {
    let mut search = Search::default();
    search.look_at(settings, Rule::default());
    search.violations
}

/// Returns the range of a setting or of a field of a command; `None` if it contains no numbers, or integers that are limited
/// by their type only.
#[must_use]
pub fn range_of(field: &Field) -> Option<ValueRange> {
    let is_whole = is_whole(field.info?)?;
    let rule = Rule {
        own: field.has_own_range.then_some(field.range),
        unit: field.unit,
    };
    rule.range(is_whole)
}

/// Returns true if the numbers of a type, or of the type that it contains, are integers; `None` if it has no numbers.
fn is_whole(info: &'static TypeInfo) -> Option<bool> {
    match info {
        TypeInfo::Array(array) => is_whole(array.item_info()?),
        TypeInfo::List(list) => is_whole(list.item_info()?),
        TypeInfo::Map(map) => is_whole(map.value_info()?),
        TypeInfo::Enum(option) => match option.variant("Some")? {
            VariantInfo::Tuple(some) if option.variant_len() == 2 => {
                is_whole(some.field_at(0)?.type_info()?)
            }
            _ => None,
        },
        _ if info.is::<f64>() || info.is::<f32>() => Some(false),
        _ => is_integer(info).then_some(true),
    }
}

/// Rule for the numbers of a field.
#[derive(Clone, Copy, Default)]
struct Rule {
    own: Option<ValueRange>,
    unit: Option<&'static str>,
}

impl Rule {
    /// Returns the rule for a nested field.
    fn inside(self, field: Option<&CustomAttributes>) -> Self {
        let Some(field) = field else {
            return self;
        };
        match (field.get::<ValueRange>(), field.get::<Unit>()) {
            (None, None) => self,
            (own, unit) => Self {
                own: own.copied(),
                unit: unit.map(|unit| unit.0),
            },
        }
    }

    /// Returns the range of a number. Integers without a known unit are limited by their type only: they may be seeds, masks
    /// and names.
    fn range(self, is_whole: bool) -> Option<ValueRange> {
        let unit = self.unit.unwrap_or_default();
        let known = ValueRange::of_known_unit(unit);
        let other = || (!is_whole).then(|| ValueRange::of_unit(unit));
        self.own.or(known).or_else(other)
    }
}

#[derive(Default)]
struct Search {
    path: Vec<String>,
    violations: Vec<Violation>,
}

impl Search {
    fn look_at(&mut self, value: &dyn PartialReflect, rule: Rule) {
        if let Some((number, is_whole)) = number_of(value) {
            self.hold(number, rule.range(is_whole), rule.unit);
            return;
        }
        let info = value.get_represented_type_info();
        match value.reflect_ref() {
            ReflectRef::Struct(fields) => {
                for (index, (name, field_value)) in fields.iter_fields().enumerate() {
                    let field = match info {
                        Some(TypeInfo::Struct(info)) => info.field_at(index),
                        _ => None,
                    };
                    let rule = rule.inside(field.map(NamedField::custom_attributes));
                    self.step(plain_name(name).to_owned(), field_value, rule);
                }
            }
            ReflectRef::TupleStruct(fields) => {
                for (index, field_value) in fields.iter_fields().enumerate() {
                    let field = match info {
                        Some(TypeInfo::TupleStruct(info)) => info.field_at(index),
                        _ => None,
                    };
                    let rule = rule.inside(field.map(UnnamedField::custom_attributes));
                    if fields.field_len() == 1 {
                        self.look_at(field_value, rule);
                    } else {
                        self.step(index.to_string(), field_value, rule);
                    }
                }
            }
            ReflectRef::Tuple(elements) => self.each(elements.iter_fields(), rule),
            ReflectRef::List(elements) => self.each(elements.iter(), rule),
            ReflectRef::Array(elements) => self.each(elements.iter(), rule),
            ReflectRef::Set(elements) => self.each(elements.iter(), rule),
            ReflectRef::Map(entries) => {
                for (key, element) in entries.iter() {
                    self.step(key_text(key), element, rule);
                }
            }
            ReflectRef::Enum(chosen) => self.variant(chosen, info, rule),
            ReflectRef::Opaque(_) => {}
        }
    }

    fn variant(&mut self, chosen: &dyn Enum, info: Option<&'static TypeInfo>, rule: Rule) {
        let is_some = chosen.variant_name() == "Some" && chosen.field_len() == 1;
        let variant = match info {
            Some(TypeInfo::Enum(info)) => info.variant(chosen.variant_name()),
            _ => None,
        };
        for index in 0..chosen.field_len() {
            let Some(element) = chosen.field_at(index) else {
                continue;
            };
            let rule = rule.inside(variant.and_then(|variant| attributes(variant, index)));
            if is_some {
                self.look_at(element, rule);
            } else {
                let name = chosen.name_at(index).map(plain_name);
                let step = name.map_or_else(|| index.to_string(), str::to_owned);
                self.step(step, element, rule);
            }
        }
    }

    fn each<'a>(&mut self, elements: impl Iterator<Item = &'a dyn PartialReflect>, rule: Rule) {
        for (index, element) in elements.enumerate() {
            self.step(index.to_string(), element, rule);
        }
    }

    fn step(&mut self, name: String, value: &dyn PartialReflect, rule: Rule) {
        self.path.push(name);
        self.look_at(value, rule);
        self.path.pop();
    }

    fn hold(&mut self, number: f64, range: Option<ValueRange>, unit: Option<&'static str>) {
        if let Some(range) = range.filter(|range| !range.contains(number)) {
            self.violations.push(Violation {
                path: self.path.clone(),
                number,
                range,
                unit: unit.unwrap_or_default(),
            });
        }
    }
}

/// Returns the attributes of a field of a variant.
fn attributes(variant: &'static VariantInfo, index: usize) -> Option<&'static CustomAttributes> {
    match variant {
        VariantInfo::Struct(variant) => variant.field_at(index).map(NamedField::custom_attributes),
        VariantInfo::Tuple(variant) => variant.field_at(index).map(UnnamedField::custom_attributes),
        VariantInfo::Unit(_) => None,
    }
}

macro_rules! integers {
    ($($type:ty),+) => {
        fn is_integer(info: &TypeInfo) -> bool {
            false $(|| info.is::<$type>())+
        }

        fn integer_of(value: &dyn PartialReflect) -> Option<f64> {
            // Numbers that a float cannot distinguish are far beyond any range.
            $(if let Some(number) = value.try_downcast_ref::<$type>() {
                return Some(*number as f64);
            })+
            None
        }
    };
}
integers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

/// Returns the number in a value, and true if its type is an integer.
fn number_of(value: &dyn PartialReflect) -> Option<(f64, bool)> {
    if let Some(number) = value.try_downcast_ref::<f64>() {
        return Some((*number, false));
    }
    if let Some(number) = value.try_downcast_ref::<f32>() {
        return Some((f64::from(*number), false));
    }
    integer_of(value).map(|number| (number, true))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bevy::prelude::{Reflect, default};

    use super::*;

    #[derive(Reflect, Default)]
    struct Wheel {
        #[reflect(@Unit("m"), @ValueRange(0.1, 1.0))]
        radius: f64,
        share: f32,
    }

    #[derive(Reflect, Default)]
    struct Car {
        /// A speed with the range of its unit.
        #[reflect(@Unit("m/s"))]
        speed: Option<f64>,
        #[reflect(@ValueRange(-1.0, 1.0))]
        wheels: Vec<Wheel>,
        #[reflect(@ValueRange(1.0, 4.0))]
        doors: u8,
        seed: u64,
        #[reflect(@ValueRange(0.0, 1.0))]
        gains: BTreeMap<String, [f64; 2]>,
        form: Form,
        plain: f64,
        r#type: Wrapped,
    }

    #[derive(Reflect, Default)]
    struct Wrapped(#[reflect(@ValueRange(0.0, 9.0))] i64);

    #[derive(Reflect, Default)]
    enum Form {
        #[default]
        Flat,
        Round {
            #[reflect(@Unit("m"), @ValueRange(0.0, 2.0))]
            radius: f64,
        },
        Long(#[reflect(@ValueRange(0.0, 3.0))] f64, u8),
    }

    fn car() -> Car {
        Car {
            wheels: vec![Wheel {
                radius: 0.5,
                share: 1.0,
            }],
            doors: 2,
            ..default()
        }
    }

    fn texts_of(car: &Car) -> Vec<String> {
        let problems = violations(car.as_partial_reflect());
        let text = |violation: &Violation| format!("{}: {violation}", violation.field());
        problems.iter().map(text).collect()
    }

    #[test]
    fn what_is_within_is_fine_and_whole_numbers_without_a_range_are_free() {
        let fine = Car {
            speed: Some(1e4),
            seed: u64::MAX,
            plain: -1e9,
            ..car()
        };
        assert!(texts_of(&fine).is_empty(), "{:?}", texts_of(&fine));
    }

    #[test]
    fn every_number_is_checked_wherever_it_stands() {
        let mut wrong = car();
        wrong.speed = Some(1e5);
        wrong.wheels.push(Wheel {
            radius: 0.0,
            share: 2.0,
        });
        wrong.doors = 5;
        wrong.gains.insert("left".to_owned(), [0.5, f64::NAN]);
        wrong.form = Form::Round { radius: -1.0 };
        wrong.plain = f64::INFINITY;
        wrong.r#type = Wrapped(10);
        assert_eq!(
            texts_of(&wrong),
            [
                "speed: 100000 is out of range: -10000 to 10000 m/s",
                "wheels.1.radius: 0 is out of range: 0.1 to 1 m",
                "wheels.1.share: 2 is out of range: -1 to 1",
                "doors: 5 is out of range: 1 to 4",
                "gains.left.1: NaN is out of range: 0 to 1",
                "form.radius: -1 is out of range: 0 to 2 m",
                "plain: inf is out of range: -1e9 to 1e9",
                "type: 10 is out of range: 0 to 9",
            ]
        );
        let long = Car {
            form: Form::Long(4.0, 255),
            ..car()
        };
        assert_eq!(texts_of(&long), ["form.0: 4 is out of range: 0 to 3"]);
    }

    #[test]
    fn a_range_without_an_end_is_worded() {
        let range = ValueRange(0.0, f64::INFINITY);
        assert!(range.contains(1e308) && range.contains(f64::INFINITY));
        assert!(!range.contains(-1e-300) && !range.contains(f64::NAN));
        assert_eq!(range.to_string(), "0 or more");
    }
}
