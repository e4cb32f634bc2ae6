//! Evaluation of expressions.

use std::cmp::Ordering;

use super::{expression::Expression, functions, value::Value};

/// Maximum number of characters or items of a result.
const LARGEST: usize = 1 << 20;

/// Environment in which an expression is evaluated.
pub(super) trait Names {
    /// Returns the value of a name.
    ///
    /// # Errors
    ///
    /// Returns the reason why the name has no value.
    fn value(&mut self, name: &str) -> Result<Value, String>;

    /// Returns the value of a dotted name, such as a property of a namespace, or `None` if the namespace does not exist.
    fn within(&mut self, space: &str, name: &str) -> Option<Result<Value, String>>;

    /// Returns the value of a function that accesses files or arguments, or `None` if the function does not exist.
    fn call(&mut self, function: &str, arguments: &[Value]) -> Option<Result<Value, String>>;
}

type Valued = Result<Value, String>;

/// Evaluates an expression.
///
/// # Errors
///
/// Returns the error in one line.
pub(super) fn evaluate(expression: &Expression, names: &mut dyn Names) -> Valued {
    match expression {
        Expression::Int(number) => Ok(Value::Int(*number)),
        Expression::Float(number) => Ok(Value::Float(*number)),
        Expression::Text(text) => Ok(Value::Text(text.clone())),
        Expression::Name(name) => match constant(name) {
            Some(value) => Ok(value),
            None => names.value(name),
        },
        Expression::List(items) => {
            let items: Result<_, _> = items.iter().map(|item| evaluate(item, names)).collect();
            Ok(Value::List(items?))
        }
        Expression::Map(items) => {
            let items = items.iter().map(|(key, value)| {
                Ok((evaluate(key, names)?.to_string(), evaluate(value, names)?))
            });
            Ok(Value::Map(items.collect::<Result<_, String>>()?))
        }
        Expression::Unary(sign, inner) => unary(sign, &evaluate(inner, names)?),
        Expression::Binary("and", left, right) => {
            let left = evaluate(left, names)?;
            if left.truth() {
                evaluate(right, names)
            } else {
                Ok(left)
            }
        }
        Expression::Binary("or", left, right) => {
            let left = evaluate(left, names)?;
            if left.truth() {
                Ok(left)
            } else {
                evaluate(right, names)
            }
        }
        Expression::Binary(operator, left, right) => {
            binary(operator, &evaluate(left, names)?, &evaluate(right, names)?)
        }
        Expression::Conditional(operands) => {
            let [value, condition, other] = operands.as_ref();
            let holds = evaluate(condition, names)?.truth();
            evaluate(if holds { value } else { other }, names)
        }
        Expression::Item(inner, item) => {
            functions::item(&evaluate(inner, names)?, &evaluate(item, names)?)
        }
        Expression::Slice(inner, ends) => slice(inner, ends, names),
        Expression::Field(inner, field) => member(inner, field, names),
        Expression::Call(function, arguments) => call(function, arguments, names),
    }
}

fn slice(inner: &Expression, ends: &[Option<Box<Expression>>; 2], names: &mut dyn Names) -> Valued {
    let inner = evaluate(inner, names)?;
    let mut bounds = [None; 2];
    for (bound, end) in bounds.iter_mut().zip(ends) {
        if let Some(end) = end {
            let whole = evaluate(end, names)?.whole();
            *bound = Some(whole.ok_or("the ends of a slice are whole numbers")?);
        }
    }
    functions::slice(&inner, bounds)
}

/// Returns the value of `inner.field`, where `inner` is a module, a namespace or a dictionary.
fn member(inner: &Expression, field: &str, names: &mut dyn Names) -> Valued {
    if let Expression::Name(space) = inner {
        if ["math", "python"].contains(&space.as_str())
            && let Some(value) = constant(field)
        {
            return Ok(value);
        }
        if let Some(value) = names.within(space, field) {
            return value;
        }
    }
    functions::item(&evaluate(inner, names)?, &Value::Text(field.to_owned()))
}

fn call(function: &Expression, arguments: &[Expression], names: &mut dyn Names) -> Valued {
    let arguments: Result<Vec<Value>, String> =
        arguments.iter().map(|one| evaluate(one, names)).collect();
    let arguments = arguments?;
    let name = match function {
        Expression::Name(name) => name,
        Expression::Field(of, name) => match &**of {
            Expression::Name(space) if ["math", "xacro", "python"].contains(&space.as_str()) => {
                name
            }
            of => return functions::method(&evaluate(of, names)?, name, &arguments),
        },
        _ => return Err("this is not a function".to_owned()),
    };
    match names.call(name, &arguments) {
        Some(result) => result,
        None => functions::call(name, &arguments),
    }
}

