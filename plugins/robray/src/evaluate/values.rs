//! Evaluation of attribute values, and their conversion to the type of the attribute.

use morse_diagnostics::{Diagnostic, Span, nearest, printable};
use morse_scene::model::{Attribute, Kind, Value};

use super::arithmetic::number_shown;
use super::{Defined, Loader};
use crate::codes;
use crate::syntax::{Expression, Word, Written};

impl Loader<'_> {
    /// Returns the value of an attribute, or `None` after an error, which is reported.
    pub(super) fn value(&mut self, attribute: &Attribute, written: &Written<'_>) -> Option<Value> {
        let span = written.span()?;
        let value = match attribute.kind {
            Kind::Name | Kind::Word(_) => Value::Name(self.name_value(attribute, written)?),
            Kind::Number => self.number_value(attribute, written)?,
            _ => self.array_value(attribute, written)?,
        };
        let is_empty = value == Value::Name(String::new());
        if is_empty && ["mesh", "image"].contains(&attribute.name) {
            self.wrong(attribute, "a path", "the empty path", span);
            return None;
        }
        match attribute.kind.objection(&value) {
            None => self.is_within(attribute, &value, span).then_some(value),
            Some(demand) => {
                let actual = shown(&value);
                self.wrong_word(attribute, &demand, &actual, &value, span);
                None
            }
        }
    }

    /// Reports numbers that are out of range. Returns false if the scene cannot be used.
    fn is_within(&mut self, attribute: &Attribute, value: &Value, span: Span) -> bool {
        let numbers = match value {
            Value::Number(number) => std::slice::from_ref(number),
            Value::Numbers(numbers) => numbers,
            Value::Name(_) => return true,
        };
        let (Some(number), Some(bounds)) = (attribute.violation(numbers), attribute.bounds) else {
            return true;
        };
        let refused = self.refuses(attribute);
        let name = attribute.name;
        let actual = number_shown(number);
        let message = format!("`{name}` must be {bounds}, not {actual}");
        let diagnostic = if refused {
            Diagnostic::error(codes::OUT_OF_RANGE, message)
        } else {
            Diagnostic::warning(codes::OUT_OF_RANGE, message)
        };
        let diagnostic = diagnostic.at(span, "out of range");
        self.problems
            .push(diagnostic.help(remedy(attribute, number)));
        !refused
    }

    /// Returns true if a number out of range is an error. Attributes of the language's first implementation accept any
    /// number unless the scene is simulated, since existing scenes contain such values. Attributes of the appearance are
    /// never refused.
    fn refuses(&self, attribute: &Attribute) -> bool {
        attribute.extension || (self.options.simulated && !attribute.is_of_looks())
    }

    fn number_value(&mut self, attribute: &Attribute, written: &Written<'_>) -> Option<Value> {
        match written {
            Written::Expression(expression) => self.number(expression).map(Value::Number),
            // Quotes make no difference: a string is a name, and a name may have a definition.
            Written::Text(word) => {
                match self.definitions.get(word.text).map(|known| &known.value) {
                    Some(Defined::Number(number)) => Some(Value::Number(*number)),
                    Some(Defined::Wrong) => None,
                    _ => {
                        let actual = format!("the string \"{}\"", word.shown());
                        self.wrong(attribute, &attribute.kind.demand(), &actual, word.span);
                        None
                    }
                }
            }
            Written::Array(span, elements) => {
                let actual = format!("an array of {}", elements.len());
                self.wrong(attribute, &attribute.kind.demand(), &actual, *span);
                None
            }
            Written::Wrong => None,
        }
    }

    fn array_value(&mut self, attribute: &Attribute, written: &Written<'_>) -> Option<Value> {
        match written {
            Written::Array(_, elements) => {
                // All elements are evaluated, so that every error is reported.
                let numbers = elements.iter().filter_map(|element| self.number(element));
                let numbers: Vec<f64> = numbers.collect();
                (numbers.len() == elements.len()).then_some(Value::Numbers(numbers))
            }
            Written::Expression(expression) => {
                self.wrong_expression(attribute, expression);
                None
            }
            Written::Text(word) => {
                let actual = format!("the string \"{}\"", word.shown());
                self.wrong(attribute, &attribute.kind.demand(), &actual, word.span);
                None
            }
            Written::Wrong => None,
        }
    }

    /// Reports an expression as the value of an attribute of another type.
    fn wrong_expression(&mut self, attribute: &Attribute, expression: &Expression<'_>) {
        let actual = self.expression_shown(expression);
        let demand = attribute.kind.demand();
        self.wrong(attribute, &demand, &actual, expression.span);
    }

    /// Returns a name, or the text that it is defined as.
    fn name_value(&mut self, attribute: &Attribute, written: &Written<'_>) -> Option<String> {
        let word = match written {
            Written::Text(word) => *word,
            Written::Expression(expression) => match expression.name() {
                Some(word) => word,
                None => {
                    self.wrong_expression(attribute, expression);
                    return None;
                }
            },
            Written::Array(span, _) => {
                self.wrong(attribute, &attribute.kind.demand(), "an array", *span);
                return None;
            }
            Written::Wrong => return None,
        };
        Some(self.resolved(&word))
    }

    /// Resolves a name where a name is required; definitions of numbers are ignored.
    pub(super) fn resolved(&mut self, word: &Word<'_>) -> String {
        let Some(definition) = self.definitions.get(word.text) else {
            return word.text.to_owned();
        };
        if matches!(definition.value, Defined::Name(_)) {
            self.index.refer_to(word, definition.span);
        }
        match &definition.value {
            Defined::Name(name) => name.clone(),
            Defined::Number(number) if !word.quoted => {
                let name = word.shown();
                let diagnostic = Diagnostic::warning(
                    codes::SHADOWED,
                    format!(
                        "`{name}` is taken for a name, not for the number {}",
                        number_shown(*number)
                    ),
                )
                .at(word.span, "a name is needed here")
                .at(definition.span, "defined as a number here")
                .help(format!(
                    "write `\"{name}\"` if the name is meant, or rename the definition"
                ));
                self.problems.push(diagnostic);
                word.text.to_owned()
            }
            Defined::Number(_) | Defined::Wrong => word.text.to_owned(),
        }
    }

    fn expression_shown(&mut self, expression: &Expression<'_>) -> String {
        match expression.name() {
            Some(word) => format!("`{}`", word.shown()),
            None => match self.number(expression) {
                Some(number) => format!("the number {}", number_shown(number)),
                None => "an expression".into(),
            },
        }
    }

    fn wrong(&mut self, attribute: &Attribute, demand: &str, actual: &str, span: Span) {
        let diagnostic = Diagnostic::error(
            codes::WRONG_VALUE,
            format!("`{}` must be {demand}, not {actual}", attribute.name),
        )
        .at(span, format!("expected {demand}"))
        .help(example(attribute));
        self.problems.push(diagnostic);
    }

    fn wrong_word(
        &mut self,
        attribute: &Attribute,
        demand: &str,
        actual: &str,
        value: &Value,
        span: Span,
    ) {
        let (Kind::Word(words), Value::Name(name)) = (attribute.kind, value) else {
            self.wrong(attribute, demand, actual, span);
            return;
        };
        let diagnostic = Diagnostic::error(
            codes::WRONG_VALUE,
            format!("`{}` cannot be {actual}", attribute.name),
        )
        .at(span, format!("must be {demand}"));
        let diagnostic = match name.as_str() {
            "continuous" => {
                diagnostic.help("a `revolute` joint without `limit_position` turns without end")
            }
            "planar" => diagnostic.help("put two `prismatic` frames and a `revolute` one in a row"),
            _ => match nearest(name, words.iter().copied()) {
                Some(word) => diagnostic.help(format!("did you mean `{word}`?")),
                None => diagnostic.help("choose one of these"),
            },
        };
        self.problems.push(diagnostic);
    }
}

