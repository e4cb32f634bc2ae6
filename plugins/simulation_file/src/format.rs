//! Formatter of simulation files: normalises indentation and blank lines. Line breaks, comments and all other text stay.
//!
//! Lines within brackets that end a line are indented by four spaces; after a bracket with text behind it, they are aligned
//! with that text.

use std::iter::Peekable;
use std::ops::Range;
use std::path::Path;

use morse_diagnostics::{Failed, Sources, Span};

use super::lexer::{Lexer, Token, block_comment};
use super::parser::parse;
use super::problem::Problems;

/// Spaces of one level of indentation.
const STEP: usize = 4;

/// Formats a simulation or scenario file; `name` is its name in messages.
///
/// # Errors
///
/// Returns the syntax errors, if there are any.
pub fn format(text: &str, name: &Path) -> Result<String, Box<Failed>> {
    let mut sources = Sources::default();
    let source = sources.add(name.display().to_string(), text);
    let mut problems = Problems::new(false);
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let parsed = parse(text, source, start, &mut problems);
    let diagnostics = problems.into_sorted();
    if !parsed.sound || !diagnostics.is_empty() {
        return Err(Box::new(Failed {
            diagnostics,
            sources,
        }));
    }
    let mut lexer = Lexer::new(text, source, start);
    let mut tokens = Vec::new();
    loop {
        let (token, span) = lexer.next_token();
        if token == Token::End {
            break;
        }
        tokens.push((token, span));
    }
    let formatter = Formatter {
        text,
        kept: kept(text, &tokens),
        tokens: tokens.iter().peekable(),
        open: Vec::new(),
    };
    Ok(formatter.format())
}

/// Returns the ranges of texts and block comments, whose lines stay as they are.
fn kept(text: &str, tokens: &[(Token, Span)]) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    let mut offset = 0;
    let ends = tokens.iter().map(|(_, span)| span.range());
    for token in ends.chain(std::iter::once(text.len()..text.len())) {
        // White space and comments.
        while let Some(rest) = text
            .get(offset..token.start)
            .filter(|rest| !rest.is_empty())
        {
            let length = match rest {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => block_comment(rest).unwrap_or(rest.len()),
                _ => rest.chars().next().map_or(1, char::len_utf8),
            };
            if rest.starts_with("/*") {
                kept.push(offset..offset + length);
            }
            offset += length;
        }
        offset = token.end;
        kept.push(token);
    }
    kept
}

struct Formatter<'t> {
    text: &'t str,
    /// Ranges whose lines stay as they are, in the order of the text.
    kept: Vec<Range<usize>>,
    tokens: Peekable<std::slice::Iter<'t, (Token, Span)>>,
    /// Indentation of the lines within each open bracket, and of the line that closes it.
    open: Vec<(usize, usize)>,
}

impl Formatter<'_> {
    fn format(mut self) -> String {
        let mut out = String::new();
        let mut offset = 0;
        let mut blank = false;
        for line in self.text.split_inclusive('\n') {
            let lines = offset..offset + line.len();
            let start = lines.end - line.trim_start().len();
            let is_blank = line.trim().is_empty();
            if self.keeps(offset) {
                out.push_str(line);
                self.read(&lines, 0, offset);
            } else if !is_blank {
                if blank && !out.is_empty() {
                    out.push('\n');
                }
                let indent = self.indent(start);
                out.push_str(&" ".repeat(indent));
                let goes_on = self.keeps(lines.end);
                out.push_str(if goes_on {
                    line.trim_start()
                } else {
                    line.trim()
                });
                out.push_str(if goes_on { "" } else { "\n" });
                self.read(&lines, indent, start);
            }
            blank = is_blank && !self.keeps(offset);
            offset = lines.end;
        }
        out
    }

    /// Returns true if an offset is within a text or comment.
    fn keeps(&self, offset: usize) -> bool {
        let index = self.kept.partition_point(|range| range.end <= offset);
        self.kept
            .get(index)
            .is_some_and(|range| range.start < offset)
    }

    /// Returns the indentation of a line whose text begins at an offset.
    fn indent(&mut self, start: usize) -> usize {
        let next = self.tokens.peek();
        let closes = next.is_some_and(|(token, span)| {
            matches!(token, Token::Close(_)) && span.range().start == start
        });
        let (within, closing) = self.open.last().copied().unwrap_or_default();
        if closes { closing } else { within }
    }

    /// Reads the tokens of a line whose text begins at `start` and is indented by `indent`.
    fn read(&mut self, line: &Range<usize>, indent: usize, start: usize) {
        while let Some((token, span)) = self
            .tokens
            .next_if(|(_, span)| span.range().start < line.end)
        {
            match token {
                Token::Open(_) => {
                    let next = self.tokens.peek();
                    let is_last = next.is_none_or(|(_, next)| next.range().start >= line.end);
                    let before = self.text.get(start..span.range().end).unwrap_or_default();
                    let column = indent + before.chars().count();
                    let within = if is_last { indent + STEP } else { column };
                    self.open.push((within, indent));
                }
                Token::Close(_) => {
                    self.open.pop();
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::format;

    fn formatted(text: &str) -> String {
        format(text, Path::new("a.ron")).unwrap()
    }

    #[test]
    fn lines_are_indented_by_their_brackets() {
        let text = "S(\n  a: (\n b: 1,   \n\n\n\nc: (d: 2,\ne: 3),\n),\n // end\n)";
        let expected = "S(\n    a: (\n        b: 1,\n\n        c: (d: 2,\n            e: 3),\n    ),\n    // end\n)\n";
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected);
    }

    #[test]
    fn texts_and_comments_of_several_lines_stay() {
        let text =
            "S(\n    a: \"one  \n two (\",\n    /* x  \n\n\n ( y */\n    b: r#\"// \n\"#,\n)\n";
        assert_eq!(formatted(text), text);
    }

    #[test]
    fn a_text_with_errors_is_refused() {
        let failed = format("S(a: ", Path::new("a.ron")).unwrap_err();
        assert!(failed.diagnostics[0].is_error());
    }
}
