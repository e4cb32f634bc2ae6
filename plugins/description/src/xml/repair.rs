//! Repair of documents that other programs read: text before the declaration, and text after the last element.

use std::ops::Range;

use morse_diagnostics::{Diagnostic, SourceId, Span};

/// Returns the range of a text that is a document, and warnings of the text around it.
pub(super) fn repaired(text: &str, source: SourceId) -> (Range<usize>, Vec<Diagnostic>) {
    let mut warnings = Vec::new();
    let body = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let mut range = body..text.len();
    let declaration = text.find("<?xml").filter(|offset| *offset > body);
    if let Some(offset) = declaration
        && !has_element(text.get(body..offset).unwrap_or_default())
    {
        warnings.push(
            Diagnostic::warning("xml::repaired", "`<?xml … ?>` has to be the very beginning")
                .at(
                    Span::new(source, offset..offset + 5),
                    "not at the beginning",
                )
                .help("remove what stands before it, be it a blank line or a comment"),
        );
        range.start = offset;
    }
    let end = text.rfind('>').map_or(range.end, |at| at + 1);
    let rest = text.get(end..).unwrap_or_default();
    if end > range.start && !rest.trim().is_empty() {
        let blank = rest.len() - rest.trim_start().len();
        warnings.push(
            Diagnostic::warning("xml::repaired", "there is text after the last element")
                .at(
                    Span::new(source, end + blank..end + rest.trim_end().len()),
                    "not read",
                )
                .help("remove it"),
        );
        range.end = end;
    }
    (range, warnings)
}

/// Returns true if a text contains anything but blanks, texts and comments.
fn has_element(mut text: &str) -> bool {
    while let Some(offset) = text.find('<') {
        let rest = text.get(offset..).unwrap_or_default();
        let Some(end) = rest.strip_prefix("<!--").and_then(|rest| rest.find("-->")) else {
            return true;
        };
        text = rest.get(end + 7..).unwrap_or_default();
    }
    false
}
