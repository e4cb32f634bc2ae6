//! Outline of a simulation file for editors: its named values.

use morse_diagnostics::{SourceId, Sources, Span};

use super::lexer::{Lexer, Token};
use super::parser::parse;
use super::problem::Problems;
use super::tree::{Kind, Node};

/// Returns the name before the root value of a text: `Simulation` or `Scenario`, if it is complete.
#[must_use]
pub fn root_name(text: &str) -> Option<&str> {
    let mut sources = Sources::default();
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let mut lexer = Lexer::new(text, sources.add("", ""), start);
    loop {
        let (token, span) = lexer.next_token();
        match token {
            Token::Attribute => {}
            Token::Word => return text.get(span.range()),
            _ => return None,
        }
    }
}

/// A named value of a file, for its outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Name of the field or entry.
    pub name: String,
    /// Span of the name.
    pub selection: Span,
    /// Span of name and value.
    pub whole: Span,
    /// True for an entry of a map, whose name is the user's.
    pub is_entry: bool,
    /// Named values in the value; empty for plain values.
    pub children: Vec<Self>,
}

/// Returns the named values of a text. After syntax errors it contains the values that could be read.
#[must_use]
pub fn outline(text: &str) -> Vec<Outline> {
    let mut sources = Sources::default();
    let source: SourceId = sources.add("", "");
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let parsed = parse(text, source, start, &mut Problems::new(false));
    parsed.root.as_ref().map(named).unwrap_or_default()
}

fn named(node: &Node) -> Vec<Outline> {
    match &node.kind {
        Kind::Struct(_, fields) => fields
            .iter()
            .map(|field| entry(&field.name.value, field.name_span(), &field.value, false))
            .collect(),
        Kind::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| entry(key.as_word().unwrap_or_default(), key.span, value, true))
            .collect(),
        Kind::List(items) | Kind::Tuple(_, items) => items.iter().flat_map(named).collect(),
        _ => Vec::new(),
    }
}

fn entry(name: &str, selection: Span, value: &Node, is_entry: bool) -> Outline {
    Outline {
        name: name.to_owned(),
        selection,
        whole: selection.to(value.span),
        is_entry,
        children: named(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_has_fields_and_entries() {
        let text =
            "Simulation(robots: { \"a\": (model: \"b\", sensors: { \"c\": (kind: \"gps\") }) })";
        let items = outline(text);
        let robot = &items[0].children[0];
        assert_eq!((robot.name.as_str(), robot.is_entry), ("a", true));
        assert_eq!(robot.children[1].children[0].name, "c");
        assert_eq!(&text[robot.selection.range()], "\"a\"");
        assert!(!outline("Simulation(robots: { \"a\": (").is_empty());
    }
}
