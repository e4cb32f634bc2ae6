//! Messages about files, compared word by word with texts beside the files.
//!
//! After a change, `UPDATE_GOLDEN=1 cargo test` writes the texts again.
#![cfg(test)]
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use morse_sim::scene::{
    diagnostic::{Diagnostic, Sources, Style, render},
    load::{LoadOptions, load},
};

/// Returns a file or directory of the project.
pub(crate) fn in_project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the diagnostics of a file, and the texts to which they refer.
pub(crate) fn diagnostics(path: &Path, options: &LoadOptions) -> (Vec<Diagnostic>, Sources) {
    match load(path, options) {
        Ok(loaded) => (loaded.warnings, loaded.sources),
        Err(failed) => (failed.diagnostics, failed.sources),
    }
}

/// Renders diagnostics, with paths relative to a directory.
pub(crate) fn shown(diagnostics: &[Diagnostic], sources: &Sources, directory: &Path) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}", render(diagnostic, sources, Style::Plain)).unwrap();
    }
    let text = text.replace(&format!("{}/", directory.display()), "");
    // Directories above the project differ between machines.
    let own = |line: &&str| !line.contains("looked for `/") || line.contains("`/etc/");
    text.lines()
        .filter(own)
        .fold(String::new(), |all, line| all + line + "\n")
}

/// Returns the messages about a file that is simulated. There is at least one, and each has a position and a remedy.
pub(crate) fn messages(file: &Path) -> String {
    let options = LoadOptions {
        simulated: true,
        ..LoadOptions::default()
    };
    let (diagnostics, sources) = diagnostics(file, &options);
    let name = file.display();
    assert!(!diagnostics.is_empty(), "{name}: nothing found");
    for diagnostic in &diagnostics {
        assert!(!diagnostic.help.is_empty(), "{name}: {diagnostic:?}");
        assert!(diagnostic.span().is_some(), "{name}: {diagnostic:?}");
    }
    shown(&diagnostics, &sources, file.parent().unwrap())
}

/// Compares a text with the golden one, or replaces the golden one on request.
pub(crate) fn check(path: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let name = path.display();
    match actual == expected {
        true => Ok(()),
        false => Err(format!("{name}\nexpected:\n{expected}\nfound:\n{actual}")),
    }
}

/// Returns the files of a directory with an ending, sorted.
pub(crate) fn with_ending(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|own| own == ending))
        .collect();
    paths.sort();
    paths
}

/// Compares the messages about files with the texts beside them.
pub(crate) fn explained(files: &[PathBuf]) {
    let check = |file: &PathBuf| check(&file.with_extension("txt"), &messages(file)).err();
    let wrong: Vec<String> = files.iter().filter_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that the golden texts of some directories show all codes.
pub(crate) fn show_all<'a>(
    directories: &[PathBuf],
    codes: impl IntoIterator<Item = &'a &'static str>,
) {
    let texts = directories.iter().flat_map(|one| with_ending(one, "txt"));
    let texts: String = texts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let codes = codes.into_iter();
    let missing: Vec<_> = codes
        .filter(|code| !texts.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
}
