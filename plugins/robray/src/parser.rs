//! Recovering parser: converts tokens to statements, one at a time, and continues after errors.

mod block;
mod expression;
mod mistakes;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use morse_scene::model::ClosureKind;

use super::codes;
use super::lexer::{Kind, Lexer, Token};
use super::problems::Problems;
use super::syntax::{Expression, Statement, Word};
pub(super) use morse_scene::model::LONGEST_NAME;

/// Maximum nesting depth of blocks and parentheses.
pub(super) const DEEPEST: usize = 256;
/// Maximum number of attributes and inner blocks of one statement.
const MOST_MEMBERS: usize = 500_000;

/// A syntax error that has been reported; the caller decides where parsing continues.
#[derive(Clone, Copy, Debug)]
struct Mistake;

type Parsed<T> = Result<T, Mistake>;

/// Reason why a statement has no end; it has been reported.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unended {
    /// Only the semicolon is missing.
    Missing,
    /// An unexpected token follows, so that the value is probably not the intended one.
    Mistaken,
}

pub(super) struct Parser<'a, 'p> {
    text: &'a str,
    source: SourceId,
    lexer: Lexer<'a>,
    token: Token,
    /// End of the previous token.
    previous_end: usize,
    problems: &'p mut Problems,
    /// First block whose closing brace is indented less than the block, with that brace.
    missed: Option<(Token, Token)>,
    /// True if the text ends within a string or comment; further errors about the end are suppressed.
    broken_end: bool,
    /// True if unknown characters precede the token; an error about an unexpected token is suppressed then.
    after_unknown: bool,
    members: usize,
}

impl<'a, 'p> Parser<'a, 'p> {
    pub(super) fn new(text: &'a str, source: SourceId, problems: &'p mut Problems) -> Self {
        let mut parser = Self {
            text,
            source,
            lexer: Lexer::new(text),
            token: Token {
                kind: Kind::End,
                start: 0,
                end: 0,
            },
            previous_end: 0,
            problems,
            missed: None,
            broken_end: false,
            after_unknown: false,
            members: 0,
        };
        parser.advance();
        parser
    }

