//! Parser of xacro expressions: the subset of Python's expressions that descriptions use.

use super::lexer::{Token, tokens};

/// Maximum nesting depth of parentheses and operators.
const DEEPEST: usize = 60;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    List(Vec<Expression>),
    Map(Vec<(Expression, Expression)>),
    /// `-a`, `+a`, `not a`
    Unary(&'static str, Box<Expression>),
    /// An operator with its operands; comparisons have two operands.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// A conditional: value, condition and the other value.
    Conditional(Box<[Expression; 3]>),
    /// `a[b]`
    Item(Box<Expression>, Box<Expression>),
    /// `a[b:c]`
    Slice(Box<Expression>, [Option<Box<Expression>>; 2]),
    /// `a.b`
    Field(Box<Expression>, String),
    /// A function call with its arguments.
    Call(Box<Expression>, Vec<Expression>),
}

/// Binary operators, in the order of increasing precedence.
const LEVELS: &[&[&str]] = &[
    &["or"],
    &["and"],
    &["not"],
    &["==", "!=", "<=", ">=", "<", ">", "in", "not in"],
    &["+", "-"],
    &["*", "/", "//", "%"],
];

/// Parses an expression.
///
/// # Errors
///
/// Returns the error in one line.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        index: 0,
        depth: 0,
    };
    let expression = parser.choice()?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => Err(format!("unexpected {}", shown(Some(token)))),
    }
}

struct Parser {
    tokens: Vec<Token>,
    index: usize,
    depth: usize,
}

type Parsed = Result<Expression, String>;

