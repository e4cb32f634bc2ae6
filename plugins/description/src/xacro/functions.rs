//! Functions that expressions can call, and indexing of lists and dictionaries.

use std::cmp::Ordering;

use super::value::Value;

type Valued = Result<Value, String>;

/// Functions of one number.
const OF_ONE: &[(&str, fn(f64) -> f64)] = &[
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("sqrt", libm::sqrt),
    ("exp", libm::exp),
    ("log", libm::log),
    ("log10", libm::log10),
    ("log2", libm::log2),
    ("fabs", libm::fabs),
    ("radians", f64::to_radians),
    ("degrees", f64::to_degrees),
];

/// Functions of two numbers.
const OF_TWO: &[(&str, fn(f64, f64) -> f64)] = &[
    ("atan2", libm::atan2),
    ("hypot", libm::hypot),
    ("fmod", libm::fmod),
    ("copysign", libm::copysign),
];

/// Calls a function.
pub(super) fn call(name: &str, arguments: &[Value]) -> Valued {
    let numbers: Option<Vec<f64>> = arguments.iter().map(Value::number).collect();
    let one = OF_ONE.iter().find(|(known, _)| *known == name);
    let two = OF_TWO.iter().find(|(known, _)| *known == name);
    let result = match (one, two, numbers.as_deref()) {
        (Some((_, function)), _, Some([x])) => Some(function(*x)),
        (_, Some((_, function)), Some([x, y])) => Some(function(*x, *y)),
        _ => None,
    };
    match result {
        Some(result) if result.is_nan() => Err(format!("`{name}` has no value there")),
        Some(result) => Ok(Value::Float(result)),
        None => other(name, arguments),
    }
}

fn other(name: &str, arguments: &[Value]) -> Valued {
    match (name, arguments) {
        ("abs" | "floor" | "ceil" | "trunc" | "round", [value, ..]) => {
            rounded(name, value, arguments)
        }
        ("int" | "float" | "str" | "bool" | "list" | "tuple", [value]) => converted(name, value),
        ("len", [Value::Text(text)]) => counted(text.chars().count()),
        ("len", [Value::List(list)]) => counted(list.len()),
        ("len", [Value::Map(map)]) => counted(map.len()),
        ("range", [Value::Int(end)]) => range(0, *end),
        ("range", [Value::Int(start), Value::Int(end)]) => range(*start, *end),
        ("pow", [base, power]) => {
            let numbers = base.number().zip(power.number());
            let (base, power) = numbers.ok_or_else(|| wrong(name, base))?;
            Ok(Value::Float(libm::pow(base, power)))
        }
        ("min" | "max", [Value::List(list)]) => extreme(name, list),
        ("min" | "max", [_, _, ..]) => extreme(name, arguments),
        ("sum", [Value::List(list)]) => sum(list),
        _ => Err(unknown(name, arguments)),
    }
}

fn unknown(name: &str, arguments: &[Value]) -> String {
    format!(
        "there is no function `{}` of {} arguments",
        morse_diagnostics::printable(name),
        arguments.len()
    )
}

fn rounded(name: &str, value: &Value, arguments: &[Value]) -> Valued {
    match (name, arguments) {
        ("abs", [Value::Int(number)]) => Ok(Value::Int(number.saturating_abs())),
        ("abs", [_]) => real(name, value, f64::abs),
        ("round", [_, Value::Int(digits)]) => {
            let digits = i32::try_from((*digits).clamp(-15, 15)).unwrap_or(0);
            let factor = libm::pow(10.0, f64::from(digits));
            real(name, value, |number| {
                (number * factor).round_ties_even() / factor
            })
        }
        (_, [_]) => {
            let number = value.number().ok_or_else(|| wrong(name, value))?;
            whole(match name {
                "floor" => number.floor(),
                "ceil" => number.ceil(),
                "round" => number.round_ties_even(),
                _ => number.trunc(),
            })
        }
        _ => Err(unknown(name, arguments)),
    }
}

fn converted(name: &str, value: &Value) -> Valued {
    match (name, value) {
        ("int", Value::Text(text)) => {
            let read = text.trim().parse();
            read.map(Value::Int)
                .map_err(|_error| format!("`{text}` is no whole number"))
        }
        ("int", value) => {
            let number = value.number().ok_or_else(|| wrong(name, value))?;
            whole(number.trunc())
        }
        ("float", Value::Text(text)) => {
            let read = text.trim().parse();
            read.map(Value::Float)
                .map_err(|_error| format!("`{text}` is no number"))
        }
        ("float", value) => real(name, value, |number| number),
        ("str", value) => Ok(Value::Text(value.to_string())),
        ("bool", value) => Ok(Value::Bool(value.truth())),
        (_, Value::List(list)) => Ok(Value::List(list.clone())),
        (_, value) => Err(format!("{} is no list", value.kind())),
    }
}

fn sum(list: &[Value]) -> Valued {
    let whole = list.iter().map(Value::whole).collect::<Option<Vec<i64>>>();
    let whole = whole.and_then(|all| all.into_iter().try_fold(0_i64, i64::checked_add));
    if let Some(sum) = whole {
        return Ok(Value::Int(sum));
    }
    let all: Option<Vec<f64>> = list.iter().map(Value::number).collect();
    let all = all.ok_or("`sum` needs numbers")?;
    Ok(Value::Float(all.iter().sum()))
}

