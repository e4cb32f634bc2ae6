//! Syntax tree of a simulation file: values with their spans.
//!
//! RON's own value type discards source positions, and its deserializer stops at the first error. This tree keeps positions
//! and permits recovery. `ron` determines the values of literals (see [`super::parser`]).

use morse_diagnostics::Span;

use super::problem::quoted;
use super::span::Spanned;

/// A value of the file.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// Type and content of a value.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Character(char),
    /// A bare word: a variant without content, or `None`.
    Word(String),
    /// `[a, b]`
    List(Vec<Node>),
    /// `(a, b)`, `name(a, b)` or `()`
    Tuple(Option<Spanned<String>>, Vec<Node>),
    /// `(a: b)` or `name(a: b)`
    Struct(Option<Spanned<String>>, Vec<Field>),
    /// `{a: b}`
    Map(Vec<(Node, Node)>),
}

/// `name: value`
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Spanned<String>,
    pub(super) value: Node,
}

impl Field {
    /// Returns the span of the name.
    pub(super) fn name_span(&self) -> Span {
        self.name.span.unwrap_or(self.value.span)
    }
}

impl Node {
    pub(super) fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// Returns a description of the value for messages: "a number", "the text …".
    pub(super) fn description(&self) -> String {
        match &self.kind {
            Kind::Bool(value) => quoted(&value.to_string()),
            Kind::Integer(value) => format!("the number {}", quoted(&value.to_string())),
            Kind::Float(value) => format!("the number {}", quoted(&value.to_string())),
            Kind::Text(text) => format!("the text {}", quoted(&format!("\"{text}\""))),
            Kind::Character(_) => "a character".to_owned(),
            Kind::Word(word) => format!("the word {}", quoted(word)),
            Kind::List(items) => format!("a list of {}", items.len()),
            Kind::Tuple(None, items) if items.is_empty() => "`()`".to_owned(),
            Kind::Tuple(None, items) => match items.len() {
                1 => "one value in `( )`".to_owned(),
                count => format!("{count} values in `( )`"),
            },
            Kind::Tuple(Some(name), _) | Kind::Struct(Some(name), _) => {
                quoted(&format!("{}(…)", name.value))
            }
            Kind::Struct(None, _) => "named fields in `( )`".to_owned(),
            Kind::Map(_) => "a map `{ }`".to_owned(),
        }
    }

    /// Returns the bare word or the text.
    pub(super) fn as_word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) | Kind::Text(word) => Some(word),
            _ => None,
        }
    }

    /// Returns the name in front of `( )`.
    pub(super) fn name(&self) -> Option<&Spanned<String>> {
        match &self.kind {
            Kind::Tuple(name, _) | Kind::Struct(name, _) => name.as_ref(),
            _ => None,
        }
    }

    /// Returns the span of the name in front of `( )`, or of the whole value without a name.
    pub(super) fn name_span(&self) -> Span {
        self.name().and_then(|name| name.span).unwrap_or(self.span)
    }

    /// Returns the elements of a list or of a tuple without a name.
    pub(super) fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::List(items) | Kind::Tuple(None, items) => Some(items),
            _ => None,
        }
    }

    /// Returns true for `None`, the value of an absent option.
    pub(super) fn is_none(&self) -> bool {
        matches!(&self.kind, Kind::Word(word) if word == "None")
    }
}
