//! Parameters of robots from YAML files: builds values from the events of saphyr's parser.
//!
//! Values are those of PyYAML's safe loader with xacro's tags of units; keys are texts.

mod scalars;

use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::value::Value;

/// Maximum nesting depth of lists and dictionaries.
const DEEPEST: usize = 50;

/// Maximum size of all values, bytes: aliases can make a short text large.
const LARGEST: usize = 64 << 20;

/// Size of a value without its text, bytes.
const VALUE: usize = 64;

/// Parses a text.
///
/// # Errors
///
/// Returns the first error, with its line and column.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| located(error.marker(), error.info()))?;
        let built = builder.add_event(event);
        built.map_err(|why| located(&span.start, &why))?;
    }
    Ok(builder.root.unwrap_or(Value::None))
}

fn located(at: &Marker, why: &str) -> String {
    format!("line {}, column {}: {why}", at.line(), at.col() + 1)
}

/// Values of a document that is being parsed.
#[derive(Default)]
struct Builder {
    root: Option<Value>,
    /// Lists and dictionaries that are not closed, from the outermost to the innermost.
    open: Vec<Open>,
    /// Values that aliases repeat, with their sizes.
    anchors: BTreeMap<usize, (Value, usize)>,
    size: usize,
}

/// A list or dictionary that is not closed.
struct Open {
    items: Items,
    anchor: usize,
    /// Size of all values before it.
    size_before: usize,
}

enum Items {
    List(Vec<Value>),
    Map {
        map: BTreeMap<String, Value>,
        key: Option<String>,
        /// Dictionaries of the key `<<`, whose entries are added where the dictionary lacks them.
        merged: Vec<BTreeMap<String, Value>>,
    },
}

impl Builder {
    fn add_event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err("a second document begins, and one is expected".to_owned())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let before = self.size;
                self.grow(VALUE + text.len())?;
                let is_plain = style == ScalarStyle::Plain;
                let value = match self.expects_key() {
                    true => Value::Text(text.into_owned()),
                    false => scalars::value(&text, is_plain, tag.as_deref())?,
                };
                self.add_anchored(value, anchor, before)
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(Items::List(Vec::new()), anchor, tag.as_deref(), "seq")
            }
            Event::MappingStart(anchor, tag) => {
                let items = Items::Map {
                    map: BTreeMap::new(),
                    key: None,
                    merged: Vec::new(),
                };
                self.open(items, anchor, tag.as_deref(), "map")
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let Some((value, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err("an alias stands for the value that contains it".to_owned());
                };
                self.grow(size)?;
                self.add(value)
            }
            _ => Ok(()),
        }
    }

    fn grow(&mut self, size: usize) -> Result<(), String> {
        self.size += size;
        match self.size > LARGEST {
            true => Err(format!("all values are limited to {} MiB", LARGEST >> 20)),
            false => Ok(()),
        }
    }

    fn expects_key(&self) -> bool {
        let items = self.open.last().map(|open| &open.items);
        matches!(items, Some(Items::Map { key: None, .. }))
    }

    fn open(
        &mut self,
        items: Items,
        anchor: usize,
        tag: Option<&Tag>,
        kind: &str,
    ) -> Result<(), String> {
        if self.expects_key() {
            return Err("a key is a list or a dictionary; only texts are read".to_owned());
        }
        if self.open.len() >= DEEPEST {
            return Err("nested too deeply".to_owned());
        }
        if let Some(tag) = tag.filter(|tag| !(tag.is_yaml_core_schema() && tag.suffix == kind)) {
            return Err(scalars::unknown(tag));
        }
        let size_before = self.size;
        self.open.push(Open {
            items,
            anchor,
            size_before,
        });
        self.grow(VALUE)
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.items {
            Items::List(items) => Value::List(items),
            Items::Map {
                mut map, merged, ..
            } => {
                for (name, value) in merged.into_iter().flatten() {
                    map.entry(name).or_insert(value);
                }
                Value::Map(map)
            }
        };
        self.add_anchored(value, open.anchor, open.size_before)
    }

    /// Adds a value, and stores it for aliases if it has an anchor.
    fn add_anchored(
        &mut self,
        value: Value,
        anchor: usize,
        size_before: usize,
    ) -> Result<(), String> {
        if anchor != 0 {
            let size = self.size - size_before;
            self.grow(size)?;
            self.anchors.insert(anchor, (value.clone(), size));
        }
        self.add(value)
    }

    /// Adds a value to the innermost list or dictionary.
    fn add(&mut self, value: Value) -> Result<(), String> {
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(value),
            Some(Items::List(items)) => items.push(value),
            Some(Items::Map { map, key, merged }) => match (key.take(), value) {
                (None, Value::Text(text)) => *key = Some(text),
                (None, _) => {
                    return Err("an alias stands for a key that is no text".to_owned());
                }
                (Some(name), value) if name == "<<" => merged.extend(dictionaries(value)?),
                (Some(name), value) => {
                    map.insert(name, value);
                }
            },
        }
        Ok(())
    }
}

/// Returns a dictionary, or the dictionaries of a list.
fn dictionaries(value: Value) -> Result<Vec<BTreeMap<String, Value>>, String> {
    let values = match value {
        Value::List(values) => values,
        other => vec![other],
    };
    let dictionary = |value| match value {
        Value::Map(map) => Ok(map),
        other => Err(format!(
            "`<<` merges dictionaries, and this is {}",
            other.kind()
        )),
    };
    values.into_iter().map(dictionary).collect()
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
        assert_eq!(parse("# nothing\n").unwrap(), Value::None);
    }

    #[test]
    fn anchors_and_texts_of_several_lines_are_read() {
        let text = "base: &base {mass: 2, size: [1,\n  2]}\narm:\n  <<: *base\n  mass: 3\nsame: *base\n\
                    text: |\n  a\n  b\nfolded: >-\n  c\n  d\n";
        let expected = "{'arm': {'mass': 3, 'size': [1, 2]}, 'base': {'mass': 2, 'size': [1, 2]}, \
                        'folded': 'c d', 'same': {'mass': 2, 'size': [1, 2]}, 'text': 'a\nb\n'}";
        assert_eq!(parse(text).unwrap().to_string(), expected);
    }

    #[test]
    fn errors_have_a_position() {
        for (bad, start) in [
            ("a: [1", "line "),
            ("a: 1\n b: 2", "line 2, column "),
            ("a:\n\tb: 1", "line 2, column 2: tabs"),
            ("a: 1\nb", "line 3, column 1: "),
            ("a: 1\n---\nb: 2", "line 2, column 1: a second document"),
            (
                "a: !metres 1",
                "line 1, column 4: there is no tag `!metres`",
            ),
            ("a: &a [*a]", "line 1, column 8: an alias stands for"),
            ("<<: 1", "line 1, column 5: `<<` merges"),
            ("? [1]\n: 2", "line 1, column 3: a key is a list"),
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.starts_with(start), "{bad}: {error}");
        }
    }

    #[test]
    fn nesting_and_size_are_limited() {
        assert!(parse(&"[".repeat(1_000)).is_err());
        assert!(parse(&"- ".repeat(1_000)).is_err());
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for number in 1..40 {
            let before = number - 1;
            text += &format!("a{number}: &a{number} [*a{before}, *a{before}]\n");
        }
        let error = parse(&text).unwrap_err();
        assert!(error.ends_with("limited to 64 MiB"), "{error}");
    }
}
