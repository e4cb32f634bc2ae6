//! Settings in MORSE's form: the name, the value and the type of a setting in requests.
use bevy::reflect::{NamedField, TypeInfo};
use morse_api::{
    dynamic::{no_json_number, number_to_json},
    property::{Form, Property, form_of},
};
use serde_json::{Value as Json, json};

/// Returns the name of a setting in requests.
#[must_use]
pub fn name_of(field: &NamedField) -> &'static str {
    let property = field.get_attribute::<Property>();
    property.map_or(field.name(), |property| property.0)
}

/// Converts the value of a setting to MORSE's form.
pub(super) fn to_morse(field: &NamedField, value: &Json) -> Json {
    let Some(form) = form_of(field) else {
        return value.clone();
    };
    match (form, value) {
        (Form::Degrees, Json::Number(_)) => converted(value, f64::to_degrees, f64::to_radians),
        (Form::Millimetres, Json::Number(_)) => converted(value, to_millimetres, to_metres),
        (Form::Words(words), Json::String(own)) => {
            let pair = words.iter().find(|(_, ours)| ours == own);
            pair.map_or(value.clone(), |(theirs, _)| json!(theirs))
        }
        (Form::Commas, Json::Array(items)) => json!(texts(items).join(",")),
        (Form::Tuple, Json::Array(items)) => json!(format!("({})", texts(items).join(", "))),
        _ => value.clone(),
    }
}

/// Converts the value of a setting from MORSE's form. A value of another form is returned unchanged, for the reader to
/// report.
pub(super) fn from_morse(field: &NamedField, value: &Json) -> Json {
    let with = |convert: fn(f64) -> f64| {
        let number = value.as_f64().or_else(|| no_json_number(value));
        number.map_or(value.clone(), |number| number_to_json(convert(number)))
    };
    match (form_of(field), value) {
        (Some(Form::Degrees), _) => with(f64::to_radians),
        (Some(Form::Millimetres), _) => with(to_metres),
        (Some(Form::Words(words)), Json::String(given)) => {
            let pair = words
                .iter()
                .find(|(theirs, _)| theirs.eq_ignore_ascii_case(given));
            pair.map_or(value.clone(), |(_, ours)| json!(ours))
        }
        (_, Json::String(text)) => list(field, text).unwrap_or_else(|| value.clone()),
        _ => value.clone(),
    }
}

fn to_millimetres(metres: f64) -> f64 {
    metres * 1e3
}

fn to_metres(millimetres: f64) -> f64 {
    millimetres / 1e3
}

/// Converts a number to another unit, rounded to the shortest number that converts back exactly, so that 180° are 180.
fn converted(value: &Json, there: fn(f64) -> f64, back: fn(f64) -> f64) -> Json {
    let Some(own) = value.as_f64() else {
        return value.clone();
    };
    let raw = there(own);
    let short = |digits: usize| format!("{raw:.digits$e}").parse::<f64>().ok();
    let exact = (0..17)
        .filter_map(short)
        .find(|number| back(*number).to_bits() == own.to_bits());
    number_to_json(exact.unwrap_or(raw))
}

fn texts(values: &[Json]) -> Vec<String> {
    let text = |value: &Json| value.as_str().map_or(value.to_string(), str::to_owned);
    values.iter().map(text).collect()
}

/// Splits a text that stands for a list: `1,2`, `[1, 2]`, `(1.0, 0.5, 0.0)`.
fn list(field: &NamedField, text: &str) -> Option<Json> {
    let item = items_of(field.type_info()?)?;
    let inside = text
        .trim()
        .trim_start_matches(['[', '('])
        .trim_end_matches([']', ')']);
    let items = inside.split(',').map(str::trim);
    let items = items.filter(|item| !item.is_empty());
    if item.is::<String>() {
        let names = items.map(|item| item.trim_matches(['"', '\'']));
        return Some(names.collect());
    }
    let number = |item: &str| serde_json::from_str::<Json>(item).ok();
    let numbers: Option<Vec<Json>> = items.map(number).collect();
    numbers.map(Json::Array)
}

/// Returns the type of the items of a list, or of an optional list.
fn items_of(info: &'static TypeInfo) -> Option<&'static TypeInfo> {
    match info {
        TypeInfo::List(list) => list.item_info(),
        TypeInfo::Array(array) => array.item_info(),
        TypeInfo::Enum(option) => {
            let some = option.variant("Some")?.as_tuple_variant().ok()?;
            items_of(some.field_at(0)?.type_info()?)
        }
        _ => None,
    }
}

/// Returns the type of the value of a setting, with MORSE's name for it.
pub(super) fn type_of(field: &NamedField) -> &'static str {
    match (form_of(field), field.type_info()) {
        (Some(Form::Commas | Form::Tuple), _) | (_, None) => "string",
        (_, Some(info)) => word_of(info),
    }
}

