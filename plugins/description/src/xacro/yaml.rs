//! Parser of the subset of YAML in which parameters of robots are written: nested lists and dictionaries, numbers and texts.

use std::collections::BTreeMap;

use super::value::Value;

/// Maximum nesting depth of lists and dictionaries.
const DEEPEST: usize = 50;

/// A line without its comment.
struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

/// Parses a text.
///
/// # Errors
///
/// Returns the first error, with its line.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = without_comment(line);
        let text = line.trim();
        if text.is_empty() || text == "---" || text == "..." || text.starts_with('%') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if line.trim_start_matches(' ').starts_with('\t') {
            return Err(format!("line {number}: indented by a tab"));
        }
        lines.push(Line {
            number,
            indent,
            text,
        });
    }
    let mut parser = Parser { lines, at: 0 };
    let Some(first) = parser.lines.first() else {
        return Ok(Value::None);
    };
    let indent = first.indent;
    let value = parser.block(indent, 0)?;
    match parser.lines.get(parser.at) {
        None => Ok(value),
        Some(line) => Err(format!("line {}: unexpected indentation", line.number)),
    }
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '#') if before.is_whitespace() => return line.get(..at).unwrap_or(line),
            _ => {}
        }
        before = letter;
    }
    line
}

struct Parser<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl Parser<'_> {
    fn indent(&self) -> Option<usize> {
        self.lines.get(self.at).map(|line| line.indent)
    }

    /// Parses the list or dictionary that begins at the current line.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let Some(line) = self.lines.get(self.at) else {
            return Ok(Value::None);
        };
        if depth > DEEPEST {
            return Err(format!("line {}: nested too deeply", line.number));
        }
        if line.text == "-" || line.text.starts_with("- ") {
            return self.list(indent, depth);
        }
        if key(line.text).is_none() {
            let value = flow(line.text, line.number)?;
            self.at += 1;
            return Ok(value);
        }
        self.map(indent, depth)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        while let Some(line) = self
            .lines
            .get_mut(self.at)
            .filter(|line| line.indent == indent)
        {
            let Some(rest) = line.text.strip_prefix('-') else {
                break;
            };
            let inner = rest.trim_start();
            if inner.is_empty() {
                self.at += 1;
                items.push(self.below(indent, depth)?);
                continue;
            }
            // The text after the dash is parsed as a line of its own with a larger indentation.
            let width = line.text.len() - inner.len();
            line.indent += width;
            line.text = inner;
            let inner = line.indent;
            items.push(self.block(inner, depth + 1)?);
        }
        Ok(Value::List(items))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut map = BTreeMap::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            let Some((name, rest)) = key(line.text) else {
                return Err(format!("line {}: expected `name: value`", line.number));
            };
            let (name, number) = (name.to_string(), line.number);
            let value = match rest {
                "" => {
                    self.at += 1;
                    self.below(indent, depth)?
                }
                "|" | ">" | "|-" | ">-" => {
                    return Err(format!("line {number}: multi-line texts are not supported"));
                }
                rest => {
                    let value = flow(rest, number)?;
                    self.at += 1;
                    value
                }
            };
            map.insert(name, value);
        }
        Ok(Value::Map(map))
    }

    /// Parses the block with a larger indentation than the line, or a list with the same indentation.
    fn below(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        match self.indent() {
            Some(inner) if inner > indent => self.block(inner, depth + 1),
            Some(inner) if inner == indent && self.is_item() => self.list(indent, depth + 1),
            _ => Ok(Value::None),
        }
    }

    fn is_item(&self) -> bool {
        let line = self.lines.get(self.at);
        line.is_some_and(|line| line.text == "-" || line.text.starts_with("- "))
    }
}

/// Splits a line `name: value` into name and value.
fn key(text: &str) -> Option<(Value, &str)> {
    if text.starts_with(['[', '{']) {
        return None;
    }
    let end = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => 1 + text.get(1..)?.find(quote)? + 1,
        _ => text
            .find(": ")
            .or_else(|| text.strip_suffix(':').map(str::len))?,
    };
    let (name, rest) = text.split_at(end);
    let rest = rest.strip_prefix(':')?;
    Some((
        Value::Text(name.trim().trim_matches(['"', '\'']).to_owned()),
        rest.trim(),
    ))
}

