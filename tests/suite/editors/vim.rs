//! Vim: highlighting and indentation.
use std::process::Command;

use super::{has, install, path, run};
use crate::require;

#[test]
fn vim_highlights_and_indents() {
    if !has("vim") {
        require::say("there is no Vim");
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    install("mkdir -p ~/.vim", home.path());
    let script = home.path().join("script.vim");
    let result = home.path().join("result.txt");
    let lines = [
        "filetype plugin indent on",
        "syntax on",
        &format!("edit {}", path("tests/editors/sample.robray").display()),
        "let names = map([[2, 1], [5, 7], [6, 8], [8, 17]], 'synIDattr(synID(v:val[0], v:val[1], 1), \"name\")')",
        "new | setfiletype ron",
        "call setline(1, ['Simulation(', 'robots: {', '\"a\": (),', '},', ')'])",
        "normal! gg=G",
        &format!(
            "call writefile([join(names)] + getline(1, '$'), '{}')",
            result.display()
        ),
        "qall!",
    ];
    std::fs::write(&script, lines.join("\n")).expect("a file");
    run(Command::new("vim")
        .args(["-e", "-s", "-N", "-i", "NONE", "-S"])
        .arg(&script)
        .env("HOME", home.path()));
    let text = std::fs::read_to_string(result).expect("the result");
    let expected = "robrayStatement  robrayWord robrayConstant\n\
        Simulation(\n    robots: {\n        \"a\": (),\n    },\n)\n";
    assert_eq!(text, expected);
}