fn wrong(name: &str, value: &Value) -> String {
    format!("`{name}` needs a number, not {}", value.kind())
}

fn real(name: &str, value: &Value, function: impl Fn(f64) -> f64) -> Valued {
    let number = value.number().ok_or_else(|| wrong(name, value))?;
    Ok(Value::Float(function(number)))
}

fn whole(number: f64) -> Valued {
    match number.abs() < 9e18 {
        true => Ok(Value::Int(number as i64)),
        false => Err("the result is too large".to_owned()),
    }
}

fn counted(count: usize) -> Valued {
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn range(start: i64, end: i64) -> Valued {
    match end.saturating_sub(start) > 100_000 {
        true => Err("the range is too long".to_owned()),
        false => Ok(Value::List((start..end).map(Value::Int).collect())),
    }
}

fn extreme(name: &str, all: &[Value]) -> Valued {
    let mut all = all.iter();
    let mut best = all
        .next()
        .ok_or("of nothing there is no least and no greatest")?;
    for one in all {
        let order = one.order(best).ok_or_else(|| wrong(name, one))?;
        let wanted = match name {
            "min" => Ordering::Less,
            _ => Ordering::Greater,
        };
        if order == wanted {
            best = one;
        }
    }
    Ok(best.clone())
}

/// Returns an item of a list, a dictionary or a text.
pub(super) fn item(of: &Value, item: &Value) -> Valued {
    let missing = || Err(format!("there is no item `{item}` in {}", of.kind()));
    let index = |length: usize| {
        let length = i64::try_from(length).ok()?;
        let index = item.whole()?;
        usize::try_from(if index < 0 { index + length } else { index }).ok()
    };
    match of {
        Value::List(list) => match index(list.len()).and_then(|index| list.get(index)) {
            Some(value) => Ok(value.clone()),
            None => missing(),
        },
        Value::Text(text) => {
            match index(text.chars().count()).and_then(|index| text.chars().nth(index)) {
                Some(letter) => Ok(Value::Text(letter.to_string())),
                None => missing(),
            }
        }
        Value::Map(map) => match map.get(&item.to_string()) {
            Some(value) => Ok(value.clone()),
            None => missing(),
        },
        _ => missing(),
    }
}

/// Returns a slice of a list or of a text, without the item at the end index; negative indices count from the end.
pub(super) fn slice(of: &Value, [start, end]: [Option<i64>; 2]) -> Valued {
    let bounds = |length: usize| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let clamped = |index: i64| if index < 0 { index + length } else { index }.clamp(0, length);
        let [start, end] = [clamped(start.unwrap_or(0)), end.map_or(length, clamped)];
        [start, end.max(start)].map(|index| usize::try_from(index).unwrap_or(0))
    };
    match of {
        Value::List(list) => {
            let [start, end] = bounds(list.len());
            Ok(Value::List(
                list.get(start..end).unwrap_or_default().to_vec(),
            ))
        }
        Value::Text(text) => {
            let [start, end] = bounds(text.chars().count());
            let letters = text.chars().skip(start).take(end - start);
            Ok(Value::Text(letters.collect()))
        }
        _ => Err(format!("{} has no parts", of.kind())),
    }
}

/// Calls a method of a text, a list or a dictionary.
pub(super) fn method(of: &Value, name: &str, arguments: &[Value]) -> Valued {
    let texts: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    match (of, name, texts.as_slice()) {
        (Value::Text(text), "lower", []) => Ok(Value::Text(text.to_lowercase())),
        (Value::Text(text), "upper", []) => Ok(Value::Text(text.to_uppercase())),
        (Value::Text(text), "strip", []) => Ok(Value::Text(text.trim().to_owned())),
        (Value::Text(text), "split", []) => {
            let words = text.split_whitespace();
            Ok(Value::List(
                words.map(|word| Value::Text(word.to_owned())).collect(),
            ))
        }
        (Value::Text(text), "split", [by]) if !by.is_empty() => {
            let words = text.split(by.as_str());
            Ok(Value::List(
                words.map(|word| Value::Text(word.to_owned())).collect(),
            ))
        }
        (Value::Text(text), "startswith", [affix]) => Ok(Value::Bool(text.starts_with(affix))),
        (Value::Text(text), "endswith", [affix]) => Ok(Value::Bool(text.ends_with(affix))),
        (Value::Text(text), "replace", [from, to]) if !from.is_empty() && to.len() <= 100 => {
            Ok(Value::Text(text.replace(from, to)))
        }
        (Value::Map(map), "keys", []) => {
            Ok(Value::List(map.keys().cloned().map(Value::Text).collect()))
        }
        (Value::Map(map), "get", [key]) => Ok(map.get(key).cloned().unwrap_or(Value::None)),
        (Value::Map(map), "get", [key, _]) => {
            let other = arguments.get(1).cloned().unwrap_or(Value::None);
            Ok(map.get(key).cloned().unwrap_or(other))
        }
        _ => Err(format!(
            "{} has no function `{}` of {} arguments",
            of.kind(),
            morse_diagnostics::printable(name),
            arguments.len()
        )),
    }
}
