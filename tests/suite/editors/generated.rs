//! Words of the language in the files for editors. `UPDATE_GOLDEN=1` writes them again.
use std::fmt::Write as _;

use morse_sim::scene::{
    model::{ATTRIBUTES, JOINT_WORDS, SHAPE_WORDS},
    robray,
};
use serde_json::json;

use super::{assert_golden, path};

/// Constants among the keywords.
const CONSTANTS: [&str; 2] = ["pi", "deg"];

fn statements() -> Vec<&'static str> {
    let keywords = robray::keywords();
    keywords.filter(|word| !CONSTANTS.contains(word)).collect()
}

fn attributes() -> Vec<&'static str> {
    ATTRIBUTES.iter().map(|attribute| attribute.name).collect()
}

fn words() -> Vec<&'static str> {
    // `mesh` is also an attribute, and highlighted as such.
    let words = JOINT_WORDS.iter().chain(SHAPE_WORDS).copied();
    words.filter(|word| *word != "mesh").collect()
}

/// Replaces the lines between the marks of generated text.
#[track_caller]
fn assert_section(name: &str, section: &str) {
    let text = std::fs::read_to_string(path(name)).expect("a file");
    let is_start = |line: &&str| line.contains("generated: keywords of the language");
    let start = text.lines().find(is_start).expect("a mark");
    let (before, rest) = text.split_once(start).expect("it is there");
    let comment = start.split(' ').next().expect("a comment");
    let end = format!("{comment} end\n");
    let (_, after) = rest.split_once(&end).expect("an end");
    let section = section.trim_end();
    assert_golden(name, &format!("{before}{start}\n{section}\n{end}{after}"));
}

#[test]
fn vim_has_the_words_of_the_language() {
    let mut section = String::new();
    for (group, words) in [
        ("robrayStatement", statements()),
        ("robrayAttribute", attributes()),
        ("robrayWord", words()),
    ] {
        for words in words.chunks(8) {
            writeln!(section, "syn keyword {group} {}", words.join(" ")).expect("memory");
        }
    }
    assert_section("assets/editors/vim/syntax/robray.vim", &section);
}

#[test]
fn emacs_has_the_words_of_the_language() {
    let mut section = String::new();
    for (name, docs, words) in [
        ("statements", "Keywords", statements()),
        ("attributes", "Attributes", attributes()),
        ("words", "Words of joint types and shapes", words()),
        ("constants", "Constants", CONSTANTS.to_vec()),
    ] {
        let lines: Vec<String> = words
            .chunks(6)
            .map(|words| {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                words.join(" ")
            })
            .collect();
        let lines = lines.join("\n    ");
        write!(
            section,
            "(defconst robray-{name}\n  '({lines})\n  \"{docs} of the scene language.\")\n\n"
        )
        .expect("memory");
    }
    assert_section("assets/editors/emacs/morse-sim.el", &section);
}

#[test]
fn vs_code_has_the_words_of_the_language() {
    let any = |words: &[&str]| format!("(?<![\\w-])({})(?![\\w-])", words.join("|"));
    let comment = |name: &str, start: &str| json!({ "name": name, "match": format!("{start}.*$") });
    let grammar = json!({
        "name": "Robray scene",
        "scopeName": "source.robray",
        "patterns": [
            comment("comment.line.number-sign.robray", "#"),
            comment("comment.line.double-slash.robray", "//"),
            { "name": "comment.block.robray", "begin": "/\\*", "end": "\\*/" },
            { "name": "string.quoted.double.robray", "begin": "\"", "end": "\"" },
            {
                "match": "(?<![\\w-])(frame|class)\\s+([A-Za-z][\\w-]*)",
                "captures": {
                    "1": { "name": "keyword.other.robray" },
                    "2": { "name": "entity.name.type.robray" },
                },
            },
            {
                "match": "(?<![\\w-])(def)\\s+([A-Za-z][\\w-]*)",
                "captures": {
                    "1": { "name": "keyword.other.robray" },
                    "2": { "name": "variable.other.constant.robray" },
                },
            },
            { "name": "keyword.other.robray", "match": any(&statements()) },
            { "name": "constant.language.robray", "match": "(?<![\\w-])(pi|deg)(?!\\w)|π" },
            { "name": "support.type.property-name.robray", "match": any(&attributes()) },
            { "name": "constant.other.robray", "match": any(&words()) },
            {
                "name": "constant.numeric.robray",
                "match": "(?<![\\w-])(\\d+(\\.\\d*)?|\\.\\d+)([eEdDsS][-+]?\\d+)?",
            },
            { "name": "keyword.operator.robray", "match": "\\*\\*|[-+*/^]" },
        ],
    });
    let text = serde_json::to_string_pretty(&grammar).expect("JSON");
    let name = "assets/editors/vscode/syntaxes/robray.tmLanguage.json";
    assert_golden(name, &(text + "\n"));
}