/// Parses a value in a single line.
fn flow(text: &str, number: usize) -> Result<Value, String> {
    let mut rest = text.trim();
    let value = item(&mut rest, number, 0)?;
    match rest.trim() {
        "" => Ok(value),
        _ => Ok(scalar(text.trim())),
    }
}

fn item(rest: &mut &str, number: usize, depth: usize) -> Result<Value, String> {
    let wrong = |what: &str| Err(format!("line {number}: {what}"));
    if depth > DEEPEST {
        return wrong("nested too deeply");
    }
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        *rest = inner;
        let mut items = Vec::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(']') {
                *rest = after;
                return Ok(Value::List(items));
            }
            items.push(item(rest, number, depth + 1)?);
            *rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => *rest = after,
                None if rest.starts_with(']') => {}
                None => return wrong("a list is not closed on its line"),
            }
        }
    }
    if let Some(inner) = rest.strip_prefix('{') {
        *rest = inner;
        let mut map = BTreeMap::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                *rest = after;
                return Ok(Value::Map(map));
            }
            let Some((name, after)) = rest.split_once(':') else {
                return wrong("a dictionary is not closed on its line");
            };
            let name = name.trim().trim_matches(['"', '\'']).to_owned();
            *rest = after;
            map.insert(name, item(rest, number, depth + 1)?);
            *rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => *rest = after,
                None if rest.starts_with('}') => {}
                None => return wrong("a dictionary is not closed on its line"),
            }
        }
    }
    let end = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = rest.get(1..).unwrap_or_default();
            let Some(end) = inner.find(quote) else {
                return wrong("a text is not closed");
            };
            end + 2
        }
        _ if depth == 0 => rest.len(),
        _ => rest.find([',', ']', '}']).unwrap_or(rest.len()),
    };
    let (word, after) = rest.split_at(end);
    *rest = after;
    Ok(scalar(word.trim()))
}

/// Parses a number, a boolean, a text, or null.
fn scalar(word: &str) -> Value {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => Value::None,
        "yes" | "Yes" | "on" | "On" | "TRUE" => Value::Bool(true),
        "no" | "No" | "off" | "Off" | "FALSE" => Value::Bool(false),
        word => {
            // xacro's tags for angles in degrees and radians.
            for (tag, is_degrees) in [("!degrees", true), ("!radians", false)] {
                if let Some(number) = word
                    .strip_prefix(tag)
                    .and_then(|rest| Value::of_text(rest.trim()).number())
                {
                    let number = if is_degrees {
                        number.to_radians()
                    } else {
                        number
                    };
                    return Value::Float(number);
                }
            }
            Value::of_text(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read() {
        let text = "# limits\n---\narm:\n  joint_1: {lower: -1.5, upper: 1, names: [a, 'b c']}\n  mass: 2 # kg\n\
                    list:\n- 1\n- x: 2\n  y: !degrees 180\n-\n  - 3\nempty:\n\"quoted key\": \"a: b\"\non: yes\n";
        let read = parse(text).unwrap();
        let expected = "{'arm': {'joint_1': {'lower': -1.5, 'names': ['a', 'b c'], 'upper': 1}, 'mass': 2}, \
                        'empty': None, 'list': [1, {'x': 2, 'y': 3.141592653589793}, [3]], 'on': True, \
                        'quoted key': 'a: b'}";
        assert_eq!(read.to_string(), expected);
        assert_eq!(parse("").unwrap(), Value::None);
        for bad in ["a: [1", "a: 1\n b: 2", "\ta: 1", "a: 1\nb", "a: |\n  b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&"[".repeat(1_000)).is_err());
        assert!(parse(&"- ".repeat(1_000)).is_err());
    }
}
