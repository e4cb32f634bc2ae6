//! Literals: numbers, texts and characters. `ron` determines their values, so that a literal has the same meaning as in any
//! other RON file; the error messages are our own.

use morse_diagnostics::{Diagnostic, Span};

use super::lexer::Token;
use super::problem::{error, quoted};
use super::tree::Kind;

/// Reads a literal.
pub(super) fn literal(token: Token, text: &str, span: Span) -> Result<Kind, Box<Diagnostic>> {
    let (kind, problem): (Option<Kind>, fn(&str, Span) -> Diagnostic) = match token {
        Token::Number => (number(text), bad_number),
        Token::Text => (ron::from_str(text).ok().map(Kind::Text), bad_text),
        _ => (ron::from_str(text).ok().map(Kind::Character), bad_character),
    };
    kind.ok_or_else(|| Box::new(problem(text, span)))
}

fn number(text: &str) -> Option<Kind> {
    let signed = || ron::from_str::<i64>(text).map(i128::from);
    let unsigned = || ron::from_str::<u64>(text).map(i128::from);
    if let Ok(value) = signed().or_else(|_| unsigned()) {
        return Some(Kind::Integer(value));
    }
    ron::from_str(text).ok().map(Kind::Float)
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    let message = format!("{} is not a number", quoted(text));
    error("simulation::bad-number", span, message)
        .note("numbers look like 3, -0.5, 1e-3 or 0x1F, and carry no unit")
}

fn bad_text(_text: &str, span: Span) -> Diagnostic {
    error(
        "simulation::bad-text",
        span,
        "this text has an unknown escape",
    )
    .note(r#"known: \n \r \t \0 \" \' \\ \x41 \u{e9}"#)
    .help(r#"double each backslash, or write r"…""#)
}

fn bad_character(text: &str, span: Span) -> Diagnostic {
    let message = format!("{} is not one character", quoted(text));
    error("simulation::bad-text", span, message).help("text is written in double quotes: \"…\"")
}
