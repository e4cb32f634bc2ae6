//! Messages about syntax errors.

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::Attribute;

use super::{DEEPEST, LONGEST_NAME, MOST_MEMBERS, Mistake, Parser, Unended};
use crate::codes;
use crate::lexer::{Kind, Token};
use crate::syntax::Word;

const A_SCENE_IS: &str = "a scene is made of `frame`, `class`, `def`, `include`, `allow_collision`, `connect` and `weld`";
const STATEMENTS: &[&str] = &[
    "frame",
    "class",
    "def",
    "include",
    "allow_collision",
    "connect",
    "weld",
];

impl Word<'_> {
    /// Returns the token's text in a form that is safe in messages.
    pub(crate) fn shown(&self) -> String {
        printable(self.text)
    }
}

impl Parser<'_, '_> {
    /// Returns a description of the token for a message.
    fn token_shown(&self) -> String {
        match self.token.kind {
            Kind::End => "the end of the file".into(),
            Kind::String => format!("the string \"{}\"", self.word(self.token).shown()),
            _ => format!("`{}`", printable(self.slice(self.token))),
        }
    }

    /// Reports an unexpected token, unless the end of the text has been reported already.
    fn report(&mut self, diagnostic: Diagnostic) -> Mistake {
        let known = self.after_unknown || (self.broken_end && self.token.kind == Kind::End);
        if !known {
            self.problems.push(diagnostic);
        }
        Mistake
    }

    pub(super) fn unexpected(&mut self, expected: &str, help: &str) -> Mistake {
        let actual = self.token_shown();
        let message = format!("expected {expected}, found {actual}");
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
            .at(self.span(self.token), format!("expected {expected}"))
            .help(help);
        self.report(diagnostic)
    }

    pub(super) fn unexpected_after(
        &mut self,
        expected: &str,
        before: Span,
        why: &str,
        help: &str,
    ) -> Mistake {
        let message = format!("expected {expected}, found {}", self.token_shown());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
            .at(self.span(self.token), format!("expected {expected}"))
            .at(before, why)
            .help(help);
        self.report(diagnostic)
    }

    pub(super) fn reserved(&mut self, role: &str) -> Mistake {
        let token = self.token_shown();
        let word = printable(self.slice(self.token));
        let diagnostic = Diagnostic::error(
            codes::RESERVED,
            format!("{token} is a word of the language and cannot be {role}"),
        )
        .at(self.span(self.token), "reserved");
        let diagnostic = if role == "a name" {
            diagnostic.help(format!("put it in quotes: `\"{word}\"`"))
        } else {
            diagnostic.help("choose another name")
        };
        let mistake = self.report(diagnostic);
        // The keyword was intended as a name, so that it begins no statement.
        self.advance();
        mistake
    }

    /// Reports a token at the top level that starts no statement, and skips the statement.
    pub(super) fn not_a_statement(&mut self) {
        let text = self.slice(self.token);
        let shown = printable(text);
        let diagnostic = match self.token.kind {
            Kind::Semicolon => self.stray_semicolon(),
            Kind::CloseBrace => self
                .here(codes::UNEXPECTED, "unmatched `}`", "no block is open here")
                .help("remove it, or look for a `}` too many above"),
            Kind::Geometry => self
                .here(
                    codes::MISPLACED,
                    "a geometry outside of any frame",
                    "not allowed at the top level",
                )
                .help("put it into a frame: `frame name { geometry { … } }`"),
            Kind::Object => self.object(),
            Kind::Identifier if Attribute::find(text).is_some() => {
                let message = format!("the attribute `{shown}` outside of any block");
                self.here(codes::MISPLACED, &message, "not allowed at the top level")
                    .help("put it into a frame, geometry or class")
            }
            Kind::Identifier => {
                let message = format!("no statement is called `{shown}`");
                let diagnostic = self
                    .here(codes::UNKNOWN_STATEMENT, &message, "unknown statement")
                    .suggest(text, STATEMENTS.iter().copied());
                if diagnostic.help.is_empty() {
                    diagnostic.help(A_SCENE_IS)
                } else {
                    diagnostic
                }
            }
            _ => {
                let message = format!("expected a statement, found {}", self.token_shown());
                self.here(codes::UNEXPECTED, &message, "expected a statement")
                    .help(A_SCENE_IS)
            }
        };
        self.report(diagnostic);
        self.skip_misplaced();
    }

