//! Diagnostics of XML syntax errors.

use morse_diagnostics::{Diagnostic, SourceId, Span, printable};
use roxmltree::{Error, TextPos};

/// Returns the diagnostic of a syntax error in a text that starts at the byte `start` of the file.
pub(super) fn syntax(error: &Error, text: &str, source: SourceId, start: usize) -> Diagnostic {
    let at = offset(text, error.pos());
    // At the end of the file there is no text to underline.
    let end = (at + 1).min(text.len()).max(at);
    let here = |from: usize, to: usize| Span::new(source, from + start..to + start);
    let (message, label, help) = match error {
        Error::DtdDetected => {
            let at = text.find("<!DOCTYPE").unwrap_or(0);
            return Diagnostic::error("xml::doctype", "document types are not read")
                .at(here(at, (at + 9).min(text.len())), "begins here")
                .note("they can define entities that expand exponentially")
                .help("remove `<!DOCTYPE …>`, and write what its entities stand for");
        }
        Error::NodesLimitReached => {
            return Diagnostic::error("xml::too-large", "too many elements")
                .at(here(0, 0), "in this file")
                .help("split the file");
        }
        Error::NoRootNode | Error::UnexpectedEndOfStream if text.trim().is_empty() => {
            return Diagnostic::error("xml::empty", "the file is empty")
                .at(here(0, 0), "nothing here")
                .help("the shortest robot is `<robot name=\"r\"><link name=\"base\"/></robot>`");
        }
        Error::UnclosedRootNode => {
            return Diagnostic::error("xml::syntax", "this is not XML: it ends too early")
                .at(here(text.len(), text.len()), "an element is still open")
                .help(
                    "close every element: `<link name=\"a\"> … </link>`, or `<link name=\"a\"/>`",
                );
        }
        other => words(other),
    };
    Diagnostic::error("xml::syntax", format!("this is not XML: {message}"))
        .at(here(at, end), label)
        .help(help)
}

/// Returns message, label and remedy of an error at a position.
fn words(error: &Error) -> (String, &'static str, String) {
    match error {
        Error::UnexpectedCloseTag(expected, actual, _) => {
            let (expected, actual) = (printable(expected), printable(actual));
            (
                format!("`</{actual}>` closes `<{expected}>`"),
                "another element is open here",
                format!(
                    "write `</{expected}>`, or close the elements in the order in which they were opened, the last one first"
                ),
            )
        }
        Error::UnknownNamespace(prefix, _) => {
            let prefix = printable(prefix);
            let uri = match prefix.as_str() {
                "xacro" => "http://www.ros.org/wiki/xacro",
                _ => "…",
            };
            (
                format!("the prefix `{prefix}` is not declared"),
                "used here",
                format!("declare it in the first element: `xmlns:{prefix}=\"{uri}\"`"),
            )
        }
        Error::DuplicatedAttribute(name, _) => (
            format!("duplicate attribute `{}`", printable(name)),
            "again",
            "remove one of them".to_owned(),
        ),
        Error::UnknownEntityReference(name, _) => (
            format!("unknown entity `&{};`", printable(name)),
            "unknown",
            "known entities: `&lt;` `&gt;` `&amp;` `&quot;` `&apos;`".to_owned(),
        ),
        other => {
            let (message, label, help) = simple(other);
            (message, label, help.to_owned())
        }
    }
}

/// Returns message, label and remedy of errors that do not depend on the text.
fn simple(error: &Error) -> (String, &'static str, &'static str) {
    let (message, label, help) = match error {
        Error::MalformedEntityReference(_) => (
            "`&` must begin a reference",
            "here",
            "write `&amp;` for `&`",
        ),
        Error::InvalidAttributeValue(_) => ("a value must not contain `<`", "here", "write `&lt;`"),
        Error::InvalidComment(_) => (
            "a comment must not contain `--`",
            "in this one",
            "use single dashes in comments",
        ),
        Error::UnexpectedDeclaration(_) => (
            "`<?xml … ?>` has to be the very beginning",
            "not at the beginning",
            "remove what stands before it, be it a blank line or a comment",
        ),
        other => {
            let help = "a program that checks XML, such as `xmllint`, reports details";
            return (plain(other), "here", help);
        }
    };
    (message.to_owned(), label, help)
}

/// Returns the error for elements that are nested too deeply.
pub(super) fn too_deep(source: SourceId, offset: usize, deepest: usize) -> Diagnostic {
    let message = format!("elements are nested more than {deepest} deep");
    Diagnostic::error("xml::too-deep", message)
        .at(Span::new(source, offset..offset + 1), "exceeds the limit")
        .help("is an element not closed, `<link>` instead of `<link/>`?")
}

/// Returns the parser's message without the position, which the diagnostic has already.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    let words = text.rsplit_once(" at ").map_or(&*text, |(words, _)| words);
    printable(words)
}

/// Returns the byte offset of a line and a column, both from 1.
fn offset(text: &str, position: TextPos) -> usize {
    let [row, column] = [position.row, position.col].map(|one| one.saturating_sub(1) as usize);
    let before: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let line = text.get(before..).unwrap_or_default();
    let within: usize = line.chars().take(column).map(char::len_utf8).sum();
    (before + within).min(text.len())
}