fn word_of(info: &'static TypeInfo) -> &'static str {
    match info {
        TypeInfo::List(_) | TypeInfo::Array(_) | TypeInfo::Tuple(_) => "list",
        TypeInfo::Map(_) | TypeInfo::Struct(_) => "dict",
        TypeInfo::Enum(variants) => {
            let some = variants.variant("Some");
            let some = some.and_then(|some| some.as_tuple_variant().ok());
            let inside = some.and_then(|some| some.field_at(0)?.type_info());
            inside.map_or("string", word_of)
        }
        _ if info.is::<bool>() => "bool",
        _ if info.is::<f64>() || info.is::<f32>() => "float",
        _ if info.is::<String>() => "string",
        _ => "integer",
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::Reflect;
    use bevy::reflect::Typed as _;
    use morse_api::property::find;

    use super::*;

    #[derive(Reflect, Default)]
    struct Settings {
        #[reflect(@Property("window"), @Form::Degrees)]
        angle: f64,
        #[reflect(@Property("cam_focal"), @Form::Millimetres)]
        focal: f64,
        #[reflect(@Property("cam_fov"), @Form::Degrees)]
        fov: Option<f64>,
        #[reflect(@Property("angle"))]
        turn: f64,
        #[reflect(@Property("ControlType"), @Form::CONTROL)]
        control: String,
        #[reflect(@Property("sensors"), @Form::Commas)]
        sensors: Vec<String>,
        #[reflect(@Property("color"), @Form::Tuple)]
        color: [f64; 3],
        #[reflect(@Property("keep_list"))]
        lines: Option<Vec<u32>>,
        own: bool,
    }

    fn field(name: &str) -> &'static NamedField {
        let setting = find(Settings::type_info(), name);
        setting.map(|(field, _)| field).unwrap()
    }

    #[test]
    fn a_setting_is_found_by_both_of_its_names() {
        for (name, own, is_theirs) in [
            ("window", "angle", true),
            ("control", "control", false),
            ("ControlType", "control", true),
            ("own", "own", false),
            // MORSE's names take precedence.
            ("angle", "turn", true),
        ] {
            let (field, theirs) = find(Settings::type_info(), name).unwrap();
            assert_eq!((field.name(), theirs), (own, is_theirs), "{name}");
        }
        assert!(find(Settings::type_info(), "Window").is_none());
    }

    #[test]
    fn what_is_told_is_what_was_heard() {
        for (name, own, theirs) in [
            ("window", json!(std::f64::consts::PI), json!(180.0)),
            ("window", json!(2.7_f64.to_radians()), json!(2.7)),
            ("cam_focal", json!(0.035), json!(35.0)),
            ("cam_fov", json!(null), json!(null)),
            ("cam_fov", json!(std::f64::consts::FRAC_PI_2), json!(90.0)),
            ("ControlType", json!("position"), json!("Position")),
            ("sensors", json!(["r.a", "r.b"]), json!("r.a,r.b")),
            ("color", json!([1.0, 0.5, 0.0]), json!("(1.0, 0.5, 0.0)")),
            ("keep_list", json!([1, 17]), json!([1, 17])),
            ("keep_list", json!(null), json!(null)),
            ("own", json!(true), json!(true)),
        ] {
            assert_eq!(to_morse(field(name), &own), theirs, "{name}");
            assert_eq!(from_morse(field(name), &theirs), own, "{name}");
        }
    }

    #[test]
    fn every_angle_of_few_digits_comes_back() {
        let window = field("window");
        for tenths in -36_000..36_000 {
            let degrees = json!(f64::from(tenths) / 100.0);
            assert_eq!(to_morse(window, &from_morse(window, &degrees)), degrees);
        }
        let inexact = json!(1.0);
        assert_eq!(from_morse(window, &to_morse(window, &inexact)), inexact);
    }

    #[test]
    fn lists_may_be_texts() {
        for (name, text, expected) in [
            ("keep_list", "[1,17, 34]", json!([1, 17, 34])),
            ("keep_list", "", json!([])),
            ("sensors", "'r.a', r.b", json!(["r.a", "r.b"])),
            ("color", "(0,0.5,1)", json!([0, 0.5, 1])),
            // The reader reports the error.
            ("keep_list", "all", json!("all")),
        ] {
            assert_eq!(from_morse(field(name), &json!(text)), expected, "{name}");
        }
    }

    #[test]
    fn numbers_without_end_stay_so() {
        let endless = number_to_json(f64::INFINITY);
        assert_eq!(to_morse(field("window"), &endless), endless);
        assert_eq!(from_morse(field("window"), &endless), endless);
        assert_eq!(from_morse(field("window"), &json!("wide")), json!("wide"));
    }

    #[test]
    fn types_have_pythons_words() {
        for (name, word) in [
            ("window", "float"),
            ("cam_fov", "float"),
            ("ControlType", "string"),
            ("sensors", "string"),
            ("color", "string"),
            ("keep_list", "list"),
            ("own", "bool"),
        ] {
            assert_eq!(type_of(field(name)), word, "{name}");
        }
    }
}
