//! Parser of expressions by the shunting-yard method (Dijkstra), without recursion, so that no input can exhaust the stack.

use morse_diagnostics::{Diagnostic, Span};

use super::{DEEPEST, Mistake, Parsed, Parser};
use crate::codes;
use crate::lexer::{Kind, Token};
use crate::syntax::{Action, Expression, Step};

/// Maximum number of numbers, names and operators in an expression.
const MOST_STEPS: usize = 10_000;

/// Operator on the stack, whose right operand has not been read.
#[derive(Clone, Copy)]
struct Waiting {
    operator: Operator,
    token: Token,
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Negate,
    Power,
    Multiply,
    Divide,
    Add,
    Subtract,
    Open,
}

impl Operator {
    /// Returns the binding strength; a greater one binds tighter. A sign binds tighter than a power: `-2**2` is 4.
    fn strength(self) -> u8 {
        match self {
            Self::Negate => 4,
            Self::Power => 3,
            Self::Multiply | Self::Divide => 2,
            Self::Add | Self::Subtract => 1,
            Self::Open => 0,
        }
    }

    /// Returns true if this operator on the stack is applied before `next`. Powers are right-associative.
    fn goes_before(self, next: Self) -> bool {
        self.strength() > next.strength()
            || (self.strength() == next.strength() && next != Self::Power)
    }

    fn binary(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::Power => Self::Power,
            Kind::Star => Self::Multiply,
            Kind::Slash => Self::Divide,
            Kind::Plus => Self::Add,
            Kind::Minus => Self::Subtract,
            _ => return None,
        })
    }

    fn action(self) -> Option<Action<'static>> {
        Some(match self {
            Self::Negate => Action::Negate,
            Self::Power => Action::Power,
            Self::Multiply => Action::Multiply,
            Self::Divide => Action::Divide,
            Self::Add => Action::Add,
            Self::Subtract => Action::Subtract,
            Self::Open => return None,
        })
    }
}

struct Yard<'a> {
    /// Steps after the first one.
    rest: Vec<Step<'a>>,
    waiting: Vec<Waiting>,
    depth: usize,
}

impl<'a> Parser<'a, '_> {
    /// Parses an expression, up to the first token that cannot belong to it.
    pub(super) fn expression(&mut self) -> Parsed<Expression<'a>> {
        let start = self.token.start;
        let mut yard = Yard {
            rest: Vec::new(),
            waiting: Vec::new(),
            depth: 0,
        };
        let first = self.operand(&mut yard)?;
        loop {
            self.closing(&mut yard);
            if 1 + yard.rest.len() + yard.waiting.len() > MOST_STEPS {
                return Err(self.expression_too_long(start));
            }
            let Some(operator) = Operator::binary(self.token.kind) else {
                break;
            };
            self.flush(&mut yard, operator);
            yard.push(operator, self.token);
            self.advance();
            let operand = self.operand(&mut yard)?;
            yard.rest.push(operand);
        }
        if yard.depth > 0 {
            return Err(self.unclosed_parenthesis(&yard));
        }
        let span = self.span_from(start);
        while let Some(waiting) = yard.waiting.pop() {
            yard.finish(waiting, self.span(waiting.token));
        }
        let rest = yard.rest;
        Ok(Expression { span, first, rest })
    }

    /// Parses signs, opening parentheses, and a number or name, which is returned.
    fn operand(&mut self, yard: &mut Yard<'a>) -> Parsed<Step<'a>> {
        loop {
            let token = self.token;
            let action = match token.kind {
                Kind::Minus => {
                    yard.push(Operator::Negate, token);
                    self.advance();
                    if yard.waiting.len() > MOST_STEPS {
                        return Err(self.expression_too_long(token.start));
                    }
                    continue;
                }
                Kind::OpenParen => {
                    yard.depth += 1;
                    if yard.depth > DEEPEST {
                        self.too_deep(token, "parentheses");
                        return Err(Mistake);
                    }
                    yard.push(Operator::Open, token);
                    self.advance();
                    continue;
                }
                Kind::Number => Action::Push(self.number(token)),
                Kind::BadNumber => {
                    self.bad_number();
                    Action::Push(1.0)
                }
                Kind::Pi => Action::Push(std::f64::consts::PI),
                Kind::Deg => Action::Push(std::f64::consts::PI / 180.0),
                Kind::Identifier => Action::Load(self.slice(token)),
                _ => return Err(self.no_operand()),
            };
            let span = self.span(token);
            self.advance();
            return Ok(Step { span, action });
        }
    }

    /// Parses closing parentheses after an operand. An unmatched one is left to the caller.
    fn closing(&mut self, yard: &mut Yard<'a>) {
        while self.token.kind == Kind::CloseParen && yard.depth > 0 {
            yard.depth -= 1;
            while let Some(waiting) = yard.waiting.pop() {
                if waiting.operator == Operator::Open {
                    break;
                }
                yard.finish(waiting, self.span(waiting.token));
            }
            self.advance();
        }
    }

    /// Applies the operators on the stack that bind tighter than the following one.
    fn flush(&self, yard: &mut Yard<'a>, next: Operator) {
        while let Some(waiting) = yard.waiting.last().copied() {
            if !waiting.operator.goes_before(next) {
                return;
            }
            yard.waiting.pop();
            yard.finish(waiting, self.span(waiting.token));
        }
    }

    /// Returns the value of a literal. `d` and `s` are old spellings of the exponent `e`.
    fn number(&mut self, token: Token) -> f64 {
        let text = self.slice(token);
        let plain = || text.replace(['d', 'D', 's', 'S'], "e");
        // The lexer accepts only texts that Rust can parse too, but for the old spellings.
        let parsed = text.parse().or_else(|_| plain().parse());
        let number: f64 = parsed.unwrap_or(f64::INFINITY);
        if number.is_finite() {
            return number;
        }
        let diagnostic = Diagnostic::error(codes::NOT_FINITE, "this number is too large")
            .at(self.span(token), "beyond the largest number")
            .note("numbers reach up to about 1.8e308");
        self.problems.push(diagnostic);
        1.0
    }

    fn unclosed_parenthesis(&mut self, yard: &Yard<'a>) -> Mistake {
        let open = yard
            .waiting
            .iter()
            .rev()
            .find(|waiting| waiting.operator == Operator::Open);
        let open = open.map_or(self.token, |waiting| waiting.token);
        let span = self.span(open);
        self.unexpected_after(
            "`)` or an operator",
            span,
            "this parenthesis is open",
            "close it with `)`",
        )
    }
}

impl Yard<'_> {
    fn push(&mut self, operator: Operator, token: Token) {
        self.waiting.push(Waiting { operator, token });
    }

    fn finish(&mut self, waiting: Waiting, span: Span) {
        if let Some(action) = waiting.operator.action() {
            self.rest.push(Step { span, action });
        }
    }
}
