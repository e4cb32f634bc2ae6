//! Syntactic context of a position, for completion in half-typed texts: it depends on the tokens before the position only.

use std::ops::Range;

use super::lexer::{Kind, Lexer, Token};

/// Kind of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `frame name { … }`
    Frame,
    /// `geometry { … }`
    Geometry,
    /// `class name { … }`
    Class,
}

/// Syntax that can be written at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A statement.
    Statement,
    /// An attribute or a block within a block.
    Member(Container),
    /// The value of an attribute.
    Value(Container, String),
    /// The value of a definition.
    Expression,
    /// The name of a frame.
    Frame,
    /// The path of a file.
    Path,
    /// A semicolon, or a name that is new.
    Nothing,
}

/// Context of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Syntax that can be written.
    pub expected: Expected,
    /// Range of the word before and at the position, without quotes; a completion replaces it.
    pub word: Range<usize>,
    /// True if the word is within quotes.
    pub quoted: bool,
}

/// Returns the context of a byte offset.
#[must_use]
pub fn context(text: &str, offset: usize) -> Context {
    let mut reader = Reader::default();
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next();
        let is_word = token.kind == Kind::Identifier || token.kind.is_reserved_word();
        // A word that ends at the offset is still being typed.
        let is_before =
            token.end < offset || (token.end == offset && !is_word && !token.kind.is_open());
        if token.kind == Kind::End || !is_before {
            return reader.context(text, token, offset);
        }
        reader.read(text, token);
    }
}

/// State after the tokens so far.
#[derive(Default)]
struct Reader<'a> {
    /// Blocks that are open; `None` for a brace without a keyword.
    open: Vec<Option<Container>>,
    /// Tokens of the current statement, without comments.
    statement: Vec<(Kind, &'a str)>,
}

impl Kind {
    /// Returns true for tokens that go on until they are closed.
    fn is_open(self) -> bool {
        matches!(
            self,
            Self::LineComment | Self::UnclosedString | Self::UnclosedComment
        )
    }
}

impl<'a> Reader<'a> {
    fn read(&mut self, text: &'a str, token: Token) {
        let written = text.get(token.start..token.end).unwrap_or_default();
        match token.kind {
            kind if kind.is_comment() => return,
            Kind::OpenBrace => {
                self.open.push(self.container());
                self.statement.clear();
                return;
            }
            Kind::CloseBrace => {
                self.open.pop();
                self.statement.clear();
                return;
            }
            Kind::Semicolon => {
                self.statement.clear();
                return;
            }
            // After a mistake, a keyword starts anew.
            kind if kind.starts_statement() => self.statement.clear(),
            _ => {}
        }
        self.statement.push((token.kind, written));
        if let [(Kind::Include, _), (Kind::String, _)] = self.statement.as_slice() {
            self.statement.clear();
        }
    }

    /// Returns the kind of block that a brace would open.
    fn container(&self) -> Option<Container> {
        match self.statement.first()?.0 {
            Kind::Frame => Some(Container::Frame),
            Kind::Geometry => Some(Container::Geometry),
            Kind::Class => Some(Container::Class),
            _ => None,
        }
    }

    fn context(mut self, text: &str, token: Token, offset: usize) -> Context {
        let covers = token.start < offset && offset <= token.end;
        let is_word = token.kind == Kind::Identifier || token.kind.is_reserved_word();
        let quoted = matches!(token.kind, Kind::String | Kind::UnclosedString);
        let word = match token.kind {
            _ if !covers => offset..offset,
            _ if is_word => token.start..token.end,
            Kind::String => token.start + 1..token.end - 1,
            // A string that is not closed yet ends with its line.
            Kind::UnclosedString => {
                let rest = text.get(offset..token.end).unwrap_or_default();
                let length = rest.find(['\n', ';']).unwrap_or(rest.len());
                token.start + 1..offset + length
            }
            _ => {
                return Context {
                    expected: Expected::Nothing,
                    word: offset..offset,
                    quoted: false,
                };
            }
        };
        let quoted = quoted && covers;
        self.forget_unended(text, word.start, quoted);
        Context {
            expected: self.expected(quoted),
            word,
            quoted,
        }
    }