    /// Reports a token in a block that starts neither an attribute nor an inner block, and skips it with the tokens that
    /// belong to it.
    pub(super) fn not_a_member(&mut self, within: Kind) {
        let block = match within {
            Kind::Class => "a class",
            Kind::Geometry => "a geometry",
            _ => "a frame",
        };
        let inside = format!("{} inside of {block}", self.token_shown());
        let diagnostic = match self.token.kind {
            Kind::Semicolon => self.stray_semicolon(),
            Kind::Frame | Kind::Geometry => {
                let help = if within == Kind::Class {
                    "a class holds attributes only"
                } else {
                    "put it next to this geometry, into the frame"
                };
                self.here(codes::MISPLACED, &inside, "not allowed here")
                    .help(help)
            }
            Kind::Def | Kind::Include | Kind::Class | Kind::AllowCollision => self
                .here(codes::MISPLACED, &inside, "allowed at the top level only")
                .help("move it out of the block"),
            Kind::Object => self.object(),
            _ => {
                let message = format!("expected an attribute, found {}", self.token_shown());
                self.here(codes::UNEXPECTED, &message, "expected an attribute")
                    .help("an attribute is a name without quotes, one value and a semicolon")
            }
        };
        self.report(diagnostic);
        self.skip_misplaced();
    }

    /// Skips the token and the tokens that belong to it.
    fn skip_misplaced(&mut self) {
        let kind = self.token.kind;
        if kind == Kind::OpenBrace {
            self.skip_block();
            return;
        }
        self.advance();
        match kind {
            Kind::Semicolon | Kind::CloseBrace => {}
            Kind::Include if self.token.kind == Kind::String => self.advance(),
            _ => self.recover(),
        }
    }

    /// Returns an error about the current token.
    fn here(&self, code: &'static str, message: &str, label: &str) -> Diagnostic {
        Diagnostic::error(code, message).at(self.span(self.token), label)
    }

    fn stray_semicolon(&self) -> Diagnostic {
        self.here(
            codes::STRAY_SEMICOLON,
            "this `;` ends nothing",
            "not needed here",
        )
        .note("`include` and blocks in braces end without a semicolon")
        .help("remove it")
    }

    fn object(&self) -> Diagnostic {
        let label = "reserved, but without meaning";
        self.here(
            codes::UNKNOWN_STATEMENT,
            "the statement `object` is not supported",
            label,
        )
        .help("use a `frame` with a `geometry` in it")
    }

    pub(super) fn no_semicolon(&mut self, written: Span) -> Unended {
        let kind = self.token.kind;
        let span = self.span(self.token);
        let after = Span::new(self.source, self.previous_end..self.previous_end);
        let gap = self.text.get(self.previous_end..self.token.start);
        let same_line = gap.is_none_or(|gap| !gap.contains('\n'));
        let is_unit = span.start == after.start && matches!(kind, Kind::Identifier | Kind::Deg);
        let diagnostic = match kind {
            Kind::Identifier | Kind::Deg if is_unit => self.unit(written, span),
            Kind::OpenParen if same_line => {
                Diagnostic::error(codes::NO_FUNCTIONS, "the language has no functions")
                    .at(span, "nothing can be called")
                    .note("expressions support + - * / ** ( ) and the constants `pi` and `deg`")
                    .help("write down the result, or multiply with `*`")
            }
            Kind::Number
            | Kind::Identifier
            | Kind::String
            | Kind::Pi
            | Kind::Deg
            | Kind::OpenBracket
                if same_line =>
            {
                let token = self.token_shown();
                Diagnostic::error(
                    codes::EXTRA_VALUE,
                    format!("unexpected second value {token}"),
                )
                .at(span, "expected `;`")
                .at(written, "this is complete")
                .help("every attribute has one value; several numbers go into `[…]`, with commas")
            }
            Kind::CloseParen => Diagnostic::error(codes::UNEXPECTED, "unmatched `)`")
                .at(span, "no parenthesis is open here")
                .help("remove it"),
            _ => {
                let token = self.token_shown();
                Diagnostic::error(
                    codes::MISSING_SEMICOLON,
                    format!("expected `;`, found {token}"),
                )
                .at(after, "add `;` here")
                .help("attributes, definitions and `allow_collision` end with a semicolon")
            }
        };
        let is_missing = diagnostic.code == codes::MISSING_SEMICOLON;
        self.report(diagnostic);
        if is_missing {
            Unended::Missing
        } else {
            Unended::Mistaken
        }
    }

