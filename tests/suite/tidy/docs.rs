//! Docs of items and files: each begins with a noun or a verb that gives the meaning.
use super::{Source, assert_clean, rust};

/// Words that begin a question.
const QUESTIONS: [&str; 8] = [
    "What", "Whether", "Where", "Who", "How", "When", "Which", "Why",
];

/// Returns the first lines of doc comments that begin with a question.
fn questions(file: &Source) -> Vec<String> {
    let mut violations = Vec::new();
    let mut is_inside = false;
    for (number, line) in file.text.lines().enumerate() {
        let line = line.trim();
        let of_item = line.strip_prefix("///");
        let of_file = line.strip_prefix("//!").filter(|_| number == 0);
        let docs = of_item.filter(|_| !is_inside).or(of_file);
        if docs.is_some_and(|docs| QUESTIONS.contains(&first_word(docs))) {
            violations.push(format!("{}:{}: {line}", file.path, number + 1));
        }
        is_inside = of_item.is_some();
    }
    violations
}

fn first_word(text: &str) -> &str {
    let mut words = text.trim_start().split(|c: char| !c.is_alphanumeric());
    words.next().unwrap_or_default()
}

#[test]
fn docs_begin_with_nouns_and_verbs() {
    assert_clean(&rust(), questions);
    let planted = |text| questions(&Source::planted("a.rs", text)).len();
    assert_eq!(planted("//! What it is for.\n//! How it is used.\n"), 1);
    assert_eq!(
        planted("/// Whether it is on.\non: bool,\n    /// Where, m.\nat: f64,\n"),
        2
    );
    assert_eq!(
        planted("//! Lamps.\n/// Pose of the lamp:\n/// Where it is.\n"),
        0
    );
    assert_eq!(
        planted("/// Whoever asks.\n// Why not.\nlet a = \"/// How\";\n"),
        0
    );
}
