//! The catalogue as a Markdown page.
use std::fmt::Write as _;

use morse_api::fields::{Field, Fields};

use super::{
    Description, Setting, Signature,
    ros::Ros,
    text::{self, capital, docs_of, frequency, signature, value},
};

/// Families in the order of the page: their names in descriptions, and their titles.
const FAMILIES: [(&str, &str); 6] = [
    ("sensor", "Sensors"),
    ("actuator", "Actuators"),
    ("modifier", "Modifiers"),
    ("overlay", "Overlays"),
    ("middleware", "Middlewares"),
    ("service", "The simulation itself"),
];

/// Returns a page with all descriptions.
pub(super) fn page(descriptions: &[Description]) -> String {
    let mut page = "# Catalogue\n\nAll kinds that a simulation file can use, as printed by `morse-sim describe`. \
        `morse-sim describe --all --markdown`\nprints this page, with the kinds of a program's own.\n"
        .to_owned();
    for (family, title) in FAMILIES {
        let own: Vec<&Description> = descriptions
            .iter()
            .filter(|description| description.family == family)
            .collect();
        if own.is_empty() {
            continue;
        }
        write!(page, "\n## {title}\n").ok();
        let common = if own.len() > 1 && family != "service" {
            common_services(&own)
        } else {
            Vec::new()
        };
        if !common.is_empty() {
            write!(page, "\nEvery {family} answers:\n\n").ok();
            page.push_str(&services(&common));
        }
        for description in own {
            page.push_str(&entry(description, &common));
        }
    }
    page
}

/// Returns the services that all kinds of a family have.
fn common_services(descriptions: &[&Description]) -> Vec<Signature> {
    let Some((first, others)) = descriptions.split_first() else {
        return Vec::new();
    };
    let is_everywhere = |service: &&Signature| {
        let has = |other: &&Description| other.services.iter().any(|own| same(own, service));
        others.iter().all(has)
    };
    first
        .services
        .iter()
        .filter(is_everywhere)
        .cloned()
        .collect()
}

fn same(one: &Signature, other: &Signature) -> bool {
    one.name == other.name && one.docs == other.docs
}

/// Returns the messages of ROS, a paragraph for levels with the same ones.
fn messages(all: &[Ros]) -> String {
    let mut text = String::new();
    for ros in all {
        let levels = ros.levels("`");
        let at = if levels.is_empty() { "" } else { " at " };
        let line = wrapped(&format!("ROS{at}{levels}: {}.", ros.topics("`")));
        write!(text, "\n{line}\n").ok();
    }
    text
}

fn entry(description: &Description, common: &[Signature]) -> String {
    let docs = description.docs.split("\n\n").map(wrapped);
    let docs: Vec<String> = docs.collect();
    let mut text = format!("\n### `{}`\n\n{}\n", description.word, docs.join("\n\n"));
    if !description.settings.is_empty() {
        text.push_str("\n| setting | unit | range | default | |\n|---|---|---|---|---|\n");
        for Setting { name, field } in &description.settings {
            let default = description.defaults.get(name.as_str()).map(value);
            let default = code(&default.unwrap_or_default());
            let range = text::range(field).map_or_else(String::new, |range| range.to_string());
            let default = format!("{range} | {default}");
            let property = text::property(field);
            let property = property.map_or(String::new(), |property| format!(" ({property})"));
            row(&mut text, name, field, &default, &property);
        }
    }
    if let Some((noun, fields)) = &description.fields
        && !fields.0.is_empty()
    {
        text.push_str(&data(noun, fields));
    }
    if let Some((default, others)) = description.levels.split_first() {
        let others: Vec<String> = others.iter().map(|level| format!("`{level}`")).collect();
        let others = others.join(", ");
        write!(text, "\nLevels: `{default}` (the default), {others}.\n").ok();
    }
    if let Some(frequency) = frequency(description) {
        write!(text, "\nIt measures {}.\n", adverb(&frequency)).ok();
    }
    text.push_str(&messages(&description.ros));
    let own = description.services.iter();
    let own: Vec<Signature> = own
        .filter(|service| !common.iter().any(|other| same(other, service)))
        .cloned()
        .collect();
    if !own.is_empty() {
        write!(text, "\nServices:\n\n{}", services(&own)).ok();
    }
    if !description.fits.is_empty() {
        let title = if description.family == "modifier" {
            "It fits"
        } else {
            "Modifiers that fit:"
        };
        let fits: Vec<String> = description
            .fits
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
        write!(
            text,
            "\n{}\n",
            wrapped(&format!("{title} {}.", fits.join(", ")))
        )
        .ok();
    }
    if !description.snippet.is_empty() {
        write!(text, "\n```ron\n{}\n```\n", description.snippet).ok();
    }
    text
}

/// "every tick …" is used unchanged, "10 Hz …" needs a preposition.
fn adverb(frequency: &str) -> String {
    if frequency.starts_with("every") {
        frequency.to_owned()
    } else {
        format!("at {frequency}")
    }
}

fn data(noun: &str, fields: &Fields) -> String {
    let mut text = format!(
        "\n| {} | unit | levels | |\n|---|---|---|---|\n",
        capital(noun)
    );
    for field in &fields.0 {
        let levels = field.levels.unwrap_or_default();
        let levels: Vec<String> = levels.iter().map(|level| format!("`{level}`")).collect();
        row(&mut text, field.name, field, &levels.join(", "), "");
    }
    text
}

fn row(text: &mut String, name: &str, field: &Field, third: &str, more: &str) {
    let (unit, docs) = (escaped(field.unit.unwrap_or("")), escaped(&docs_of(field)));
    writeln!(text, "| `{name}` | {unit} | {third} | {docs}{more} |").ok();
}

fn code(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("`{}`", text.replace('|', "\\|"))
    }
}

fn services(services: &[Signature]) -> String {
    let mut text = String::new();
    for service in services {
        let later = if service.is_async {
            " Answered when it is done."
        } else {
            ""
        };
        let docs = escaped(&service.docs);
        writeln!(text, "- `{}`: {docs}{later}", signature(service)).ok();
        for argument in &service.arguments.0 {
            let docs = escaped(&docs_of(argument));
            writeln!(text, "  - `{}`: {docs}", argument.name).ok();
        }
        if !service.result.is_empty() {
            writeln!(text, "  - answers {}", escaped(&service.result)).ok();
        }
    }
    text
}

/// Wraps a paragraph at 120 characters.
fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in escaped(paragraph).split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 120 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// Escapes text, so that it contains no links, tables or tags; code in back quotes stays unchanged.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut is_code = false;
    for letter in text.chars() {
        is_code ^= letter == '`';
        let is_special =
            letter == '|' || (!is_code && matches!(letter, '[' | ']' | '<' | '*' | '_'));
        if is_special {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
