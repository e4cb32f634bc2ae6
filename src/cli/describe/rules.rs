//! Motion rules: the effects of `motion: morse`.
use std::fmt::Write as _;

use morse_api::motion::{RULES, Rule};
use serde_json::{Value as Json, json};

/// The name under which they are described.
pub(super) const WORD: &str = "motion";

pub(super) fn as_text() -> String {
    let width = RULES.iter().map(|rule| rule.about.len()).max();
    let width = width.unwrap_or_default();
    let mut text = "motion (environment)\nWhat `environment: (motion: morse)` changes. \
        Builder scripts of MORSE have it; everything else has `motion: default`.\n\nRules\n"
        .to_owned();
    for Rule { about, rule } in RULES {
        writeln!(text, "  {about:width$}  {rule}").ok();
    }
    text
}

pub(super) fn as_json() -> Json {
    let rule = |rule: &Rule| json!({ "about": rule.about, "rule": rule.rule });
    let rules: Vec<Json> = RULES.iter().map(rule).collect();
    json!({ "kind": WORD, "family": "environment", "rules": rules })
}

/// Returns a section of the guide.
pub(super) fn as_markdown() -> String {
    let mut section = "## What `motion: morse` changes\n\n\
        Builder scripts get `environment: (motion: morse)`, and with it these rules, which `morse-sim describe motion` prints, too:\n\n\
        | about | rule |\n|---|---|\n"
        .to_owned();
    for Rule { about, rule } in RULES {
        writeln!(section, "| {about} | {rule} |").ok();
    }
    section
}
