//! Queries for editors: highlights, folds and indentation.
use crate::words;

/// Returns the quoted words of a list, some per line.
fn quoted(words: &[&str]) -> String {
    let lines = words.chunks(8).map(|words| {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        format!("  {}", words.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the highlights. Attributes and words that the language does not have are not highlighted.
pub(crate) fn highlights() -> String {
    let is_in_grammar = |word: &&str| *word != "object";
    let statements: Vec<&str> = words::statements()
        .into_iter()
        .filter(is_in_grammar)
        .collect();
    format!(
        "\
; Written by `cargo run -p morse_grammar`.
(comment) @comment
(string) @string
(number) @number
(constant) @constant.builtin

[
{}
] @keyword

(frame name: (_) @type)
(class name: (_) @type)
(definition name: (identifier) @constant)
(include path: (string) @string.special.path)

((attribute name: (identifier) @property)
  (#any-of? @property
{}))

((attribute value: (identifier) @constant.builtin)
  (#any-of? @constant.builtin
{}))

[\"+\" \"-\" \"*\" \"/\" \"**\" \"^\"] @operator
[\"(\" \")\" \"[\" \"]\" \"{{\" \"}}\"] @punctuation.bracket
[\",\" \";\"] @punctuation.delimiter
",
        quoted(&statements),
        quoted(&words::attributes()),
        quoted(&words::values()),
    )
}

/// Returns the nodes that can be folded.
pub(crate) fn folds() -> String {
    "\
; Written by `cargo run -p morse_grammar`.
[
  (frame)
  (geometry)
  (class)
  (comment)
] @fold
"
    .to_owned()
}

/// Returns the indentation.
pub(crate) fn indents() -> String {
    "\
; Written by `cargo run -p morse_grammar`.
[
  (frame_body)
  (geometry_body)
  (class_body)
  (array)
] @indent.begin

[
  \"}\"
  \"]\"
] @indent.branch @indent.end

(comment) @indent.auto
"
    .to_owned()
}