    /// Reports a unit directly after a number.
    fn unit(&self, written: Span, span: Span) -> Diagnostic {
        let unit = self.slice(self.token);
        let number = self.text.get(self.previous_start()..self.previous_end);
        let number = number.unwrap_or_default();
        let help = match (factor(unit), number.parse::<f64>()) {
            (Some((factor, of)), Ok(value)) => {
                // The product of two decimal numbers can have sixteen digits, more than intended; nine suffice.
                let value: f64 = format!("{:.9e}", value * factor).parse().unwrap_or(value);
                format!("write it in {of}: `{value}`")
            }
            _ if unit == "deg" => format!("multiply: `{number}*deg`"),
            _ => {
                format!("define the unit and multiply: `def {unit} 0.01;`, then `{number}*{unit}`")
            }
        };
        let shown = printable(&format!("{number}{unit}"));
        let message = format!("`{shown}`: a number has no unit behind it");
        Diagnostic::error(codes::EXTRA_VALUE, message)
            .at(span, "a unit")
            .at(written, "this is complete")
            .note("lengths are in metres, angles in radians, masses in kilograms")
            .help(help)
    }

    pub(super) fn no_operand(&mut self) -> Mistake {
        let help = match self.token.kind {
            Kind::Plus => "a number has no sign `+`: leave it out",
            Kind::CloseParen => "put a number or name between the parentheses",
            Kind::String => "a name in an expression has no quotes",
            kind if kind.starts_statement() => "is something missing before it?",
            _ => "write a number, a name that was defined, or an expression in parentheses",
        };
        self.unexpected("a number", help)
    }

    pub(super) fn unclosed_array(&mut self, open: Token) -> Mistake {
        let message = format!("expected `,` or `]`, found {}", self.token_shown());
        let functions = self.token.kind == Kind::OpenParen;
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
            .at(self.span(self.token), "expected `,` or `]`")
            .at(self.span(open), "the array starts here")
            .help("numbers in an array are separated by commas: `[1, 2, 3]`");
        if functions {
            diagnostic = Diagnostic::error(codes::NO_FUNCTIONS, "the language has no functions")
                .at(self.span(self.token), "nothing can be called")
                .note("expressions support + - * / ** ( ) and the constants `pi` and `deg`")
                .help("write down the result, or multiply with `*`");
        }
        let element = self.span_from(self.previous_start());
        if self.token.start == self.previous_end
            && matches!(self.token.kind, Kind::Identifier | Kind::Deg)
        {
            diagnostic = self.unit(element, self.span(self.token));
        }
        self.report(diagnostic)
    }

    /// Returns the first byte of the number directly before the token.
    fn previous_start(&self) -> usize {
        let before = self.text.get(..self.previous_end).unwrap_or_default();
        let start = before.rfind(|letter: char| !matches!(letter, '0'..='9' | '.'));
        start.map_or(0, |at| at + 1)
    }