fn constant(name: &str) -> Option<Value> {
    Some(match name {
        "pi" => Value::Float(std::f64::consts::PI),
        "e" => Value::Float(std::f64::consts::E),
        "tau" => Value::Float(std::f64::consts::TAU),
        "inf" => Value::Float(f64::INFINITY),
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        "None" => Value::None,
        _ => return None,
    })
}

fn unary(sign: &str, value: &Value) -> Valued {
    match (sign, value) {
        ("not", value) => Ok(Value::Bool(!value.truth())),
        ("-", Value::Float(number)) => Ok(Value::Float(-number)),
        (_, Value::Float(number)) => Ok(Value::Float(*number)),
        (sign, value) => {
            let number = value
                .whole()
                .ok_or_else(|| format!("`{sign}` needs a number, not {}", value.kind()))?;
            let number = if sign == "-" {
                number.checked_neg()
            } else {
                Some(number)
            };
            number.map(Value::Int).ok_or_else(too_large)
        }
    }
}

fn too_large() -> String {
    "the result is too large".to_owned()
}

fn binary(operator: &str, left: &Value, right: &Value) -> Valued {
    match operator {
        "==" => Ok(Value::Bool(equal(left, right))),
        "!=" => Ok(Value::Bool(!equal(left, right))),
        "in" => contains(right, left).map(Value::Bool),
        "not in" => contains(right, left).map(|is_contained| Value::Bool(!is_contained)),
        "<" | "<=" | ">" | ">=" => {
            let order = left.order(right).ok_or_else(|| {
                format!("{} and {} cannot be compared", left.kind(), right.kind())
            })?;
            Ok(Value::Bool(match operator {
                "<" => order == Ordering::Less,
                "<=" => order != Ordering::Greater,
                ">" => order == Ordering::Greater,
                _ => order != Ordering::Less,
            }))
        }
        _ => arithmetic(operator, left, right),
    }
}

/// Returns true if two values are equal; integers and floating-point numbers are compared as numbers.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left.number(), right.number()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

fn contains(all: &Value, one: &Value) -> Result<bool, String> {
    match (all, one) {
        (Value::List(list), one) => Ok(list.iter().any(|item| equal(item, one))),
        (Value::Map(map), Value::Text(key)) => Ok(map.contains_key(key)),
        (Value::Text(text), Value::Text(fragment)) => Ok(text.contains(fragment.as_str())),
        (all, one) => Err(format!("{} cannot be in {}", one.kind(), all.kind())),
    }
}

fn arithmetic(operator: &str, left: &Value, right: &Value) -> Valued {
    match (operator, left, right) {
        ("+", Value::Text(left), Value::Text(right)) => {
            sized(left.len() + right.len()).map(|()| Value::Text(format!("{left}{right}")))
        }
        ("+", Value::List(left), Value::List(right)) => {
            sized(left.len() + right.len())?;
            Ok(Value::List([left.clone(), right.clone()].concat()))
        }
        ("*", Value::Text(text), count) | ("*", count, Value::Text(text))
            if count.whole().is_some() =>
        {
            let count = usize::try_from(count.whole().unwrap_or(0)).unwrap_or(0);
            sized(text.len().saturating_mul(count))?;
            Ok(Value::Text(text.repeat(count)))
        }
        _ => match (left.whole(), right.whole()) {
            (Some(left), Some(right)) if operator != "/" => whole(operator, left, right),
            _ => match (left.number(), right.number()) {
                (Some(left), Some(right)) => real(operator, left, right),
                _ => Err(format!(
                    "`{operator}` cannot be between {} and {}",
                    left.kind(),
                    right.kind()
                )),
            },
        },
    }
}

fn sized(size: usize) -> Result<(), String> {
    if size > LARGEST {
        Err(too_large())
    } else {
        Ok(())
    }
}

fn whole(operator: &str, left: i64, right: i64) -> Valued {
    let result = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "**" if right < 0 => return real(operator, left as f64, right as f64),
        "**" => u32::try_from(right)
            .ok()
            .and_then(|right| left.checked_pow(right)),
        _ if right == 0 => return Err("division by zero".to_owned()),
        // Python rounds towards minus infinity.
        "//" => left.checked_div_euclid(right).map(|quotient| {
            let is_exact = quotient.wrapping_mul(right) == left;
            if right < 0 && !is_exact {
                quotient - 1
            } else {
                quotient
            }
        }),
        _ => left.checked_rem_euclid(right).map(|rest| {
            if right < 0 && rest != 0 {
                rest + right
            } else {
                rest
            }
        }),
    };
    result.map(Value::Int).ok_or_else(too_large)
}

fn real(operator: &str, left: f64, right: f64) -> Valued {
    if ["/", "//", "%"].contains(&operator) && right == 0.0 {
        return Err("division by zero".to_owned());
    }
    let result = match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => (left / right).floor(),
        "%" => left - right * (left / right).floor(),
        _ => libm::pow(left, right),
    };
    match result.is_nan() {
        true => Err("the result is no real number".to_owned()),
        false => Ok(Value::Float(result)),
    }
}