fn shown(token: Option<&Token>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(Token::Int(number)) => format!("`{number}`"),
        Some(Token::Float(number)) => format!("`{number}`"),
        Some(Token::Text(text) | Token::Name(text)) => {
            format!("`{}`", morse_diagnostics::printable(text))
        }
        Some(Token::Mark(mark)) => format!("`{mark}`"),
    }
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.index)
    }

    /// Consumes a punctuation or keyword, if it is next. Returns true if it was.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = match self.peek() {
            Some(Token::Mark(mark)) => *mark == word,
            Some(Token::Name(name)) => name == word,
            _ => false,
        };
        self.index += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.takes(word) {
            true => Ok(()),
            false => Err(format!("expected `{word}`, found {}", shown(self.peek()))),
        }
    }

    fn choice(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
        let value = self.level(0)?;
        let parsed = if self.takes("if") {
            let condition = self.level(0)?;
            self.expect("else")?;
            let other = self.choice()?;
            Expression::Conditional(Box::new([value, condition, other]))
        } else {
            value
        };
        self.depth -= 1;
        Ok(parsed)
    }

    /// Returns the next token if it is an operator of the precedence level.
    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let known = LEVELS.get(level)?;
        let start = self.index;
        if known.contains(&"not in") && self.takes("not") {
            if self.takes("in") {
                return Some("not in");
            }
            self.index = start;
        }
        known.iter().find(|word| self.takes(word)).copied()
    }

    fn level(&mut self, level: usize) -> Parsed {
        if level >= LEVELS.len() {
            return self.unary();
        }
        if LEVELS.get(level) == Some(&["not"].as_slice()) {
            return match self.takes("not") {
                true => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err("it is nested too deeply".to_owned());
                    }
                    let inner = self.level(level)?;
                    self.depth -= 1;
                    Ok(Expression::Unary("not", Box::new(inner)))
                }
                false => self.level(level + 1),
            };
        }
        let mut left = self.level(level + 1)?;
        let mut chain: Option<Expression> = None;
        let mut count = 0;
        while let Some(operator) = self.operator(level) {
            count += 1;
            if count > 1_000 {
                return Err("it is too long".to_owned());
            }
            let right = self.level(level + 1)?;
            let is_comparison = LEVELS.get(level).is_some_and(|known| known.contains(&"=="));
            let made = Expression::Binary(operator, Box::new(left), Box::new(right.clone()));
            if is_comparison {
                // `a < b < c` is `a < b and b < c`.
                chain = Some(match chain {
                    None => made,
                    Some(before) => Expression::Binary("and", Box::new(before), Box::new(made)),
                });
                left = right;
            } else {
                left = made;
            }
        }
        Ok(chain.unwrap_or(left))
    }

    fn unary(&mut self) -> Parsed {
        for sign in ["-", "+"] {
            if self.takes(sign) {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err("it is nested too deeply".to_owned());
                }
                let inner = self.unary()?;
                self.depth -= 1;
                return Ok(Expression::Unary(sign, Box::new(inner)));
            }
        }
        let base = self.postfix()?;
        if self.takes("**") {
            let power = self.unary()?;
            return Ok(Expression::Binary("**", Box::new(base), Box::new(power)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Parsed {
        let mut inner = self.atom()?;
        for _ in 0..DEEPEST {
            if self.takes("[") {
                inner = self.item(inner)?;
            } else if inner == Expression::Name("dict".to_owned()) && self.takes("(") {
                inner = self.keywords()?;
            } else if self.takes("(") {
                let arguments = self.list(")")?;
                inner = Expression::Call(Box::new(inner), arguments);
            } else if self.takes(".") {
                match self.peek().cloned() {
                    Some(Token::Name(name)) => {
                        self.index += 1;
                        inner = Expression::Field(Box::new(inner), name);
                    }
                    other => {
                        return Err(format!("expected a name, found {}", shown(other.as_ref())));
                    }
                }
            } else {
                return Ok(inner);
            }
        }
        Err("it is too long".to_owned())
    }

    /// Parses an index or a slice, after the bracket.
    fn item(&mut self, inner: Expression) -> Parsed {
        let inner = Box::new(inner);
        let start = match self.takes(":") {
            true => None,
            false => {
                let start = Box::new(self.choice()?);
                if self.takes("]") {
                    return Ok(Expression::Item(inner, start));
                }
                self.expect(":")?;
                Some(start)
            }
        };
        if self.takes("]") {
            return Ok(Expression::Slice(inner, [start, None]));
        }
        let end = Some(Box::new(self.choice()?));
        self.expect("]")?;
        Ok(Expression::Slice(inner, [start, end]))
    }

    /// Parses `name=value` pairs separated by commas, after the bracket of `dict(`.
    fn keywords(&mut self) -> Parsed {
        let mut items = Vec::new();
        while !self.takes(")") {
            let Some(Token::Name(name)) = self.peek().cloned() else {
                return Err(format!("expected a name, found {}", shown(self.peek())));
            };
            self.index += 1;
            self.expect("=")?;
            items.push((Expression::Text(name), self.choice()?));
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Expression::Map(items))
    }

    /// Parses expressions separated by commas, up to a bracket.
    fn list(&mut self, end: &str) -> Result<Vec<Expression>, String> {
        let mut expressions = Vec::new();
        while !self.takes(end) {
            expressions.push(self.choice()?);
            if !self.takes(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(expressions)
    }

    fn atom(&mut self) -> Parsed {
        if self.takes("(") {
            let mut inner = self.list(")")?;
            return match inner.len() {
                1 => Ok(inner.remove(0)),
                _ => Ok(Expression::List(inner)),
            };
        }
        if self.takes("[") {
            return Ok(Expression::List(self.list("]")?));
        }
        if self.takes("{") {
            let mut items = Vec::new();
            while !self.takes("}") {
                let key = self.choice()?;
                self.expect(":")?;
                items.push((key, self.choice()?));
                if !self.takes(",") {
                    self.expect("}")?;
                    break;
                }
            }
            return Ok(Expression::Map(items));
        }
        let token = self.peek().cloned();
        self.index += 1;
        match token {
            Some(Token::Int(number)) => Ok(Expression::Int(number)),
            Some(Token::Float(number)) => Ok(Expression::Float(number)),
            Some(Token::Text(text)) => Ok(Expression::Text(text)),
            Some(Token::Name(name)) => Ok(Expression::Name(name)),
            other => Err(format!("expected a value, found {}", shown(other.as_ref()))),
        }
    }
}