    pub(super) fn array_too_long(&mut self, open: Token) -> Mistake {
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, "this array is too long")
            .at(self.span(open), "starts here")
            .help("no attribute takes more than 6 numbers");
        self.problems.stop();
        self.report(diagnostic)
    }

    pub(super) fn expression_too_long(&mut self, start: usize) -> Mistake {
        let span = Span::new(self.source, start..self.token.end);
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, "this expression is too long")
            .at(span, "starts here")
            .help("split it with `def`");
        self.problems.stop();
        self.report(diagnostic)
    }

    pub(super) fn too_deep(&mut self, token: Token, what: &str) {
        let diagnostic = Diagnostic::error(
            codes::TOO_DEEP,
            format!("{what} are nested more than {DEEPEST} deep"),
        )
        .at(self.span(token), "exceeds the limit")
        .help(if what == "blocks" {
            "name the parent instead: `frame name { parent other; }`"
        } else {
            "split the expression with `def`"
        });
        self.problems.push(diagnostic);
    }

    pub(super) fn too_many_members(&mut self, head: Span) {
        let diagnostic = Diagnostic::error(
            codes::TOO_LARGE,
            format!("this block has more than {MOST_MEMBERS} parts"),
        )
        .at(head, "starts here")
        .help("split the scene");
        self.problems.push(diagnostic);
        self.problems.stop();
        self.advance();
    }

    pub(super) fn unclosed_block(&mut self, open: Token, head: Span) {
        if self.broken_end {
            return;
        }
        let diagnostic = Diagnostic::error(codes::UNCLOSED_BLOCK, "this block is never closed");
        let diagnostic = match self.missed {
            Some((open, before)) => diagnostic
                .at(self.span(open), "no `}` for this `{`")
                .at(self.span(before), "a `}` is missing before this one"),
            None => diagnostic
                .at(self.span(open), "no `}` for this `{`")
                .at(head, "the block that is open"),
        };
        let diagnostic = diagnostic.help("add the missing `}`");
        self.broken_end = true;
        self.problems.push(diagnostic);
    }

    pub(super) fn bad_number(&mut self) {
        let text = printable(self.slice(self.token));
        let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, format!("`{text}` is not a number"))
            .at(self.span(self.token), "the exponent has no digits")
            .help(format!("write `{digits}`, or for example `{digits}e-3`"));
        self.problems.push(diagnostic);
    }

    pub(super) fn check_length(&mut self) {
        let quotes = if self.token.kind == Kind::String {
            2
        } else {
            0
        };
        let length = self.token.end - self.token.start - quotes;
        if length > LONGEST_NAME {
            let diagnostic = Diagnostic::error(
                codes::NAME_TOO_LONG,
                format!("a name or string of {length} bytes"),
            )
            .at(self.span(self.token), "too long")
            .help(format!("names and paths have at most {LONGEST_NAME} bytes"));
            self.problems.push(diagnostic);
            // Recovery continues with a token of length zero.
            self.token.end = self.token.start;
        }
    }

    pub(super) fn unclosed(&mut self) {
        let token = self.token;
        let open = Span::new(self.source, token.start..token.start + 1);
        let diagnostic = if token.kind == Kind::UnclosedString {
            Diagnostic::error(codes::UNCLOSED_STRING, "this string is never closed")
                .at(open, "no second quote follows")
                .note("a string may hold line breaks, but no quotes: there are no escapes")
                .help("add the missing `\"`")
        } else {
            let open = Span::new(self.source, token.start..token.start + 2);
            Diagnostic::error(codes::UNCLOSED_COMMENT, "this comment is never closed")
                .at(open, "no `*/` follows")
                .help("end it with `*/`; comments do not nest")
        };
        self.problems.push(diagnostic);
    }

    pub(super) fn unknown_character(&mut self) {
        let text = self.slice(self.token);
        let first = text.chars().next().unwrap_or_default();
        let help = match first {
            ':' | '=' => "a value follows its name directly: `radius 0.5;`",
            '\'' | '`' | '“' | '”' | '‘' | '’' => {
                "strings have plain double quotes: `\"name\"`"
            }
            '.' => "a name with a dot needs quotes: `\"a.b\"`; a decimal point needs a digit",
            '_' => "a name that starts with `_` needs quotes; numbers have no separators",
            '%' => "there is no remainder or percentage",
            '\u{B0}' => "degrees are written `45*deg`",
            '−' | '–' | '—' => "write a plain minus, `-`",
            '<' | '>' | '!' | '&' | '|' | '?' => "there are no comparisons and conditions",
            _ if first.is_whitespace() || first == '\u{FEFF}' => {
                "white space is spaces, tabs and line breaks"
            }
            _ if first.is_alphabetic() => {
                "a name with other letters than a to z needs quotes: `\"é\"`"
            }
            _ if first.is_control() => "is this a text file?",
            _ => "remove it, or put the name it belongs to in quotes",
        };
        let shown = printable(text);
        let what = if text.chars().count() == 1 {
            "character"
        } else {
            "text"
        };
        let message = format!("unexpected {what} `{shown}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
            .at(self.span(self.token), "not understood")
            .help(help);
        self.problems.push(diagnostic);
    }
}

/// Returns the size of a unit in the language's unit, and the name of the latter.
fn factor(unit: &str) -> Option<(f64, &'static str)> {
    Some(match unit {
        "mm" => (1e-3, "metres"),
        "cm" => (1e-2, "metres"),
        "m" => (1.0, "metres"),
        "km" => (1e3, "metres"),
        "in" => (0.0254, "metres"),
        "ft" => (0.3048, "metres"),
        "rad" => (1.0, "radians"),
        "g" => (1e-3, "kilograms"),
        "kg" => (1.0, "kilograms"),
        _ => return None,
    })
}
