//! The numbers of a type of settings, at any depth.
use bevy::reflect::{NamedField, TypeInfo, UnnamedField, enums::VariantInfo};
use morse_api::{fields::plain_name, range::ValueRange};
use serde_json::{Value as Json, json};

/// Step on the path to a number.
#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    /// Each number of an array of this length.
    Array(usize),
    /// First element of a list.
    List,
}

/// A number of settings.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    steps: Vec<Step>,
    /// True if its type is an integer.
    pub(super) is_whole: bool,
    /// Its own range.
    pub(super) range: Option<ValueRange>,
}

impl Leaf {
    /// Returns the name of its setting.
    pub(super) fn field(&self) -> &'static str {
        match self.steps.first() {
            Some(Step::Field(name)) => name,
            _ => unreachable!("settings are structs"),
        }
    }

    /// Returns its path: `wheels.[].radius`.
    pub(super) fn name(&self) -> String {
        let step = |step: &Step| match step {
            Step::Field(name) => (*name).to_owned(),
            Step::Array(_) | Step::List => "[]".to_owned(),
        };
        let steps: Vec<String> = self.steps.iter().map(step).collect();
        steps.join(".")
    }

    /// Returns true if a path of names and indices leads to it.
    pub(super) fn is(&self, path: &[String]) -> bool {
        let fits = |(step, name): (&Step, &String)| match step {
            Step::Field(field) => field == name,
            Step::Array(_) | Step::List => name.parse::<usize>().is_ok(),
        };
        self.steps.len() == path.len() && self.steps.iter().zip(path).all(fits)
    }

    /// Returns the setting with this number in it, and otherwise unchanged.
    pub(super) fn put(&self, value: &Json, number: &Json) -> Json {
        put(value, &self.steps[1..], number)
    }
}

fn put(value: &Json, steps: &[Step], number: &Json) -> Json {
    let Some((step, rest)) = steps.split_first() else {
        return number.clone();
    };
    match step {
        Step::Field(name) => {
            let mut fields = value.as_object().cloned().unwrap_or_default();
            let old = fields.get(*name).cloned().unwrap_or_default();
            fields.insert((*name).to_owned(), put(&old, rest, number));
            fields.into()
        }
        Step::Array(count) => {
            let old = |index: usize| value.get(index).cloned().unwrap_or_default();
            (0..*count)
                .map(|index| put(&old(index), rest, number))
                .collect()
        }
        Step::List => {
            let mut items = value.as_array().cloned().unwrap_or_default();
            if items.is_empty() {
                items.push(Json::Null);
            }
            items[0] = put(&items[0], rest, number);
            items.into()
        }
    }
}

/// Returns all numbers of settings.
pub(super) fn leaves(info: &'static TypeInfo) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    search(info, None, &mut Vec::new(), &mut leaves);
    leaves
}

fn search(
    info: &'static TypeInfo,
    range: Option<ValueRange>,
    steps: &mut Vec<Step>,
    leaves: &mut Vec<Leaf>,
) {
    let mut inside = |step: Option<Step>, info: Option<&'static TypeInfo>, range| {
        let length = steps.len();
        steps.extend(step);
        if let Some(info) = info {
            search(info, range, steps, leaves);
        }
        steps.truncate(length);
    };
    match info {
        TypeInfo::Struct(fields) => fields.iter().for_each(|field: &'static NamedField| {
            let own = field.get_attribute::<ValueRange>().copied();
            let step = Step::Field(plain_name(field.name()));
            inside(Some(step), field.type_info(), own.or(range));
        }),
        TypeInfo::Array(array) => {
            let step = Step::Array(array.capacity());
            inside(Some(step), array.item_info(), range);
        }
        TypeInfo::List(list) => inside(Some(Step::List), list.item_info(), range),
        TypeInfo::Enum(option) if option.type_path().starts_with("core::option::Option") => {
            if let Some(VariantInfo::Tuple(some)) = option.variant("Some") {
                inside(
                    None,
                    some.field_at(0).and_then(UnnamedField::type_info),
                    range,
                );
            }
        }
        _ => {
            let is_float = info.is::<f64>() || info.is::<f32>();
            let is_whole = is_integer(info);
            if is_float || is_whole {
                leaves.push(Leaf {
                    steps: steps.clone(),
                    is_whole,
                    range,
                });
            }
        }
    }
}

fn is_integer(info: &TypeInfo) -> bool {
    macro_rules! is_any {
        ($($type:ty),+) => { false $(|| info.is::<$type>())+ };
    }
    is_any!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize)
}

/// Formats a value made of numbers in the syntax of simulation files.
pub(super) fn ron(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", ron(value)));
            format!("({})", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => {
            let items = items.iter().map(ron);
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        number => number.to_string(),
    }
}

#[derive(bevy::reflect::Reflect)]
struct Planted {
    bare: f64,
    #[reflect(@ValueRange(0.0, 1.0))]
    list: Vec<[f32; 2]>,
    #[reflect(@ValueRange(0.0, 2.0))]
    count: Option<u8>,
    name: String,
}

#[test]
fn numbers_are_listed() {
    use bevy::reflect::Typed as _;
    let leaves = leaves(Planted::type_info());
    let names: Vec<String> = leaves.iter().map(Leaf::name).collect();
    assert_eq!(names, ["bare", "list.[].[]", "count"]);
    assert_eq!(leaves[0].range, None);
    assert_eq!(leaves[1].range, Some(ValueRange(0.0, 1.0)));
    assert!(leaves[2].is_whole && !leaves[1].is_whole);
    assert_eq!(
        leaves[1].put(&json!([[5, 6], [7, 8]]), &json!(0)),
        json!([[0, 0], [7, 8]])
    );
    assert!(leaves[1].is(&["list".to_owned(), "3".to_owned(), "1".to_owned()]));
    assert_eq!(
        ron(&json!({ "a": [1.5, { "b": -2 }] })),
        "(a: [1.5, (b: -2)])"
    );
}
