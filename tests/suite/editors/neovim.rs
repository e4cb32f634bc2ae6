//! Neovim: highlighting, indentation, and a dialogue with the language server.
use std::process::Command;

use super::{assert_golden, has, install, path};
use crate::require;

const SCENE: &str = "\
include \"materials.robray\"
def side 0.8;
frame table {
  translation [1, 0, 0.4];
  type revolute;
  axis [0, 0, 1];
  rpy [0, 0, 45*deg];
  geometry { isa steel; shape box; dimension [side, side, 0.05]; }
}
";

#[test]
fn a_dialogue_in_neovim() {
    if !has("nvim") {
        require::left_out("editors", "there is no Neovim");
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(
        file("materials.robray"),
        "# Metals.\nclass steel { density 7800; }\n",
    )
    .expect("a file");
    std::fs::write(file("table.robray"), SCENE).expect("a file");
    std::fs::write(
        file("table.ron"),
        "Simulation(scene: \"table.robray\", bodies: { \"table\": (kind: fixed) })\n",
    )
    .expect("a file");
    install("mkdir -p ~/.local/share/nvim/site/pack", folder.path());
    install("mkdir -p ~/.local/share/nvim/site/parser", folder.path());
    let output = Command::new("nvim")
        .args(["--headless", "-n", "-i", "NONE"])
        .arg("--cmd")
        .arg(format!(
            "let g:morse_sim_command = ['{}', 'lsp']",
            env!("CARGO_BIN_EXE_morse-sim")
        ))
        .args(["--cmd", "filetype plugin indent on", "--cmd", "syntax on"])
        .arg("-c")
        .arg(format!(
            "luafile {}",
            path("tests/editors/neovim.lua").display()
        ))
        .arg("table.robray")
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env("MORSE_OUT", file("dialogue.txt"))
        .env("MORSE_SAMPLE", path("tests/editors/sample.robray"))
        .output()
        .expect("Neovim runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let dialogue = std::fs::read_to_string(file("dialogue.txt")).unwrap_or_default();
    assert!(output.status.success(), "{said}\n{dialogue}");
    assert_golden("tests/golden/editors/neovim.txt", &dialogue);
}

#[test]
fn the_dialogue_in_the_guide_is_that_of_neovim() {
    let page = std::fs::read_to_string(path("src/docs/editors.md")).expect("the guide");
    let dialogue = std::fs::read_to_string(path("tests/golden/editors/neovim.txt"));
    let dialogue = dialogue.expect("a dialogue");
    let (_, block) = page.split_once("```text (a dialogue").expect("a block");
    let (block, _) = block.split_once("\n```\n").expect("an end");
    let lines: Vec<&str> = block.lines().skip(1).collect();
    assert!(lines.len() > 10, "{block}");
    for line in lines {
        assert!(dialogue.lines().any(|other| other == line), "`{line}`");
    }
}
