//! Files for editors: their words are those of the language, and each editor highlights, indents and talks to the server.
#![cfg(test)]
mod emacs;
mod generated;
mod neovim;
mod vim;
mod vscode;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Returns a path in the repository.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns true if a program is installed.
fn has(program: &str) -> bool {
    let version = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Compares a text with a file, or writes the file with `UPDATE_GOLDEN=1`.
#[track_caller]
fn assert_golden(name: &str, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path(name), text).expect("a writable file");
    }
    let expected = std::fs::read_to_string(path(name)).unwrap_or_default();
    assert_eq!(text, expected, "{name}: UPDATE_GOLDEN=1 writes it again");
}

/// Runs a command of the guide, which installs files for an editor, with another home directory.
#[track_caller]
fn install(start: &str, home: &Path) {
    let page = std::fs::read_to_string(path("src/docs/editors.md")).expect("the guide");
    let line = page.lines().find(|line| line.starts_with(start));
    let line = line.expect("a command of the guide");
    run(Command::new("sh")
        .args(["-c", line])
        .current_dir(path("."))
        .env("HOME", home));
}

/// Runs a program in a directory, and returns its output; it must succeed.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out
}
