//! Extreme values of every numeric setting of every kind: refused with a message, or simulated without failure.
#![cfg(test)]
mod budget;
mod leaves;
mod own_kinds;
mod run;

use std::fmt::Write as _;

use morse_api::{
    dynamic::no_json_number,
    kind::{About, ErasedSettings, Kinds},
    range::violations,
};
use morse_sim::simulation::{
    kinds,
    load::{Options, parse},
    no_extensions,
};
use serde_json::{Value as Json, json};

use leaves::{Leaf, leaves, ron};

/// Family of kinds, as in simulation files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Sensor,
    Actuator,
    Modifier,
    Overlay,
    Middleware,
    Output,
    Input,
}

/// Returns all kinds with settings of their own.
fn abouts(kinds: &Kinds) -> Vec<(Family, &'static str, About)> {
    let mut all = Vec::new();
    all.extend(
        kinds
            .sensors
            .iter()
            .map(|(word, kind)| (Family::Sensor, *word, kind.about)),
    );
    all.extend(
        kinds
            .actuators
            .iter()
            .map(|(word, kind)| (Family::Actuator, *word, kind.about)),
    );
    all.extend(
        kinds
            .modifiers
            .iter()
            .map(|(word, kind)| (Family::Modifier, *word, kind.about)),
    );
    all.extend(
        kinds
            .overlays
            .iter()
            .map(|(word, kind)| (Family::Overlay, *word, kind.about)),
    );
    for (word, kind) in &kinds.middlewares {
        all.push((Family::Middleware, word, kind.about));
        all.push((Family::Output, word, kind.output));
        all.push((Family::Input, word, kind.input));
    }
    all
}

/// Returns unusual numbers, and both ends of the range.
fn extremes(leaf: &Leaf) -> Vec<f64> {
    let mut extremes = if leaf.is_whole {
        let largest = [255.0, 65_535.0, f64::from(u32::MAX), 9e18, 1.8e19];
        let mut all = vec![0.0, -1.0, 1.0, 1e9, -9e18];
        all.extend(largest);
        all
    } else {
        vec![
            0.0,
            -1.0,
            1e-320,
            1e-9,
            1e9,
            1e308,
            -1e308,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ]
    };
    if let Some(range) = leaf.range {
        let ends = [range.0, range.1];
        extremes.extend(ends.into_iter().filter(|end| end.is_finite()));
    }
    extremes
}

/// Returns a number as JSON: integers without a decimal point.
fn number(leaf: &Leaf, value: f64) -> Json {
    match (leaf.is_whole, value) {
        (true, value) if value < 0.0 => json!(value as i64),
        (true, value) => json!(value as u64),
        (false, value) => morse_api::dynamic::number_to_json(value),
    }
}

