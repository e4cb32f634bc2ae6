//! Completions and manual pages: every command and option is in them.
use std::process::{Command, Stdio};

use super::Room;

#[test]
fn shells_complete_commands_and_options() {
    let room = Room::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = room.run(&["completions", shell]).with_code(0).out;
        for word in ["inspect", "until", "sweep"] {
            assert!(script.contains(word), "{shell}: no `{word}`");
        }
    }
    room.run(&["completions", "cmd"])
        .with_code(2)
        .with_errors(&["bash", "zsh"]);
}

#[test]
fn bash_offers_what_there_is() {
    let room = Room::new();
    let script = room.run(&["completions", "bash"]).with_code(0).out;
    room.write("complete.bash", &script);
    // As bash completes after these words.
    let ask = |words: &str, last: usize| {
        let script = format!(
            "source complete.bash; COMP_WORDS=({words}); COMP_CWORD={last}; COMPREPLY=(); \
             _morse__sim morse-sim \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last}-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &script])
            .current_dir(room.path())
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(ask("morse-sim insp", 1).trim(), "inspect");
    assert_eq!(ask("morse-sim test --swe", 2).trim(), "--sweep");
    assert_eq!(ask("morse-sim run --tim", 2).trim(), "--timeout");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let room = Room::new();
    let page = room.run(&["man"]).with_code(0).out;
    for word in [
        ".TH morse-sim 1",
        "Exit codes",
        "morse\\-sim\\-inspect(1)",
        "\\-\\-until",
    ] {
        assert!(page.contains(word), "no `{word}` in\n{page}");
    }
    let page = room.run(&["man", "test"]).with_code(0).out;
    for word in [".TH morse-sim-test 1", "\\-\\-seeds", "\\-\\-junit"] {
        assert!(page.contains(word), "no `{word}` in\n{page}");
    }
    room.run(&["man", "tset"])
        .with_code(2)
        .with_errors(&["no command `tset`", "inspect"]);
}
