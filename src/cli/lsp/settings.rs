//! Documentation of the settings of a kind.
use bevy::reflect::TypeInfo;
use morse_api::{
    fields::{Field, Fields},
    kind::About,
    range::range_of,
    settings::defaults,
};
use morse_lsp::SettingDocs;
use serde_json::Value as Json;

/// Returns all settings of a kind.
pub(super) fn of(about: About) -> Vec<SettingDocs> {
    let defaults: Vec<(String, Json)> = defaults(about)
        .into_iter()
        .map(|(field, value)| (field.name().to_owned(), value))
        .collect();
    let fields = Fields::of(about.settings, None).0;
    fields
        .iter()
        .map(|field| {
            let default = defaults.iter().find(|(name, _)| name == field.name);
            SettingDocs {
                name: field.name.to_owned(),
                docs: docs(field, default.map(|(_, value)| value)),
                words: words(field),
            }
        })
        .collect()
}

fn docs(field: &Field, default: Option<&Json>) -> String {
    let docs = field.docs.unwrap_or_default();
    let mut text = docs.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut facts = Vec::new();
    facts.extend(field.unit.map(|unit| format!("unit: {unit}")));
    facts.extend(range_of(field).map(|range| format!("range: {range}")));
    let default = default.filter(|value| !value.is_null());
    facts.extend(default.map(|value| format!("default: `{value}`")));
    for fact in facts {
        text.push_str("\n\n");
        text.push_str(&fact);
    }
    text + "\n"
}

/// Returns the words of a setting that has a fixed set of them; simulation files write them in lower case.
fn words(field: &Field) -> Vec<String> {
    match field.info {
        Some(TypeInfo::Enum(variants))
            if variants.variant_names().iter().all(|name| *name != "Some") =>
        {
            let names = variants.variant_names().iter();
            names.map(|name| name.to_lowercase()).collect()
        }
        Some(info) if info.is::<bool>() => vec!["true".to_owned(), "false".to_owned()],
        _ => Vec::new(),
    }
}
