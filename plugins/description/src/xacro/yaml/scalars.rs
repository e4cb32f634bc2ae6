//! Scalars of YAML 1.1 as PyYAML resolves them, without numbers in base 60.

use saphyr_parser::Tag;

use crate::xacro::{
    evaluate::{Names, evaluate},
    expression,
    value::Value,
};

/// xacro's tags of units, with the factors that convert to rad and m.
const UNITS: [(&str, f64); 6] = [
    ("radians", 1.0),
    ("degrees", std::f64::consts::PI / 180.0),
    ("meters", 1.0),
    ("millimeters", 0.001),
    ("foot", 0.3048),
    ("inches", 0.0254),
];

/// Returns the value of a scalar.
///
/// # Errors
///
/// Returns an error if the tag does not exist, or does not fit the text.
pub(super) fn value(text: &str, is_plain: bool, tag: Option<&Tag>) -> Result<Value, String> {
    let Some(tag) = tag else {
        return Ok(match is_plain {
            true => plain(text),
            false => Value::Text(text.to_owned()),
        });
    };
    let unit = UNITS.iter().find(|(name, _)| *name == tag.suffix);
    match (tag.handle.as_str(), tag.suffix.as_str(), unit) {
        ("!", _, Some((_, factor))) => Ok(Value::Float(number(text)? * factor)),
        ("tag:yaml.org,2002:", "str", _) => Ok(Value::Text(text.to_owned())),
        ("tag:yaml.org,2002:", "float", _) => Ok(Value::Float(number(text)?)),
        ("tag:yaml.org,2002:", "int" | "bool" | "null", _) => Ok(plain(text)),
        _ => Err(unknown(tag)),
    }
}

/// Returns the message for a tag that does not exist.
pub(super) fn unknown(tag: &Tag) -> String {
    let units: Vec<String> = UNITS.iter().map(|(name, _)| format!("!{name}")).collect();
    format!("there is no tag `{tag}`; known are {}", units.join(", "))
}

/// Returns the number that an expression of constants stands for.
fn number(text: &str) -> Result<f64, String> {
    let value = expression::parse(text).and_then(|parsed| evaluate(&parsed, &mut NoNames));
    let value = value.map_err(|why| format!("`{text}`: {why}"))?;
    value
        .number()
        .ok_or_else(|| format!("`{text}` is {}, not a number", value.kind()))
}

/// Environment of expressions that have constants only.
struct NoNames;

impl Names for NoNames {
    fn value(&mut self, name: &str) -> Result<Value, String> {
        Err(format!("there is no constant `{name}`"))
    }

    fn within(&mut self, _: &str, _: &str) -> Option<Result<Value, String>> {
        None
    }

    fn call(&mut self, _: &str, _: &[Value]) -> Option<Result<Value, String>> {
        None
    }
}

/// Returns the value of a text without quotes and tag.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::None,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Value::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => integer(text)
            .or_else(|| float(text).map(Value::Float))
            .unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

/// Returns the value of an integer: binary, octal, decimal or hexadecimal, with underscores.
fn integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        [b'0'..=b'9', ..] => (digits, 10),
        _ => return None,
    };
    let digits = digits.replace('_', "");
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let number = i64::from_str_radix(&format!("{sign}{digits}"), radix);
    match number {
        Ok(number) => Some(Value::Int(number)),
        // Python's integers are unlimited, ours become real numbers.
        Err(_) if radix == 10 => format!("{sign}{digits}").parse().ok().map(Value::Float),
        Err(_) => None,
    }
}

/// Returns the value of a real number, which has a decimal point; exponents have a sign.
fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if digits == text => return Some(f64::NAN),
        _ => {}
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "+0"));
    let (whole, fraction) = mantissa.split_once('.')?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = is_digits(&whole.replace('_', ""))
        && is_digits(&fraction.replace('_', ""))
        && !whole.starts_with('_')
        && (!whole.is_empty() || fraction.starts_with(|first: char| first.is_ascii_digit()))
        && exponent.strip_prefix(['+', '-']).is_some_and(is_digits);
    is_number.then(|| text.replace('_', "").parse().ok())?
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    #[test]
    fn scalars_are_those_of_pyyaml() {
        // Reference: `repr(yaml.safe_load(text))` of PyYAML 6.0.3.
        for (text, expected) in [
            ("1", "1"),
            ("-12_000", "-12000"),
            ("+7", "7"),
            ("010", "8"),
            ("0x1F", "31"),
            ("-0b101", "-5"),
            ("0", "0"),
            ("089", "'089'"),
            ("1.5", "1.5"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("-1_0.2_5", "-10.25"),
            ("1.5e+3", "1500.0"),
            ("1.5e3", "'1.5e3'"),
            ("1e-3", "'1e-3'"),
            ("-.inf", "-inf"),
            ("inf", "'inf'"),
            ("nan", "'nan'"),
            ("-", "'-'"),
            (".", "'.'"),
            ("_1", "'_1'"),
            ("yes", "True"),
            ("Off", "False"),
            ("y", "'y'"),
            ("~", "None"),
            ("Null", "None"),
            ("2026-01-31", "'2026-01-31'"),
            ("a b", "'a b'"),
        ] {
            let value = Value::List(vec![plain(text)]).to_string();
            assert_eq!(value, format!("[{expected}]"), "{text}");
        }
    }

    #[test]
    fn tags_convert_units() {
        let tagged = |suffix: &str, text: &str| {
            let tag = Tag {
                handle: "!".to_owned(),
                suffix: suffix.to_owned(),
            };
            value(text, true, Some(&tag))
        };
        // Reference: xacro 2.1.1; its factor of degrees is `math.pi/180`.
        for (suffix, text, expected) in [
            ("radians", "pi/2", FRAC_PI_2),
            ("degrees", "180", PI),
            ("meters", "0.5", 0.5),
            ("millimeters", "250", 0.25),
            ("foot", "10", 3.048),
            ("inches", "10", 0.254),
        ] {
            assert_eq!(tagged(suffix, text), Ok(Value::Float(expected)), "{suffix}");
        }
        assert!(tagged("degrees", "half").is_err());
        assert!(tagged("furlongs", "1").is_err());
    }
}
