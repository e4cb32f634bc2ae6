//! Conventions of this repository, checked: files, docs, layers, and the documentation of every kind.
//!
//! Each check is a function that returns its findings, so that every test can also show that its check detects a planted
//! violation.
mod circles;
mod code;
mod contract;
mod docs;
mod errors;
mod files;
mod kinds;
mod layers;
mod words;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file of the repository.
struct Source {
    /// Path relative to the root of the repository, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// Returns a file that exists only in memory.
    fn planted(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files with one of these extensions below these directories, sorted by path.
fn sources(directories: &[&str], extensions: &[&str]) -> Vec<Source> {
    let mut files = Vec::new();
    for directory in directories {
        walk(&root().join(directory), &mut |path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            if extension.is_some_and(|extension| extensions.contains(&extension)) {
                // Some test files are not UTF-8 on purpose.
                let text =
                    String::from_utf8_lossy(&fs::read(path).expect("a readable file")).into_owned();
                let path = path.strip_prefix(root()).expect("a file of the repository");
                files.push(Source {
                    path: path.to_string_lossy().replace('\\', "/"),
                    text,
                });
            }
        });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// Returns all Rust files.
fn rust() -> Vec<Source> {
    sources(&["src", "plugins", "tools", "tests", "examples"], &["rs"])
}

fn walk(directory: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(directory)
        .expect("a readable directory")
        .map(|entry| entry.expect("an entry"))
    {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                walk(&path, visit);
            }
        } else {
            visit(&path);
        }
    }
}

/// Runs a check on many files.
#[track_caller]
fn assert_clean(files: &[Source], check: impl Fn(&Source) -> Vec<String>) {
    assert!(!files.is_empty(), "no file was looked at");
    let violations: Vec<String> = files.iter().flat_map(check).collect();
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
}
