//! Formatter: normalises indentation, spaces and blank lines. It preserves comments, line breaks between statements, and
//! every token.

use std::path::Path;

use morse_diagnostics::{Failed, Sources};

use super::lexer::{Kind, Lexer, Token};
use super::parser::Parser;
use super::problems::Problems;

/// Maximum length of a block that stays on one line.
const WIDEST: usize = 100;

/// Formats a text; `name` is its name in messages.
///
/// # Errors
///
/// Returns the syntax errors, if there are any. The formatter follows no includes and evaluates nothing.
pub fn format(text: &str, name: &Path) -> Result<String, Box<Failed>> {
    let mut sources = Sources::default();
    let source = sources.add(name.display().to_string(), text);
    let mut problems = Problems::new(false);
    let mut parser = Parser::new(text, source, &mut problems);
    while parser.next_statement().is_some() {}
    if problems.any_error() {
        let diagnostics = problems.finish(&sources);
        return Err(Box::new(Failed {
            diagnostics,
            sources,
        }));
    }
    let mut formatter = Formatter::new(text);
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next();
        if token.kind == Kind::End {
            break;
        }
        match formatter.on_one_line(token, &lexer) {
            Some(rest) => lexer = rest,
            None => formatter.token(token),
        }
    }
    Ok(formatter.finish())
}

struct Formatter<'a> {
    text: &'a str,
    out: String,
    depth: usize,
    /// Previous token, comments included.
    previous: Option<Token>,
    /// True if the previous token is a comment after other text on its line.
    trailing: bool,
    statement: Statement,
    /// True inside a block that stays on one line.
    one_line: bool,
}

/// Progress of the current statement, without comments.
#[derive(Clone, Copy, Default)]
struct Statement {
    first: Option<Kind>,
    last: Option<Kind>,
    tokens: usize,
}

impl Statement {
    /// Returns true if the next token starts a new statement.
    fn is_over(self) -> bool {
        match self.last {
            None | Some(Kind::Semicolon | Kind::OpenBrace | Kind::CloseBrace) => true,
            Some(Kind::String) => self.first == Some(Kind::Include),
            Some(_) => false,
        }
    }

    fn add(&mut self, kind: Kind) {
        if self.is_over() {
            *self = Self {
                first: Some(kind),
                ..Self::default()
            };
        }
        self.last = Some(kind);
        self.tokens += 1;
    }

    /// Returns true if a minus at this position is binary. The name of an attribute is not an operand.
    fn has_left_side(self) -> bool {
        let names = if self.first == Some(Kind::Def) { 2 } else { 1 };
        let operand = matches!(
            self.last,
            Some(Kind::Number | Kind::Identifier | Kind::Pi | Kind::Deg | Kind::CloseParen)
        );
        operand && self.tokens > names
    }
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            out: String::with_capacity(text.len()),
            depth: 0,
            previous: None,
            trailing: false,
            statement: Statement::default(),
            one_line: false,
        }
    }

    fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// Writes a whole block on one line if it was on one line and fits. Returns the lexer after the block.
    fn on_one_line(&mut self, open: Token, lexer: &Lexer<'a>) -> Option<Lexer<'a>> {
        if open.kind != Kind::OpenBrace {
            return None;
        }
        let mut ahead = lexer.clone();
        let mut tokens = vec![open];
        loop {
            let token = ahead.next();
            tokens.push(token);
            match token.kind {
                Kind::CloseBrace => break,
                Kind::OpenBrace | Kind::End => return None,
                kind if kind.is_comment() || tokens.len() > WIDEST => return None,
                _ => {}
            }
        }
        let end = tokens.last().map_or(open.end, |token| token.end);
        if self.text.get(open.start..end)?.contains('\n') {
            return None;
        }
        let before = (self.out.len(), self.previous, self.statement, self.trailing);
        self.one_line = true;
        for token in tokens {
            self.token(token);
        }
        self.one_line = false;
        let line = self.out.rfind('\n').map_or(0, |newline| newline + 1);
        let width = self.out.get(line..).unwrap_or_default().chars().count();
        if width <= WIDEST {
            return Some(ahead);
        }
        let length;
        (length, self.previous, self.statement, self.trailing) = before;
        self.out.truncate(length);
        None
    }

    fn token(&mut self, token: Token) {
        let written = self.text.get(token.start..token.end).unwrap_or_default();
        let unary = token.kind == Kind::Minus && !self.statement.has_left_side();
        self.separate(token, unary);
        if token.kind.is_comment() {
            self.out.push_str(written.trim_end());
        } else {
            self.out.push_str(written);
            self.statement.add(token.kind);
            if unary {
                // No space follows a sign, as after an opening parenthesis.
                self.statement.last = Some(Kind::OpenParen);
            }
            match token.kind {
                Kind::OpenBrace => self.depth += 1,
                Kind::CloseBrace => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.previous = Some(token);
    }

    /// Writes the white space between the previous token and this one.
    fn separate(&mut self, token: Token, unary: bool) {
        let Some(previous) = self.previous else {
            return;
        };
        let gap = self.text.get(previous.end..token.start).unwrap_or_default();
        let breaks = gap.bytes().filter(|byte| *byte == b'\n').count();
        let over = self.statement.is_over();
        let closing = token.kind == Kind::CloseBrace;
        let after_open = self.statement.last == Some(Kind::OpenBrace);
        if token.kind.is_comment() {
            self.trailing = breaks == 0;
            match breaks {
                0 => self.out.push(' '),
                _ => self.new_line(
                    breaks > 1 && over && previous.kind != Kind::OpenBrace,
                    over,
                    false,
                ),
            }
        } else if previous.kind.is_comment() {
            let stays = previous.kind == Kind::BlockComment && breaks == 0;
            if stays && !(over && self.trailing) && !closing {
                self.out.push(' ');
            } else {
                self.new_line(breaks > 1 && over && !closing, over, closing);
            }
        } else if closing && after_open {
            // Empty block: `{}`.
        } else if over || closing {
            if self.one_line {
                self.out.push(' ');
            } else {
                let blank = breaks > 1 && !closing && !after_open;
                self.new_line(blank, true, closing);
            }
        } else if self.is_spaced(token.kind, unary) {
            self.out.push(' ');
        }
    }

    fn new_line(&mut self, blank: bool, over: bool, closing: bool) {
        let depth =
            self.depth.saturating_sub(usize::from(closing)) + usize::from(!over && !closing);
        self.out.push('\n');
        if blank {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    /// Returns true if a space separates the previous token of the statement from this one.
    fn is_spaced(&self, kind: Kind, unary: bool) -> bool {
        let tight_before = matches!(
            kind,
            Kind::Semicolon | Kind::Comma | Kind::CloseParen | Kind::CloseBracket
        );
        let multiplies = |kind| matches!(kind, Kind::Star | Kind::Slash | Kind::Power);
        let tight_after =
            |last| matches!(last, Kind::OpenParen | Kind::OpenBracket) || multiplies(last);
        match self.statement.last {
            _ if tight_before => false,
            Some(last) if tight_after(last) => false,
            _ if unary => true,
            _ => !multiplies(kind),
        }
    }
}