    /// Returns the next valid statement; `None` at the end.
    pub(super) fn next_statement(&mut self) -> Option<Statement<'a>> {
        loop {
            if self.token.kind == Kind::End || self.problems.is_full() {
                return None;
            }
            self.members = 0;
            let starts = self.token.kind.starts_statement() && self.token.kind != Kind::Geometry;
            if !starts && self.closure().is_none() {
                self.not_a_statement();
                continue;
            }
            match self.statement() {
                Ok(statement) => return Some(statement),
                Err(Mistake) => self.recover(),
            }
        }
    }

    /// Returns the list of problems, to which the evaluation adds its own while the parser holds it.
    pub(super) fn problems(&mut self) -> &mut Problems {
        self.problems
    }

    fn statement(&mut self) -> Parsed<Statement<'a>> {
        let keyword = self.token;
        match keyword.kind {
            Kind::Include => {
                self.advance();
                self.include().map(Statement::Include)
            }
            Kind::Def => {
                self.advance();
                self.definition()
            }
            Kind::Class | Kind::Frame => {
                self.advance();
                let name = self.name(keyword)?;
                let block = self.block(keyword, Some(name), 1)?;
                Ok(if keyword.kind == Kind::Class {
                    Statement::Class(block)
                } else {
                    Statement::Frame(block)
                })
            }
            _ => {
                let closure = self.closure();
                self.advance();
                let one = self.name(keyword)?;
                let other = self.name(keyword)?;
                let written = self.span_from(keyword.start);
                if self.end_of_statement(written).is_err() {
                    return Err(Mistake);
                }
                Ok(match closure {
                    Some(kind) => Statement::Closure(kind, written, [one, other]),
                    None => Statement::AllowCollision(one, other),
                })
            }
        }
    }

    /// Returns the kind of loop closure that begins here. Its keywords are reserved at the beginning of a statement only,
    /// since they are extensions of the language.
    fn closure(&self) -> Option<ClosureKind> {
        let word = (self.token.kind == Kind::Identifier).then(|| self.slice(self.token))?;
        let mut kinds = ClosureKind::WORDS.into_iter();
        kinds.find_map(|(known, kind)| (known == word).then_some(kind))
    }

    fn include(&mut self) -> Parsed<Word<'a>> {
        let token = self.token;
        if token.kind != Kind::String {
            return Err(self.unexpected(
                "a file name in quotes",
                "write `include \"file.robray\"`, without a semicolon",
            ));
        }
        let word = self.word(token);
        self.advance();
        Ok(word)
    }

    fn definition(&mut self) -> Parsed<Statement<'a>> {
        let token = self.token;
        if token.kind.is_reserved_word() {
            return Err(self.reserved("a definition"));
        }
        if token.kind != Kind::Identifier {
            return Err(self.unexpected("a name", "write `def name value;`"));
        }
        let name = self.word(token);
        self.advance();
        Ok(match self.defined(&name) {
            Ok(Some(value)) => Statement::Def(name, value),
            // Defines the name in spite of the error, to prevent errors about an undefined name.
            Ok(None) => Statement::WrongDef(name),
            Err(Mistake) => {
                self.recover();
                Statement::WrongDef(name)
            }
        })
    }

    /// Returns the value of a definition, or `None` if the following token shows that the value is not the intended one.
    fn defined(&mut self, name: &Word<'a>) -> Parsed<Option<Expression<'a>>> {
        match self.token.kind {
            Kind::Semicolon => {
                let diagnostic = Diagnostic::error(
                    codes::MISSING_VALUE,
                    format!("`def {}` has no value", name.shown()),
                )
                .at(name.span, "defined as nothing")
                .help(format!("write `def {} 1;`", name.shown()));
                self.problems.push(diagnostic);
                self.advance();
                return Ok(None);
            }
            Kind::String | Kind::OpenBracket => {
                return Err(self.unexpected(
                    "a number, a name or an expression",
                    "a definition cannot hold a string or an array; define its numbers one by one",
                ));
            }
            _ => {}
        }
        let value = self.expression()?;
        match self.end_of_statement(value.span) {
            Ok(()) => Ok(Some(value)),
            Err(Unended::Missing) => {
                self.recover();
                Ok(Some(value))
            }
            Err(Unended::Mistaken) => Err(Mistake),
        }
    }

    /// Returns the name of a frame or class, or one name of an allowed pair.
    fn name(&mut self, keyword: Token) -> Parsed<Word<'a>> {
        let token = self.token;
        match token.kind {
            Kind::Identifier | Kind::String => {
                let word = self.word(token);
                self.advance();
                let shortened = token.start == token.end;
                if word.text.is_empty() && !shortened && keyword.kind != Kind::AllowCollision {
                    let diagnostic = Diagnostic::error(codes::EMPTY_NAME, "a name cannot be empty")
                        .at(word.span, "this name is empty")
                        .help("give it a name; the empty name denotes the root");
                    self.problems.push(diagnostic);
                }
                Ok(word)
            }
            _ if token.kind.is_reserved_word() => Err(self.reserved("a name")),
            _ => {
                let help = match keyword.kind {
                    Kind::AllowCollision => "write `allow_collision \"one\" \"other\";`",
                    Kind::Class => "write `class name { … }`",
                    Kind::Identifier if self.slice(keyword) == "connect" => {
                        "write `connect \"one\" \"other\";`"
                    }
                    Kind::Identifier => "write `weld \"one\" \"other\";`",
                    _ => "write `frame name { … }`",
                };
                Err(self.unexpected("a name", help))
            }
        }
    }

    /// Consumes the `;` after a statement or attribute, whose text so far is `written`.
    fn end_of_statement(&mut self, written: Span) -> Result<(), Unended> {
        if self.token.kind == Kind::Semicolon {
            self.advance();
            return Ok(());
        }
        Err(self.no_semicolon(written))
    }

    /// Advances to the next token, and reports invalid ones.
    fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.after_unknown = false;
        if self.problems.is_full() {
            self.token.kind = Kind::End;
            self.broken_end = true;
            return;
        }
        loop {
            self.token = self.lexer.next();
            match self.token.kind {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Unknown => {
                    self.unknown_character();
                    self.after_unknown = true;
                    if self.problems.is_full() {
                        self.token.kind = Kind::End;
                        return;
                    }
                }
                Kind::UnclosedString | Kind::UnclosedComment => {
                    self.unclosed();
                    self.broken_end = true;
                }
                Kind::Identifier | Kind::String => {
                    self.check_length();
                    return;
                }
                _ => return,
            }
        }
    }

    /// Skips to a position where a statement may begin: after the next `;` or block, or before a closing brace, the end, or
    /// a keyword that starts a statement.
    fn recover(&mut self) {
        loop {
            match self.token.kind {
                Kind::End | Kind::CloseBrace => return,
                kind if kind.starts_statement() => return,
                Kind::Semicolon => {
                    self.advance();
                    return;
                }
                Kind::OpenBrace => {
                    self.skip_block();
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    /// Skips a block from its `{` to its `}`, regardless of its content.
    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                Kind::End => return,
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn slice(&self, token: Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn word(&self, token: Token) -> Word<'a> {
        let text = self.slice(token);
        let quoted = token.kind == Kind::String;
        Word {
            text: if quoted { text.trim_matches('"') } else { text },
            quoted,
            span: self.span(token),
        }
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.source, token.start..token.end)
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.source, start..self.previous_end.max(start))
    }
}
