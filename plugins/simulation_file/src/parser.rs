//! Recovering parser: converts tokens to a tree, and reports all syntax errors from which it can recover.
//!
//! The parser reads the structure and leaves literals to `ron`: see [`super::literal`].

mod brackets;

use brackets::Missed;
use morse_diagnostics::{Diagnostic, SourceId, Span};

use super::lexer::{Lexer, Token};
use super::literal::literal;
use super::problem::{Problems, Wording as _, error, quoted};
use super::span::Spanned;
use super::tree::{Field, Kind, Node};

/// Maximum nesting depth, which protects the stack.
const DEEPEST: usize = 64;

/// Maximum number of values, which limits memory: a value takes some hundred bytes.
const MOST_VALUES: usize = 1_000_000;

/// Tree of a text, as far as it could be parsed.
pub(super) struct Parsed {
    pub(super) root: Option<Node>,
    /// False if the tree is incomplete, so that further checks would report errors that do not exist.
    pub(super) sound: bool,
}

/// Parses exactly one value from the byte `from` on.
pub(super) fn parse(text: &str, source: SourceId, from: usize, problems: &mut Problems) -> Parsed {
    let mut lexer = Lexer::new(text, source, from);
    let (token, span) = lexer.next_token();
    let mut parser = Parser {
        lexer,
        token,
        span,
        last: Span::new(source, from..from),
        problems,
        closers: Vec::new(),
        values: 0,
        sound: true,
        missed: None,
        reported: Told::default(),
    };
    parser.skip_hashes();
    parser.attributes();
    let root = parser.value();
    if parser.token != Token::End && parser.sound {
        parser.stray("nothing may follow the one value of the file");
    }
    Parsed {
        root,
        sound: parser.sound,
    }
}

struct Parser<'t, 'p> {
    lexer: Lexer<'t>,
    token: Token,
    span: Span,
    /// Span of the previous token.
    last: Span,
    problems: &'p mut Problems,
    /// Closing brackets of the open groups, with the spans of the opening brackets.
    closers: Vec<(char, Span)>,
    values: usize,
    sound: bool,
    /// First bracket whose closing bracket is indented less, and therefore probably belongs to an outer group.
    missed: Option<Missed>,
    reported: Told,
}

/// Constructs of other languages that were reported already; each is reported once.
#[derive(Default)]
struct Told {
    hash: bool,
    quotes: bool,
}

/// An item of a group.
enum Item {
    Value(Node),
    Field(Field),
    Pair(Node, Node),
}

impl Parser<'_, '_> {
    fn advance(&mut self) {
        self.last = self.span;
        (self.token, self.span) = self.lexer.next_token();
        self.skip_hashes();
    }

    /// Skips `# …`, and reports the syntax of comments once.
    fn skip_hashes(&mut self) {
        while self.token == Token::Hash {
            if !self.reported.hash {
                self.reported.hash = true;
                let problem = error(
                    "simulation::syntax",
                    self.span,
                    "`#` does not begin a comment",
                )
                .label("taken for a comment")
                .help("write `// …`, here and wherever else it stands so");
                self.remark(problem);
            }
            (self.token, self.span) = self.lexer.next_token();
        }
    }

    fn slice(&self, span: Span) -> String {
        self.lexer.slice(span).to_owned()
    }

    fn report(&mut self, problem: Diagnostic) {
        self.sound = false;
        self.remark(problem);
    }

    /// Reports an error whose correction is obvious: the tree stays sound.
    fn remark(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
        if self.problems.is_full() {
            self.give_up();
        }
    }

    /// Skips the rest of the text.
    fn give_up(&mut self) {
        self.sound = false;
        self.lexer.stop();
        self.token = Token::End;
    }

    /// Reports an error after which parsing cannot continue.
    fn stop(&mut self, problem: Diagnostic) {
        self.report(problem);
        self.give_up();
    }

    /// Parses `#![enable(…)]`.
    fn attributes(&mut self) {
        while self.token == Token::Attribute {
            let text = self.slice(self.span);
            let inner = text
                .strip_prefix("#![")
                .and_then(|text| text.trim().strip_prefix("enable"))
                .and_then(|text| text.trim().strip_prefix('('))
                .and_then(|text| text.trim_end_matches([']', ' ']).strip_suffix(')'));
            let known = |name: &str| matches!(name.trim(), "" | "implicit_some");
            if !inner.is_some_and(|names| names.split(',').all(known)) {
                let problem = error(
                    "simulation::ron-extension",
                    self.span,
                    "unknown RON extension",
                )
                .note("`implicit_some` is always on; no other extension is used")
                .help("remove this line");
                self.remark(problem);
            }
            self.advance();
        }
    }