    /// Drops an attribute without a semicolon if the word is the first one of another line.
    fn forget_unended(&mut self, text: &str, start: usize, quoted: bool) {
        let line = text.get(..start).unwrap_or_default();
        let line = line.rsplit('\n').next().unwrap_or_default();
        let is_first = line.trim().is_empty() && !quoted;
        if is_first && self.statement.len() > 1 && !self.open.is_empty() {
            self.statement.clear();
        }
    }

    fn expected(&self, quoted: bool) -> Expected {
        let container = self.open.last().copied().flatten();
        match (self.statement.as_slice(), container) {
            ([], None) if self.open.is_empty() && !quoted => Expected::Statement,
            ([], Some(container)) if !quoted => Expected::Member(container),
            ([(Kind::Include, _)], _) => Expected::Path,
            ([(Kind::AllowCollision, _), names @ ..], _) if names.len() < 2 => Expected::Frame,
            ([(Kind::Def, _), (Kind::Identifier, _), ..], _) => Expected::Expression,
            ([(Kind::Identifier, name), value @ ..], Some(container)) if is_incomplete(value) => {
                Expected::Value(container, (*name).to_owned())
            }
            _ => Expected::Nothing,
        }
    }
}

/// Returns true if a value can go on: it is empty, or ends with an operator or an opening bracket.
fn is_incomplete(value: &[(Kind, &str)]) -> bool {
    let ends_operand = |kind| {
        matches!(
            kind,
            Kind::Identifier
                | Kind::Number
                | Kind::Pi
                | Kind::Deg
                | Kind::String
                | Kind::CloseParen
                | Kind::CloseBracket
        )
    };
    value.last().is_none_or(|(kind, _)| !ends_operand(*kind))
}

#[cfg(test)]
mod tests {
    use super::{Container, Expected, context};

    /// Returns the expected syntax at `|`, and the word there.
    fn at(text: &str) -> (Expected, String) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let context = context(&text, offset);
        (context.expected, text[context.word].to_owned())
    }

    fn value(container: Container, name: &str) -> Expected {
        Expected::Value(container, name.to_owned())
    }

    #[test]
    fn statements_and_members() {
        assert_eq!(at("fr|"), (Expected::Statement, "fr".into()));
        assert_eq!(at("def a 1; |"), (Expected::Statement, String::new()));
        assert_eq!(at("frame a { ma| }").0, Expected::Member(Container::Frame));
        assert_eq!(
            at("frame a { geometry { isa b; | ").0,
            Expected::Member(Container::Geometry)
        );
        assert_eq!(
            at("frame a { geometry { } | ").0,
            Expected::Member(Container::Frame)
        );
        assert_eq!(at("class a { |").0, Expected::Member(Container::Class));
        assert_eq!(at("include \"a\" |").0, Expected::Statement);
    }

    #[test]
    fn values() {
        assert_eq!(
            at("frame a { type re| }"),
            (value(Container::Frame, "type"), "re".into())
        );
        assert_eq!(
            at("frame a { rpy [0, pi/|").0,
            value(Container::Frame, "rpy")
        );
        assert_eq!(at("class a { isa |; }").0, value(Container::Class, "isa"));
        assert_eq!(
            at("frame a { parent \"le|ft\"; }"),
            (value(Container::Frame, "parent"), "left".into())
        );
        assert_eq!(at("def a b*|").0, Expected::Expression);
        assert_eq!(at("allow_collision a |").0, Expected::Frame);
        assert_eq!(at("include \"rob|").0, Expected::Path);
    }

    #[test]
    fn nothing_in_comments_and_after_values() {
        assert_eq!(at("# fr|").0, Expected::Nothing);
        assert_eq!(at("/* fr| */").0, Expected::Nothing);
        assert_eq!(at("frame |").0, Expected::Nothing);
        assert_eq!(at("frame a { mass 2 |").0, Expected::Nothing);
    }

    #[test]
    fn an_unended_attribute_does_not_swallow_the_next_line() {
        assert_eq!(
            at("frame a {\n mass 2\n tra|").0,
            Expected::Member(Container::Frame)
        );
        assert_eq!(
            at("frame a {\n parent \"b\n tra|").0,
            value(Container::Frame, "parent")
        );
    }

    #[test]
    fn every_position_of_a_broken_text_has_a_context() {
        let text = "class é { shape \"}; }} frame [ { π 5d- \" allow_collision ; def";
        for offset in 0..=text.len() {
            let context = context(text, offset);
            assert!(
                context.word.start <= context.word.end,
                "{offset}: {context:?}"
            );
        }
    }
}