/// Returns advice on a number that is out of range.
fn remedy(attribute: &Attribute, number: f64) -> String {
    let name = attribute.name;
    match name {
        "color" | "specular" | "checker" if number > 1.0 => {
            "parts of a colour reach from 0 to 1: of 255, write `255/255`".into()
        }
        "visual" | "collision" | "no-shadow" => format!("write `{name} 1;` or `{name} 0;`"),
        "dimension" | "radius" | "start_radius" | "end_radius" if number < 0.0 => {
            "sizes have no sign: turn or move the frame instead".into()
        }
        "mass" => {
            "write the mass in kg, or leave it out to have it computed from the shapes".into()
        }
        "restitution" => "0 does not bounce, 1 loses no energy".into(),
        "alpha" => "0 is transparent, 1 opaque".into(),
        "density" => "write the density in kg/m³: water has 1000".into(),
        _ if number < 0.0 && attribute.bounds.is_some_and(|bounds| bounds.least >= 0.0) => {
            format!("a `{name}` has no sign")
        }
        _ if number.abs() < 1.0 => format!("write a larger `{name}`: it is in SI units"),
        _ => format!("check the unit: `{name}` is in SI units, that is m, rad, kg and N"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number_shown(*number),
        Value::Name(name) => format!("`{}`", printable(name)),
        Value::Numbers(numbers) if numbers.len() > 8 => {
            format!("an array of {} or more", numbers.len())
        }
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().copied().map(number_shown).collect();
            format!("[{}]", numbers.join(", "))
        }
    }
}

fn example(attribute: &Attribute) -> String {
    let value = match attribute.kind {
        Kind::Number => "1",
        Kind::Numbers(2) => "[1, 1]",
        Kind::Numbers(4) => "[0, 0, 0, 1]",
        Kind::Numbers(_) | Kind::ThreeOrMore | Kind::TwoOrThree => "[0, 0, 1]",
        Kind::Interval => "[-1, 1]",
        Kind::Inertia => "[1, 1, 1, 0, 0, 0]",
        Kind::Name if attribute.name == "mesh" => "\"file.obj\"",
        Kind::Name if attribute.name == "image" => "\"file.png\"",
        Kind::Name | Kind::Word(_) => "name",
    };
    format!("for example: `{} {value};`", attribute.name)
}
