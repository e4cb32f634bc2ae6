//! Names: where they are declared and used, and renaming.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::Span;
use morse_robray::Symbol;

use super::{Scene, Site};

/// A name of a kind, in the scenes that contain it.
pub(crate) type Name = (Symbol, String);

/// Returns the spans of the declarations of the name at a position.
pub(crate) fn definition(site: &Site) -> Vec<Span> {
    let targets: BTreeSet<Span> = site
        .references()
        .filter_map(|reference| reference.target)
        .collect();
    match targets.is_empty() {
        true => site
            .declarations()
            .map(|declaration| declaration.span)
            .collect(),
        false => targets.into_iter().collect(),
    }
}

/// Returns the names at a position, with the span of the name there.
pub(crate) fn names(site: &Site) -> (BTreeSet<Name>, Option<Span>) {
    let used = site
        .references()
        .map(|reference| (reference.symbol, &reference.name, reference.span));
    let declared = site.declarations();
    let declared =
        declared.map(|declaration| (declaration.symbol, &declaration.name, declaration.span));
    let mut names = BTreeSet::new();
    let mut name_span = None;
    for (symbol, name, span) in used.chain(declared) {
        names.insert((symbol, name.clone()));
        name_span = Some(span);
    }
    (names, name_span)
}

/// Returns the spans of all uses of names in a scene, and those of the declarations.
pub(crate) fn spans(scene: &Scene, names: &BTreeSet<Name>, declarations: bool) -> BTreeSet<Span> {
    let index = &scene.analysis.index;
    let is_it = |symbol: Symbol, name: &String| {
        names
            .iter()
            .any(|known| known.0 == symbol && known.1 == *name)
    };
    let used = index.references.iter();
    let used = used.filter(|reference| is_it(reference.symbol, &reference.name));
    let declared = index.declarations.iter();
    let declared =
        declared.filter(|declaration| declarations && is_it(declaration.symbol, &declaration.name));
    used.map(|reference| reference.span)
        .chain(declared.map(|declaration| declaration.span))
        .collect()
}

/// Returns the spans where a name is written as itself: neither a name that stands for another by a definition, nor the
/// frame's name where a joint has no variable of its own.
pub(crate) fn written(scene: &Scene, names: &BTreeSet<Name>) -> BTreeSet<Span> {
    let mut spans = spans(scene, names, true);
    spans.retain(|span| {
        let text = scene.slice(*span).trim_matches('"');
        names.iter().any(|(_, name)| name == text)
    });
    spans
}

/// Returns the text of a name in a file, in quotes if it is no identifier or if it was quoted before.
pub(crate) fn quoted(name: &str, before: &str) -> String {
    let mut letters = name.chars();
    let is_identifier = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
        && !morse_robray::is_keyword(name);
    match is_identifier && !before.starts_with('"') {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}

/// Returns the objection to a new name, if there is one.
pub(crate) fn objection(name: &str, symbols: &BTreeSet<Name>) -> Option<String> {
    let has_definition = symbols
        .iter()
        .any(|(symbol, _)| *symbol == Symbol::Definition);
    if name.is_empty() {
        return Some("a name cannot be empty".to_owned());
    }
    if name.contains(['"', '\n', '\0']) {
        return Some("a name cannot contain quotes or line breaks".to_owned());
    }
    if has_definition && quoted(name, "") != name {
        let reason = "the name of a `def` consists of letters, digits, `_` and `-`, starts with a letter, and is no keyword";
        return Some(reason.to_owned());
    }
    None
}

/// Declarations of names by kind, for completion.
pub(crate) fn declared(scene: &Scene, symbol: Symbol) -> BTreeMap<&str, Span> {
    let declarations = scene.analysis.index.declarations.iter();
    let declarations = declarations.filter(|declaration| declaration.symbol == symbol);
    declarations
        .map(|declaration| (declaration.name.as_str(), declaration.span))
        .collect()
}