    fn value(&mut self) -> Option<Node> {
        self.values += 1;
        if self.values > MOST_VALUES {
            let message = format!("more than {MOST_VALUES} values");
            let problem = error("simulation::too-large", self.span, message)
                .help("use `repeat` for many robots of one kind");
            self.stop(problem);
            return None;
        }
        match self.token {
            Token::Open(opener) => self.group(opener, None),
            Token::Word => self.word(),
            Token::Number | Token::Text | Token::Character => self.literal(self.token),
            Token::Comma | Token::Close(_) => {
                let problem = error(
                    "simulation::missing-value",
                    self.after_last(),
                    "a value is missing",
                );
                self.report(problem);
                None
            }
            _ => {
                self.stray("expected a value");
                if starts_value(self.token) {
                    self.value()
                } else {
                    None
                }
            }
        }
    }

    /// Parses `true`, `raw`, `queue(64)`, `Some(x)`.
    fn word(&mut self) -> Option<Node> {
        let span = self.span;
        let word = self.slice(span);
        self.advance();
        if let Token::Open('(') = self.token {
            let node = self.group('(', Some(Spanned::new(word, span)))?;
            return Some(without_some(node));
        }
        let kind = match word.as_str() {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "inf" => Kind::Float(f64::INFINITY),
            "NaN" => Kind::Float(f64::NAN),
            _ => Kind::Word(word),
        };
        Some(Node::new(span, kind))
    }

    fn literal(&mut self, token: Token) -> Option<Node> {
        let span = self.span;
        let text = self.lexer.slice(span);
        let kind = literal(token, text, span);
        self.advance();
        if let (Token::Character, Err(problem)) = (token, &kind) {
            let text = text.trim_matches('\'').to_owned();
            if !self.reported.quotes {
                self.reported.quotes = true;
                self.remark((**problem).clone());
            }
            return Some(Node::new(span, Kind::Text(text)));
        }
        match kind {
            Ok(kind) => Some(Node::new(span, kind)),
            Err(problem) => {
                self.report(*problem);
                None
            }
        }
    }

