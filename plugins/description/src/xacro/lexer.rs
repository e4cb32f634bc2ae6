//! Lexer of expressions.

/// A token of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    /// An operator or a bracket.
    Mark(&'static str),
}

/// Operators and brackets, the longer ones first.
const MARKS: &[&str] = &[
    "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", "{",
    "}", ",", ":", ".", "=",
];

/// Splits an expression into tokens.
///
/// # Errors
///
/// Returns the first text that is no token.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() || (first == '.' && second_is_digit(rest)) {
            let length = number_length(rest);
            let (word, _) = rest.split_at(length);
            list.push(number(word)?);
            length
        } else if first.is_alphabetic() || first == '_' {
            let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
            let length = rest.find(is_end).unwrap_or(rest.len());
            list.push(Token::Name(
                rest.get(..length).unwrap_or_default().to_owned(),
            ));
            length
        } else if first == '"' || first == '\'' {
            let inner = rest.get(1..).unwrap_or_default();
            let end = inner.find(first).ok_or("a text is not closed")?;
            let inner = inner.get(..end).unwrap_or_default();
            list.push(Token::Text(inner.to_owned()));
            end + 2
        } else {
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            let mark = mark.ok_or_else(|| format!("`{first}` has no meaning here"))?;
            list.push(Token::Mark(mark));
            mark.len()
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(list)
}

fn second_is_digit(text: &str) -> bool {
    text.chars()
        .nth(1)
        .is_some_and(|letter| letter.is_ascii_digit())
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let is_sign = matches!(byte, b'+' | b'-');
        let after_exponent = length > 0 && matches!(bytes.get(length - 1), Some(b'e' | b'E'));
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || is_sign && after_exponent) {
            break;
        }
        length += 1;
    }
    length
}

fn number(word: &str) -> Result<Token, String> {
    if let Some(digits) = word.strip_prefix("0x") {
        let number = i64::from_str_radix(digits, 16);
        return number
            .map(Token::Int)
            .map_err(|error| format!("`{word}` is not a number: {error}"));
    }
    match (word.parse::<i64>(), word.parse::<f64>()) {
        (Ok(number), _) => Ok(Token::Int(number)),
        (_, Ok(number)) if number.is_finite() => Ok(Token::Float(number)),
        _ => Err(format!("`{word}` is not a number")),
    }
}
