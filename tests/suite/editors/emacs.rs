//! Emacs: highlighting, indentation and index of the major modes, and a dialogue with the language server by Eglot.
use std::process::Command;

use super::{assert_golden, has, install, path, run};
use crate::require;

fn emacs() -> Command {
    let mut command = Command::new("emacs");
    command.args(["--batch", "--quick"]);
    command
        .arg("--load")
        .arg(path("assets/editors/emacs/morse-sim.el"));
    command
}

fn has_emacs() -> bool {
    let is_there = has("emacs");
    if !is_there {
        require::left_out("editors", "there is no Emacs");
    }
    is_there
}

#[test]
fn emacs_highlights_and_indents() {
    if !has_emacs() {
        return;
    }
    let mut command = emacs();
    command.env("MORSE_SAMPLE", path("tests/editors/sample.robray"));
    let text = run(command.arg("--load").arg(path("tests/editors/emacs.el")));
    assert_golden("tests/golden/editors/emacs.txt", &text);
}

#[test]
fn the_emacs_file_compiles_without_warnings() {
    if !has_emacs() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let copy = folder.path().join("morse-sim.el");
    std::fs::copy(path("assets/editors/emacs/morse-sim.el"), &copy).expect("a copy");
    let mut command = Command::new("emacs");
    command.args([
        "--batch",
        "--quick",
        "--eval",
        "(setq byte-compile-error-on-warn t)",
    ]);
    run(command.args(["--funcall", "batch-byte-compile"]).arg(&copy));
}

#[test]
fn emacs_installs_the_package() {
    if !has_emacs() {
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    install("emacs --batch", home.path());
    let mut command = Command::new("emacs");
    command.args(["--batch", "--funcall", "package-initialize"]);
    command.arg(path("tests/editors/sample.robray"));
    command.args(["--eval", "(princ major-mode)"]);
    assert_eq!(run(command.env("HOME", home.path())), "robray-mode");
}

#[test]
fn a_dialogue_in_emacs() {
    if !has_emacs() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write(
        "materials.robray",
        "# Metals.\nclass steel { density 7800; }\n",
    );
    write(
        "table.robray",
        "include \"materials.robray\"\nframe table {\n  rpy [0, 0, 45*deg];\n  \
         geometry { isa steel; shape box; dimension [1, 1, 0.05]; }\n}\n",
    );
    let mut command = emacs();
    command.arg("--load").arg(path("tests/editors/eglot.el"));
    command.current_dir(folder.path());
    command.env("MORSE_SIM", env!("CARGO_BIN_EXE_morse-sim"));
    let text = run(command.env("HOME", folder.path()));
    if text == "no Eglot\n" {
        require::left_out("editors", "Emacs has no Eglot");
        return;
    }
    let expected = "6: morse-sim [robray::unknown-parent]: there is no parent frame `tabel`: unknown parent\n\
        ```robray\n45*deg = 0.785398163\n```\nmaterials.robray\n";
    assert_eq!(text, expected);
}
