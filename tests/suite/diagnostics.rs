//! Error messages of scene files, compared word by word.
//!
//! `tests/golden/diagnostics` contains bad files (or folders with a `main.robray`) and, beside each, the expected text.
//! After a change, `UPDATE_GOLDEN=1 cargo test` writes the texts again.
#![cfg(test)]
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use morse_sim::scene::{
    diagnostic::{Diagnostic, Sources, Style, render, to_json},
    load::{LoadOptions, load},
    robray::codes,
};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diagnostics")
}

fn read(path: &Path) -> (Vec<Diagnostic>, Sources) {
    let first_line = std::fs::read(path).unwrap();
    let first_line = String::from_utf8_lossy(&first_line);
    let first_line = first_line.lines().next().unwrap_or_default();
    let has = |option| first_line.starts_with("# options:") && first_line.contains(option);
    let options = LoadOptions {
        strict: has("--strict") && !has("--strict-amino"),
        strict_amino: has("--strict-amino"),
        ..LoadOptions::default()
    };
    match load(path, &options) {
        Ok(loaded) => (loaded.warnings, loaded.sources),
        Err(failed) => (failed.diagnostics, failed.sources),
    }
}

fn shown(diagnostics: &[Diagnostic], sources: &Sources, folder: &Path) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}", render(diagnostic, sources, Style::Plain)).unwrap();
    }
    text.replace(&format!("{}/", folder.display()), "")
}

/// Compares a text with the golden one, or replaces the golden one on request.
fn check(path: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if actual == expected {
        return Ok(());
    }
    let name = path.display();
    Err(format!("{name}\nexpected:\n{expected}\nfound:\n{actual}"))
}

/// Returns the bad files, and the `main.robray` of the bad folders, each with its golden text.
fn bad_files() -> Vec<(PathBuf, PathBuf)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.push((path.join("main.robray"), path.with_extension("txt")));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "robray")
        {
            files.push((path.clone(), path.with_extension("txt")));
        }
    }
    files.sort();
    files
}

#[test]
fn every_bad_file_is_explained() {
    let files = bad_files();
    assert!(files.len() >= 60, "{} bad files", files.len());
    let mut wrong = Vec::new();
    for (file, text) in files {
        let (diagnostics, sources) = read(&file);
        assert!(!diagnostics.is_empty(), "{}: nothing found", file.display());
        let messages = shown(&diagnostics, &sources, &golden());
        let raw = |letter: char| letter.is_control() && letter != '\n';
        assert!(
            !messages.contains(raw),
            "{}: control characters",
            file.display()
        );
        wrong.extend(check(&text, &messages).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_golden_text() {
    let texts: String = std::fs::read_dir(golden())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let missing: Vec<&&str> = codes::ALL
        .iter()
        .filter(|code| !texts.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
    let different: BTreeSet<&&str> = codes::ALL.iter().collect();
    assert_eq!(different.len(), codes::ALL.len(), "a code is used twice");
}

/// Checks the message with this code for a text that is too large to keep in a file.
fn check_made(name: &str, code: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.robray"));
    std::fs::write(&path, text).unwrap();
    let (diagnostics, sources) = read(&path);
    let mut said = diagnostics.into_iter().filter(|said| said.code == code);
    let message = shown(said.next().as_slice(), &sources, folder.path());
    check(&golden().join(format!("made_{name}.txt")), &message).unwrap();
}

#[test]
fn large_things_are_explained() {
    check_made("deep_blocks", codes::TOO_DEEP, &"frame a { ".repeat(300));
    check_made(
        "deep_parentheses",
        codes::TOO_DEEP,
        &format!("def a {}1;", "(".repeat(300)),
    );
    check_made(
        "long_name",
        codes::NAME_TOO_LONG,
        &format!("frame {} {{}}", "a".repeat(5_000)),
    );
    check_made(
        "long_expression",
        codes::TOO_LARGE,
        &format!("def a 1{};", "+1".repeat(20_000)),
    );
    check_made(
        "many_errors",
        codes::AND_MORE,
        &"frame a { size 1; }\n".repeat(200),
    );
    let warnings = (0..300).fold(String::new(), |text, number| {
        text + &format!("frame f{number} {{ parent nowhere; }}\n")
    });
    check_made("many_warnings", codes::AND_MORE, &warnings);
    let classes = (0..300).fold(String::new(), |text, number| {
        text + &format!("class c{} {{ isa c{number}; }}\n", number + 1)
    });
    check_made(
        "long_inheritance",
        codes::TOO_DEEP,
        &format!("class c0 {{}}\n{classes}"),
    );
    check_made(
        "long_line",
        codes::UNKNOWN_ATTRIBUTE,
        &format!("{}frame a {{ size 1; }}", " ".repeat(5_000)),
    );
}

#[test]
fn an_include_bomb_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..10 {
        let include = format!("include \"{}\"\n", number + 1);
        std::fs::write(
            folder.path().join(format!("{number}.robray")),
            include.repeat(10),
        )
        .unwrap();
    }
    std::fs::write(folder.path().join("10.robray"), "def x 1;").unwrap();
    let (diagnostics, sources) = read(&folder.path().join("0.robray"));
    let messages = shown(&diagnostics, &sources, folder.path());
    check(&golden().join("made_include_bomb.txt"), &messages).unwrap();
}

#[test]
fn a_file_outside_is_never_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let [scene, outside] = ["scene", "outside"].map(|name| folder.path().join(name));
    std::fs::create_dir(&scene).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let secret = "root:x:0:0\npassword hunter2\n";
    std::fs::write(outside.join("secret.txt"), secret).unwrap();
    let path = scene.join("main.robray");
    std::fs::write(&path, "include \"../outside/secret.txt\"\n").unwrap();
    let (diagnostics, sources) = read(&path);
    let messages = shown(&diagnostics, &sources, &scene);
    assert!(
        !messages.contains("hunter2") && !messages.contains("root:"),
        "{messages}"
    );
    let json: String = diagnostics
        .iter()
        .map(|diagnostic| to_json(diagnostic, &sources).to_string())
        .collect();
    assert!(
        !json.contains("hunter2") && !json.contains("root"),
        "{json}"
    );
    check(&golden().join("made_hidden.txt"), &messages).unwrap();

    let options = LoadOptions {
        allow_paths: vec![outside],
        ..LoadOptions::default()
    };
    let failed = load(&path, &options).unwrap_err().to_string();
    assert!(failed.contains("root:x:0:0"), "{failed}");
}

#[test]
fn a_missing_file_is_explained() {
    let (diagnostics, sources) = match load(Path::new("no/such.robray"), &LoadOptions::default()) {
        Ok(loaded) => (loaded.warnings, loaded.sources),
        Err(failed) => (failed.diagnostics, failed.sources),
    };
    let messages = shown(&diagnostics, &sources, Path::new("none"));
    check(&golden().join("made_missing_file.txt"), &messages).unwrap();
}

#[test]
fn json_has_the_position_and_the_remedy() {
    let (diagnostics, sources) = read(&golden().join("include_chain/main.robray"));
    let json = to_json(&diagnostics[0], &sources);
    assert_eq!(json["code"], "robray::unknown-attribute");
    assert_eq!(json["severity"], "error");
    assert_eq!((&json["line"], &json["column"]), (&2.into(), &3.into()));
    assert_eq!(
        (&json["end_line"], &json["end_column"]),
        (&2.into(), &13.into())
    );
    assert!(json["file"].as_str().unwrap().ends_with("b.robray"));
    assert_eq!(json["help"][0], "did you mean `translation`?");
    assert_eq!(json["included_from"].as_array().unwrap().len(), 2);
}