    fn group(&mut self, opener: char, name: Option<Spanned<String>>) -> Option<Node> {
        let open = self.span;
        let closer = match opener {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        if self.closers.len() >= DEEPEST {
            let message = format!("values are nested more than {DEEPEST} deep");
            self.stop(error("simulation::too-deep", open, message));
            return None;
        }
        self.closers.push((closer, open));
        self.advance();
        let mut items = Vec::new();
        while self.goes_on(closer, open) {
            if let Some(item) = self.item(opener) {
                items.push(item);
            }
            self.separator();
        }
        self.closers.pop();
        let start = name.as_ref().and_then(|name| name.span).unwrap_or(open);
        self.assemble(opener, name, start.to(self.last), items)
    }

    fn item(&mut self, opener: char) -> Option<Item> {
        if opener == '(' && self.token == Token::Word && self.is_field() {
            let name = Spanned::new(self.slice(self.span), self.span);
            self.advance();
            self.colon();
            let value = self.value()?;
            return Some(Item::Field(Field { name, value }));
        }
        let value = self.value()?;
        if opener == '{' {
            self.colon();
            let entry = self.value()?;
            return Some(Item::Pair(value, entry));
        }
        if self.token == Token::Colon {
            self.misplaced_colon(opener, &value);
            self.advance();
            self.value()?;
            return None;
        }
        Some(Item::Value(value))
    }

    /// Returns true if the word is the name of a field, also if `=` stands for the colon, or the colon is missing.
    fn is_field(&self) -> bool {
        let next = self.lexer.clone().next_token().0;
        matches!(next, Token::Colon | Token::Stray('='))
            || starts_value(next) && next != Token::Open('(')
    }

    fn colon(&mut self) {
        match self.token {
            Token::Colon => self.advance(),
            Token::Stray('=') => {
                let problem = error("simulation::syntax", self.span, "`=` instead of `:`")
                    .help("write `name: value`");
                self.remark(problem);
                self.advance();
            }
            _ => {
                let problem = error(
                    "simulation::missing-colon",
                    self.after_last(),
                    "a `:` is missing",
                )
                .label("expected `:`");
                self.remark(problem);
            }
        }
    }

    fn misplaced_colon(&mut self, opener: char, name: &Node) {
        let problem = error(
            "simulation::syntax",
            self.span,
            "a `:` does not belong here",
        );
        let problem = match (opener, name.as_word()) {
            ('(', Some(word)) => problem
                .note("in `( )`, names of fields are bare words; in `{ }`, names are texts")
                .help(format!("write {}", quoted(&format!("{word}: …")))),
            ('[', _) => problem.note("`[ ]` holds a list of values; `{ }` holds names with values"),
            _ => problem,
        };
        self.report(problem);
    }

    fn separator(&mut self) {
        match self.token {
            Token::Comma => {
                self.advance();
                while self.token == Token::Comma {
                    let problem = error("simulation::syntax", self.span, "unexpected comma");
                    self.remark(problem);
                    self.advance();
                }
            }
            Token::Close(_) | Token::End | Token::Unclosed(_) => {}
            token if starts_value(token) => {
                let problem = error(
                    "simulation::missing-comma",
                    self.after_last(),
                    "a comma is missing",
                )
                .label("expected `,`");
                self.remark(problem);
            }
            _ => {
                self.stray("expected `,` or the end of the group");
            }
        }
    }

    /// Returns the empty span directly after the previous token.
    fn after_last(&self) -> Span {
        Span {
            start: self.last.end,
            ..self.last
        }
    }

    /// Reports the current token, and skips it unless it closes a group.
    fn stray(&mut self, note: &str) {
        let span = self.span;
        let problem = match self.token {
            Token::Unclosed(opener) => {
                let what = if opener == "/*" { "comment" } else { "text" };
                let message = format!("a {what} is never closed");
                self.stop(error("simulation::unclosed", span, message).label("it starts here"));
                return;
            }
            Token::End => {
                if self.sound {
                    let message = "the text ends where a value should follow";
                    self.report(error("simulation::unexpected-end", span, message));
                }
                return;
            }
            Token::Stray(c) => {
                let shown = if c.is_control() || !c.is_ascii() {
                    format!("the character U+{:04X}", u32::from(c))
                } else {
                    format!("`{c}`")
                };
                error(
                    "simulation::syntax",
                    span,
                    format!("{shown} does not belong here"),
                )
            }
            _ => {
                let shown_token = quoted(&self.slice(span));
                error(
                    "simulation::syntax",
                    span,
                    format!("{shown_token} does not belong here"),
                )
                .label(note)
            }
        };
        self.report(problem);
        if !matches!(self.token, Token::Close(_)) || self.closers.is_empty() {
            self.advance();
        }
    }

    fn assemble(
        &mut self,
        opener: char,
        name: Option<Spanned<String>>,
        span: Span,
        items: Vec<Item>,
    ) -> Option<Node> {
        let mut values = Vec::new();
        let mut fields = Vec::new();
        let mut pairs = Vec::new();
        for item in items {
            match item {
                Item::Value(value) => values.push(value),
                Item::Field(field) => fields.push(field),
                Item::Pair(key, value) => pairs.push((key, value)),
            }
        }
        if let (Some(field), Some(value)) = (fields.first(), values.first()) {
            let problem = error("simulation::syntax", value.span, "a value without a name")
                .at(field.name_span(), "here a value has a name");
            self.report(problem);
            return None;
        }
        let kind = match opener {
            '[' => Kind::List(values),
            '{' => Kind::Map(pairs),
            _ if fields.is_empty() => Kind::Tuple(name, values),
            _ => Kind::Struct(name, fields),
        };
        Some(Node::new(span, kind))
    }
}

fn starts_value(token: Token) -> bool {
    matches!(
        token,
        Token::Word | Token::Text | Token::Number | Token::Character | Token::Open(_)
    )
}

/// Returns `x` for `Some(x)`: optional values may be written either way.
fn without_some(node: Node) -> Node {
    match node.kind {
        Kind::Tuple(Some(name), mut items) if name.value == "Some" && items.len() == 1 => {
            match items.pop() {
                Some(item) => item,
                None => Node::new(node.span, Kind::Tuple(Some(name), items)),
            }
        }
        kind => Node::new(node.span, kind),
    }
}
