//! Expressions about a simulation's data, such as `rover.pose.x > 3.9 and rover.bumper.collision == false`.
//!
//! The parser converts text to an [`Expression`]; the caller resolves the names in the data of a world.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Boolean expression on the data of a simulation, evaluated in every tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Source text of the expression.
    pub text: String,
    /// Parsed form of the expression.
    pub logic: Logic,
}

/// Comparisons and flags, combined by `and` and `or`. `and` binds tighter than `or`.
#[derive(Clone, Debug, PartialEq)]
pub enum Logic {
    /// A comparison of two values.
    Compare(Term, Operator, Term),
    /// A boolean value.
    Flag(Term),
    /// True if all operands are true.
    All(Vec<Self>),
    /// True if at least one operand is true.
    Any(Vec<Self>),
}

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`, within the tolerance of the condition.
    Equal,
    /// `!=`: different by more than the tolerance of the condition.
    Unequal,
}

impl Operator {
    const ALL: [(&'static str, Self); 6] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Returns true for an ordering operator, which requires numbers.
    #[must_use]
    pub fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }
}

/// A value: a constant in the expression, or a reference to the simulation's data.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number, in the unit of the other operand.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A text constant: `'a text'`.
    Text(String),
    /// A dotted path: component and field, and an index where the field is a list.
    Data(String),
    /// Distance of two positions: `distance(a, b)`, m.
    Distance(Position, Position),
}

/// A position in the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Position {
    /// Coordinates: `(x, y, z)`, m.
    Point([f64; 3]),
    /// Position of a component with `x`, `y` and `z`, a field of three numbers, or a body or robot.
    Named(String),
}

/// Syntax error in an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Range in the text, bytes.
    pub at: Range<usize>,
    /// Description of the error.
    pub message: String,
}

impl FromStr for Expression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, ExpressionError> {
        let mut reader = TermReader::new(text);
        let logic = reader.any()?;
        reader.end()?;
        Ok(Self {
            text: text.trim().to_owned(),
            logic,
        })
    }
}

impl FromStr for Term {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, ExpressionError> {
        let mut reader = TermReader::new(text);
        let term = reader.term()?;
        reader.end()?;
        Ok(term)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Data(path) => f.write_str(path),
            Self::Distance(one, other) => write!(f, "distance({one}, {other})"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point([x, y, z]) => write!(f, "({x}, {y}, {z})"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// Recursive-descent reader of a text, from left to right.
struct TermReader<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> TermReader<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.offset..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.offset += rest.len() - trimmed.len();
        trimmed
    }

    fn wrong<T>(&mut self, message: impl Into<String>) -> Result<T, ExpressionError> {
        let rest = self.rest();
        let length = rest
            .find(char::is_whitespace)
            .unwrap_or(rest.len())
            .min(rest.len());
        Err(ExpressionError {
            at: self.offset..self.offset + length,
            message: message.into(),
        })
    }

    fn end(&mut self) -> Result<(), ExpressionError> {
        if self.rest().is_empty() {
            return Ok(());
        }
        self.wrong("nothing but `and` or `or` may follow a comparison")
    }

    /// Consumes a symbol, if it comes next. Returns true if it did.
    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.rest().starts_with(symbol);
        if is_next {
            self.offset += symbol.len();
        }
        is_next
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        if self.take(symbol) {
            return Ok(());
        }
        self.wrong(format!("`{symbol}` is missing here"))
    }

    /// Returns the next word: letters, digits, `_`, `-` and dots. It is a path, a number without a sign, or a keyword.
    fn peek_word(&mut self) -> &'t str {
        let rest = self.rest();
        let continues_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.peek_word() == word;
        if is_next {
            self.offset += word.len();
        }
        is_next
    }

    fn any(&mut self) -> Result<Logic, ExpressionError> {
        let mut operands = vec![self.all()?];
        while self.take_word("or") {
            operands.push(self.all()?);
        }
        Ok(one_or(operands, Logic::Any))
    }

    fn all(&mut self) -> Result<Logic, ExpressionError> {
        let mut operands = vec![self.comparison()?];
        while self.take_word("and") {
            operands.push(self.comparison()?);
        }
        Ok(one_or(operands, Logic::All))
    }

    fn comparison(&mut self) -> Result<Logic, ExpressionError> {
        let start = self.offset;
        let left = self.term()?;
        let operator = Operator::ALL.into_iter().find(|(sign, _)| self.take(sign));
        let Some((_, operator)) = operator else {
            if matches!(left, Term::Data(_)) && !self.rest().starts_with('=') {
                return Ok(Logic::Flag(left));
            }
            return self.wrong("expected a comparison: `<`, `<=`, `>`, `>=`, `==` or `!=`");
        };
        let right = self.term()?;
        let looks_up = |term: &Term| matches!(term, Term::Data(_) | Term::Distance(..));
        if !looks_up(&left) && !looks_up(&right) {
            return Err(ExpressionError {
                at: start..self.offset,
                message:
                    "the comparison refers to no data of the simulation; name a component's data"
                        .into(),
            });
        }
        Ok(Logic::Compare(left, operator, right))
    }

    fn term(&mut self) -> Result<Term, ExpressionError> {
        let rest = self.rest();
        if let Some(text) = rest.strip_prefix('\'') {
            let Some((text, _)) = text.split_once('\'') else {
                return self.wrong("this text does not end: `'` is missing");
            };
            self.offset += text.len() + 2;
            return Ok(Term::Text(text.to_owned()));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            return self.number().map(Term::Number);
        }
        match self.peek_word() {
            "" | "and" | "or" => self.wrong("expected a value"),
            word @ ("true" | "false") => {
                self.offset += word.len();
                Ok(Term::Flag(word == "true"))
            }
            "distance" => {
                self.offset += "distance".len();
                self.expect_symbol("(")?;
                let one = self.position()?;
                self.expect_symbol(",")?;
                let other = self.position()?;
                self.expect_symbol(")")?;
                Ok(Term::Distance(one, other))
            }
            path => {
                self.offset += path.len();
                Ok(Term::Data(path.to_owned()))
            }
        }
    }

    fn position(&mut self) -> Result<Position, ExpressionError> {
        if !self.take("(") {
            return match self.peek_word() {
                "" => self.wrong("expected a position: a name, or `(x, y, z)`"),
                name => {
                    self.offset += name.len();
                    Ok(Position::Named(name.to_owned()))
                }
            };
        }
        let x = self.number()?;
        self.expect_symbol(",")?;
        let y = self.number()?;
        self.expect_symbol(",")?;
        let z = self.number()?;
        self.expect_symbol(")")?;
        Ok(Position::Point([x, y, z]))
    }

    fn number(&mut self) -> Result<f64, ExpressionError> {
        let rest = self.rest();
        let mut before = ' ';
        let mut continues_number = |c: char| {
            let is_sign = matches!(c, '-' | '+') && matches!(before, ' ' | 'e' | 'E');
            before = c;
            is_sign || c.is_ascii_alphanumeric() || c == '.'
        };
        let length = rest.find(|c| !continues_number(c)).unwrap_or(rest.len());
        let number = rest.get(..length).unwrap_or_default();
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.offset += length;
                Ok(value)
            }
            _ => self.wrong("a number is wanted here, such as 3, -0.5 or 1e-3"),
        }
    }
}