/// Reads settings with one given field.
fn read(about: &About, field: &str, value: &Json) -> Result<ErasedSettings, String> {
    use serde::de::value::{Error, MapDeserializer};
    let erase = |error: erased_serde::Error| error.to_string();
    if let Some(number) = no_json_number(value) {
        let given = MapDeserializer::<_, Error>::new(std::iter::once((field, number)));
        return (about.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(given))
            .map_err(erase);
    }
    let given = json!({ field: value });
    (about.read)(&mut <dyn erased_serde::Deserializer<'_>>::erase(&given)).map_err(erase)
}

/// Returns true if settings require other fields than the tested one.
fn needs_others(about: &About) -> bool {
    about.defaults().is_none()
}

#[test]
fn every_number_has_a_range_which_it_is_held_to() {
    let kinds = kinds(&no_extensions);
    let (mut count, mut tried) = (0, 0);
    for (family, word, about) in abouts(&kinds) {
        assert!(!needs_others(&about), "{word}: say what else to give it");
        let defaults = about.defaults().expect("some");
        let defaults = (about.view)(&defaults).expect("its own type");
        assert_eq!(
            violations(defaults.as_partial_reflect()),
            [],
            "{family:?} {word}"
        );
        for leaf in leaves(about.settings) {
            let name = format!("{family:?} {word}, `{}`", leaf.name());
            let range = leaf
                .range
                .unwrap_or_else(|| panic!("{name} has no range of its own"));
            assert!(range.0 <= range.1 && range.0.is_finite(), "{name}: {range}");
            count += 1;
            for extreme in extremes(&leaf) {
                let value = leaf.put(&Json::Null, &number(&leaf, extreme));
                if no_json_number(&value).is_none() && value.to_string().contains("null") {
                    continue;
                }
                let settings = read(&about, leaf.field(), &value);
                let is_within = range.contains(extreme);
                tried += 1;
                match settings {
                    Err(why) => assert!(!is_within || is_text(&why), "{name}, {extreme}: {why}"),
                    Ok(settings) => {
                        let violations = about.violations(&settings);
                        let is_reported =
                            violations.iter().any(|violation| leaf.is(&violation.path));
                        assert_ne!(is_reported, is_within, "{name}, {extreme}: {violations:?}");
                    }
                }
            }
        }
    }
    assert!(
        count > 200 && tried > 2_000,
        "{count} numbers, {tried} extremes"
    );
}

/// A number that is written as text, such as a date, is not read as a number.
fn is_text(why: &str) -> bool {
    why.contains("string")
}

/// A line of a simulation file, and the field whose number is out of range there.
struct Wrong {
    section: Family,
    line: String,
    word: &'static str,
    field: String,
    wanted: String,
}

/// Returns a setting that is out of range for each number of each kind.
fn wrong_settings(kinds: &Kinds) -> Vec<Wrong> {
    let mut all = Vec::new();
    for (family, word, about) in abouts(kinds) {
        for leaf in leaves(about.settings) {
            let range = leaf.range.expect("a range");
            let refused = |extreme: &f64| {
                let value = leaf.put(&Json::Null, &number(&leaf, *extreme));
                extreme.is_finite()
                    && !range.contains(*extreme)
                    && read(&about, leaf.field(), &value).is_ok()
            };
            let Some(extreme) = extremes(&leaf).into_iter().find(refused) else {
                continue;
            };
            let value = ron(&leaf.put(&Json::Null, &number(&leaf, extreme)));
            let index = all.len();
            let settings = format!("kind: \"{word}\", {}: {value}", leaf.field());
            let line = match family {
                Family::Sensor | Family::Actuator | Family::Middleware => {
                    format!("\"c{index}\": ({settings}),")
                }
                Family::Overlay => format!("\"c{index}\": ({settings}, of: \"m\"),"),
                Family::Modifier => {
                    format!("\"c{index}\": (kind: \"pose\", modifiers: [({settings})]),")
                }
                Family::Output | Family::Input => continue,
            };
            all.push(Wrong {
                section: if family == Family::Modifier {
                    Family::Sensor
                } else {
                    family
                },
                line,
                word,
                field: leaf.name(),
                wanted: range.to_string(),
            });
        }
    }
    all
}

/// Returns a simulation file with these lines, and the number of each line.
fn file_of(wrong: &[Wrong]) -> (String, Vec<usize>) {
    let mut lines = vec![
        "Simulation(".to_owned(),
        "robots: { \"r\": (frame: \"x\",".to_owned(),
    ];
    let mut line_numbers = vec![0; wrong.len()];
    let mut section = |lines: &mut Vec<String>, family, open: &str, close: &str| {
        lines.push(open.to_owned());
        for (line_number, wrong) in line_numbers.iter_mut().zip(wrong) {
            if wrong.section == family {
                lines.push(wrong.line.clone());
                *line_number = lines.len();
            }
        }
        lines.push(close.to_owned());
    };
    section(&mut lines, Family::Sensor, "sensors: {", "},");
    section(&mut lines, Family::Actuator, "actuators: {", "},");
    section(&mut lines, Family::Overlay, "overlays: {", "},");
    lines.push(")},".to_owned());
    section(&mut lines, Family::Middleware, "middlewares: {", "},");
    lines.push(")".to_owned());
    (lines.join("\n"), line_numbers)
}

#[test]
fn a_file_is_told_the_field_the_range_and_the_position() {
    let kinds = kinds(&no_extensions);
    let wrong = wrong_settings(&kinds);
    assert!(wrong.len() > 200, "{}", wrong.len());
    let mut silent = String::new();
    for wrong in wrong.chunks(50) {
        let (text, line_numbers) = file_of(wrong);
        let report = parse(
            &text,
            std::path::Path::new("."),
            &Options::default(),
            &kinds,
        );
        let report = report.expect_err("numbers out of range").to_json();
        let problems = report.as_array().expect("a list");
        for (wrong, line_number) in wrong.iter().zip(line_numbers) {
            let start = format!("`{}` of `{}`: ", in_a_list(&wrong.field), wrong.word);
            let end = format!("out of range: {}", wrong.wanted);
            let is_said = problems.iter().any(|problem| {
                let message = problem["message"].as_str().unwrap_or_default();
                message.starts_with(&start)
                    && message.contains(&end)
                    && problem["line"] == json!(line_number)
                    && problem["column"].as_u64() > Some(1)
            });
            if !is_said {
                writeln!(silent, "{start}… {end}, line {line_number}: {}", wrong.line)
                    .expect("text");
            }
        }
    }
    assert!(silent.is_empty(), "not said:\n{silent}");
}

/// Messages name the first number of a list or vector by its index.
fn in_a_list(field: &str) -> String {
    field.replace("[]", "0")
}
