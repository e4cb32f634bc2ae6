//! Lexer of simulation files: splits text into tokens by the grammar of RON.

use morse_diagnostics::{SourceId, Span, indent};

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`, `[` or `{`
    Open(char),
    /// `)`, `]` or `}`
    Close(char),
    Comma,
    Colon,
    Word,
    Number,
    Text,
    Character,
    Attribute,
    /// `# …`, a comment in other languages.
    Hash,
    /// A character that is not part of RON.
    Stray(char),
    /// A `"`, `'` or `/*` without its end.
    Unclosed(&'static str),
    End,
}

/// Lexer over a text; after the last token it always returns [`Token::End`].
#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    source: SourceId,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, source: SourceId, from: usize) -> Self {
        Self {
            text,
            source,
            at: from,
        }
    }

    /// Returns the number of blanks before an offset, or `None` if other text precedes it on its line.
    pub(super) fn indent(&self, offset: usize) -> Option<usize> {
        indent(self.text, offset)
    }

    /// Returns the number of blanks at the start of the line of an offset; `None` for an offset far to the right in a long
    /// line.
    pub(super) fn indent_of_line(&self, offset: usize) -> Option<usize> {
        const FAR: usize = 1_000;
        let before = self
            .text
            .as_bytes()
            .get(offset.saturating_sub(FAR)..offset)?;
        let newline = before.iter().rposition(|byte| *byte == b'\n');
        let line = match newline {
            Some(newline) => offset.saturating_sub(FAR) + newline + 1,
            None if offset <= FAR => 0,
            None => return None,
        };
        let text = self.text.as_bytes().get(line..)?;
        Some(
            text.iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count(),
        )
    }

    /// Ends the text at the current position.
    pub(super) fn stop(&mut self) {
        self.at = self.text.len();
    }

    pub(super) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    pub(super) fn next_token(&mut self) -> (Token, Span) {
        let unclosed = self.skip_blanks();
        let start = self.at;
        let token = match unclosed {
            Some(token) => {
                self.stop();
                token
            }
            None => self.token(),
        };
        let end = match token {
            Token::Unclosed(opener) => (start + opener.len()).min(self.text.len()),
            _ => self.at,
        };
        (token, self.span(start, end))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start..end)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    /// Skips white space and comments. Returns a comment that does not end.
    fn skip_blanks(&mut self) -> Option<Token> {
        loop {
            self.eat_while(is_blank);
            if self.rest().starts_with("//") {
                self.eat_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                match block_comment(self.rest()) {
                    Some(length) => self.at += length,
                    None => return Some(Token::Unclosed("/*")),
                }
            } else {
                return None;
            }
        }
    }

    fn token(&mut self) -> Token {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Token::End;
        };
        let single = match first {
            '(' | '[' | '{' => Some(Token::Open(first)),
            ')' | ']' | '}' => Some(Token::Close(first)),
            ',' => Some(Token::Comma),
            ':' => Some(Token::Colon),
            _ => None,
        };
        if let Some(token) = single {
            self.at += 1;
            return token;
        }
        match first {
            '"' => self.quoted('"', "\"", Token::Text),
            '\'' => self.quoted('\'', "'", Token::Character),
            '#' if rest.starts_with("#!") => {
                self.eat_while(|c| c != ']' && c != '\n');
                self.at += usize::from(self.rest().starts_with(']'));
                Token::Attribute
            }
            '#' => {
                self.eat_while(|c| c != '\n');
                Token::Hash
            }
            'r' if raw_hashes(rest).is_some() => self.raw_text(),
            _ if starts_number(rest) => {
                self.number();
                Token::Number
            }
            _ if first == '_' || first.is_alphabetic() => {
                self.eat_while(|c| c == '_' || c.is_alphanumeric());
                Token::Word
            }
            _ => {
                self.at += first.len_utf8();
                Token::Stray(first)
            }
        }
    }

    fn quoted(&mut self, quote: char, opener: &'static str, token: Token) -> Token {
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            if c == quote && !escaped {
                self.at += offset + 1;
                return token;
            }
            // A single apostrophe must not consume the rest of the file.
            if c == '\n' && quote == '\'' {
                break;
            }
            escaped = c == '\\' && !escaped;
        }
        self.stop();
        Token::Unclosed(opener)
    }

    /// Reads raw text: `r"…"`, `r#"…"#` and so on.
    fn raw_text(&mut self) -> Token {
        let hashes = raw_hashes(self.rest()).unwrap_or_default();
        let closer = format!("\"{}", "#".repeat(hashes));
        let body = hashes + 2;
        match self.rest().get(body..).and_then(|rest| rest.find(&closer)) {
            Some(length) => {
                self.at += body + length + closer.len();
                Token::Text
            }
            None => {
                self.stop();
                Token::Unclosed("r")
            }
        }
    }

    fn number(&mut self) {
        let hexadecimal = self.rest().trim_start_matches(['+', '-']).starts_with("0x");
        let mut before = 'e';
        for (offset, c) in self.rest().char_indices() {
            let sign_of_exponent = matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
            let first = offset == 0;
            if !(first
                || c.is_alphanumeric()
                || matches!(c, '_' | '.')
                || sign_of_exponent && !hexadecimal)
            {
                self.at += offset;
                return;
            }
            before = c;
        }
        self.stop();
    }
}

/// Returns true if the character is white space in RON.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t'..='\r' | '\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}'
    )
}

/// Returns the length of a comment that starts here; comments can be nested.
pub(super) fn block_comment(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut offset = 0;
    while let Some(length) = text.get(offset..)?.find(['*', '/']) {
        offset += length;
        let rest = text.get(offset..)?;
        if rest.starts_with("/*") {
            depth += 1;
            offset += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            offset += 2;
            if depth == 0 {
                return Some(offset);
            }
        } else {
            offset += 1;
        }
    }
    None
}

/// Returns the number of `#` after the `r` of raw text.
fn raw_hashes(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let quote = rest.trim_start_matches('#');
    quote.starts_with('"').then(|| rest.len() - quote.len())
}

fn starts_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let signed = unsigned.len() < text.len();
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    digits.starts_with(|c: char| c.is_ascii_digit())
        || signed && (unsigned.starts_with("inf") || unsigned.starts_with("NaN"))
}
