//! Descriptions as text for users, and as JSON for programs.
use std::fmt::Write as _;

use morse_api::{
    fields::{Field, Fields},
    property::Form,
    range::ValueRange,
};
use serde_json::{Value as Json, json};

use super::{Description, Setting, Signature, robots, ros::Ros};

/// Formats a number with the digits that a user would write.
pub(super) fn value(value: &Json) -> String {
    match value {
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => rounded(float),
            _ => number.to_string(),
        },
        // Values with inner fields are written differently.
        Json::Array(elements) if elements.iter().any(Json::is_object) => String::new(),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(self::value).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Null | Json::Object(_) => String::new(),
        value => value.to_string(),
    }
}

fn rounded(number: f64) -> String {
    if number == 0.0 || (number.abs() >= 1e-3 && number.abs() < 1e7) {
        let text = format!("{number:.5}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.to_owned()
    } else {
        format!("{number:e}")
    }
}

/// Returns the frequency of a sensor's measurements as text.
pub(super) fn frequency(description: &Description) -> Option<String> {
    let hertz = |hertz: f64| format!("{hertz} Hz by default, at most every tick");
    (description.family == "sensor").then(|| {
        description
            .frequency
            .map_or_else(|| "every tick by default".to_owned(), hertz)
    })
}

pub(super) fn as_text(description: &Description) -> String {
    let Description {
        word, family, docs, ..
    } = description;
    let mut text = format!("{word} ({family})\n{docs}\n");
    if !description.settings.is_empty() {
        text.push_str("\nSettings\n");
        let settings = &description.settings;
        let rows = settings
            .iter()
            .map(|setting| (setting.name.as_str(), &setting.field));
        text.push_str(&table(rows, |name, field| {
            let default = description.defaults.get(name).map(value);
            let default = default.filter(|default| !default.is_empty());
            let default = default.map(|default| format!("; default {default}"));
            let property = property(field).map(|property| format!("; {property}"));
            own_range(field) + &default.unwrap_or_default() + &property.unwrap_or_default()
        }));
    }
    if let Some((noun, fields)) = &description.fields
        && !fields.0.is_empty()
    {
        let rows = fields.0.iter().map(|field| (field.name, field));
        let fields = table(rows, |_, field| own_range(field));
        write!(text, "\n{}\n{fields}", capital(noun)).ok();
    }
    if let Some((default, others)) = description.levels.split_first() {
        write!(text, "\nLevels\n  {default} (default)").ok();
        others
            .iter()
            .for_each(|level| write!(text, ", {level}").unwrap_or_default());
        text.push('\n');
    }
    if let Some(frequency) = frequency(description) {
        write!(text, "\nFrequency\n  {frequency}\n").ok();
    }
    text.push_str(&messages(&description.ros));
    text.push_str(
        &description
            .robot
            .as_ref()
            .map(robots::physics)
            .unwrap_or_default(),
    );
    text.push_str(&services(&description.services));
    if !description.fits.is_empty() {
        let title = if *family == "modifier" {
            "Fits"
        } else {
            "Modifiers that fit"
        };
        write!(text, "\n{title}\n  {}\n", description.fits.join(", ")).ok();
    }
    if !description.snippet.is_empty() {
        let snippet = description.snippet.replace('\n', "\n  ");
        write!(text, "\nIn a simulation file\n  {snippet}\n").ok();
    }
    text
}

fn messages(all: &[Ros]) -> String {
    let mut text = String::new();
    if !all.is_empty() {
        text.push_str("\nMessages of ROS\n");
    }
    for ros in all {
        let levels = ros.levels("");
        let colon = if levels.is_empty() { "" } else { ": " };
        writeln!(text, "  {levels}{colon}{}", ros.topics("")).ok();
    }
    text
}

pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Returns `name(arguments) -> result`.
pub(super) fn signature(service: &Signature) -> String {
    let arguments: Vec<&str> = service
        .arguments
        .0
        .iter()
        .map(|argument| argument.name)
        .collect();
    format!("{}({})", service.name, arguments.join(", "))
}

fn services(services: &[Signature]) -> String {
    let mut text = String::new();
    if !services.is_empty() {
        text.push_str("\nServices\n");
    }
    for service in services {
        let later = if service.is_async {
            " (answered when it is done)"
        } else {
            ""
        };
        writeln!(text, "  {}  {}{later}", signature(service), service.docs).ok();
        for argument in &service.arguments.0 {
            let docs = docs_of(argument);
            writeln!(text, "      {}: {docs}", argument.name).ok();
        }
        if !service.result.is_empty() {
            writeln!(text, "      answers: {}", service.result).ok();
        }
    }
    text
}

/// Returns MORSE's name of a setting, and its unit there.
pub(super) fn property(field: &Field) -> Option<String> {
    let name = field.property?;
    let unit = field.form.and_then(Form::unit);
    let unit = unit.map_or(String::new(), |unit| format!(", {unit}"));
    Some(format!("MORSE's `{name}`{unit}"))
}

pub(super) fn docs_of(field: &Field) -> String {
    let docs = field.docs.unwrap_or_default();
    docs.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the range of a field that declares one.
fn own_range(field: &Field) -> String {
    let range = range(field).filter(|_| field.has_own_range);
    range.map_or_else(String::new, |range| format!("; {range}"))
}

/// Returns the range of a setting, or of a field of a command.
pub(super) fn range(field: &Field) -> Option<ValueRange> {
    morse_api::range::range_of(field)
}

fn table<'a>(
    rows: impl Iterator<Item = (&'a str, &'a Field)> + Clone,
    more: impl Fn(&str, &Field) -> String,
) -> String {
    let unit_width = |field: &Field| field.unit.unwrap_or("").chars().count();
    let names = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let units = rows.clone().map(|(_, field)| unit_width(field)).max();
    let units = units.unwrap_or(0);
    let mut text = String::new();
    for (name, field) in rows {
        let docs = docs_of(field);
        let levels = field
            .levels
            .map(|levels| format!(" [{}]", levels.join(", ")))
            .unwrap_or_default();
        let more = levels + &more(name, field);
        // What follows continues the sentence.
        let docs = if more.is_empty() {
            docs.as_ref()
        } else {
            docs.trim_end_matches('.')
        };
        let line = format!(
            "  {name:names$}  {:units$}  {docs}{more}",
            field.unit.unwrap_or("")
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

pub(super) fn as_json(description: &Description) -> Json {
    let list = |fields: &Fields| -> Json { fields.0.iter().map(of_field).collect() };
    let service = |service: &Signature| {
        json!({
            "name": service.name, "docs": service.docs, "arguments": list(&service.arguments),
            "result": service.result, "async": service.is_async,
        })
    };
    let setting = |Setting { name, field }: &Setting| {
        let mut setting = of_field(field);
        if let Some(setting) = setting.as_object_mut() {
            setting.insert("name".to_owned(), name.as_str().into());
            setting.insert("range".to_owned(), range_to_json(field));
            let default = description.defaults.get(name.as_str()).cloned();
            setting.insert("default".to_owned(), default.unwrap_or_default());
            let form = field.form.map(Form::to_json);
            let property = field
                .property
                .map(|name| json!({ "name": name, "form": form }));
            setting.insert("property".to_owned(), property.unwrap_or_default());
        }
        setting
    };
    let settings: Json = description.settings.iter().map(setting).collect();
    let mut json = json!({
        "kind": description.word, "family": description.family, "docs": description.docs,
        "settings": settings, "levels": description.levels, "frequency": description.frequency,
        "ros": description.ros.iter().map(Ros::to_json).collect::<Json>(),
        "services": description.services.iter().map(service).collect::<Json>(),
        "fits": description.fits, "snippet": description.snippet,
    });
    if let Some(robot) = &description.robot {
        json["physics"] = robots::to_json(robot);
    }
    if let (Some((noun, fields)), Some(object)) = (&description.fields, json.as_object_mut()) {
        let mut fields_json = list(fields);
        if let Some(rows) = fields_json.as_array_mut().filter(|_| *noun == "command") {
            for (row, field) in rows.iter_mut().zip(&fields.0) {
                row["range"] = range_to_json(field);
            }
        }
        object.insert((*noun).to_owned(), fields_json);
    }
    json
}

/// Returns the minimum and maximum, null if unbounded; null for types without numbers.
fn range_to_json(field: &Field) -> Json {
    range(field).map_or(Json::Null, |ValueRange(least, greatest)| {
        json!([least, greatest])
    })
}

fn of_field(field: &Field) -> Json {
    json!({
        "name": field.name, "type": field.type_name, "unit": field.unit,
        "docs": field.docs, "levels": field.levels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let text = |number: f64| value(&number.into());
        assert_eq!(text(0.0), "0");
        assert_eq!(text(30.0), "30");
        assert_eq!(text(std::f64::consts::PI), "3.14159");
        assert_eq!(text(9.169e-6), "9.169e-6");
        assert_eq!(text(101_325.0), "101325");
        assert_eq!(value(&json!([0.5, 1])), "[0.5, 1]");
        assert_eq!(value(&json!("position")), "\"position\"");
        assert_eq!(value(&json!({ "seconds": 3 })), "");
        assert_eq!(value(&json!([{ "seconds": 3 }])), "");
    }
}
