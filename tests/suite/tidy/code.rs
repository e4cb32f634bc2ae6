//! A minimal parser of Rust that finds the names in a file.

/// A token: an identifier, or one character of punctuation (`::` is one token).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A path such as `crate::scene::model`, in a `use` or elsewhere; trees are expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
    /// Number of inline modules around the path.
    pub(super) depth: usize,
}

/// Returns the tokens of a file without comments, strings and characters.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = literal(rest) {
            length
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            tokens.push(Token {
                line,
                text: rest[..length].to_owned(),
            });
            length
        } else if rest.starts_with("::") {
            tokens.push(Token {
                line,
                text: "::".to_owned(),
            });
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(Token {
                    line,
                    text: first.to_string(),
                });
            }
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of the string or character at the start of a text.
fn literal(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with(['"', '\'']) || (prefix.ends_with('r') && rest.starts_with('#'))
        })
    })?;
    let rest = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if !rest[hashes..].starts_with('"') {
            return None; // a raw identifier
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let body = &rest[hashes + 1..];
        return Some(
            prefix.len() + hashes + 1 + body.find(&end).map_or(body.len(), |at| at + end.len()),
        );
    }
    let quote = rest.chars().next()?;
    if quote == '\'' && !is_character(rest) {
        return None; // a lifetime
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(prefix.len() + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Returns true if a text that starts with a quote is a character, not a lifetime.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    matches!(
        (chars.next(), chars.next()),
        (Some('\\'), _) | (Some(_), Some('\''))
    )
}

/// Returns all paths of a file that have more than one segment, each with the inline modules around it.
pub(super) fn paths(tokens: &[Token]) -> Vec<Named> {
    let mut named = Vec::new();
    let mut modules: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "{" => {
                let is_module = at >= 2 && tokens[at - 2].text == "mod";
                modules.push(is_module);
                at += 1;
            }
            "}" => {
                modules.pop();
                at += 1;
            }
            _ if is_word(&token.text) && text_at(tokens, at + 1) == "::" => {
                let depth = modules.iter().filter(|&&is_module| is_module).count();
                at = tree(tokens, at, &mut Vec::new(), depth, &mut named);
            }
            _ => at += 1,
        }
    }
    named
}

/// Expands the tree that starts here; returns the index after it.
fn tree(
    tokens: &[Token],
    mut at: usize,
    path: &mut Vec<String>,
    depth: usize,
    named: &mut Vec<Named>,
) -> usize {
    let (line, base) = (tokens[at].line, path.len());
    while is_word(text_at(tokens, at)) || text_at(tokens, at) == "*" {
        path.push(tokens[at].text.clone());
        at += 1;
        if text_at(tokens, at) != "::" {
            break;
        }
        at += 1;
        if text_at(tokens, at) == "{" {
            at += 1;
            while at < tokens.len() && text_at(tokens, at) != "}" {
                let before = at;
                at = tree(tokens, at, path, depth, named);
                if text_at(tokens, at) == "as" {
                    at += 2;
                }
                if at == before || text_at(tokens, at) == "," {
                    at += 1;
                }
            }
            path.truncate(base);
            return at + 1;
        }
    }
    if path.len() > base {
        named.push(Named {
            line,
            path: path.clone(),
            depth,
        });
    }
    path.truncate(base);
    at
}

fn text_at(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[test]
fn comments_and_literals_are_not_code() {
    let text = r####"a // b
        /* c /* d */ e */ "f \" g" r#"h " i"# 'j' '\'' b'k' &'l str k"####;
    let words: Vec<String> = tokens(text).into_iter().map(|token| token.text).collect();
    assert_eq!(words, ["a", "&", "'", "l", "str", "k"]);
    assert_eq!(tokens("a\n/*\n*/b").last().map(|token| token.line), Some(3));
}

#[test]
fn trees_are_spread_out() {
    let text = "use crate::{a::{self, b as c}, d::*}; mod tests { fn f() { super::g::h(x::y::Z { q: 1 }) } }";
    let found: Vec<(String, usize)> = paths(&tokens(text))
        .into_iter()
        .map(|named| (named.path.join("."), named.depth))
        .collect();
    let expected = [
        ("crate.a.self", 0),
        ("crate.a.b", 0),
        ("crate.d.*", 0),
        ("super.g.h", 1),
        ("x.y.Z", 1),
    ];
    assert_eq!(
        found,
        expected.map(|(path, depth)| (path.to_owned(), depth))
    );
}
