//! Errors of public functions are types: a text cannot be matched, and carries no cause.
use super::{
    Source, assert_clean,
    code::{Token, tokens},
    sources,
};

/// Returns public functions whose error is a `String`, and implementations of `FromStr` and `TryFrom` with such an error.
fn texts_as_errors(file: &Source) -> Vec<String> {
    let tokens = tokens(&file.text);
    let is = |index: usize, words: &[&str]| {
        let slice = tokens.get(index..index + words.len());
        slice.is_some_and(|slice| {
            slice
                .iter()
                .zip(words)
                .all(|(token, word)| token.text == *word)
        })
    };
    let wrong = (0..tokens.len()).filter(|&index| {
        let is_text = ["Err", "Error"]
            .iter()
            .any(|name| is(index, &["type", name, "=", "String", ";"]));
        is_text || (is(index, &["pub", "fn"]) && returns_text_as_error(&tokens[index..]))
    });
    let report = |index: usize| {
        format!(
            "{}:{}: give the error a type",
            file.path, tokens[index].line
        )
    };
    wrong.map(report).collect()
}

/// Returns true if the signature at the start of these tokens ends with `, String>`.
fn returns_text_as_error(tokens: &[Token]) -> bool {
    let end = tokens
        .iter()
        .position(|token| token.text == "{" || token.text == ";");
    let signature = &tokens[..end.unwrap_or(tokens.len())];
    let before_where = signature.iter().position(|token| token.text == "where");
    let signature = &signature[..before_where.unwrap_or(signature.len())];
    let last = signature.iter().rev().map(|token| token.text.as_str());
    let is_text = last.take(3).eq([">", "String", ","]);
    is_text && signature.iter().any(|token| token.text == "Result")
}

#[test]
fn errors_of_public_functions_are_types() {
    assert_clean(
        &sources(&["src", "plugins", "tools"], &["rs"]),
        texts_as_errors,
    );
    let planted = |text| texts_as_errors(&Source::planted("src/a.rs", text)).len();
    assert_eq!(planted("pub fn a() -> Result<(), String> { b() }"), 1);
    assert_eq!(
        planted("impl A { pub fn a(self) -> Result<Vec<u8>, String>; }"),
        1
    );
    assert_eq!(planted("impl FromStr for A { type Err = String; }"), 1);
    assert_eq!(planted("pub fn a() -> Result<String, Error> { b() }"), 0);
    assert_eq!(planted("fn a() -> Result<(), String> { b() }"), 0);
    assert_eq!(planted("pub fn a() -> BTreeMap<u8, String> { b() }"), 0);
}
