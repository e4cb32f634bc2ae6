//! Evaluation of arithmetic expressions.

use morse_diagnostics::{Diagnostic, Span, printable};

use super::{Defined, Loader};
use crate::codes;
use crate::syntax::{Action, Expression, Step, Word};

impl Loader<'_> {
    /// Returns the value of an expression, or `None` after an error, which is reported.
    pub(super) fn number(&mut self, expression: &Expression<'_>) -> Option<f64> {
        let value = match (expression.first.action, expression.rest.as_slice()) {
            (Action::Push(number), []) => number,
            _ => self.computed(expression)?,
        };
        self.index.value(expression.span, value);
        Some(value)
    }

    fn computed(&mut self, expression: &Expression<'_>) -> Option<f64> {
        let mut stack: Vec<f64> = Vec::new();
        for step in std::iter::once(&expression.first).chain(&expression.rest) {
            let value = match step.action {
                Action::Push(number) => number,
                Action::Load(name) => self.look_up(name, step.span)?,
                Action::Negate => -stack.pop()?,
                operator => {
                    let right = stack.pop()?;
                    let left = stack.pop()?;
                    self.operate(operator, left, right, step, expression.span)?
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    fn operate(
        &mut self,
        operator: Action<'_>,
        left: f64,
        right: f64,
        step: &Step<'_>,
        whole: Span,
    ) -> Option<f64> {
        if operator == Action::Divide && right == 0.0 {
            let diagnostic = Diagnostic::error(codes::DIVISION_BY_ZERO, "division by zero")
                .at(step.span, format!("divides {} by 0", number_shown(left)))
                .help("check the values of the definitions that are used here");
            self.problems.push(diagnostic);
            return None;
        }
        let result = match operator {
            Action::Add => left + right,
            Action::Subtract => left - right,
            Action::Multiply => left * right,
            Action::Divide => left / right,
            _ => libm::pow(left, right),
        };
        if result.is_finite() {
            return Some(result);
        }
        let (left, right) = (number_shown(left), number_shown(right));
        let (message, label) = if operator != Action::Power || !result.is_nan() {
            let sign = match operator {
                Action::Add => "+",
                Action::Subtract => "-",
                Action::Multiply => "*",
                Action::Divide => "/",
                _ => "**",
            };
            ("the result is too large", format!("{left} {sign} {right}"))
        } else {
            (
                "the result is not a real number",
                format!("{left} ** {right}"),
            )
        };
        let diagnostic = Diagnostic::error(codes::NOT_FINITE, message)
            .at(step.span, label)
            .at(whole, "in this expression")
            .note("numbers reach up to about 1.8e308; a negative number has whole powers only")
            .help("check the values of the definitions that are used here");
        self.problems.push(diagnostic);
        None
    }

    /// Returns the number that a name is defined as.
    pub(super) fn look_up(&mut self, name: &str, span: Span) -> Option<f64> {
        let Some(definition) = self.definitions.get(name) else {
            let diagnostic = self.undefined(name, span);
            self.problems.push_undefined(diagnostic, name);
            return None;
        };
        self.index.refer_to(
            &Word {
                text: name,
                quoted: false,
                span,
            },
            definition.span,
        );
        match &definition.value {
            Defined::Number(number) => return Some(*number),
            Defined::Wrong => {}
            Defined::Name(word) => {
                let (shown, word) = (printable(name), printable(word));
                let message = format!("`{shown}` is the name `{word}`, not a number");
                let diagnostic = Diagnostic::error(codes::UNDEFINED, message)
                    .at(span, "a number is needed here")
                    .at(definition.span, "defined as a name here")
                    .help(format!("define `{word}` as a number before this `def`"));
                self.problems.push(diagnostic);
            }
        }
        None
    }

    fn undefined(&self, name: &str, span: Span) -> Diagnostic {
        let shown = printable(name);
        let message = format!("`{shown}` is not defined");
        let diagnostic =
            Diagnostic::error(codes::UNDEFINED, message).at(span, "a number is needed here");
        match name {
            "true" | "yes" | "on" => return diagnostic.help("write `1`"),
            "false" | "no" | "off" => return diagnostic.help("write `0`"),
            "inf" | "nan" | "infinity" => {
                return diagnostic.help("all numbers are finite: write a large one, or nothing");
            }
            _ => {}
        }
        if let Some(spaced) = self.subtraction(name) {
            return diagnostic
                .note("a `-` within a name belongs to the name")
                .help(format!("to subtract, write `{spaced}`"));
        }
        let known = self.definitions.keys().map(String::as_str);
        let suggested = diagnostic.suggest(name, known.chain(["pi", "deg"]));
        if suggested.help.is_empty() {
            suggested.help(format!("define it first: `def {shown} 1;`"))
        } else {
            suggested
        }
    }

    /// Returns the spelling of a name such as `a-b` as a subtraction, if both operands are numbers.
    fn subtraction(&self, name: &str) -> Option<String> {
        let operands: Vec<&str> = name.split('-').collect();
        let number = |operand: &&str| {
            operand.parse::<f64>().is_ok()
                || self
                    .definitions
                    .get(*operand)
                    .is_some_and(|known| matches!(known.value, Defined::Number(_)))
        };
        let (last, first) = operands.split_last()?;
        let meant =
            !first.is_empty() && first.iter().all(number) && (last.is_empty() || number(last));
        meant.then(|| operands.join(" - ").trim_end().to_owned())
    }
}

/// Formats a number briefly for a message.
pub(super) fn number_shown(number: f64) -> String {
    if number != 0.0 && !(1e-4..1e7).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}