fn one_or(mut operands: Vec<Logic>, join: fn(Vec<Logic>) -> Logic) -> Logic {
    match (operands.len(), operands.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            operands.extend(last);
            join(operands)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Logic {
        text.parse::<Expression>().unwrap().logic
    }

    fn data(path: &str) -> Term {
        Term::Data(path.to_owned())
    }

    #[test]
    fn comparisons_are_read() {
        for (text, operator, right) in [
            ("a.b.x > 3.9", Operator::Greater, Term::Number(3.9)),
            ("a.b.x>=-1e-3", Operator::AtLeast, Term::Number(-1e-3)),
            ("a.b.x < c-d.e_1.0", Operator::Less, data("c-d.e_1.0")),
            ("a.b.x <= +2", Operator::AtMost, Term::Number(2.0)),
            ("a.b.x == 'a b'", Operator::Equal, Term::Text("a b".into())),
            ("a.b.x != true", Operator::Unequal, Term::Flag(true)),
        ] {
            assert_eq!(
                read(text),
                Logic::Compare(data("a.b.x"), operator, right),
                "{text}"
            );
        }
        let distance = Term::Distance(
            Position::Named("rover.pose".into()),
            Position::Point([1.0, -2.0, 0.5]),
        );
        assert_eq!(
            read("distance(rover.pose, (1, -2, .5)) < 0.2"),
            Logic::Compare(distance, Operator::Less, Term::Number(0.2))
        );
    }

    #[test]
    fn and_binds_closer_than_or() {
        let (a, b, c) = (read("a.a"), read("b.b"), read("c.c"));
        assert_eq!(
            read("a.a or b.b and c.c"),
            Logic::Any(vec![a, Logic::All(vec![b, c])])
        );
    }

    #[test]
    fn mistakes_have_positions() {
        for (text, at, word) in [
            ("", 0..0, "expected a value"),
            ("a.b >", 5..5, "expected a value"),
            ("a.b = 3", 4..5, "expected a comparison"),
            ("a.b > 3 c", 8..9, "and"),
            ("a.b > 3x", 6..8, "number"),
            ("a.b > 1-2", 7..9, "and"),
            ("3 > 2", 0..5, "no data of the simulation"),
            ("distance(a, b < 3", 14..15, "`)`"),
            ("distance(a, (1, 2)) < 3", 17..19, "`,`"),
            ("a.b == 'x", 7..9, "does not end"),
            ("distance(a, b)", 14..14, "expected a comparison"),
        ] {
            let error = text.parse::<Expression>().unwrap_err();
            assert!(error.message.contains(word), "{text}: {error}");
            assert_eq!(error.at, at, "{text}: {error}");
        }
    }
}
