//! Parameters of macros: `a b:=1 c:=^ d:=^|2 *block **content`.

/// A parameter of a macro.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Kind of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A required value.
    Needed,
    /// A value with this default.
    Default(String),
    /// By default the value of the same name in the scope of the call, or else this text.
    Outer(Option<String>),
    /// An element, passed as a block.
    Block,
    /// The content of an element, passed as a block.
    Content,
}

/// Parses a list of parameters.
pub(super) fn parameters(text: &str) -> Vec<Parameter> {
    words(text).iter().map(|word| parameter(word)).collect()
}

fn parameter(word: &str) -> Parameter {
    for (mark, kind) in [("**", Kind::Content), ("*", Kind::Block)] {
        if let Some(name) = word.strip_prefix(mark) {
            return Parameter {
                name: name.to_owned(),
                kind,
            };
        }
    }
    let halves = word.split_once(":=").or_else(|| word.split_once('='));
    let (name, kind) = match halves {
        None => (word, Kind::Needed),
        Some((name, default)) => match default.strip_prefix('^') {
            Some("") => (name, Kind::Outer(None)),
            Some(rest) => {
                let rest = rest.strip_prefix('|').unwrap_or(rest);
                (name, Kind::Outer(Some(rest.to_owned())))
            }
            None => (name, Kind::Default(default.to_owned())),
        },
    };
    Parameter {
        name: name.to_owned(),
        kind,
    }
}

/// Splits a text at blanks, except inside quotes and brackets.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut depth = 0_usize;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '{' | '(' | '[') => depth += 1,
            (None, '}' | ')' | ']') => depth = depth.saturating_sub(1),
            (None, letter) if letter.is_whitespace() && depth == 0 => {
                words.push(std::mem::take(&mut word));
                continue;
            }
            _ => {}
        }
        word.push(letter);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_kinds_and_defaults() {
        let read = parameters("a b:=1 c:='x y'\n d:=${1 + 2} e:=^ f:=^|2 *g **h i=3 j:=");
        let expected = [
            ("a", Kind::Needed),
            ("b", Kind::Default("1".into())),
            ("c", Kind::Default("'x y'".into())),
            ("d", Kind::Default("${1 + 2}".into())),
            ("e", Kind::Outer(None)),
            ("f", Kind::Outer(Some("2".into()))),
            ("g", Kind::Block),
            ("h", Kind::Content),
            ("i", Kind::Default("3".into())),
            ("j", Kind::Default(String::new())),
        ];
        assert_eq!(read.len(), expected.len());
        for (parameter, (name, kind)) in read.iter().zip(expected) {
            assert_eq!((parameter.name.as_str(), &parameter.kind), (name, &kind));
        }
    }
}
