//! Names in a file of Rust, from its tokens, so that they are found in macros as well.
use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

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
    let stream: TokenStream = text
        .parse()
        .unwrap_or_else(|error| panic!("{error} in {text:?}"));
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    tokens
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Literal(_) => {}
            TokenTree::Ident(name) => tokens.push(token(name.span(), &name.to_string())),
            TokenTree::Punct(mark) => {
                let is_double = mark.as_char() == ':' && mark.spacing() == Spacing::Joint;
                let is_colon = |next: &TokenTree| matches!(next, TokenTree::Punct(next) if next.as_char() == ':');
                let text = match is_double && trees.next_if(is_colon).is_some() {
                    true => "::".to_owned(),
                    false => mark.as_char().to_string(),
                };
                tokens.push(token(mark.span(), &text));
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(token(group.span_open(), open));
                flatten(group.stream(), tokens);
                tokens.push(token(group.span_close(), close));
            }
        }
    }
}

fn token(span: Span, text: &str) -> Token {
    Token {
        line: span.start().line,
        text: text.to_owned(),
    }
}

/// Returns all paths of a file that have more than one segment, each with the inline modules around it.
pub(super) fn paths(tokens: &[Token]) -> Vec<Named> {
    let mut named = Vec::new();
    let mut modules: Vec<bool> = Vec::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        match token.text.as_str() {
            "{" => {
                let is_module = index >= 2 && tokens[index - 2].text == "mod";
                modules.push(is_module);
                index += 1;
            }
            "}" => {
                modules.pop();
                index += 1;
            }
            _ if is_word(&token.text) && text_at(tokens, index + 1) == "::" => {
                let depth = modules.iter().filter(|&&is_module| is_module).count();
                index = tree(tokens, index, &mut Vec::new(), depth, &mut named);
            }
            _ => index += 1,
        }
    }
    named
}

/// Expands the tree that starts here; returns the index after it.
fn tree(
    tokens: &[Token],
    mut index: usize,
    path: &mut Vec<String>,
    depth: usize,
    named: &mut Vec<Named>,
) -> usize {
    let (line, base) = (tokens[index].line, path.len());
    while is_word(text_at(tokens, index)) || text_at(tokens, index) == "*" {
        path.push(tokens[index].text.clone());
        index += 1;
        if text_at(tokens, index) != "::" {
            break;
        }
        index += 1;
        if text_at(tokens, index) == "{" {
            index += 1;
            while index < tokens.len() && text_at(tokens, index) != "}" {
                let before = index;
                index = tree(tokens, index, path, depth, named);
                if text_at(tokens, index) == "as" {
                    index += 2;
                }
                if index == before || text_at(tokens, index) == "," {
                    index += 1;
                }
            }
            path.truncate(base);
            return index + 1;
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
    index
}

fn text_at(tokens: &[Token], index: usize) -> &str {
    tokens.get(index).map_or("", |token| token.text.as_str())
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
    let named: Vec<(String, usize)> = paths(&tokens(text))
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
        named,
        expected.map(|(path, depth)| (path.to_owned(), depth))
    );
}
